// What comments and pages cite exists: files by their paths or names, and sections of the pages in
// docs/. And no comment is wider than the code: clang-format leaves comments alone, since it would
// garble the drawings.
#include <algorithm>
#include <cctype>
#include <doctest/doctest.h>
#include <filesystem>
#include <fmt/format.h>
#include <map>
#include <regex>
#include <set>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

#include "tests/harness/process.h"

namespace {

namespace fs = std::filesystem;
using namespace cml::test;

/// Headers that are generated or another library's, and files in examples.
bool is_elsewhere(const std::string& name) {
  static const std::regex kElsewhere(
      R"((^|.*/)(Cml\w*\.h|antlr4\S*|version\.h|format\.cc|pan\.[ch]|test_paths\.h|M?README\.md|doctest\.h|docs/explain/E0123\.md))");
  return std::regex_match(name, kElsewhere);
}

struct Source {
  std::string path;  // from the project's folder
  std::string text;
};

const std::vector<Source>& sources() {
  static const std::vector<Source> kSources = [] {
    static const std::set<std::string> kExtensions = {".h",  ".cpp", ".def", ".g4",
                                                      ".md", ".cml", ".py"};
    std::vector<Source> found;
    const fs::path root = CML_SOURCE_DIR;
    const auto add = [&](const fs::path& file) {
      if (kExtensions.contains(file.extension().string()))
        found.push_back({fs::relative(file, root).generic_string(), read_file(file)});
    };
    for (const char* top : {"README.md", "CONTRIBUTING.md"})
      if (fs::exists(root / top)) add(root / top);
    for (const char* top :
         {"app", "bench", "checker", "docs", "examples", "frontend", "grammar", "ir", "jit", "lsp",
          "mcp", "report", "rpc", "stdlib", "support", "tests"})
      for (const fs::directory_entry& entry : fs::recursive_directory_iterator(root / top))
        if (entry.is_regular_file()) add(entry.path());
    return found;
  }();
  return kSources;
}

bool is_page(const Source& source) { return source.path.ends_with(".md"); }

/// The comments of a source, each block in one line; a page is taken as it is.
std::string prose(const Source& source) {
  if (is_page(source)) return source.text;
  std::string text;
  std::istringstream lines(source.text);
  for (std::string line; std::getline(lines, line);) {
    const std::size_t at = line.find("//");
    if (at == line.npos || (at > 0 && line[at - 1] == ':')) {
      text += '\n';
      continue;
    }
    text +=
        line.substr(line.find_first_not_of('/', at) == line.npos ? line.size()
                                                                 : line.find_first_not_of('/', at));
  }
  return text;
}

/// Whether the file is there: from the project's folder or from that of the source; a bare name,
/// anywhere in the same top folder or, in a page, in any.
bool exists(const Source& source, const std::string& name) {
  const fs::path root = CML_SOURCE_DIR;
  const fs::path folder = fs::path(source.path).parent_path();
  if (fs::exists(root / name) || fs::exists(root / folder / name)) return true;
  if (name.find('/') != name.npos) return false;
  const std::string top = source.path.substr(0, source.path.find('/'));
  return std::ranges::any_of(sources(), [&](const Source& other) {
    return (is_page(source) || other.path.starts_with(top)) &&
           fs::path(other.path).filename() == name;
  });
}

/// What a page can be cited by: its headings, and what stands in bold at the beginning of a
/// paragraph.
std::set<std::string> sections(const std::string& page) {
  std::set<std::string> found;
  std::istringstream lines(page);
  static const std::regex kHeading(R"(^#+ (?:\d+\. )?(.*)$)");
  static const std::regex kBold(R"(^(?:- )?\*\*([^*]+?)\.?\*\*.*)");
  std::smatch match;
  for (std::string line; std::getline(lines, line);)
    if (std::regex_match(line, match, kHeading) || std::regex_match(line, match, kBold))
      found.insert(match[1]);
  return found;
}

/// The anchors of a page's headings, as they are made on the web.
std::set<std::string> anchors(const std::string& page) {
  std::set<std::string> found;
  std::istringstream lines(page);
  for (std::string line; std::getline(lines, line);) {
    if (!line.starts_with('#')) continue;
    std::string anchor;
    for (const char c : line.substr(line.find_first_not_of("# ")))
      if (std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '-' || c == '_' || c < 0)
        anchor += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
      else if (c == ' ')
        anchor += '-';
    found.insert(anchor);
  }
  return found;
}

std::vector<std::smatch> matches(const std::string& text, const std::regex& pattern) {
  return {std::sregex_iterator(text.begin(), text.end(), pattern), {}};
}

}  // namespace

