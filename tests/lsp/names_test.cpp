// What names mean, in an editor: hover, definition, references, highlights, renaming, symbols.
#include <doctest/doctest.h>
#include <filesystem>
#include <set>
#include <string>

#include "tests/harness/process.h"
#include "tests/lsp/editor.h"

namespace {

using namespace cml::test;

const char* const kModel = R"(model "all kinds of names";
import std.barrier;

/// How many there are.
const N = 2;
enum Colour { red, green }
struct Pair { left: int(0..3); right: bool; }

/// Protects the total.
lock m;
/// What they add up to.
shared total: int(0..9) = 0 guarded by m;
atomic flag: bool;
channel c: Pair capacity 1;
semaphore s = 1;
shared last: Colour;

class Box<T> {
  shared value: T?;
  synchronized fun put(item: T) { value = item; notifyAll(); }
}
class Item { const id: int; init(id: int) { this.id = id; } }

fun twice(x: int): int { return x + x; }

process Node[k in 0..<2] {
  channel inbox: int capacity 1;
  thread Reader { let got = inbox.recv(); }
}

/// Adds.
thread Worker[i in 0..<N] {
  let box = new Box<Item>();
  box.put(new Item(i));
  for j in 0..<2 {
    with m { total = total + twice(j); }
  }
  var p = Pair(left: 1, right: true);
  c.send(p);
  if p.right && flag { last = Colour.green; }
  Node[0].inbox.send(p.left);
}
thread Main { let got = c.recv(); s.down(); last = red; }
invariant bound: total <= 9;
)";

std::string hovered(Editor& editor, std::string_view word, int which = 0, int more = 0) {
  const json answer = editor.request("textDocument/hover", editor.at(kPath, word, which, more));
  return answer.is_null() ? "" : answer["contents"]["value"].get<std::string>();
}

TEST_CASE("hovering over a name tells what it is") {
  Editor editor;
  editor.open(kPath, kModel);
  const json told = editor.diagnostics(kPath);
  for (const json& one : told) {
    CAPTURE(one.dump());
    CHECK(one["severity"] != 1);
  }
  const std::string total = hovered(editor, "total = total", 0, 8);
  CHECK(contains(total, "shared total: int(0..9) = 0 guarded by m"));
  CHECK(contains(total, "What they add up to."));
  CHECK(contains(total, "invisible"));
  CHECK(contains(total, "guarded by a lock"));
  CHECK(contains(hovered(editor, "m { total"), "Protects the total."));
  CHECK(contains(hovered(editor, "m { total"), "visible"));
  CHECK(contains(hovered(editor, "flag {"), "each access is visible"));
  CHECK(contains(hovered(editor, "N]"), "const N = 2"));
  CHECK(contains(hovered(editor, "N]"), "How many there are."));
  CHECK(contains(hovered(editor, "j)"), "let j: int"));
  CHECK(contains(hovered(editor, "j)"), "local: invisible"));
  CHECK(contains(hovered(editor, "box.put"), "let box: Box<Item>"));
  CHECK(contains(hovered(editor, "put(new"), "synchronized fun put(item: T)"));
  CHECK(contains(hovered(editor, "twice(j"), "fun twice(x: int): int"));
  CHECK(contains(hovered(editor, "x + x"), "parameter x: int"));
  CHECK(contains(hovered(editor, "i));"), "index i: int(0..1)"));
  CHECK(contains(hovered(editor, "right &&"), "field right: bool"));
  CHECK(contains(hovered(editor, "green; }"), "green"));
  CHECK(contains(hovered(editor, "Worker"), "Adds."));
  CHECK(contains(hovered(editor, "Worker"), "thread Worker[i in 0..<N]"));
  CHECK(contains(hovered(editor, "send(p)"), "send(value)"));
  CHECK(contains(hovered(editor, "send(p)"), "can be blocked"));
  CHECK(contains(hovered(editor, "notifyAll"), "never blocks"));
  CHECK(contains(hovered(editor, "Node[0]"), "process Node[k in 0..<2]"));
  CHECK(hovered(editor, "return") == "");
  CHECK(hovered(editor, "all kinds") == "");
}

