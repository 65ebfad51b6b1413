// The folders are rooms, and include edges point one way only (docs/architecture.md). This test
// reads all #include "…" lines of the program, fails on an edge upwards, and compares the graph of
// rooms with the drawing in docs/architecture.md; CML_UPDATE_GOLDEN=1 draws it anew.
#include <algorithm>
#include <doctest/doctest.h>
#include <filesystem>
#include <fmt/format.h>
#include <map>
#include <set>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

#include "tests/harness/golden.h"
#include "tests/harness/process.h"

namespace {

namespace fs = std::filesystem;
using namespace cml::test;

/// A room, and the rooms directly below it. A file may include from its own room and from all rooms
/// below.
struct Room {
  std::string_view name;
  std::vector<std::string_view> below;
};

const std::vector<Room>& rooms() {
  static const std::vector<Room> kRooms = {
      {"support", {}},
      {"frontend", {"support"}},
      {"frontend/syntax", {"frontend"}},
      {"frontend/sema", {"frontend"}},
      {"frontend/format", {"frontend"}},
      {"ir", {"frontend"}},
      {"ir/lower", {"ir/exec"}},
      {"ir/text", {"ir"}},
      {"ir/analysis", {"ir"}},
      {"ir/exec", {"ir/analysis"}},
      {"ir/promela", {"ir/exec"}},
      {"jit", {"ir/exec"}},
      {"checker", {"ir/exec"}},
      {"checker/store", {"checker"}},
      {"checker/reduction", {"checker/store"}},
      {"checker/monitor", {"checker"}},
      {"checker/search", {"checker/store", "checker/reduction", "checker/monitor"}},
      {"checker/liveness", {"checker/store", "checker/monitor"}},
      {"checker/finding", {"checker/search"}},
      {"checker/check.cpp", {"checker/finding", "checker/liveness", "jit"}},
      {"report", {"checker"}},
      {"rpc", {"support"}},
      {"lsp", {"rpc", "frontend"}},
      {"mcp", {"rpc", "report"}},
      {"app", {"report", "jit", "ir/lower", "ir/text", "ir/promela", "lsp", "mcp"}},
  };
  return kRooms;
}

/// The room of a file: the longest name that begins its path.
std::string_view room_of(std::string_view path) {
  std::string_view best;
  for (const Room& room : rooms())
    if (path.starts_with(room.name) && room.name.size() > best.size() &&
        (path.size() == room.name.size() || path[room.name.size()] == '/'))
      best = room.name;
  return best;
}

using Names = std::set<std::string_view>;
using Graph = std::map<std::string_view, Names>;

/// The rooms that can be reached by edges of the graph.
Names reached(const Graph& graph, std::string_view from) {
  Names found;
  std::vector<std::string_view> work{from};
  while (!work.empty()) {
    const std::string_view room = work.back();
    work.pop_back();
    const auto edges = graph.find(room);
    if (edges == graph.end()) continue;
    for (const std::string_view next : edges->second)
      if (found.insert(next).second) work.push_back(next);
  }
  return found;
}

Graph declared() {
  Graph graph;
  for (const Room& room : rooms())
    graph[room.name].insert(room.below.begin(), room.below.end());
  return graph;
}

/// The files of the project that a file includes, by their paths.
std::vector<std::string> includes_of(const fs::path& file) {
  std::vector<std::string> found;
  std::istringstream lines(read_file(file));
  for (std::string line; std::getline(lines, line);) {
    if (!line.starts_with("#include \"")) continue;
    const std::size_t end = line.find('"', 10);
    if (end != line.npos) found.push_back(line.substr(10, end - 10));
  }
  return found;
}

/// Edges of the program's sources between rooms; those upwards are appended to `wrong`.
Graph included(std::vector<std::string>& wrong) {
  const Graph allowed = declared();
  Graph graph;
  for (const std::string_view top :
       {"support", "frontend", "ir", "jit", "checker", "report", "rpc", "lsp", "mcp", "app"}) {
    for (const fs::directory_entry& entry :
         fs::recursive_directory_iterator(fs::path(CML_SOURCE_DIR) / top)) {
      const std::string extension = entry.path().extension().string();
      if (extension != ".h" && extension != ".cpp") continue;
      const std::string path = fs::relative(entry.path(), CML_SOURCE_DIR).generic_string();
      const std::string_view room = room_of(path);
      const Names below = reached(allowed, room);
      for (const std::string& header : includes_of(entry.path())) {
        const std::string_view other = room_of(header);
        if (other.empty() || other == room) continue;
        graph[room].insert(other);
        if (!below.contains(other)) wrong.push_back(fmt::format("{} includes {}", path, header));
      }
    }
  }
  std::ranges::sort(wrong);
  return graph;
}

/// As Mermaid, without the edges that follow from others.
std::string drawing(const Graph& graph) {
  std::string text = "```mermaid\ngraph TD\n";
  const auto id = [](std::string_view room) {
    std::string name(room);
    std::ranges::replace_if(
        name, [](char c) { return c == '/' || c == '.'; }, '_');
    return name;
  };
  for (const Room& room : rooms())
    text += fmt::format("  {}[\"{}\"]\n", id(room.name), room.name);
  for (const Room& room : rooms()) {
    const auto edges = graph.find(room.name);
    if (edges == graph.end()) continue;
    for (const std::string_view below : edges->second) {
      const bool follows = std::ranges::any_of(edges->second, [&](std::string_view other) {
        return other != below && reached(graph, other).contains(below);
      });
      if (!follows) text += fmt::format("  {} --> {}\n", id(room.name), id(below));
    }
  }
  return text + "```\n";
}

}  // namespace

TEST_CASE("includes point from each room to those below it") {
  std::vector<std::string> wrong;
  (void)included(wrong);
  for (const std::string& edge : wrong)
    FAIL_CHECK("an include against the arrows of docs/architecture.md: ", edge);
}

TEST_CASE("the graph of rooms in docs/architecture.md is that of the includes") {
  const std::string text = read_file(CML_SOURCE_DIR "/docs/architecture.md");
  const std::size_t begin = text.find("```mermaid\n");
  REQUIRE(begin != text.npos);
  const std::size_t end = text.find("```\n", begin + 3) + 4;
  std::vector<std::string> wrong;
  CHECK_GOLDEN("../docs/architecture.md",
               text.substr(0, begin) + drawing(included(wrong)) + text.substr(end));
}