TEST_CASE("files that comments and pages name exist") {
  static const std::regex kFile(
      R"((?:^|[\s`"'(:,])((?:[A-Za-z0-9_.-]+/)*[A-Za-z0-9_-]+\.(?:md|h|cpp|def|g4|py))(?![A-Za-z0-9_/]))");
  for (const Source& source : sources()) {
    const std::string text = prose(source);
    for (const std::smatch& match : matches(text, kFile)) {
      const std::string name = match[1];
      if (!is_elsewhere(name) && !exists(source, name))
        FAIL_CHECK(source.path, " names ", name, ", which is not there");
    }
  }
}

TEST_CASE("sections that comments name exist") {
  static const std::regex kCitation(
      R"((docs/[a-z-]+\.md),\s+("[^"]+"(?:(?:,| and|, and)\s+"[^"]+")*))");
  static const std::regex kQuoted("\"([^\"]+)\"");
  for (const Source& source : sources()) {
    if (is_page(source)) continue;
    const std::string text = prose(source);
    for (const std::smatch& match : matches(text, kCitation)) {
      const std::set<std::string> known =
          sections(read_file(fs::path(CML_SOURCE_DIR) / match[1].str()));
      const std::string names = match[2];
      for (const std::smatch& name : matches(names, kQuoted))
        if (!known.contains(name[1]))
          FAIL_CHECK(source.path, " names a section \"", name[1].str(), "\" of ", match[1].str());
    }
  }
}

TEST_CASE("links between pages lead somewhere") {
  static const std::regex kLink(R"(\]\(([^)#:\s]*)(?:#([^)\s]*))?\))");
  for (const Source& source : sources()) {
    if (!is_page(source)) continue;
    const fs::path folder = (fs::path(CML_SOURCE_DIR) / source.path).parent_path();
    for (const std::smatch& match : matches(source.text, kLink)) {
      const fs::path target =
          match[1].length() == 0 ? fs::path(CML_SOURCE_DIR) / source.path : folder / match[1].str();
      if (!fs::exists(target))
        FAIL_CHECK(source.path, " links to ", match[1].str(), ", which is not there");
      else if (match[2].length() > 0 && !anchors(read_file(target)).contains(match[2]))
        FAIL_CHECK(source.path, " links to ", match[0].str(), ", which has no such heading");
    }
  }
}

TEST_CASE("comments are at most 100 columns wide") {
  constexpr std::ptrdiff_t kWidth = 100;
  for (const Source& source : sources()) {
    if (!source.path.ends_with(".h") && !source.path.ends_with(".cpp")) continue;
    std::istringstream lines(source.text);
    std::size_t number = 0;
    for (std::string line; std::getline(lines, line);) {
      ++number;
      const std::size_t comment = line.find("//");
      if (comment == line.npos || line.find("http") != line.npos) continue;
      if (line.find('"') < comment) continue;  // perhaps in a string
      const auto columns = std::ranges::count_if(
          line, [](char c) { return (static_cast<unsigned char>(c) & 0xC0U) != 0x80U; });
      if (columns > kWidth) FAIL_CHECK(source.path, ":", number, " is ", columns, " columns wide");
    }
  }
}
