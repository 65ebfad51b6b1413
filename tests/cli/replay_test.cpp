// `cml replay`: what the traces of a check lead to, in the same model and in changed ones; files
// that are no traces.
#include <doctest/doctest.h>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <set>
#include <string>
#include <vector>

#include "tests/harness/process.h"

namespace {

namespace fs = std::filesystem;
using namespace cml::test;
using nlohmann::json;

constexpr int kFitsNoLonger = 5;

class Replay {
 public:
  /// Checks a model, and keeps the trace.
  explicit Replay(const std::string& model, std::vector<std::string> words = {}) {
    (void)folder_.write("m.cml", model);
    words.insert(words.begin(), {CML_BINARY, "check", "--format", "json", "-o", "t.json"});
    words.emplace_back("m.cml");
    checked_ = run_here(words);
  }

  [[nodiscard]] ProcessResult operator()(std::vector<std::string> words = {},
                                         const std::string& input = {}) const {
    words.insert(words.begin(), {CML_BINARY, "replay"});
    words.insert(words.end(), {"m.cml", "t.json"});
    return run_here(words, input);
  }
  void change(const std::string& model) const { (void)folder_.write("m.cml", model); }
  void save(const std::string& trace) const { (void)folder_.write("t.json", trace); }
  [[nodiscard]] json saved() const { return json::parse(read_file(folder_.path() / "t.json")); }
  [[nodiscard]] const ProcessResult& checked() const { return checked_; }

 private:
  [[nodiscard]] ProcessResult run_here(const std::vector<std::string>& words,
                                       const std::string& input = {}) const {
    ProcessOptions options;
    options.folder = folder_.path();
    options.input = input;
    return run(words, options);
  }