/// The words at the places, with the lines.
std::multiset<std::string> words(Editor& editor, const json& places) {
  std::multiset<std::string> found;
  for (const json& place : places) {
    const json& range = place["range"];
    const std::string& text = editor.text(kPath);
    const std::size_t begin = offset_in(text, range["start"]);
    const std::size_t end = offset_in(text, range["end"]);
    found.insert(text.substr(begin, end - begin) + " " + range["start"]["line"].dump());
  }
  return found;
}

TEST_CASE("from a name to its declaration, and to its uses") {
  Editor editor;
  editor.open(kPath, kModel);
  const auto declared = [&](std::string_view word, int which, int more, std::string_view line) {
    const json place =
        editor.request("textDocument/definition", editor.at(kPath, word, which, more));
    CAPTURE(word);
    REQUIRE(place.is_object());
    CHECK(place["uri"] == Editor::uri(kPath));
    const std::string& text = editor.text(kPath);
    const std::size_t begin = offset_in(text, place["range"]["start"]);
    const std::size_t end = text.find('\n', begin);
    CHECK(contains(text.substr(0, end).substr(text.rfind('\n', begin) + 1), line));
  };
  declared("total <= 9", 0, 0, "shared total");
  declared("m { total", 0, 0, "lock m");
  declared("put(new", 0, 0, "fun put");
  declared("Item>", 0, 0, "class Item");
  declared("T?", 0, 0, "class Box<T>");
  declared("left: 1", 0, 0, "struct Pair");
  declared("left);", 0, 0, "struct Pair");
  declared("green; }", 0, 0, "enum Colour");
  declared("red; }", 0, 0, "enum Colour");
  declared("Colour.green", 0, 0, "enum Colour");
  declared("inbox.send", 0, 0, "channel inbox");
  declared("value = item", 0, 0, "shared value");
  declared("item; ", 0, 0, "fun put");
  declared("i));", 0, 0, "thread Worker");
  declared("N] {", 0, 0, "const N");
  CHECK(editor.request("textDocument/definition", editor.at(kPath, "recv()")).is_null());

  json params = editor.at(kPath, "total <= 9");
  params["context"] = {{"includeDeclaration", true}};
  const json all = editor.request("textDocument/references", params);
  CHECK(words(editor, all) ==
        std::multiset<std::string>{"total 11", "total 35", "total 35", "total 43"});
  params["context"] = {{"includeDeclaration", false}};
  CHECK(editor.request("textDocument/references", params).size() == 3);
  CHECK(words(editor,
              editor.request("textDocument/documentHighlight", editor.at(kPath, "p = Pair"))) ==
        std::multiset<std::string>{"p 37", "p 38", "p 39", "p 40"});
}

TEST_CASE("a module of the standard library is found, and a file that is imported") {
  Editor editor;
  editor.open(kPath, "import std.barrier;\nthread T { let b = new Barrier<2>(); b.await(); }\n");
  const json module =
      editor.request("textDocument/definition", editor.at(kPath, "std.barrier", 0, 5));
  REQUIRE(module.is_object());
  const json place = editor.request("textDocument/definition", editor.at(kPath, "Barrier"));
  if (place.is_object()) CHECK(place["uri"] == module["uri"]);
  const std::string uri = module["uri"].get<std::string>();
  if (uri.starts_with("file://")) {
    CHECK(contains(read_file(uri.substr(7)), "class Barrier"));
  } else {
    CHECK(contains(editor.request("cml/module", {{"uri", uri}})["text"].get<std::string>(),
                   "class Barrier"));
  }
  CHECK(contains(editor.request("cml/module", {{"uri", "cml-std:/std.barrier.cml"}})["text"]
                     .get<std::string>(),
                 "class Barrier"));
  CHECK(editor.failure("cml/module", {{"uri", "cml-std:/std.nothing.cml"}}).contains("message"));
}

