// The formatter: golden pairs, and what must hold for every model.
//
// `NAME.cml` here must become `NAME.expected` (CML_UPDATE_GOLDEN=1 writes those). Every model of
// the project that parses, as it is and after white space and comments were scattered over it, must
// keep its tokens and comments, come out the same when formatted again, and be as wide and as clean
// as promised.
#include "frontend/format.h"

#include <algorithm>
#include <cstdlib>
#include <doctest/doctest.h>
#include <filesystem>
#include <fstream>
#include <optional>
#include <random>
#include <string>
#include <string_view>
#include <vector>

#include "frontend/format/items.h"
#include "frontend/parse.h"
#include "tests/harness/process.h"

namespace {

namespace fs = std::filesystem;
using cml::formatting::Item;
using cml::formatting::ItemKind;
using cml::test::read_file;

struct Result {
  std::optional<std::string> text;
  bool internal_error = false;
  std::string messages;
};

Result format(const std::string& text) {
  cml::SourceSet sources;
  const cml::FileId file = sources.add("test.cml", text);
  cml::Diagnostics diagnostics;
  auto formatted = cml::format(sources, file, diagnostics);
  Result result;
  for (const cml::Diagnostic& diagnostic : diagnostics.all()) {
    result.messages += cml::code_text(diagnostic.code) + ": " + diagnostic.message + "\n";
  }
  if (formatted) {
    result.text = *std::move(formatted);
  } else {
    result.internal_error = formatted.error() == cml::FormatError::Internal;
  }
  return result;
}

std::string formatted(const std::string& text) {
  Result result = format(text);
  CAPTURE(text);
  CAPTURE(result.messages);
  REQUIRE(result.text.has_value());
  return *result.text;
}

// ---- what must hold
// ----------------------------------------------------------------------------------

/// Tokens as they are; comments line by line without the white space around.
std::vector<std::string> words(std::string_view text) {
  std::vector<std::string> list;
  for (const Item& item : cml::formatting::scan(text)) {
    if (!item.is_comment()) {
      list.emplace_back(item.text);
      continue;
    }
    std::string comment;
    for (std::string_view line : cml::formatting::lines_of(item.text)) {
      line.remove_prefix(std::min(line.find_first_not_of(" \t"), line.size()));
      comment.append(line) += '\n';
    }
    list.push_back(comment);
  }
  return list;
}

/// The shape of the tree, as far as counting shows it.
std::vector<std::size_t> shape(const std::string& text) {
  cml::SourceSet sources;
  cml::Diagnostics diagnostics;
  const cml::ast::Ast tree = cml::parse(sources, sources.add("test.cml", text), diagnostics);
  std::vector<std::size_t> counts = {diagnostics.error_count(), tree.items.size()};
  for (const auto& expr : tree.exprs)
    counts.push_back(expr.node.index());
  for (const auto& stmt : tree.stmts)
    counts.push_back(stmt.node.index());
  for (const auto& type : tree.types)
    counts.push_back(type.node.index());
  for (const auto& decl : tree.decls) {
    counts.push_back(decl.node.index());
    counts.push_back(decl.doc.size());
  }
  return counts;
}

std::optional<std::string> untidy_place(const std::string& text) {
  if (text.empty()) return std::nullopt;
  if (text.starts_with("\n") || text.starts_with("\xEF\xBB\xBF")) return "at the beginning";
  if (!text.ends_with("\n") || text.ends_with("\n\n")) return "at the end";
  if (text.find('\r') != std::string::npos) return "a carriage return";
  for (const std::string_view bad : {" \n", "\t\n"}) {
    if (const std::size_t at = text.find(bad); at != std::string::npos) {
      return "white space at the end of a line: " + text.substr(at > 40 ? at - 40 : 0, 60);
    }
  }
  for (const Item& item : cml::formatting::scan(text)) {
    if (item.newlines_before > 2) return "two blank lines before " + std::string(item.text);
    if (item.is("}") && item.newlines_before > 1) return "a blank line before }";
  }
  return std::nullopt;
}

void check_properties(const std::string& text, const std::string& result) {
  CHECK(words(result) == words(text));
  CHECK(shape(result) == shape(text));
  CHECK(untidy_place(result).value_or("") == "");
  const Result again = format(result);
  CAPTURE(again.messages);
  REQUIRE(again.text.has_value());
  CHECK(*again.text == result);
}

// ---- models
// ------------------------------------------------------------------------------------------

struct Model {
  std::string name;
  std::string text;
};

/// All models of the project that parse.
std::vector<Model> all_models() {
  std::vector<Model> models;
  const fs::path root = CML_SOURCE_DIR;
  for (const std::string_view folder : {"examples", "stdlib", "tests"}) {
    for (const auto& entry : fs::recursive_directory_iterator(root / folder)) {
      if (entry.path().extension() != ".cml" || !entry.is_regular_file()) continue;
      std::string text = read_file(entry.path());
      if (shape(text).front() > 0) continue;
      models.push_back({fs::relative(entry.path(), root).string(), std::move(text)});
    }
  }
  std::ranges::sort(models, {}, &Model::name);
  return models;
}

// ---- scattering
// ----------------------------------------------------------------------------------------

class Scatterer {
 public:
  explicit Scatterer(std::uint32_t seed) : random_(seed) {}

  /// The same tokens with other white space between them, and with more comments.
  std::string scatter(std::string_view text, bool with_comments) {
    std::string result;
    bool after_line_comment = false;
    std::size_t end = 0;
    for (const Item& item : cml::formatting::scan(text)) {
      const bool had_gap = item.begin > end;
      end = item.begin + item.text.size();
      if (with_comments && chance(10)) {
        result += gap(true, after_line_comment);
        result += comment(after_line_comment);
      }
      // A comment or a word must not run into its neighbour.
      result += gap(had_gap || item.is_comment() || result.ends_with('/'), after_line_comment);
      result += item.text;
      after_line_comment = item.kind == ItemKind::LineComment;
    }
    return result;
  }

