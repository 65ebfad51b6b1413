// Every request on texts of every kind: all examples, cut anywhere, with places anywhere; and how
// long a text of a thousand lines takes.
#include <algorithm>
#include <doctest/doctest.h>
#include <filesystem>
#include <fmt/format.h>
#include <random>
#include <string>
#include <vector>

#include "lsp/requests.h"
#include "tests/harness/process.h"
#include "tests/harness/sanitized.h"
#include "tests/lsp/editor.h"

namespace {

namespace fs = std::filesystem;
using namespace cml::test;

/// All requests about a place, with what they need besides.
std::vector<std::pair<const char*, json>> requests_at(Editor& editor, const json& position) {
  json at = editor.in(kPath);
  at["position"] = position;
  json with_context = at;
  with_context["context"] = {{"includeDeclaration", true}, {"diagnostics", json::array()}};
  with_context["range"] = {{"start", position}, {"end", position}};
  json renamed = at;
  renamed["newName"] = "renamed";
  json whole = editor.in(kPath);
  whole["range"] = {{"start", {{"line", 0}, {"character", 0}}}, {"end", position}};
  whole["options"] = json::object();
  return {{"textDocument/hover", at},
          {"textDocument/definition", at},
          {"textDocument/references", with_context},
          {"textDocument/documentHighlight", at},
          {"textDocument/prepareRename", at},
          {"textDocument/rename", renamed},
          {"textDocument/documentSymbol", whole},
          {"textDocument/completion", at},
          {"textDocument/semanticTokens/full", whole},
          {"textDocument/foldingRange", whole},
          {"textDocument/formatting", whole},
          {"textDocument/codeAction", with_context},
          {"textDocument/codeLens", whole},
          {"textDocument/inlayHint", whole}};
}

TEST_CASE("a language server survives texts that are cut anywhere") {
  constexpr int kFailed = -32803;  // a request that cannot be done, as a renaming
  Editor editor;
  std::mt19937 random(1);
  std::size_t answers = 0;
  for (const auto& entry : fs::recursive_directory_iterator(CML_SOURCE_DIR "/examples")) {
    if (entry.path().extension() != ".cml") continue;
    const std::string text = read_file(entry.path());
    for (int round = 0; round < 3; ++round) {
      std::string part = text;
      if (round == 1) part.resize(random() % text.size());
      if (round == 2) part.erase(random() % text.size(), 1 + random() % 40);
      editor.open(kPath, part);
      const json position = position_in(part, random() % (part.size() + 1));
      for (const auto& request : requests_at(editor, position)) {
        const auto* const method = request.first;
        const json& params = request.second;
        const json answer = editor.answer(editor.ask(method, params));
        CAPTURE(entry.path().filename().string());
        CAPTURE(method);
        CAPTURE(answer.dump());
        REQUIRE((answer.contains("result") ||
                 (answer.contains("error") && answer["error"]["code"] == kFailed)));
        ++answers;
      }
    }
    editor.forget();
  }
  CHECK(answers > 500);
  CHECK(editor.request("shutdown", nullptr).is_null());
  editor.notify("exit", nullptr);
  CHECK(editor.end() == 0);
  CHECK(editor.stray() == "");
}

/// A model of a thousand lines, with names of all kinds.
std::string long_model() {
  std::string text = "model \"long\";\nlock m;\nchannel c: int capacity 1;\n";
  for (int i = 0; i < 90; ++i)
    text += fmt::format(
        "/// What thread {0} works on.\nshared x{0}: int(0..9) = 0;\n"
        "fun step{0}(a: int, b: int): int {{\n  var sum = a;\n  for k in 0..<b {{\n"
        "    sum = (sum + k) % 10;\n  }}\n  return sum;\n}}\nthread T{0} {{\n"
        "  with m {{ x{0} = step{0}(x{0}, {0} % 4); }}\n}}\n",
        i);
  return text;
}

/// The same with an error in each thread.
std::string long_model_with_errors() {
  std::string text = long_model();
  constexpr std::string_view kRight = "  with m { x";
  for (std::size_t at = text.find(kRight); at != text.npos; at = text.find(kRight, at + 1))
    text.replace(at, kRight.size(), "  with n { x");
  return text;
}

// What takes the time of a request is to analyse the text, so the number of analyses is what is
// looked at first: it is the same on every machine.
TEST_CASE("a request about a text of a thousand lines analyses it a few times") {
  struct Asked {
    const char* name;
    json (*request)(cml::lsp::Workspace&, const json&);
    std::size_t most;
  };
  const Asked asked[] = {
      {"hover", cml::lsp::hover, 1},
      {"definition", cml::lsp::definition, 1},
      {"documentSymbol", cml::lsp::document_symbols, 1},
      {"semanticTokens", cml::lsp::semantic_tokens, 1},
      {"foldingRange", cml::lsp::folding_ranges, 1},
      {"formatting", cml::lsp::formatting, 0},
      {"codeLens", cml::lsp::code_lenses, 1},
      {"completion", cml::lsp::completion, 3},
      {"codeAction", cml::lsp::code_actions, 6},
  };
  for (const std::string& text : {long_model(), long_model_with_errors()})
    for (const Asked& one : asked) {
      cml::lsp::Workspace workspace;
      workspace.open({{"uri", Editor::uri(kPath)}, {"text", text}});
      const std::size_t place = text.find("x40 = step40");
      const json position = position_in(text, place);
      const json params = {{"textDocument", {{"uri", Editor::uri(kPath)}}},
                           {"position", position},
                           {"context", json::object()},
                           {"range",
                            {{"start", {{"line", 0}, {"character", 0}}},
                             {"end", {{"line", 9999}, {"character", 0}}}}}};
      (void)one.request(workspace, params);
      CAPTURE(one.name);
      CHECK(workspace.analyses_made() <= one.most);
    }
}

// Within 50 ms where nothing else is to be done: the numbers are printed. Tests run beside others.
TEST_CASE("a text of a thousand lines is answered at once, with errors, too") {
  constexpr double kBar = 0.25;
  double worst = 0;
  std::string table;
  for (const std::string& text : {long_model(), long_model_with_errors()}) {
    const auto lines = std::count(text.begin(), text.end(), '\n');
    REQUIRE(lines >= 1000);
    Editor editor;
    editor.open(kPath, text);
    const std::size_t errors = editor.diagnostics(kPath).size();
    table += fmt::format("\n  {} lines, {} errors, behind a key that was typed", lines, errors);
    const json position = editor.at(kPath, "x40 = step40", 0, -3)["position"];
    for (const auto& [method, params] : requests_at(editor, position)) {
      double best = 1;
      for (int round = 0; round < 3; ++round) {
        // Each time behind keys that were typed, so nothing is known.
        editor.type(kPath, "(x40, ", "(x40,  ");
        editor.type(kPath, "(x40,  ", "(x40, ");
        (void)editor.answer(editor.ask(method, params));
        best = std::min(best, editor.seconds());
      }
      worst = std::max(worst, best);
      table += fmt::format("\n    {:34} {:6.1f} ms", method, best * 1000);
    }
  }
  MESSAGE(table);
  if (!kSanitized) CHECK(worst < kBar);
}

}  // namespace
