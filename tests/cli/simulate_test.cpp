// `cml simulate`: random walks, and walks by hand from a pipe and on a terminal.
#include <doctest/doctest.h>
#include <nlohmann/json.hpp>
#include <regex>
#include <sstream>
#include <string>
#include <vector>

#include "report/terminal_text.h"
#include "tests/harness/process.h"
#include "tests/harness/terminal.h"

namespace {

using namespace cml::test;
using nlohmann::json;

ProcessResult simulate(std::vector<std::string> words, const std::string& input = {}) {
  words.insert(words.begin(), {CML_BINARY, "simulate"});
  ProcessOptions options;
  options.folder = CML_SOURCE_DIR;
  options.input = input;
  return run(words, options);
}

json document(std::vector<std::string> words) {
  words.insert(words.begin(), {"--format", "json"});
  return json::parse(simulate(words).out);
}

TEST_CASE("a simulation finds violations as a check reports them") {
  const ProcessResult found = simulate({"examples/philosophers.cml"});
  CHECK(found.status == 1);
  CHECK(found.err.empty());
  CHECK(found.out.starts_with("examples/philosophers.cml: violated\n\ndeadlock: no thread can"));
  CHECK(contains(found.out, "how it comes to that: 5 steps, 4 context switches"));
  CHECK(contains(found.out, "came to a deadlock"));
  for (const char* model : {"peterson_broken", "airline", "treiber_aba", "counters",
                            "partial_deadlock", "divergence", "reorder"}) {
    CAPTURE(model);
    const std::string path = std::string("examples/") + model + ".cml";
    for (const char* scheduler : {"uniform", "pct"}) {
      const json one = document({"--scheduler", scheduler, "--runs", "5k", path});
      CAPTURE(scheduler);
      CHECK(one["verdict"] == "violated");
      CHECK(one["violations"][0]["trace"].size() > 0);
      CHECK(one["simulation"]["scheduler"] == scheduler);
    }
  }
}

TEST_CASE("a simulation never says `verified`") {
  for (const char* model : {"philosophers_ordered", "peterson", "lastzero", "fork_join"}) {
    const std::string path = std::string("examples/") + model + ".cml";
    const ProcessResult result = simulate({"--runs", "20", path});
    CHECK(result.status == 3);
    CHECK(contains(result.out, "inconclusive"));
    CHECK(contains(result.out, "proves nothing"));
    CHECK_FALSE(contains(result.out, "verified"));
    const json one = document({"--runs", "20", path});
    CHECK(one["verdict"] == "inconclusive");
    CHECK(one["stats"]["complete"] == false);
    CHECK(one["promise"].is_null());
  }
}

TEST_CASE("walks are told apart by how they end, and every walk is counted once") {
  const json ended = document({"--runs", "50", "examples/lastzero.cml"})["simulation"];
  CHECK(ended["runs"] == 50);
  CHECK(ended["ended"] == 50);
  CHECK(ended["statements"] >= ended["reached_statements"]);
  const json cut =
      document({"--runs", "50", "--steps", "7", "examples/spinlock.cml"})["simulation"];
  CHECK(cut["cut"] == 50);
  CHECK(cut["shortest"] == 7);
  CHECK(cut["longest"] == 7);
  const json all = document({"--all", "--runs", "200", "examples/bank_transfer.cml"});
  const json& told = all["simulation"];
  CHECK(told["deadlocked"] > 0);
  CHECK(told["ended"].get<int>() + told["deadlocked"].get<int>() + told["stopped"].get<int>() +
            told["cut"].get<int>() + told["found"].get<int>() ==
        200);
  CHECK(all["stats"]["executions"] == 200);
  CHECK(all["violations"][0]["kind"] == "deadlock");
}

TEST_CASE("the states that walks meet are among those of the full search") {
  for (const char* model : {"lastzero", "peterson", "treiber_stack", "bounded_buffer_monitor",
                            "std/wait_group", "philosophers_try"}) {
    const std::string path = std::string("examples/") + model + ".cml";
    CAPTURE(path);
    const ProcessResult full =
        run({CML_BINARY, "check", "--format", "json", "--granularity", "access", "--reduction",
             "none", "--discipline", "global", std::string(CML_SOURCE_DIR "/") + path},
            {});
    if (full.status == 2) continue;  // no such example
    const std::uint64_t all = json::parse(full.out)["stats"]["states"];
    const std::uint64_t met = document({"--runs", "300", path})["stats"]["states"];
    CHECK(met <= all);
    CHECK(met * 4 > all);
  }
}

TEST_CASE("a seed is a walk: the same again, and alone") {
  const std::vector<std::string> words = {"--runs", "30", "examples/lastzero.cml"};
  CHECK(document(words)["stats"]["states"] == document(words)["stats"]["states"]);
  for (const char* scheduler : {"uniform", "pct"}) {
    const json found =
        document({"--scheduler", scheduler, "--runs", "10k", "examples/treiber_aba.cml"});
    REQUIRE(found["verdict"] == "violated");
    const std::uint64_t seed = found["simulation"]["first_violated"];
    const json again = document({"--scheduler", scheduler, "--seed", std::to_string(seed), "--runs",
                                 "1", "examples/treiber_aba.cml"});
    CHECK(again["violations"][0]["trace"] == found["violations"][0]["trace"]);
    if (seed > 1) {
      const json before = document({"--scheduler", scheduler, "--seed", std::to_string(seed - 1),
                                    "--runs", "1", "examples/treiber_aba.cml"});
      CHECK(before["verdict"] == "inconclusive");
    }
  }
}

TEST_CASE("what a simulation cannot do is said") {
  const ProcessResult none = simulate({"--runs", "0", "examples/lastzero.cml"});
  CHECK(none.status == kWrong);
  CHECK(contains(none.err, "`--runs` must be at least 1"));
  CHECK(simulate({"--scheduler", "fair", "examples/lastzero.cml"}).status == kWrong);
  CHECK(contains(simulate({"-i", "-"}).err, "help: write the model to a file"));
  CHECK(contains(simulate({"-i", "--format", "json", "examples/lastzero.cml"}).err,
                 "a walk by hand has no result to write"));
  CHECK(simulate({"examples/none.cml"}).status == kWrong);
  const ProcessResult limited = simulate({"--max-states", "3", "examples/lastzero.cml"});
  CHECK(limited.status == 3);
  CHECK(contains(limited.out, "max-states"));
}

TEST_CASE("a walk by hand: who goes, back, state, trace, to a line") {
  const ProcessResult result = simulate({"-i", "-D", "N=2", "examples/philosophers.cml"},
                                        "1\ns\nb\n2\n1\nt\nb 9\nr 18\nl\nq\n");
  CHECK(result.status == 1);
  CHECK(result.err.empty());
  CHECK(
      result.out.starts_with("  1  Philosopher[0]  17  fork[0].acquire()\n"
                             "  2  Philosopher[1]  17  fork[1].acquire()\n"
                             "> 1\n"
                             "step 1: Philosopher[0]: fork[0].acquire(); fork[0] = "
                             "Philosopher[0]\n"
                             "  1  Philosopher[0]  18  fork[1].acquire()\n"
                             "  2  Philosopher[1]  17  fork[1].acquire()\n"
                             "> s\n"
                             "  Philosopher[0]  line 18, running, holds fork[0]\n"));
  CHECK(contains(result.out, "> b\nat the beginning\n"));
  CHECK(contains(result.out, "deadlock: no thread can move: Philosopher[0] and Philosopher[1]"));
  CHECK(contains(result.out,
                 "  nobody can go:\n  Philosopher[0]  waits at fork[1].acquire(), "
                 "which Philosopher[1] holds, holds fork[0]\n"));
  CHECK(contains(result.out, "> t\n  lanes: 0 Philosopher[1], 1 Philosopher[0]\n"));
  CHECK(contains(result.out, "> r 18\nafter 1 step:\n"));
}

TEST_CASE("a walk by hand understands what is wrong, and ends with the input") {
  const ProcessResult result =
      simulate({"--interactive", "examples/philosophers.cml"}, "7\nhello\nb x\nr\n\n?\n");
  CHECK(result.status == 0);
  CHECK(contains(result.out, "there is no number 7: they go from 1 to 5\n"));
  CHECK(contains(result.out, "there is no command `hello`; `help` lists them\n"));
  CHECK(contains(result.out, "`back x`: how many steps?\n"));
  CHECK(contains(result.out, "`run `: to which line?\n"));
  CHECK(contains(result.out, "who goes? a number from 1 to 5, or `help`\n"));
  CHECK(contains(result.out, "  q, quit\n"));
}

TEST_CASE("a walk by hand with objects, choices and faults, as far as it goes") {
  const TemporaryFolder folder;
  const std::string model =
      folder
          .write("walk.cml",
                 "class Node { atomic next: Node? = null; atomic value: int(0..9); }\n"
                 "atomic head: Node? = null;\n"
                 "thread Pusher { for i in 0..<3 { let n = new Node(); n.value = choose(1..3);\n"
                 "  n.next = head; head = n; } assert false, \"here\"; }\n")
          .string();
  std::string keys;
  for (int i = 0; i < 40; ++i)
    keys += "1\n";
  const ProcessResult result = simulate({"-i", model}, keys + "s\nt\nb 3\nq\n");
  CAPTURE(result.out);
  CHECK(result.status == 1);
  CHECK(contains(result.out, "assertion: here\n"));
  CHECK(contains(result.out, "nobody can go:\n  Pusher  stopped\n"));
}

TEST_CASE("walks go on where there is room for few objects at first") {
  const TemporaryFolder folder;
  const std::string model = folder
                                .write("many.cml",
                                       "class Node { atomic next: Node? = null; }\n"
                                       "atomic head: Node? = null; atomic n: int(0..20);\n"
                                       "thread A { while n < 14 { let x = new Node(); x.next = "
                                       "head; head = x; n = n + 1; }\n"
                                       "  fail \"fourteen\"; }\n")
                                .string();
  const ProcessResult hand = simulate({"-i", model}, std::string(100, '\n') + "s\nq\n");
  CHECK(hand.status == 1);
  CHECK(contains(hand.out, "assertion: fourteen\n"));
  CHECK(contains(hand.out, "head = Node#14, n = 14\n"));
  CHECK_FALSE(contains(hand.out, "a limit of the tool"));
  CHECK(contains(simulate({model}).out, "assertion: fourteen\n"));
  const std::string trace = (folder.path() / "t.json").string();
  CHECK(run({CML_BINARY, "check", "--format", "json", "-o", trace, model}, {}).status == 1);
  const ProcessResult replayed = run({CML_BINARY, "replay", model, trace}, {});
  CHECK(replayed.status == 1);
  CHECK(contains(replayed.out, "assertion: fourteen\n"));
}

TEST_CASE("a walk by hand fits a terminal of 80 columns") {
  const auto result = run_on_terminal(
      {CML_BINARY, "simulate", "-i", CML_SOURCE_DIR "/examples/bounded_buffer_monitor.cml"},
      {.columns = 80,
       .environment = {"NO_COLOR=1"},
       .wait_for = "> ",
       .keys = "1\n1\n1\ns\nt\nr 12\nhelp\nq\n"});
  CHECK(result.status == 0);
  std::istringstream lines(result.screen);
  for (std::string line; std::getline(lines, line);) {
    CAPTURE(line);
    CHECK(cml::report::display_width(line) <= 80);
  }
}

}  // namespace