TEST_CASE("renaming changes all places, and only them") {
  Editor editor;
  editor.open(kPath, kModel);
  const auto renamed = [&](std::string_view word, const std::string& name) {
    json params = editor.at(kPath, word);
    const json range = editor.request("textDocument/prepareRename", params);
    CHECK(range.contains("placeholder"));
    params["newName"] = name;
    const json answer = editor.request("textDocument/rename", params);
    REQUIRE(answer["changes"].size() == 1);
    return editor.edited(kPath, answer["changes"][Editor::uri(kPath)]);
  };
  const std::string text = renamed("total <= 9", "sum");
  CHECK(contains(text, "shared sum: int(0..9)"));
  CHECK(contains(text, "sum = sum + twice"));
  CHECK(contains(text, "invariant bound: sum <= 9"));
  CHECK(contains(text, "/// What they add up to."));
  CHECK_FALSE(contains(text, "total "));
  CHECK(contains(renamed("left: 1", "first"), "struct Pair { first: int(0..3)"));
  CHECK(contains(renamed("left: 1", "first"), "send(p.first)"));
  CHECK(contains(renamed("T?", "Thing"), "class Box<Thing>"));
  CHECK(contains(renamed("green; }", "blue"), "enum Colour { red, blue }"));
  CHECK(contains(renamed("put(new", "store"), "box.store(new"));

  const auto refused = [&](std::string_view word, const std::string& name, std::string_view why) {
    json params = editor.at(kPath, word);
    params["newName"] = name;
    CAPTURE(name);
    CHECK(
        contains(editor.failure("textDocument/rename", params)["message"].get<std::string>(), why));
  };
  refused("total <= 9", "m", "m");             // declared already
  refused("total <= 9", "shared", "no name");  // a keyword
  refused("total <= 9", "a b", "no name");
  refused("total <= 9", "", "no name");
  refused("p = Pair", "box", "box");  // a local of the same scope
  refused("return", "x", "no name here");
  refused("send(p)", "x", "no name here");
  CHECK(
      editor.failure("textDocument/prepareRename", editor.at(kPath, "return")).contains("message"));
}

TEST_CASE("renaming what a file declares changes those that import it, opened or not") {
  const TemporaryFolder folder;
  const std::string part = folder.write("part.cml", "/// Both.\nconst SIZE = 2;\n").string();
  const std::string main =
      folder
          .write("main.cml",
                 "import \"part.cml\";\nlock m[SIZE];\nthread T { m[SIZE - 1].acquire(); }\n")
          .string();
  Editor editor(json::object(), folder.path().string());
  editor.open(part, read_file(part));
  json params = editor.at(part, "SIZE");
  params["newName"] = "COUNT";
  const json changes = editor.request("textDocument/rename", params)["changes"];
  CHECK(changes[Editor::uri(part)].size() == 1);
  CHECK(changes[Editor::uri(main)].size() == 2);
  params["context"] = {{"includeDeclaration", true}};
  CHECK(editor.request("textDocument/references", params).size() == 3);
  params["newName"] = "m";  // which the other file has
  CHECK(editor.failure("textDocument/rename", params).contains("message"));
}

TEST_CASE("renaming looks at models that import the file and do not have the name") {
  const TemporaryFolder folder;
  const std::string part =
      folder.write("part.cml", "shared foo: int(0..9) = 0;\nlock lm;\n").string();
  folder.write("other.cml", "lock other;\n");
  folder.write("between.cml", "import \"part.cml\";\nlock between;\n");
  folder.write("uses.cml", "import \"part.cml\";\nthread T { with lm { foo = 1; } }\n");
  folder.write("declares.cml",
               "import \"part.cml\";\nshared bar: int = 0;\nthread T { with lm { bar = 1; } }\n");
  folder.write("both.cml",
               "import \"part.cml\";\nimport \"other.cml\";\nthread T { with lm { skip; } }\n");
  Editor editor(json::object(), folder.path().string());
  editor.open(part, read_file(part));
  json params = editor.at(part, "foo");
  for (const char* taken : {"bar", "other", "between"}) {
    CAPTURE(taken);
    params["newName"] = taken;
    CHECK(contains(editor.failure("textDocument/rename", params)["message"].get<std::string>(),
                   "cannot be the name"));
  }
  params["newName"] = "fine";
  CHECK(editor.request("textDocument/rename", params)["changes"].size() == 2);
}