  TemporaryFolder folder_;
  ProcessResult checked_;
};

constexpr const char* kDeadlock =
    "const N = 2; lock a; lock b; atomic n: int(0..9);\n"
    "thread A { with a { n = 1; with b { skip; } } }\n"
    "thread B { with b { n = 2; with a { skip; } } }\n";

TEST_CASE("the traces of all violated examples lead where the check says") {
  std::size_t count = 0;
  const TemporaryFolder folder;
  const std::string trace = (folder.path() / "t.json").string();
  for (const char* from : {"/examples", "/examples/std"})
    for (const auto& entry : fs::directory_iterator(CML_SOURCE_DIR + std::string(from))) {
      if (entry.path().extension() != ".cml") continue;
      const std::string model = entry.path().string();
      CAPTURE(model);
      if (run({CML_BINARY, "check", "--format", "json", "-o", trace, model}, {}).status != 1)
        continue;
      ++count;
      const json violation = json::parse(read_file(trace))["violations"][0];
      const ProcessResult result = run({CML_BINARY, "replay", model, trace}, {});
      CAPTURE(result.out);
      CHECK(result.err.empty());
      const bool is_lost = violation["kind"] == "livelock" || result.status == 3;
      CHECK(result.status == (is_lost ? 3 : 1));
      CHECK(contains(result.out, violation["kind"].get<std::string>() + ": "));
    }
  CHECK(count > 20);
}

TEST_CASE("a trace is told as the check tells it") {
  const Replay replay(kDeadlock);
  REQUIRE(replay.checked().status == 1);
  const ProcessResult result = replay();
  CHECK(result.status == 1);
  CHECK(result.out.starts_with("m.cml: violated\n\ndeadlock: no thread can move: A and B are"));
  CHECK(contains(result.out, "how it comes to that: "));
  CHECK(contains(result.out, "each waits for the next: A → B → A"));
}

TEST_CASE("lines may move, and the constants are those of the trace") {
  const std::string model =
      "const N = 2; lock fork[N];\n"
      "thread P[i in 0..<N] { with fork[i] { with fork[(i + 1) % N] { skip; } } }\n";
  const Replay replay(model, {"-D", "N=3"});
  CHECK(replay().status == 1);
  CHECK(contains(replay().out, "P[0], P[1] and P[2] are blocked"));
  replay.change("// another line\n\n" + model);
  CHECK(replay().status == 1);
  const ProcessResult other = replay({"-D", "N=2"});
  CHECK(other.status == kFitsNoLonger);
  CHECK(contains(other.out, "m.cml: the trace fits no longer\n"));
  CHECK(contains(other.out, "step 3 of 3 does not fit: there is no thread P[2]"));
}

TEST_CASE("where a trace fits no longer, and why") {
  const Replay replay(kDeadlock, {"--granularity", "access"});
  const std::string trace = replay.saved()["violations"][0]["trace"].dump();
  REQUIRE(replay.saved()["violations"][0]["trace"].size() == 4);
  CAPTURE(trace);
  const auto changed = [&](const std::string& a, const std::string& b) {
    replay.change("lock a; lock b; atomic n: int(0..9);\n" + a + "\n" + b + "\n");
    const ProcessResult result = replay();
    CHECK(result.status == kFitsNoLonger);
    CHECK(result.err.empty());
    CHECK(contains(result.out, "what can happen there:\n"));
    return result.out;
  };
  const std::string a = "thread A { with a { n = 1; with b { skip; } } }";
  const std::string b = "thread B { with b { n = 2; with a { skip; } } }";
  CHECK(contains(changed(a, "thread C { with b { n = 2; with a { skip; } } }"),
                 "there is no thread B"));
  CHECK(contains(changed(a, "thread B { with b { n = 3; with a { skip; } } }"),
                 "B does `n = 3`, and in the trace it does `n = 2`"));
  CHECK(contains(changed(a, "thread B { with a { n = 2; with b { skip; } } }"),
                 "B waits at a.acquire(), which A holds"));
  CHECK(contains(changed(a, "thread B { with b { skip; } }"), "B does `b.release()`"));
  CHECK(contains(changed(a, "thread B { b.acquire(); }"), "B has ended"));
  CHECK(contains(changed(a, "thread B { with b { n = choose(2..3); with a { skip; } } }"),
                 "B has 2 ways to go on, and the trace does not say which"));
}

TEST_CASE("a trace that fits, in a model that is cured behind it") {
  const std::string before = "atomic n: int(0..9);\nthread A { n = 1; n = 2; assert n != ";
  const Replay replay(before + "2; }\n", {"--granularity", "access"});
  REQUIRE(replay.checked().status == 1);
  replay.change(before + "3; }\n");
  const ProcessResult result = replay();
  CHECK(result.status == 0);
  CHECK(result.out.starts_with("m.cml: the trace fits, and ends in no violation\n"));
  CHECK(contains(result.out, "in the end:\n"));
  replay.change("atomic n: int(0..9);\nthread A { n = 1; n = 2; assert n != 3; fail \"more\"; }\n");
  CHECK(replay().status == 1);
  CHECK(contains(replay().out, "assertion: more"));
}

TEST_CASE("lost threads: a trace alone does not show that nobody can free them") {
  const Replay replay(
      "atomic flag: bool; atomic other: int(0..3);\n"
      "thread Waits { loop { if flag { break; } } }\n"
      "thread Sets { if choose(0..1) == 1 { flag = true; } }\n");
  REQUIRE(replay.checked().status == 1);
  CHECK(replay.saved()["violations"][0]["kind"] == "livelock");
  const ProcessResult result = replay();
  CHECK(result.status == 3);
  CHECK(contains(result.out, "m.cml: the trace fits\n"));
  CHECK(contains(result.out, "which a trace does not show"));
}

TEST_CASE("one of several violations, and one of several documents") {
  const Replay replay("thread A { fail \"first\"; }\nthread B { fail \"second\"; }\n", {"--all"});
  REQUIRE(replay.saved()["violations"].size() == 2);
  std::set<std::string> told;
  for (const char* id : {"1", "2"}) {
    const ProcessResult result = replay({"--violation", id});
    CHECK(result.status == 1);
    told.insert(contains(result.out, "assertion: first") ? "first" : "second");
  }
  CHECK(told.size() == 2);
  const ProcessResult third = replay({"--violation", "3"});
  CHECK(third.status == kWrong);
  CHECK(contains(third.err, "it has 2 violations, not 3"));
  json verified = replay.saved();
  verified["violations"] = json::array();
  replay.save(json::array({verified, replay.saved()}).dump());
  CHECK(replay().status == 1);
}

TEST_CASE("step by step, off the path and back") {
  const Replay replay(kDeadlock, {"--granularity", "access"});
  const ProcessResult through = replay({"-i"}, "\n\n\n\n\n");
  CHECK(through.status == 1);
  CHECK(contains(through.out, "→ "));
  CHECK(contains(through.out, "step 4: "));
  CHECK(contains(through.out, "deadlock: no thread can move"));
  CHECK(contains(through.out, "the trace ends here\n"));
  const ProcessResult away = replay({"-i"}, "2\n\nb\n\nq\n");
  CHECK(contains(away.out, "who goes? a number from 1 to 2"));
  CHECK(contains(away.out, "> b\nat the beginning\n"));
  replay.change("lock a; lock b; atomic n: int(0..9);\nthread B { with b { n = 2; } }\n");
  CHECK(contains(replay({"-i"}, "\nq\n").out, "the trace fits no longer here"));
}

TEST_CASE("what is no trace is refused in a sentence") {
  const Replay replay(kDeadlock);
  const std::string good = replay.saved().dump();
  for (const auto& [text, says] : std::vector<std::pair<std::string, std::string>>{
           {"", "is no JSON"},
           {"{", "is no JSON"},
           {"17", "it is no result of cml"},
           {"[]", "none of its documents has a violation"},
           {"{}", "it is no result of cml"},
           {"{\"schema\": \"cml-result/1\"}", "its model had errors"},
           {"{\"schema\": \"cml-result/1\", \"violations\": []}", "it has no violation"},
           {"{\"schema\": \"cml-result/1\", \"violations\": [1]}", "has no member `kind`"},
           {std::string(100'000, '['), "is no JSON"}}) {
    const std::string beginning = text.substr(0, 60);
    CAPTURE(beginning);
    replay.save(text);
    const ProcessResult result = replay();
    CHECK(result.status == kWrong);
    CHECK(contains(result.err, says));
    CHECK(contains(result.err, "\nhelp: "));
  }
  // Each member of it, as something else.
  const json document = json::parse(good);
  const json flat = document.flatten();
  std::size_t count = 0;
  for (const auto& item : flat.items()) {
    const std::string path = item.key();
    if (!path.starts_with("/violations/0") && !path.starts_with("/constants")) continue;
    for (const json& other : {json(nullptr), json(-1), json("x"), json::array({1})}) {
      json spoilt = document;
      spoilt[json::json_pointer(path)] = other;
      replay.save(spoilt.dump());
      const ProcessResult result = replay();
      CAPTURE(path);
      CAPTURE(result.err);
      CHECK((result.status <= 2 || result.status == kFitsNoLonger));
    }
    if (++count == 25) break;
  }
  CHECK(count > 20);
}

}  // namespace
