// Texts that are typed: incremental changes in units of UTF-16, diagnostics as they come and go,
// and files that import each other.
#include <doctest/doctest.h>
#include <random>
#include <string>

#include "lsp/text.h"
#include "tests/harness/process.h"
#include "tests/lsp/editor.h"

namespace {

using namespace cml::test;
using cml::lsp::Position;
using cml::lsp::Text;

TEST_CASE("positions count units of UTF-16") {
  const Text text("a\u00e4\U0001F600b\r\nsecond\n\nlast");
  CHECK(text.lines() == 4);
  CHECK(text.position(0) == Position{0, 0});
  CHECK(text.position(3) == Position{0, 2});  // behind the umlaut, two bytes
  CHECK(text.position(7) == Position{0, 4});  // behind the face, four bytes and two units
  CHECK(text.position(10) == Position{1, 0});
  CHECK(text.offset({0, 2}) == 3);
  CHECK(text.offset({0, 3}) == 7);   // in the middle of the face
  CHECK(text.offset({0, 99}) == 8);  // the line break is not part of the line
  CHECK(text.offset({3, 4}) == text.text().size());
  CHECK(text.offset({9, 0}) == text.text().size());
  CHECK(text.offset_of(1, 4) == 7);  // code points, from 1
  for (const std::size_t at : {0U, 1U, 3U, 7U, 8U, 10U, 16U, 17U, 18U, 22U})
    CHECK(text.offset(text.position(at)) == at);
}

TEST_CASE("random changes of a text are as the editor makes them") {
  const std::string pieces[] = {"x", "\n", "\u00e4", "\U0001F600", "let ", "\r\n", ""};
  for (unsigned seed = 0; seed < 200; ++seed) {
    std::mt19937 random(seed);
    std::string whole = "lock m;\nthread T {}\n";
    Text text(whole);
    for (int change = 0; change < 20; ++change) {
      // Ends of characters; a break of two characters stays whole.
      const auto place = [&] {
        std::size_t at = random() % (whole.size() + 1);
        while (at < whole.size() && ((static_cast<unsigned char>(whole[at]) & 0xC0U) == 0x80U ||
                                     (at > 0 && whole[at - 1] == '\r')))
          ++at;
        return at;
      };
      std::size_t begin = place();
      std::size_t end = place();
      if (end < begin) std::swap(begin, end);
      const std::string& piece = pieces[random() % std::size(pieces)];
      text.replace(text.position(begin), text.position(end), piece);
      whole.replace(begin, end - begin, piece);
      REQUIRE(text.text() == whole);
    }
  }
}

TEST_CASE("diagnostics come while one types, and go") {
  Editor editor;
  editor.open(kPath,
              "// \U0001F600 \u00e4\nshared count: int = 0;\nlock m;\n"
              "thread T { with m { counnt = 1; } }\n");
  const json wrong = editor.diagnostics(kPath);
  REQUIRE(wrong.size() == 1);
  CHECK(wrong[0]["code"] == "E0301");
  CHECK(wrong[0]["severity"] == 1);
  CHECK(wrong[0]["source"] == "cml");
  CHECK(contains(wrong[0]["message"].get<std::string>(), "did you mean `count`?"));
  CHECK(wrong[0]["range"]["start"] ==
        position_in(editor.text(kPath), editor.text(kPath).find("counnt")));
  editor.type(kPath, "counnt", "count");
  CHECK(editor.diagnostics(kPath).empty());
  // Behind characters of two units in the same line.
  editor.type(kPath, "thread", "/* \U0001F600\U0001F600 */ thread");
  editor.type(kPath, "count = 1;", "count = 1");
  const json missing = editor.diagnostics(kPath);
  REQUIRE(missing.size() == 1);
  CHECK(missing[0]["code"] == "E0202");
  CHECK(missing[0]["range"]["start"]["line"] == 3);
  CHECK(missing[0]["range"]["start"]["character"] ==
        position_in(editor.text(kPath), editor.text(kPath).find("count = 1") + 9)["character"]);
  editor.close(kPath);
  CHECK(editor.diagnostics(kPath).empty());
  CHECK(editor
            .failure("textDocument/hover", {{"textDocument", {{"uri", Editor::uri(kPath)}}},
                                            {"position", {{"line", 0}, {"character", 0}}}})
            .contains("message"));
}

TEST_CASE("a whole text can be sent, and places outside are taken as the nearest") {
  Editor editor;
  editor.open(kPath, "lock m;\n");
  const json document = {{"uri", Editor::uri(kPath)}, {"version", 5}};
  editor.notify("textDocument/didChange",
                {{"textDocument", document},
                 {"contentChanges", {{{"text", "lock other;\nthread T { other.acquire(); }\n"}}}}});
  const json far = {{"line", 900}, {"character", 900}};
  editor.notify("textDocument/didChange",
                {{"textDocument", document},
                 {"contentChanges",
                  {{{"range", {{"start", far}, {"end", far}}}, {"text", "lock last;\n"}}}}});
  const json symbols = editor.request("textDocument/documentSymbol", editor.in(kPath));
  REQUIRE(symbols.size() == 3);
  CHECK(symbols[2]["name"] == "last");
  for (const char* method : {"textDocument/hover", "textDocument/definition",
                             "textDocument/completion", "textDocument/documentHighlight"}) {
    json params = editor.in(kPath);
    params["position"] = far;
    CAPTURE(method);
    CHECK_FALSE(editor.answer(editor.ask(method, params)).contains("error"));
  }
}

TEST_CASE("a file that is imported is taken as it is in the editor") {
  const TemporaryFolder folder;
  const std::string part = folder.write("part.cml", "const N = 2;\n").string();
  const std::string main =
      folder.write("main.cml", "import \"part.cml\";\nlock m[N];\nthread T { m[1].acquire(); }\n")
          .string();
  Editor editor;
  editor.open(main, read_file(main));
  CHECK(editor.diagnostics(main).empty());
  editor.open(part, read_file(part));
  CHECK(editor.diagnostics(part).empty());  // although it has no threads
  editor.type(part, "N = 2", "M = 2");
  const json wrong = editor.wrong(main);
  REQUIRE(wrong.size() == 1);
  CHECK(wrong[0]["code"] == "E0301");
  editor.type(part, "M = 2", "N = ");
  json in_part = editor.wrong(main);
  while (in_part.is_array() && in_part[0]["code"] == "E0301")
    in_part = editor.wrong(main);  // as it was before
  REQUIRE(in_part.is_array());
  CHECK(contains(in_part[0]["message"].get<std::string>(), "part.cml, line 1"));
  CHECK(in_part[0]["range"]["start"] == json{{"line", 0}, {"character", 7}});
}

TEST_CASE("lines end as the protocol says, for the front end, too") {
  const Text text("one\rtwo\r\nthree\n\rlast");
  CHECK(text.lines() == 5);
  CHECK(text.position(4) == Position{1, 0});
  CHECK(text.offset_of(5, 2) == 17);
  Editor editor;
  editor.open(kPath, "// title\rthread T { assert nothing; }\n");
  const json wrong = editor.diagnostics(kPath);
  REQUIRE(wrong.size() == 1);
  CHECK(wrong[0]["range"]["start"] == json{{"line", 1}, {"character", 18}});
  // Results count lines as well.
  editor.open(kPath, "// title\rthread T { assert 1 == 2; }\n");
  const json found = editor.request(
      "workspace/executeCommand", {{"command", "cml.check"}, {"arguments", {Editor::uri(kPath)}}});
  CHECK(found["result"]["violations"][0]["location"]["line"] == 2);
  CHECK(editor.wrong(kPath)[0]["range"]["start"] == json{{"line", 1}, {"character", 11}});
}

TEST_CASE("changes of which one is wrong change nothing, and a version may be missing") {
  Editor editor;
  editor.open(kPath, "lock m;\nthread T { m.acquire(); }\n");
  const auto changed = [&](const json& version, const json& changes) {
    editor.notify("textDocument/didChange",
                  {{"textDocument", {{"uri", Editor::uri(kPath)}, {"version", version}}},
                   {"contentChanges", changes}});
    json names = json::array();
    for (const json& symbol : editor.request("textDocument/documentSymbol", editor.in(kPath)))
      names.push_back(symbol["name"]);
    return names;
  };
  CHECK(changed(2, json::array({{{"text", "lock a;\n"}}, {{"no", "text"}}})) == json{"m", "T"});
  CHECK(changed(nullptr, json::array({{{"text", "lock b;\n"}}})) == json{"b"});
  CHECK(changed(3, json::array({{{"range", nullptr}, {"text", "lock c;\n"}}})) == json{"c"});
}

TEST_CASE("a file that is imported and changes on the disk is read anew") {
  const TemporaryFolder folder;
  const std::string part = folder.write("part.cml", "const N = 2;\n").string();
  const std::string main =
      folder.write("main.cml", "import \"part.cml\";\nlock m[N];\nthread T { m[1].acquire(); }\n")
          .string();
  const json watching = {
      {"workspace", {{"didChangeWatchedFiles", {{"dynamicRegistration", true}}}}}};
  Editor editor(watching);
  const json registered = editor.asked("client/registerCapability")["registrations"][0];
  CHECK(registered["method"] == "workspace/didChangeWatchedFiles");
  CHECK(registered["registerOptions"]["watchers"][0]["globPattern"] == "**/*.cml");
  editor.open(main, read_file(main));
  CHECK(editor.diagnostics(main).empty());
  folder.write("part.cml", "const M = 2;\n");
  const json change = {{"uri", Editor::uri(part)}, {"type", 2}};
  editor.notify("workspace/didChangeWatchedFiles", {{"changes", json::array({change})}});
  CHECK(editor.diagnostics(main)[0]["code"] == "E0301");
  folder.write("part.cml", "const N = 2;\n");
  editor.notify("textDocument/didSave", editor.in(main));
  CHECK(editor.diagnostics(main).empty());
}

}  // namespace
