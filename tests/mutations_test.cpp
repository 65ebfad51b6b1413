// Every mistake on purpose (support/mutation.h) has a row in tests/mutations/results.md, which says
// what notices it, and every row has a mistake.
#include <doctest/doctest.h>
#include <filesystem>
#include <map>
#include <regex>
#include <set>
#include <sstream>
#include <string>

#include "support/mutation.h"
#include "tests/harness/process.h"

namespace {

namespace fs = std::filesystem;

std::map<std::string, std::set<std::string>> files_of_points() {
  static const std::regex kPoint("CML_MUTAT(?:ION|ED)\\(\\s*\"([a-z0-9-]+)\"");
  std::map<std::string, std::set<std::string>> files;
  for (const char* folder : {"support", "frontend", "ir", "jit", "checker", "report"}) {
    for (const auto& entry : fs::recursive_directory_iterator(fs::path(CML_SOURCE_DIR) / folder)) {
      const fs::path& path = entry.path();
      const std::string name = fs::relative(path, CML_SOURCE_DIR).string();
      if ((path.extension() != ".h" && path.extension() != ".cpp") || name == "support/mutation.h")
        continue;
      const std::string text = cml::test::read_file(path);
      for (std::sregex_iterator at(text.begin(), text.end(), kPoint), end; at != end; ++at)
        files[(*at)[1]].insert(name);
    }
  }
  return files;
}

TEST_CASE("mutations: each has a row that says what notices it, and the other way round") {
  const auto files = files_of_points();
  CHECK(files.size() > 100);
  std::set<std::string> points;
  for (const auto& entry : files) {
    CAPTURE(entry.first);
    CHECK(entry.second.size() == 1);
    points.insert("`" + entry.first + "` | " + *entry.second.begin());
  }
  std::set<std::string> rows;
  std::istringstream lines(cml::test::read_file(CML_SOURCE_DIR "/tests/mutations/results.md"));
  for (std::string line; std::getline(lines, line);) {
    if (!line.starts_with("| `")) continue;
    const std::size_t end = line.find(" | ", line.find(" | ") + 1);
    CAPTURE(line);
    REQUIRE(end != std::string::npos);
    CHECK(rows.insert(line.substr(2, end - 2)).second);
  }
  for (const std::string& point : points)
    CHECK_MESSAGE(rows.contains(point), "tests/mutations/run --new adds it: ", point);
  for (const std::string& row : rows)
    CHECK_MESSAGE(points.contains(row), "no source has it any more: ", row);
}

TEST_CASE("mutations: there are none in this build, unless it is theirs") {
#ifndef CML_MUTATIONS
  static_assert(!CML_MUTATION("any"));
  static_assert(CML_MUTATED("any", 1, 2) == 1);
#endif
}

}  // namespace