TEST_CASE("what is open is called as the client calls it, by a symbolic link, too") {
  const TemporaryFolder folder;
  folder.write("models/part.cml", "lock m;\n");
  folder.write("models/main.cml", "import \"part.cml\";\nthread T { m.acquire(); }\n");
  std::filesystem::create_directory_symlink(folder.path() / "models", folder.path() / "link");
  const std::string main = (folder.path() / "link" / "main.cml").string();
  const std::string part = (folder.path() / "link" / "part.cml").string();
  Editor editor(json::object(), folder.path().string());
  editor.open(main, read_file(main));
  editor.open(part, read_file(part));
  CHECK(editor.request("textDocument/definition", editor.at(main, "m.acquire"))["uri"] ==
        Editor::uri(part));
  CHECK(editor.request("textDocument/definition", editor.at(main, "T {"))["uri"] ==
        Editor::uri(main));
  json params = editor.at(part, "m;");
  params["context"] = {{"includeDeclaration", true}};
  std::set<std::string> uris;
  for (const json& place : editor.request("textDocument/references", params))
    uris.insert(place["uri"].get<std::string>());
  CHECK(uris == std::set<std::string>{Editor::uri(main), Editor::uri(part)});
  params["newName"] = "renamed";
  const json changes = editor.request("textDocument/rename", params)["changes"];
  CHECK(changes.size() == 2);
  CHECK(changes.contains(Editor::uri(main)));
  CHECK(changes.contains(Editor::uri(part)));
  for (const json& symbol : editor.request("workspace/symbol", {{"query", ""}}))
    CHECK(uris.contains(symbol["location"]["uri"].get<std::string>()));
}

TEST_CASE("hovering over shared memory says what the model demands of it") {
  Editor editor;
  const std::string text = "shared x: int(0..1) = 0;\nthread T { x = 1; }\n";
  editor.open(kPath, text);
  CHECK(contains(hovered(editor, "x:"), "as long as the lock discipline holds"));
  CHECK(contains(hovered(editor, "x:"), "what protects it, a check tells"));
  editor.open(kPath, "discipline races;\n" + text);
  CHECK(contains(hovered(editor, "x:"), "as long as no two of them race"));
  CHECK(contains(hovered(editor, "x:"), "what orders its accesses, a check tells"));
  CHECK_FALSE(contains(hovered(editor, "x:"), "lock"));
}

TEST_CASE("symbols of a text and of all models") {
  const TemporaryFolder folder;
  folder.write("other.cml", "shared elsewhere: int;\nthread T {}\n");
  Editor editor(json::object(), folder.path().string());
  editor.open(kPath, kModel);
  const json symbols = editor.request("textDocument/documentSymbol", editor.in(kPath));
  std::set<std::string> names;
  for (const json& symbol : symbols) {
    names.insert(symbol["name"].get<std::string>());
    CHECK(symbol["selectionRange"]["start"] >= symbol["range"]["start"]);
  }
  CHECK(names == std::set<std::string>{"N", "Colour", "Pair", "m", "total", "flag", "c", "s",
                                       "last", "Box", "Item", "twice", "Node", "Worker", "Main",
                                       "bound"});
  for (const json& symbol : symbols) {
    if (symbol["name"] == "Colour") CHECK(symbol["children"].size() == 2);
    if (symbol["name"] == "Box") CHECK(symbol["children"].size() == 2);
    if (symbol["name"] == "Node") CHECK(symbol["children"][1]["name"] == "Reader");
  }
  const json elsewhere = editor.request("workspace/symbol", {{"query", "elsew"}});
  REQUIRE(elsewhere.size() == 1);
  CHECK(contains(elsewhere[0]["location"]["uri"].get<std::string>(), "other.cml"));
  CHECK(editor.request("workspace/symbol", {{"query", "TOTAL"}}).size() == 1);
}

}  // namespace
