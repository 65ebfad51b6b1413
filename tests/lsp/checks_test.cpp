// Checks from an editor: the lenses that start them, what they say in the text, and that other
// requests are answered meanwhile.
#include <doctest/doctest.h>
#include <string>

#include "tests/harness/process.h"
#include "tests/lsp/editor.h"

namespace {

using namespace cml::test;

const char* const kDeadlock = R"(// two locks, in two orders
lock a;
lock b;
shared x: int(0..3) = 0;
thread One { with a { with b { x = 1; } } }
thread Two { with b { with a { x = 2; } } }
)";
const char* const kProtected = R"(model "right";
lock a;
shared x: int(0..3) = 0;
thread One { with a { x = 1; } }
thread Two { with a { x = 2; } }
)";
// More states than are searched while a test waits.
const char* const kLong = R"(atomic n[12]: int(0..9);
thread T[i in 0..<12] { loop { n[i] = (n[i] + 1) % 10; } }
)";

json whole() {
  return {{"start", {{"line", 0}, {"character", 0}}}, {"end", {{"line", 99}, {"character", 0}}}};
}

json command(const std::string& name, const json& options = nullptr) {
  json arguments = json::array({Editor::uri(kPath)});
  if (!options.is_null()) arguments.push_back(options);
  return {{"command", name}, {"arguments", arguments}};
}

TEST_CASE("a check from an editor tells what it has found in the text") {
  const json refreshed = {{"refreshSupport", true}};
  const json capabilities = {{"workspace", {{"inlayHint", refreshed}, {"codeLens", refreshed}}}};
  Editor editor(capabilities);
  editor.open(kPath, kDeadlock);
  CHECK(editor.diagnostics(kPath).empty());
  const json lenses = editor.request("textDocument/codeLens", editor.in(kPath));
  REQUIRE(lenses.size() == 2);
  CHECK(lenses[0]["command"]["title"] == "Check");
  CHECK(lenses[1]["command"]["title"] == "Simulate");
  CHECK(lenses[0]["range"]["start"] == json{{"line", 1}, {"character", 0}});
  const json result = editor.request("workspace/executeCommand",
                                     {{"command", lenses[0]["command"]["command"]},
                                      {"arguments", lenses[0]["command"]["arguments"]}});
  CHECK(result["verdict"] == "violated");
  CHECK(contains(result["summary"].get<std::string>(), "violated: deadlock"));
  const json found = editor.diagnostics(kPath);
  REQUIRE_FALSE(found.empty());
  CHECK(found[0]["code"] == "deadlock");
  CHECK(found[0]["source"] == "cml check");
  CHECK(found[0]["range"]["start"]["line"].get<int>() >= 4);
  // The trace, step by step, and those who are blocked.
  const json& related = found[0]["relatedInformation"];
  REQUIRE(related.size() >= 4);
  CHECK(contains(related[0]["message"].get<std::string>(), ".acquire"));
  CHECK(related[0]["location"]["uri"] == Editor::uri(kPath));
  CHECK(contains(related.back()["message"].get<std::string>(), "blocked for ever"));
  CHECK(editor.kept("workspace/inlayHint/refresh").size() +
            editor.kept("workspace/codeLens/refresh").size() ==
        2);
  CHECK(editor.request("textDocument/codeLens", editor.in(kPath)).size() == 3);
  // A change of the text: what was found is of another one.
  editor.type(kPath, "x = 2", "x = 3");
  CHECK(editor.diagnostics(kPath).empty());
  CHECK(editor.request("textDocument/codeLens", editor.in(kPath)).size() == 2);
}

TEST_CASE("after a check the text shows what protects shared objects") {
  Editor editor;
  editor.open(kPath, kProtected);
  json params = editor.in(kPath);
  params["range"] = whole();
  CHECK(editor.request("textDocument/inlayHint", params).empty());
  const json result = editor.request("workspace/executeCommand", command("cml.check"));
  CHECK(result["verdict"] == "verified");
  CHECK(contains(result["summary"].get<std::string>(), "verified"));
  const json hints = editor.request("textDocument/inlayHint", params);
  REQUIRE(hints.size() == 1);
  CHECK(hints[0]["label"] == "/* guarded by a */");
  CHECK(hints[0]["position"] == json{{"line", 2}, {"character", 8}});
  CHECK(contains(editor.request("textDocument/hover", editor.at(kPath, "x:"))["contents"]["value"]
                     .get<std::string>(),
                 "the last check says: guarded by a"));
  const json lenses = editor.request("textDocument/codeLens", editor.in(kPath));
  REQUIRE(lenses.size() == 3);
  CHECK(contains(lenses[2]["command"]["title"].get<std::string>(), "verified"));
  params["range"]["start"]["line"] = 3;
  CHECK(editor.request("textDocument/inlayHint", params).empty());
}

