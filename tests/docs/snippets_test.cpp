// The models in the documentation are models: what stands in a ```cml block is read without an
// error, and gets the verdict of its `// expect:` line if it has one. Fragments are marked ```cml
// fragment.
#include <algorithm>
#include <doctest/doctest.h>
#include <filesystem>
#include <sstream>
#include <string>
#include <vector>

#include "tests/harness/expectation.h"
#include "tests/harness/process.h"

namespace {

using namespace cml::test;

struct Snippet {
  std::string where;  // "docs/tour.md:17"
  std::string text;
};

std::vector<Snippet> snippets(const std::filesystem::path& page) {
  std::vector<Snippet> found;
  std::istringstream lines(read_file(page));
  bool inside = false;
  int number = 0;
  for (std::string line; std::getline(lines, line);) {
    ++number;
    if (!inside && line == "```cml") {
      inside = true;
      found.push_back({page.filename().string() + ":" + std::to_string(number), ""});
    } else if (inside && line == "```") {
      inside = false;
    } else if (inside) {
      found.back().text += line + "\n";
    }
  }
  return found;
}

std::vector<std::filesystem::path> pages() {
  std::vector<std::filesystem::path> found{CML_SOURCE_DIR "/README.md"};
  for (const auto& entry : std::filesystem::directory_iterator(CML_SOURCE_DIR "/docs"))
    if (entry.path().extension() == ".md") found.push_back(entry.path());
  std::ranges::sort(found);
  return found;
}

TEST_CASE("models in the documentation do what the documentation says") {
  const TemporaryFolder folder;
  std::size_t count = 0;
  for (const auto& page : pages()) {
    for (const Snippet& snippet : snippets(page)) {
      ++count;
      CAPTURE(snippet.where);
      const CheckAnswer answer = check_model(folder.write("snippet.cml", snippet.text), {});
      CAPTURE(answer.err);
      CHECK(answer.status != 2);
      CHECK(answer.status < 4);
      const auto expected = expectation(snippet.text);
      if (!expected) continue;
      CHECK(answer.verdict() == expected->verdict);
      CHECK(answer.status == exit_status(expected->verdict));
      if (!expected->kinds.empty() && !answer.kinds().empty()) {
        CHECK(answer.kinds().front() == expected->kinds.front());
      }
    }
  }
  CHECK(count >= 12);
}

TEST_CASE("the README shows what the program prints") {
  const std::string readme = read_file(CML_SOURCE_DIR "/README.md");
  ProcessOptions options;
  options.folder = CML_SOURCE_DIR;
  const ProcessResult check = run({CML_BINARY, "check", "examples/philosophers.cml"}, options);
  CHECK(check.status == 1);
  std::istringstream lines(check.out);
  for (std::string line; std::getline(lines, line);) {
    CAPTURE(line);
    line.erase(line.find_last_not_of(' ') + 1);
    // The last line says how long it took, in the end.
    const bool is_last = line.starts_with("so far");
    const std::string shown = is_last ? line.substr(0, line.rfind(' ', line.rfind(' ') - 1)) : line;
    CHECK(readme.find(shown + (is_last ? " " : "\n")) != std::string::npos);
  }
}

TEST_CASE("files that the pages for contributors name exist") {
  for (const char* name :
       {"architecture.md", "adding-a-statement.md", "adding-an-instruction.md"}) {
    const std::string text = read_file(std::filesystem::path(CML_SOURCE_DIR "/docs") / name);
    for (std::size_t at = text.find('`'); at != std::string::npos;) {
      const std::size_t end = text.find('`', at + 1);
      REQUIRE(end != std::string::npos);
      const std::string word = text.substr(at + 1, end - at - 1);
      CAPTURE(word);
      const bool is_path =
          word.find('/') != std::string::npos && word.find(' ') == std::string::npos;
      if (is_path) CHECK(std::filesystem::exists(CML_SOURCE_DIR "/" + word));
      at = text.find('`', end + 1);
    }
  }
}

}  // namespace
