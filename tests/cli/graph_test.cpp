// `cml graph`: what is in the pictures, that they are DOT, and SVG with and without Graphviz.
#include <algorithm>
#include <doctest/doctest.h>
#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>
#include <regex>
#include <set>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "tests/harness/process.h"

namespace {

namespace fs = std::filesystem;
using namespace cml::test;

ProcessResult graph(std::vector<std::string> words) {
  words.insert(words.begin(), {CML_BINARY, "graph"});
  ProcessOptions options;
  options.folder = CML_SOURCE_DIR;
  return run(words, options);
}

struct Dot {
  std::map<std::string, std::string> nodes;  // name, attributes
  std::vector<std::pair<std::string, std::string>> edges;
  std::string text;
};

/// Every line must be one that Graphviz understands.
Dot dot(const std::string& text) {
  static const std::string kString = R"re("(?:[^"\\]|\\.)*")re";
  static const std::regex kNode("  (n[0-9]+) \\[(label=" + kString + ".*)\\];");
  static const std::regex kEdge("  (n[0-9]+) -> (n[0-9]+)( \\[(label=" + kString +
                                ")?(, )?(style=dashed)?\\])?;");
  static const std::regex kDefaults("  (graph|node|edge) \\[(.*)\\];");
  Dot result;
  result.text = text;
  std::istringstream lines(text);
  std::string line;
  REQUIRE(std::getline(lines, line));
  CHECK(line == "digraph {");
  std::smatch part;
  while (std::getline(lines, line) && line != "}") {
    CAPTURE(line);
    if (std::regex_match(line, part, kEdge)) {
      result.edges.emplace_back(part[1], part[2]);
      CHECK(result.nodes.contains(part[1]));
      CHECK(result.nodes.contains(part[2]));
    } else if (std::regex_match(line, part, kNode)) {
      CHECK(result.nodes.emplace(part[1], part[2]).second);
    } else {
      CHECK(std::regex_match(line, part, kDefaults));
    }
  }
  CHECK(line == "}");
  return result;
}

std::size_t count(const Dot& of, const std::string& attribute) {
  return static_cast<std::size_t>(
      std::count_if(of.nodes.begin(), of.nodes.end(),
                    [&](const auto& node) { return contains(node.second, attribute); }));
}

constexpr const char* kStuck = "#f6c6c0";
constexpr const char* kEnded = "peripheries=2";

TEST_CASE("the graph of states is that of the full search") {
  for (const char* model : {"bank_transfer", "lastzero", "bank_transfer_ordered", "spinlock",
                            "fork_join", "smokers_deadlock", "bounded_buffer_notify_bug"}) {
    const std::string path = std::string("examples/") + model + ".cml";
    for (const char* granularity : {"access", "sync"}) {
      CAPTURE(path);
      CAPTURE(granularity);
      const ProcessResult full = run(
          {CML_BINARY, "check", "--all", "--format", "json", "--reduction", "none",
           "--no-hang-check", "--granularity", granularity, std::string(CML_SOURCE_DIR "/") + path},
          {});
      const nlohmann::json stats = nlohmann::json::parse(full.out)["stats"];
      if (stats["states"] > 500) continue;
      const ProcessResult result =
          graph({"--max-states", "1000", "--granularity", granularity, path});
      CHECK(result.status == 0);
      CHECK(result.err.empty());
      const Dot drawn = dot(result.out);
      CHECK(drawn.nodes.size() == stats["states"]);
      CHECK(drawn.edges.size() == stats["transitions"]);
      CHECK(count(drawn, kStuck) == stats["deadlocked_states"]);
    }
  }
}

TEST_CASE("states, transitions and where the bound lies") {
  const Dot all = dot(graph({"examples/bank_transfer.cml"}).out);
  CHECK(contains(all.text, "examples/bank_transfer.cml: "));
  CHECK(count(all, kEnded) == 1);
  CHECK(count(all, "penwidth=2") == 1);
  CHECK(contains(all.text, ".acquire()\""));
  const ProcessResult some = graph({"--max-states", "5", "examples/philosophers.cml"});
  CHECK(some.status == 0);
  CHECK(contains(some.err, "there are more states"));
  const Dot drawn = dot(some.out);
  CHECK(drawn.nodes.size() == 5);
  CHECK(count(drawn, "dashed") > 0);
  CHECK(contains(some.out, "5 states, and more"));
}

TEST_CASE("the lock order, and its cycles") {
  const ProcessResult result = graph({"--locks", "-D", "N=3", "examples/philosophers.cml"});
  CHECK(result.status == 0);
  const Dot drawn = dot(result.out);
  CHECK(drawn.nodes.size() == 4);
  CHECK(drawn.edges.size() == 6);
  CHECK(count(drawn, kStuck) == 3);
  CHECK(contains(result.out, "[label=\"Philosopher[0] 18\"]"));
  const ProcessResult ordered =
      graph({"--locks", "-D", "N=3", "examples/philosophers_ordered.cml"});
  CHECK(count(dot(ordered.out), kStuck) == 0);
  CHECK(contains(graph({"--locks", "examples/lastzero.cml"}).err,
                 "no thread takes a lock while it holds another"));
}

TEST_CASE("control flow of a thread, by its name or that of its family") {
  const ProcessResult one = graph({"--flow", "Philosopher[1]", "examples/philosophers.cml"});
  CHECK(one.status == 0);
  const Dot drawn = dot(one.out);
  CHECK(contains(one.out, "17: fork[i].acquire();"));
  CHECK(contains(one.out, "19: if meals < 100 {"));
  CHECK(contains(one.out, "[label=\"meals < 100\"]"));
  CHECK(contains(one.out, "[label=\"else\"]"));
  CHECK_FALSE(contains(one.out, "19: meals\\l"));
  CHECK(drawn.edges.size() >= drawn.nodes.size());
  CHECK(contains(one.out, "style=dashed"));
  CHECK(contains(graph({"--flow", "Philosopher", "examples/philosophers.cml"}).out,
                 "Philosopher[0]\""));
  const ProcessResult none = graph({"--flow", "Philosoper[1]", "examples/philosophers.cml"});
  CHECK(none.status == kWrong);
  CHECK(none.out.empty());
  CHECK(contains(none.err, "did you mean `--flow 'Philosopher["));
  CHECK(contains(graph({"--flow", "x", "examples/philosophers.cml"}).err,
                 "its threads are Philosopher[0], "));
}

TEST_CASE("who waits for whom in the end of a violation") {
  const ProcessResult result = graph({"--waits", "-D", "N=3", "examples/philosophers.cml"});
  CHECK(result.status == 0);
  const Dot drawn = dot(result.out);
  using Edges = std::vector<std::pair<std::string, std::string>>;
  CHECK(drawn.edges == Edges{{"n0", "n1"}, {"n1", "n2"}, {"n2", "n0"}});
  CHECK(count(drawn, kStuck) == 3);
  CHECK(contains(result.out, "fork[1].acquire()"));
  const ProcessResult none = graph({"--waits", "examples/lastzero.cml"});
  CHECK(none.status == 0);
  CHECK(dot(none.out).nodes.empty());
  CHECK(contains(none.err, "no violation was found"));
}

TEST_CASE("all examples have graphs") {
  for (const char* from : {"/examples", "/examples/std"})
    for (const auto& entry : fs::directory_iterator(CML_SOURCE_DIR + std::string(from))) {
      if (entry.path().extension() != ".cml") continue;
      const std::string model = entry.path().string();
      CAPTURE(model);
      const ProcessResult states = graph({"--max-states", "30", model});
      CHECK(states.status == 0);
      CHECK_FALSE(dot(states.out).nodes.empty());
    }
}

TEST_CASE("whatever a model says is text in a picture") {
  const TemporaryFolder folder;
  const std::string model =
      folder
          .write("a \"b\\\".cml",
                 "atomic n: int(0..1); thread A { assert n == 0, \"\\\"];\"; n = 1; }\n")
          .string();
  CHECK_FALSE(dot(graph({model}).out).nodes.empty());
  CHECK_FALSE(dot(graph({"--flow", "A", model}).out).nodes.empty());
}

TEST_CASE("svg is drawn by Graphviz, and where that lacks it is said") {
  const TemporaryFolder folder;
  const auto with_path = [&](const std::string& path) {
    ProcessOptions options;
    options.environment = {"PATH=" + path};
    return run(
        {CML_BINARY, "graph", "--format", "svg", CML_SOURCE_DIR "/examples/bank_transfer.cml"},
        options);
  };
  const ProcessResult none = with_path(folder.path().string());
  CHECK(none.status == kWrong);
  CHECK(none.out.empty());
  CHECK(contains(none.err, "`dot`, which draws graphs, is not installed"));
  CHECK(contains(none.err, "apt install graphviz"));

  const auto pretend = [&](const std::string& script) {
    const fs::path file = folder.write("dot", "#!/bin/sh\n" + script);
    fs::permissions(file, fs::perms::owner_all);
    return with_path(folder.path().string() + ":/usr/bin:/bin");
  };
  const ProcessResult drawn =
      pretend("test \"$1\" = -Tsvg && echo '<svg>' && cat && echo '</svg>'\n");
  CHECK(drawn.status == 0);
  CHECK(drawn.out.starts_with("<svg>\ndigraph {\n"));
  CHECK(drawn.out.ends_with("}\n</svg>\n"));
  const ProcessResult failed = pretend("echo 'it is too large' >&2; exit 1\n");
  CHECK(failed.status == kWrong);
  CHECK(contains(failed.err, "`dot` cannot draw this graph: it is too large"));
}

TEST_CASE("one graph at a time") {
  const ProcessResult two = graph({"--locks", "--states", "examples/lastzero.cml"});
  CHECK(two.status == kWrong);
  CHECK(contains(two.err, "one graph at a time"));
  CHECK(graph({"examples/none.cml"}).status == kWrong);
}

}  // namespace
