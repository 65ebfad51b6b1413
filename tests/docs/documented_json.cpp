#include "tests/docs/documented_json.h"

#include <fmt/format.h>
#include <regex>
#include <sstream>
#include <vector>

#include "tests/harness/process.h"

namespace cml::test {
namespace {

std::vector<std::string> in_backquotes(const std::string& text) {
  static const std::regex kQuoted("`([^`]+)`");
  std::vector<std::string> found;
  for (std::sregex_iterator at(text.begin(), text.end(), kQuoted), end; at != end; ++at)
    found.push_back((*at)[1]);
  return found;
}

}  // namespace

DocumentedJson documented_json() {
  DocumentedJson schema;
  std::vector<std::string> paths;
  std::istringstream lines(read_file(CML_SOURCE_DIR "/docs/command-line.md"));
  for (std::string line; std::getline(lines, line);) {
    if (line.starts_with("## ")) paths.clear();
    if (line.starts_with("#### ")) {
      paths = in_backquotes(line);
      if (paths.empty()) paths = {""};
    }
    if (paths.empty() || !line.starts_with("| `")) continue;
    for (const std::string& member : in_backquotes(line.substr(0, line.find(" | ")))) {
      const std::size_t dot = member.rfind('.');
      for (const std::string& path : paths) {
        const std::string inner = dot == member.npos ? "" : member.substr(0, dot);
        const std::string of =
            path.empty() || inner.empty() ? path + inner : fmt::format("{}.{}", path, inner);
        schema[of].insert(dot == member.npos ? member : member.substr(dot + 1));
      }
    }
  }
  return schema;
}

}  // namespace cml::test
