// Every `.cml` file in tests/diagnostics says in comments which diagnostics it must get, and gets
// no other.
//
//   x = 1                      // error E0202: expected `;`      on its line, a part of the message
//   //^ error E0105: …                                           on the line before (several may
//   follow)
//   // file error E0101: …                                       anywhere, also in an imported file
//   // note: …                                                   a related note or hint on its line
//   // define N=3                                                as by -D on the command line
// `warning W0901:` stands for warnings as `error` does for errors. A comment goes to the next ` //
// ` or the end of its line. Besides, each code has such a file, and a page whose example gets the
// code and whose cure gets no error.
#include <algorithm>
#include <doctest/doctest.h>
#include <filesystem>
#include <fmt/format.h>
#include <iterator>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "frontend/diagnostic.h"
#include "frontend/load_model.h"
#include "frontend/source.h"
#include "tests/harness/process.h"

namespace cml {
namespace {

namespace fs = std::filesystem;
using test::read_file;

struct Expectation {
  std::optional<std::uint32_t> line;  // none: anywhere
  std::string code;                   // empty for notes
  std::string text;
  bool met = false;
};

struct Golden {
  std::vector<Expectation> diagnostics;
  std::vector<Expectation> notes;
  Definitions definitions;
};

std::vector<fs::path> files(const fs::path& folder, std::string_view extension) {
  std::vector<fs::path> result;
  for (const auto& entry : fs::directory_iterator(folder)) {
    if (entry.path().extension() == extension) result.push_back(entry.path());
  }
  std::sort(result.begin(), result.end());
  return result;
}

std::string_view trimmed(std::string_view text) {
  const std::size_t first = text.find_first_not_of(" \t\r");
  if (first == text.npos) return {};
  return text.substr(first, text.find_last_not_of(" \t\r") - first + 1);
}

bool take(std::string_view& text, std::string_view prefix) {
  if (!text.starts_with(prefix)) return false;
  text.remove_prefix(prefix.size());
  text = trimmed(text);
  return true;
}

/// One comment, without its slashes.
void read_comment(std::string_view comment, std::uint32_t line, std::uint32_t line_before,
                  Golden& golden) {
  comment = trimmed(comment);
  std::optional<std::uint32_t> place = line;
  if (take(comment, "^")) place = line_before;
  if (take(comment, "define ")) {
    const std::size_t equals = comment.find('=');
    REQUIRE(equals != comment.npos);
    golden.definitions.emplace(comment.substr(0, equals), comment.substr(equals + 1));
    return;
  }
  if (take(comment, "note:")) {
    golden.notes.push_back({place, {}, std::string(comment)});
    return;
  }
  if (take(comment, "file ")) place.reset();
  const bool error = take(comment, "error E");
  if (!error && !take(comment, "warning W")) return;
  const std::size_t colon = comment.find(':');
  if (colon == comment.npos) return;
  std::string code = (error ? "E" : "W") + std::string(comment.substr(0, colon));
  golden.diagnostics.push_back(
      {place, std::move(code), std::string(trimmed(comment.substr(colon + 1)))});
}

Golden read_golden(const std::string& text) {
  Golden golden;
  std::uint32_t line = 0;
  std::uint32_t before = 0;
  std::size_t begin = 0;
  while (begin < text.size()) {
    ++line;
    const std::size_t end = std::min(text.find('\n', begin), text.size());
    const std::string_view content = std::string_view(text).substr(begin, end - begin);
    begin = end + 1;
    std::size_t at = content.find("//");
    if (at == content.npos || content.substr(at).substr(0, 3) != "//^") before = line;
    while (at != content.npos) {
      const std::size_t next = content.find(" // ", at + 2);
      const std::size_t length = next == content.npos ? content.npos : next - at - 2;
      read_comment(content.substr(at + 2, length), line, before, golden);
      at = next == content.npos ? next : next + 1;
    }
  }
  return golden;
}

struct Outcome {
  SourceSet sources;
  Diagnostics diagnostics;
  FileId main;
};

void load(Outcome& outcome, const Definitions& definitions) {
  const model::Model model =
      load_model(outcome.sources, outcome.main, definitions, outcome.diagnostics);
  static_cast<void>(model);
  outcome.diagnostics.sort();
}

void check_golden(const fs::path& path) {
  CAPTURE(path.filename().string());
  Golden golden = read_golden(read_file(path));
  Outcome outcome;
  const auto main = read_file(outcome.sources, path.string());
  REQUIRE(main);
  outcome.main = *main;
  load(outcome, golden.definitions);
  CHECK_MESSAGE((!golden.diagnostics.empty() || outcome.diagnostics.all().empty()),
                "a file without expectations");

  const auto line_of = [&](SourceRange where) {
    return outcome.sources.file(where.file).line_column(where.begin).line;
  };
  std::vector<std::string> unexpected;
  for (const Diagnostic& diagnostic : outcome.diagnostics.all()) {
    const std::uint32_t line = line_of(diagnostic.where);
    const auto met = std::find_if(
        golden.diagnostics.begin(), golden.diagnostics.end(), [&](const Expectation& expected) {
          const bool here =
              !expected.line || (diagnostic.where.file == outcome.main && expected.line == line);
          return !expected.met && here && expected.code == code_text(diagnostic.code) &&
                 diagnostic.message.find(expected.text) != std::string::npos;
        });
    if (met != golden.diagnostics.end()) {
      met->met = true;
    } else {
      unexpected.push_back(fmt::format("{}:{}: {}: {}",
                                       outcome.sources.file(diagnostic.where.file).name(), line,
                                       code_text(diagnostic.code), diagnostic.message));
    }
    for (Expectation& note : golden.notes) {
      const auto says = [&](std::string_view text, std::uint32_t at) {
        return (!note.line || note.line == at) && text.find(note.text) != text.npos;
      };
      note.met = note.met || says(diagnostic.hint, line);
      for (const Related& related : diagnostic.related) {
        note.met = note.met || says(related.message, line_of(related.where));
      }
    }
  }
  for (const std::string& text : unexpected)
    FAIL_CHECK("unexpected: ", text);
  for (const auto* list : {&golden.diagnostics, &golden.notes}) {
    for (const Expectation& expected : *list) {
      if (!expected.met) {
        FAIL_CHECK("missing: line ", expected.line.value_or(0), ": ", expected.code, ": ",
                   expected.text);
      }
    }
  }
}

const fs::path kGoldens = fs::path(CML_SOURCE_DIR) / "tests" / "diagnostics";
const fs::path kPages = fs::path(CML_SOURCE_DIR) / "docs" / "explain";

/// The fenced models in the section of a page.
std::vector<std::string> fenced(const std::string& page, std::string_view section) {
  std::vector<std::string> result;
  std::size_t at = page.find(fmt::format("\n## {}\n", section));
  if (at == page.npos) return result;
  const std::size_t end = std::min(page.find("\n## ", at + 4), page.size());
  constexpr std::string_view kFence = "```cml\n";
  while ((at = page.find(kFence, at)) < end) {
    at += kFence.size();
    const std::size_t close = page.find("```", at);
    result.push_back(page.substr(at, close - at));
    at = close;
  }
  return result;
}

/// `-D NAME=value` of a first line `// cml check -D NAME=value`.
Definitions definitions_of(std::string_view text) {
  Definitions definitions;
  if (!take(text, "// cml check -D ")) return definitions;
  const std::string_view line = text.substr(0, text.find('\n'));
  const std::size_t equals = line.find('=');
  definitions[std::string(line.substr(0, equals))] = trimmed(line.substr(equals + 1));
  return definitions;
}

/// Whether the model, in a folder with the modules of the golden tests, gets the code, or no error
/// at all.
bool yields(const std::string& text, std::optional<Code> code) {
  const test::TemporaryFolder folder;
  fs::copy(kGoldens / "modules", folder.path() / "modules");
  Outcome outcome;
  const auto main = read_file(outcome.sources, folder.write("example.cml", text).string());
  if (!main) return false;
  outcome.main = *main;
  load(outcome, definitions_of(text));
  const auto all = outcome.diagnostics.all();
  if (!code) return !outcome.diagnostics.has_errors();
  return std::any_of(all.begin(), all.end(), [&](const Diagnostic& d) { return d.code == *code; });
}

}  // namespace

TEST_CASE("diagnostics are what the golden files say") {
  for (const fs::path& path : files(kGoldens, ".cml"))
    check_golden(path);
}

TEST_CASE("every diagnostic has a golden test") {
  std::set<std::string> tested;
  for (const fs::path& path : files(kGoldens, ".cml")) {
    for (const Expectation& expected : read_golden(read_file(path)).diagnostics)
      tested.insert(expected.code);
  }
  for (const CodeInfo& code : all_codes()) {
    CHECK_MESSAGE(tested.contains(code_text(code.code)), code_text(code.code), " ",
                  std::string(code.name));
  }
}

TEST_CASE("every diagnostic has a page whose example gets it and whose cure gets no error") {
  for (const CodeInfo& entry : all_codes()) {
    const std::string code = code_text(entry.code);
    CAPTURE(code);
    const std::string page = read_file(kPages / (code + ".md"));
    CHECK(page.starts_with(fmt::format("# {}: {}\n", code, entry.title)));
    const std::vector<std::string> examples = fenced(page, "Example");
    CHECK(!examples.empty());
    for (const std::string& example : examples)
      CHECK(yields(example, entry.code));
    const std::vector<std::string> cures = fenced(page, "Cure");
    CHECK(!cures.empty());
    for (const std::string& cure : cures)
      CHECK(yields(cure, std::nullopt));
  }
}

}  // namespace cml