TEST_CASE("what is inconclusive is not said as success") {
  Editor editor;
  editor.open(kPath, kProtected);
  const json cut =
      editor.request("workspace/executeCommand", command("cml.check", {"--max-states", "1"}));
  CHECK(cut["verdict"] == "inconclusive");
  CHECK(
      contains(cut["summary"].get<std::string>(), "inconclusive: a limit was reached: max-states"));
  const json walks =
      editor.request("workspace/executeCommand", command("cml.simulate", {"--runs", "3"}));
  CHECK(walks["verdict"] == "inconclusive");
  CHECK(contains(walks["summary"].get<std::string>(), "3 random walks"));
  editor.type(kPath, "lock a;", "");
  const json wrong = editor.request("workspace/executeCommand", command("cml.check"));
  CHECK(wrong["verdict"].is_null());
  CHECK(wrong["summary"] == "the model has errors");
}

TEST_CASE("a check takes options, but not those about its output") {
  Editor editor;
  editor.open(kPath, "const N = 1;\natomic n: int(0..9);\nthread T { assert N == 1; n = N; }\n");
  CHECK(editor.request("workspace/executeCommand", command("cml.check"))["verdict"] == "verified");
  CHECK(editor.request("workspace/executeCommand",
                       command("cml.check", {"-D", "N=2"}))["verdict"] == "violated");
  for (const char* option : {"--output=/tmp/x", "-o", "-o/tmp/x", "-qo/tmp/x", "-oq", "-qi", "-qh",
                             "--format=text", "/etc/passwd", "--help"}) {
    CAPTURE(option);
    CHECK(editor.failure("workspace/executeCommand", command("cml.check", {option}))["code"] ==
          -32602);
  }
  // What follows `D` is its value.
  CHECK(editor.request("workspace/executeCommand", command("cml.check", {"-qDN=2"}))["verdict"] ==
        "violated");
  const json unknown =
      editor.failure("workspace/executeCommand", command("cml.check", {"--no-such-option"}));
  CHECK(contains(unknown["message"].get<std::string>(), "no-such-option"));
  CHECK(editor.failure("workspace/executeCommand", command("cml.nothing"))["code"] == -32602);
  CHECK(editor
            .failure("workspace/executeCommand",
                     {{"command", "cml.check"}, {"arguments", {"file:///nowhere/else.cml"}}})
            .contains("message"));
  CHECK(editor.failure("workspace/executeCommand", {{"command", "cml.check"}}).contains("message"));
}

TEST_CASE("the report for a browser comes from an editor, too") {
  Editor editor;
  editor.open(kPath, kDeadlock);
  const json page = editor.request("workspace/executeCommand", command("cml.report"));
  CHECK(contains(page["html"].get<std::string>(), "<!"));
  CHECK(contains(page["html"].get<std::string>(), "deadlock"));
}

TEST_CASE("other requests are answered while a check runs, and it can be cancelled") {
  Editor editor;
  editor.open(kPath, kLong);
  const int check = editor.ask("workspace/executeCommand", command("cml.check"));
  for (int i = 0; i < 20; ++i)
    CHECK(editor.request("textDocument/hover", editor.at(kPath, "n[i]")).is_object());
  CHECK(editor.seconds() < 1);
  editor.notify("$/cancelRequest", {{"id", check}});
  CHECK(editor.answer(check)["error"]["code"] == -32800);
  // Another check of the text takes the place of the first.
  const int first = editor.ask("workspace/executeCommand", command("cml.check"));
  const int second =
      editor.ask("workspace/executeCommand", command("cml.check", {"--max-states", "9"}));
  CHECK(editor.answer(first)["error"]["code"] == -32800);
  CHECK(editor.answer(second)["result"]["verdict"] == "inconclusive");
  // One that runs when the server ends, ends with it.
  (void)editor.ask("workspace/executeCommand", command("cml.check"));
  CHECK(editor.request("shutdown", nullptr).is_null());
  editor.notify("exit", nullptr);
  CHECK(editor.end() == 0);
}