 private:
  bool chance(std::uint32_t percent) { return random_() % 100 < percent; }

  std::string gap(bool needed, bool line_break) {
    static constexpr std::string_view kPieces[] = {" ",    "  ",     "\t",      "\n",
                                                   "\r\n", "\n\n\n", "        "};
    std::string text = line_break ? "\n" : "";
    while (chance(35) || (needed && text.empty())) {
      text += kPieces[chance(50) ? 0 : random_() % std::size(kPieces)];
    }
    return text;
  }

  std::string comment(bool& is_line_comment) {
    is_line_comment = false;
    const std::string number = std::to_string(random_() % 100);
    switch (random_() % 6) {
      case 0:
      case 1:
        is_line_comment = true;
        return "// note " + number + (chance(20) ? "   " : "");
      case 2:
        return "/* first " + number + "\n     second\n\n third */";
      case 3:
        return "/*\n * star " + number + " \r\n   * star\n */";
      default:
        return "/* note " + number + (chance(10) ? std::string(80, '.') : "") + " */";
    }
  }

  std::mt19937 random_;
};

// ---- tests
// ---------------------------------------------------------------------------------------------

TEST_CASE("the golden pairs") {
  const fs::path folder = fs::path(CML_SOURCE_DIR) / "tests" / "format";
  const char* update = std::getenv("CML_UPDATE_GOLDEN");
  std::size_t pairs = 0;
  for (const auto& entry : fs::directory_iterator(folder)) {
    if (entry.path().extension() != ".cml") continue;
    ++pairs;
    const std::string name = entry.path().filename().string();
    CAPTURE(name);
    const std::string text = read_file(entry.path());
    const std::string result = formatted(text);
    const fs::path expected = fs::path(entry.path()).replace_extension(".expected");
    if (update != nullptr && *update != '\0') std::ofstream(expected, std::ios::binary) << result;
    CHECK(result == read_file(expected));
    check_properties(text, result);
  }
  CHECK(pairs >= 8);
}

TEST_CASE("every model keeps its meaning, and formatting it twice is formatting it once") {
  for (const Model& model : all_models()) {
    CAPTURE(model.name);
    check_properties(model.text, formatted(model.text));
  }
}

TEST_CASE("white space and comments anywhere") {
  std::uint32_t seed = 1;
  for (const Model& model : all_models()) {
    for (const bool with_comments : {false, true, true}) {
      CAPTURE(model.name);
      CAPTURE(seed);
      const std::string text = Scatterer(seed++).scatter(model.text, with_comments);
      CAPTURE(text);
      const Result result = format(text);
      CAPTURE(result.messages);
      REQUIRE(result.text.has_value());
      check_properties(text, *result.text);
    }
  }
}

TEST_CASE("a model on one line, and one with a line for each word") {
  for (const Model& model : all_models()) {
    CAPTURE(model.name);
    const std::vector<Item> items = cml::formatting::scan(model.text);
    std::string one_line;
    std::string tall;
    for (const Item& item : items) {
      one_line.append(item.text) += item.kind == ItemKind::LineComment ? '\n' : ' ';
      tall.append(item.text) += '\n';
    }
    check_properties(one_line, formatted(one_line));
    check_properties(tall, formatted(tall));
  }
}

TEST_CASE("lines are at most 100 columns wide where they can be broken") {
  std::string text = "thread Main {\n  x = a";
  for (int i = 0; i < 60; ++i)
    text += i % 3 == 0 ? " + b" : i % 3 == 1 ? " * (c - 1)" : " && f(d, e)";
  text +=
      ";\n  assert f(1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, "
      "22), "
      "\"some message that has to go to a line of its own, for it is rather long\";\n}\n";
  const std::string result = formatted(text);
  check_properties(text, result);
  for (std::size_t begin = 0; begin < result.size();) {
    const std::size_t end = result.find('\n', begin);
    CHECK(end - begin <= 100);
    begin = end + 1;
  }
}

TEST_CASE("a file with syntax errors is not formatted, but told about") {
  for (const char* text :
       {"thread Main { x = ; }", "thread Main {", "/* no end", "\xff", "lock m"}) {
    const Result result = format(text);
    CHECK_FALSE(result.text.has_value());
    CHECK_FALSE(result.internal_error);
    CHECK_FALSE(result.messages.empty());
  }
}

TEST_CASE("nothing much") {
  CHECK(formatted("") == "");
  CHECK(formatted(" \r\n\n\t ") == "");
  CHECK(formatted("\xEF\xBB\xBF") == "");
  CHECK(formatted("// only a comment") == "// only a comment\n");
  CHECK(formatted("\n\n/* a */ /* b */\n\n\n\n// c\n\n") == "/* a */ /* b */\n\n// c\n");
  CHECK(formatted("\xEF\xBB\xBFlock\r\nm;\r\n") == "lock m;\n");
}

TEST_CASE("deep nesting and long texts take no more than their time") {
  std::string deep = "thread Main {\n";
  for (int i = 0; i < 60; ++i)
    deep += "select { case a.down(): if x { either { y(); } or {";
  for (int i = 0; i < 60; ++i)
    deep += "} } }";
  deep += "}\n";
  check_properties(deep, formatted(deep));
  std::string wide = "thread Main {\n";
  for (int i = 0; i < 3000; ++i)
    wide += "if x { y = 1; } else if z { y = 2; } // c\n";
  check_properties(wide + "}", formatted(wide + "}"));
}

}  // namespace
