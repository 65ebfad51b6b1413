// What helps while one writes: completion, cures as code actions, colours, folding, formatting.
#include <doctest/doctest.h>
#include <filesystem>
#include <fmt/format.h>
#include <set>
#include <string>

#include "frontend/diagnostic.h"
#include "frontend/load_model.h"
#include "frontend/words.h"
#include "tests/harness/process.h"
#include "tests/lsp/editor.h"

namespace {

namespace fs = std::filesystem;
using namespace cml::test;
using Labels = std::set<std::string>;

/// What is offered where `|` stands.
Labels offered(Editor& editor, std::string text) {
  const std::size_t cursor = text.find('|');
  REQUIRE(cursor != std::string::npos);
  text.erase(cursor, 1);
  editor.open(kPath, text);
  json params = editor.in(kPath);
  params["position"] = position_in(text, cursor);
  Labels labels;
  for (const json& item : editor.request("textDocument/completion", params))
    labels.insert(item["label"].get<std::string>());
  return labels;
}

bool has(const Labels& labels, std::initializer_list<const char*> wanted) {
  for (const char* one : wanted)
    if (!labels.contains(one)) {
      MESSAGE("missing: " << one);
      return false;
    }
  return true;
}

TEST_CASE("members are completed, in lines that are not complete, too") {
  Editor editor;
  const std::string objects =
      "lock m;\nmutex x;\ncondition k of x;\nrwlock r;\nsemaphore s = 1;\n"
      "channel c: int capacity 1;\natomic a: int;\nenum E { one, two }\n"
      "struct P { left: int; right: bool; }\nshared p: P;\nlock many[2];\n"
      "class Q { shared head: int; fun put(v: int) { head = v; } }\n"
      "process Node { channel inbox: int capacity 1; thread R { let g = inbox.recv(); } }\n";
  const auto in_thread = [&](const std::string& line) {
    return offered(editor, objects + "thread T {\n  let q = new Q();\n" + line + "\n}\n");
  };
  CHECK(in_thread("  m.|") == Labels{"acquire", "release", "tryAcquire", "wait", "waitTimed",
                                     "notify", "notifyAll", "held", "owner", "free"});
  CHECK(in_thread("  m.acq|") == in_thread("  m.|"));
  CHECK(in_thread("  m.|acquire();") == in_thread("  m.|"));
  CHECK(in_thread("  many[1].|\n  m.acquire();") == in_thread("  m.|"));
  CHECK(in_thread("  x.|") == Labels{"acquire", "release", "tryAcquire", "held", "owner", "free"});
  CHECK(in_thread("  k.|") == Labels{"wait", "waitTimed", "notify", "notifyAll"});
  CHECK(has(in_thread("  r.|"), {"acquireRead", "releaseWrite", "tryRead"}));
  CHECK(in_thread("  s.|") == Labels{"up", "down", "tryDown"});
  CHECK(in_thread("  let y = c.|") ==
        Labels{"send", "recv", "trySend", "tryRecv", "close", "closed", "size"});
  CHECK(in_thread("  if c.| > 0 { skip; }") == in_thread("  let y = c.|"));
  CHECK(in_thread("  a.|") == Labels{"cas", "swap", "add"});
  CHECK(in_thread("  let e = E.|;") == Labels{"one", "two"});
  CHECK(in_thread("  p.|") == Labels{"left", "right"});
  CHECK(has(in_thread("  q.|"), {"head", "put", "acquire", "wait"}));
  CHECK(in_thread("  Node.|") == Labels{"inbox", "R"});
  // Behind a broken line, and before one.
  CHECK(has(in_thread("  let z = ;\n  m.|\n  if {"), {"acquire"}));
}

TEST_CASE("names that can be seen are completed, and keywords in their places") {
  Editor editor;
  const std::string head =
      "lock m;\nconst N = 2;\nenum Colour { red }\nfun f(x: int): int { return x; }\n";
  const Labels statement = offered(editor, head + "thread T[i in 0..<N] { let mine = 1; | }\n");
  CHECK(has(statement, {"mine", "i", "m", "N", "f", "red", "let", "with", "select", "await"}));
  CHECK_FALSE(statement.contains("process"));
  CHECK_FALSE(statement.contains("x"));
  const Labels expression = offered(editor, head + "thread T { let mine = 1; let y = mi| }\n");
  CHECK(has(expression, {"mine", "N", "true", "new", "choose", "forall"}));
  CHECK_FALSE(expression.contains("while"));
  const Labels type = offered(editor, head + "thread T { var y: | }\n");
  CHECK(has(type, {"Colour", "int", "bool"}));
  CHECK_FALSE(type.contains("m"));
  const Labels top = offered(editor, head + "thread T {}\n|\n");
  CHECK(has(top, {"shared", "thread", "daemon", "class", "property", "invariant", "rwlock"}));
  CHECK_FALSE(top.contains("while"));
  CHECK(has(offered(editor, head + "class C { | }\nthread T {}\n"),
            {"fun", "synchronized", "init", "shared"}));
  CHECK(has(offered(editor, head + "process P { | }\n"), {"thread", "channel"}));
  CHECK(has(offered(editor, head + "shared x: int = 0 |;\nthread T {}\n"),
            {"guarded by", "init by"}));
  CHECK(has(offered(editor, head + "thread T { with | }\n"), {"read", "write"}));
  CHECK(has(offered(editor, head + "thread T { select { | } }\n"), {"case", "default"}));
  CHECK(has(offered(editor, head + "property p: |;\nthread T {}\n"), {"always", "eventually"}));
  CHECK(has(offered(editor, "import std.|\nthread T {}\n"), {"barrier", "mailbox"}));
  CHECK(has(offered(editor, "import |\nthread T {}\n"), {"std.barrier", "std.mailbox"}));
  CHECK(offered(editor, head + "// a com|ment\nthread T {}\n").empty());
  CHECK(offered(editor, "model \"a | title\";\nthread T {}\n").empty());
  CHECK(offered(editor, head + "thread | {}\n").empty());  // a new name
}

TEST_CASE("keywords that continue what stands before them are offered there, and only there") {
  Editor editor;
  const auto in_thread = [&](const std::string& line) {
    return offered(editor, "lock m;\nclass Bag {}\nthread T {\n  " + line + "\n}\n");
  };
  const auto only = [](const Labels& labels, const Labels& wanted, const Labels& others) {
    for (const std::string& one : others)
      if (labels.contains(one) != wanted.contains(one)) {
        MESSAGE(one << (labels.contains(one) ? " is offered" : " is missing"));
        return false;
      }
    return true;
  };
  const Labels which = {"else", "or", "until", "in", "when", "await", "case"};
  CHECK(only(in_thread("if m.held { skip; } |"), {"else", "await"}, which));
  CHECK(only(in_thread("if m.held { skip; } el|"), {"else", "await"}, which));
  CHECK(only(in_thread("if m.held { } else if m.held { } |"), {"else", "await"}, which));
  CHECK(only(in_thread("if m.held { } else { } |"), {"await"}, which));
  CHECK(has(in_thread("if m.held { } else |"), {"if"}));
  CHECK(only(in_thread("either { skip; } |"), {"or", "await"}, which));
  CHECK(only(in_thread("either { skip; } or { skip; } |"), {"or", "await"}, which));
  CHECK(only(in_thread("skip; |"), {"await"}, which));
  CHECK(only(in_thread("with m { m.wait() | }"), {"until"}, which));
  CHECK(only(in_thread("with m { m.notify() | }"), {}, which));
  CHECK(only(in_thread("for i |"), {"in"}, which));
  CHECK(only(in_thread("assert forall i |"), {"in"}, which));
  CHECK(only(in_thread("select { case m.acquire() |: skip; }"), {"when"}, which));
  CHECK(only(in_thread("select { case | }"), {"await"}, which));
  CHECK(only(in_thread("select { case m.acquire(): skip; | }"), {"case", "await"}, which));
  CHECK(has(offered(editor, "thread T[i |] {}\n"), {"in"}));
  CHECK(offered(editor, "discipline |;\nthread T {}\n") == Labels{"races"});
  CHECK(has(offered(editor, "fairness |;\nthread T {}\n"), {"weak", "strong", "none"}));
  CHECK(has(offered(editor, "terminates |;\nthread T {}\n"), {"under"}));
  CHECK(has(offered(editor, "terminates under |;\nthread T {}\n"), {"weak", "strong"}));
  CHECK(has(offered(editor, "terminates under weak |;\nthread T {}\n"), {"fairness"}));
  CHECK(has(offered(editor, "daemon |\nthread T {}\n"), {"thread"}));
  CHECK(has(in_thread("if |"), {"true", "forall"}));
}

/// All errors of a text, as the command line has them.
std::size_t errors_in(const std::string& text) {
  cml::SourceSet sources;
  cml::Diagnostics diagnostics;
  const cml::FileId file = sources.add(kPath, text);
  (void)cml::load_model(sources, file, {}, diagnostics);
  return diagnostics.error_count();
}

TEST_CASE("cures are offered as edits, and cure") {
  Editor editor;
  const auto cured = [&](const std::string& text) {
    editor.open(kPath, text);
    const json told = editor.diagnostics(kPath);
    REQUIRE_FALSE(told.empty());
    json params = editor.in(kPath);
    params["range"] = told[0]["range"];
    params["context"] = {{"diagnostics", told}};
    const json actions = editor.request("textDocument/codeAction", params);
    CAPTURE(told.dump());
    REQUIRE_FALSE(actions.empty());
    CHECK(actions[0]["kind"] == "quickfix");
    CHECK(actions[0]["diagnostics"].size() == 1);
    return editor.edited(kPath, actions[0]["edit"]["changes"][Editor::uri(kPath)]);
  };
  const std::string objects = "shared count: int = 0;\nlock m;\n";
  CHECK(contains(cured(objects + "thread T { with m { counnt = 1; } }\n"), "count = 1"));
  CHECK(contains(cured(objects + "thread T { with m { count = 1 } }\n"), "count = 1; }"));
  CHECK(contains(cured(objects + "thread T { m.lock(); m.release(); }\n"), "m.acquire()"));
  CHECK(contains(cured(objects + "thread T { if count == 0 and m.held { skip; } }\n"),
                 "count == 0 && m.held"));
  CHECK(contains(cured(objects + "thread T { let x = 1; x = 2; }\n"), "var x = 1"));
  CHECK(contains(cured("atomic n: int;\nthread T { if n { skip; } }\n"), "if n != 0 {"));
  // What has no cure that can be tried gets none.
  editor.open(kPath, "thread T { let x = 1 / 0; }\n");
  json params = editor.at(kPath, "1 / 0");
  params["range"] = {{"start", params["position"]}, {"end", params["position"]}};
  params["context"] = {{"diagnostics", json::array()}};
  CHECK(editor.request("textDocument/codeAction", params).empty());
}

TEST_CASE("each of many errors has its cure, and a request tries only so many") {
  Editor editor;
  std::string text = "atomic count: int = 0;\nthread T {\n";
  for (int i = 0; i < 120; ++i)
    text += "  counnt = 1;\n";
  text += "}\n";
  editor.open(kPath, text);
  const json told = editor.diagnostics(kPath);
  CHECK(told.size() == 50);
  json params = editor.in(kPath);
  params["context"] = {{"diagnostics", told}};
  for (const std::size_t which : {0U, 30U, 49U}) {
    params["range"] = told[which]["range"];
    const json actions = editor.request("textDocument/codeAction", params);
    REQUIRE(actions.size() == 1);
    CHECK(actions[0]["diagnostics"][0] == told[which]);
  }
  params["range"] = {{"start", {{"line", 0}, {"character", 0}}},
                     {"end", {{"line", 200}, {"character", 0}}}};
  const json actions = editor.request("textDocument/codeAction", params);
  CHECK(actions.size() >= 20);
  CHECK(actions[0]["diagnostics"][0] == told[0]);  // the first ones
}

TEST_CASE("every cure that is offered for a model with errors leaves fewer of them") {
  Editor editor;
  std::size_t hints = 0;
  std::size_t offers = 0;
  for (const auto& entry : fs::directory_iterator(CML_SOURCE_DIR "/tests/diagnostics")) {
    if (entry.path().extension() != ".cml") continue;
    const std::string text = read_file(entry.path());
    if (entry.path().filename() == "e0101_invalid_utf8.cml") continue;
    editor.forget();
    editor.open(kPath, text);
    const std::size_t before = errors_in(text);
    for (const json& one : editor.diagnostics(kPath)) {
      if (one["message"].get<std::string>().find('\n') == std::string::npos) continue;
      ++hints;
      json params = editor.in(kPath);
      params["range"] = one["range"];
      params["context"] = {{"diagnostics", {one}}};
      for (const json& action : editor.request("textDocument/codeAction", params)) {
        if (action["diagnostics"].empty()) continue;
        ++offers;
        const std::string after =
            editor.edited(kPath, action["edit"]["changes"][Editor::uri(kPath)]);
        CAPTURE(entry.path().filename().string());
        CAPTURE(action["title"].get<std::string>());
        CHECK((errors_in(after) < before || one["severity"] == 2));
        break;
      }
    }
  }
  MESSAGE(offers << " of " << hints << " diagnostics with a cure have it as an edit");
  CHECK(offers >= 40);
}

TEST_CASE("each word has a colour, and a name that of what it means") {
  Editor editor;
  editor.open(kPath,
              "// \U0001F600 about\nconst N = 2;\nlock m;\n/* two\nlines */\n"
              "thread T[i in 0..<N] { m.acquire(); }\n");
  const json legend = [] {
    Conversation other("lsp", Separated::ByHeaders);
    return other.request(
        "initialize",
        {{"capabilities", json::object()}})["capabilities"]["semanticTokensProvider"]["legend"];
  }();
  const json data = editor.request("textDocument/semanticTokens/full", editor.in(kPath))["data"];
  REQUIRE(data.size() % 5 == 0);
  std::set<std::string> seen;
  unsigned line = 0;
  unsigned character = 0;
  const std::string& text = editor.text(kPath);
  for (std::size_t i = 0; i < data.size(); i += 5) {
    line += data[i].get<unsigned>();
    character = data[i].get<unsigned>() == 0 ? character + data[i + 1].get<unsigned>()
                                             : data[i + 1].get<unsigned>();
    const std::size_t begin = offset_in(text, {{"line", line}, {"character", character}});
    const std::size_t end =
        offset_in(text, {{"line", line}, {"character", character + data[i + 2].get<unsigned>()}});
    seen.insert(fmt::format("{} {} {}", text.substr(begin, end - begin),
                            legend["tokenTypes"][data[i + 3].get<std::size_t>()].get<std::string>(),
                            data[i + 4].dump()));
  }
  for (const char* token :
       {"// \U0001F600 about comment 0", "const keyword 0", "N variable 3", "N variable 2",
        "2 number 0", "m variable 1", "m variable 0", "/* two comment 0", "lines */ comment 0",
        "T event 1", "i variable 3", "acquire method 4", "in keyword 0"}) {
    CAPTURE(token);
    CHECK(seen.contains(token));
  }
}

TEST_CASE("braces, comments and imports fold") {
  Editor editor;
  editor.open(kPath,
              "// one\n// two\n\nimport std.barrier;\nimport std.mailbox;\n\n"
              "thread T {\n  loop {\n    skip;\n  }\n}\nthread U { skip; }\n");
  const json ranges = editor.request("textDocument/foldingRange", editor.in(kPath));
  const auto folds = [&](int begin, int end, const json& kind) {
    for (const json& range : ranges)
      if (range["startLine"] == begin && range["endLine"] == end)
        return range.value("kind", json()) == kind;
    return false;
  };
  CHECK(folds(0, 1, "comment"));
  CHECK(folds(3, 4, "imports"));
  CHECK(folds(6, 9, nullptr));
  CHECK(folds(7, 8, nullptr));
  CHECK(ranges.size() == 4);
}

TEST_CASE("formatting is that of cml fmt") {
  Editor editor;
  editor.open(kPath, "// \U0001F600\nlock   m;\n\n\n\nthread T{m.acquire( );\n}\n// end\n");
  const json edits = editor.request("textDocument/formatting", editor.in(kPath));
  REQUIRE(edits.size() == 1);
  CHECK(edits[0]["range"]["start"] == json{{"line", 1}, {"character", 0}});
  const TemporaryFolder folder;
  const std::string file = folder.write("m.cml", editor.text(kPath)).string();
  REQUIRE(run({CML_BINARY, "fmt", file}, {}).status == 0);
  const std::string formatted = editor.edited(kPath, edits);
  CHECK(formatted == read_file(file));
  editor.open(kPath, formatted);
  CHECK(editor.request("textDocument/formatting", editor.in(kPath)).empty());
  editor.open(kPath, "thread T { m.acquire( }\n");
  CHECK(editor.request("textDocument/formatting", editor.in(kPath)).is_null());
}

TEST_CASE("words of a text, and which can be names") {
  CHECK(cml::is_identifier("count"));
  CHECK(cml::is_identifier("_x1"));
  CHECK(cml::is_identifier("capacity"));
  for (const char* word : {"", "1x", "a-b", "shared", "while", "\u00e4"}) {
    CAPTURE(word);
    CHECK_FALSE(cml::is_identifier(word));
  }
  cml::SourceSet sources;
  const std::string text = "x/**/ = \"s // no\" + 0x1F; // end";
  const auto words = cml::words_of(sources, sources.add("m.cml", text));
  std::vector<std::string> parts;
  for (const cml::Word& word : words)
    parts.emplace_back(sources.text(word.where));
  CHECK(parts ==
        std::vector<std::string>{"x", "/**/", "=", "\"s // no\"", "+", "0x1F", ";", "// end"});
}

TEST_CASE("words of a text end with it, also where a comment does not") {
  for (const std::string text : {"x /* never closed", "x /*", "/*/", "x /* a *", "x /", "x //"}) {
    CAPTURE(text);
    cml::SourceSet sources;
    std::size_t end = 0;
    for (const cml::Word& word : cml::words_of(sources, sources.add("m.cml", text))) {
      CHECK(word.where.begin >= end);
      CHECK(word.where.end > word.where.begin);
      end = word.where.end;
    }
    CHECK(end <= text.size());
  }
}

}  // namespace