TEST_CASE("a check of a text that changes meanwhile marks nothing in the new one") {
  Editor editor;
  editor.open(kPath, kDeadlock);
  (void)editor.diagnostics(kPath);
  const int check = editor.ask("workspace/executeCommand", command("cml.check"));
  editor.type(kPath, "// two locks", "// two monitors");
  const json answer = editor.answer(check)["result"];
  CHECK(answer["verdict"] == "violated");
  if (answer["current"] == false) CHECK(editor.diagnostics(kPath).empty());
}

TEST_CASE("a check marks what it has found in imported files by where they are imported") {
  const TemporaryFolder folder;
  const std::string part =
      folder.write("part.cml", "lock m;\nfun grab() { m.release(); }\n").string();
  const std::string main =
      folder.write("main.cml", "import \"part.cml\";\nthread T { grab(); }\n").string();
  Editor editor;
  editor.open(main, read_file(main));
  (void)editor.diagnostics(main);
  const json result = editor.request(
      "workspace/executeCommand", {{"command", "cml.check"}, {"arguments", {Editor::uri(main)}}});
  CHECK(result["verdict"] == "violated");
  const json found = editor.diagnostics(main);
  REQUIRE_FALSE(found.empty());
  CHECK(found[0]["code"] == "illegal-monitor");
  CHECK(contains(found[0]["relatedInformation"].dump(), "part.cml"));
}

json check_of(const std::string& path) {
  return {{"command", "cml.check"}, {"arguments", {Editor::uri(path)}}};
}

TEST_CASE("a result is gone when a file that the model imports changes, here or on the disk") {
  const TemporaryFolder folder;
  const std::string text = "shared x: int(0..9) = 0;\nlock m;\n";
  const std::string part = folder.write("part.cml", text).string();
  const std::string other = folder.write("other.cml", "lock n;\n").string();
  const std::string main =
      folder.write("main.cml", "import \"part.cml\";\nthread T { with m { x = 1; } }\n").string();
  Editor editor;
  editor.open(main, read_file(main));
  const auto lenses = [&] {
    return editor.request("textDocument/codeLens", editor.in(main)).size();
  };
  const auto checked = [&] {
    CHECK(editor.request("workspace/executeCommand", check_of(main))["current"] == true);
    CHECK(lenses() == 3);
  };
  checked();
  // What changes nothing leaves it: a file that is opened, saved, or is another one.
  editor.open(part, text);
  editor.open(other, "lock n;\n");
  editor.type(other, "n;", "o;");
  editor.notify("textDocument/didSave", editor.in(other));
  CHECK(lenses() == 3);
  SUBCASE("in the editor") { editor.type(part, "0..9", "0..8"); }
  SUBCASE("on the disk") {
    folder.write("part.cml", "shared x: int(0..1) = 0;\nlock m;\n");
    editor.notify("workspace/didChangeWatchedFiles", {{"changes", json::array()}});
  }
  SUBCASE("in its own text") { editor.type(main, "x = 1", "x = 2"); }
  CHECK(lenses() == 2);
  checked();
}

TEST_CASE("a check of a text that is closed ends, and says nothing of another one") {
  Editor editor;
  editor.open(kPath, kLong);
  const int check = editor.ask("workspace/executeCommand", command("cml.check"));
  editor.close(kPath);
  CHECK(editor.answer(check)["error"]["code"] == -32800);
  // Versions begin anew: this one has been before, of another text.
  const json opened = {{"uri", Editor::uri(kPath)}, {"languageId", "cml"}, {"version", 1}};
  const auto open = [&](const std::string& text) {
    json document = opened;
    document["text"] = text;
    editor.notify("textDocument/didOpen", {{"textDocument", document}});
  };
  open(kLong);
  const int first =
      editor.ask("workspace/executeCommand", command("cml.check", {"--max-time", "1"}));
  open(kProtected);
  CHECK(editor.answer(first)["result"]["current"] == false);
  CHECK(editor.request("textDocument/codeLens", editor.in(kPath)).size() == 2);
  const int last =
      editor.ask("workspace/executeCommand", command("cml.check", {"--max-time", "9"}));
  CHECK(editor.request("shutdown", nullptr).is_null());
  CHECK(editor.answer(last).contains("id"));  // ended, or it was over before
}

}  // namespace
