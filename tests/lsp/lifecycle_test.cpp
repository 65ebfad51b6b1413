// `cml lsp` as a server: what it says of itself, the order of initialize, shutdown and exit, and
// what it does with messages that are none. It writes messages to standard output and nothing else.
#include <doctest/doctest.h>
#include <string>

#include "tests/harness/process.h"
#include "tests/lsp/editor.h"

namespace {

using namespace cml::test;

constexpr int kParse = -32700;
constexpr int kInvalid = -32600;
constexpr int kNoMethod = -32601;
constexpr int kWrongParams = -32602;
constexpr int kNotInitialized = -32002;

TEST_CASE("a language server begins with initialize and ends with shutdown and exit") {
  Conversation server("lsp", Separated::ByHeaders);
  CHECK(server.failure("textDocument/hover", json::object())["code"] == kNotInitialized);
  server.notify("textDocument/didOpen", json::object());  // ignored
  const json answer = server.request("initialize", {{"capabilities", json::object()}});
  CHECK(answer["serverInfo"]["name"] == "cml");
  CHECK(answer["capabilities"]["positionEncoding"] == "utf-16");
  CHECK(answer["capabilities"]["textDocumentSync"]["change"] == 2);
  CHECK(server.failure("initialize", {{"capabilities", json::object()}})["code"] == kInvalid);
  CHECK(server.request("shutdown", nullptr).is_null());
  CHECK(server.failure("workspace/symbol", {{"query", ""}})["code"] == kInvalid);
  server.notify("exit", nullptr);
  CHECK(server.end() == 0);
  CHECK(server.stray() == "");
}

TEST_CASE("initialize with wrong parameters can be said again, rightly") {
  Conversation server("lsp", Separated::ByHeaders);
  const json folder = {{"name", "x"}};
  for (const json& wrong :
       {json{{"capabilities", nullptr}}, json{{"capabilities", {{"workspace", 7}}}},
        json{{"capabilities", json::object()}, {"workspaceFolders", json::array({folder})}}}) {
    CAPTURE(wrong.dump());
    CHECK(server.failure("initialize", wrong)["code"] == kWrongParams);
    CHECK(server.failure("workspace/symbol", {{"query", ""}})["code"] == kNotInitialized);
  }
  CHECK(server.request("initialize", {{"capabilities", json::object()}}).contains("serverInfo"));
  CHECK(server.request("workspace/symbol", {{"query", "zzz"}}).is_array());
}

TEST_CASE("a language server whose client is gone ends, and says that it was not shut down") {
  SUBCASE("exit without shutdown") {
    Editor editor;
    editor.notify("exit", nullptr);
    CHECK(editor.end() == 1);
  }
  SUBCASE("the end of the input") {
    Editor editor;
    CHECK(editor.end() == 1);
  }
  SUBCASE("before initialize") {
    Conversation server("lsp", Separated::ByHeaders);
    CHECK(server.end() == 1);
  }
}

TEST_CASE("a language server answers what is no message, and goes on") {
  Editor editor;
  const auto answered = [&](std::string_view bytes, int code) {
    CAPTURE(bytes);
    editor.write(bytes);
    CHECK(editor.answer(nullptr)["error"]["code"] == code);
  };
  answered(editor.framed("{\"jsonrpc\": \"2.0\", "), kParse);
  answered(editor.framed(""), kParse);
  answered(editor.framed("[]"), kInvalid);
  answered(editor.framed("17"), kInvalid);
  answered(editor.framed("{}"), kInvalid);
  answered(editor.framed("{\"jsonrpc\": \"2.0\", \"method\": 7}"), kInvalid);
  answered(editor.framed("{\"jsonrpc\": \"2.0\", \"id\": null, \"method\": \"shutdown\"}"),
           kInvalid);
  answered(editor.framed("{\"jsonrpc\": \"2.0\", \"id\": [1], \"method\": \"shutdown\"}"),
           kInvalid);
  for (const char* version : {"2", "null", "[\"2.0\"]"}) {
    editor.write(editor.framed(std::string("{\"jsonrpc\": ") + version +
                               ", \"id\": 900, \"method\": \"x\"}"));
    CHECK(editor.answer(900)["error"]["code"] == kInvalid);
  }
  const std::string nested = std::string(3'000'000, '[') + std::string(3'000'000, ']');
  for (const char* method : {"textDocument/didOpen", "textDocument/hover", "$/cancelRequest"}) {
    editor.write(editor.framed(std::string("{\"jsonrpc\": \"2.0\", \"id\": 901, \"method\": \"") +
                               method + "\", \"params\": " + nested + "}"));
    CHECK(editor.answer(nullptr)["error"]["code"] == kParse);
  }
  answered("Content-Type: text\r\n\r\n", kParse);
  answered("Content-Length: many\r\n\r\n", kParse);
  answered("Content-Length: 99999999999999999999999\r\n\r\n", kParse);
  answered(std::string(10'000, 'x'), kParse);
  answered("Content-Length: 100000000\r\n\r\n", kParse);
  for (int i = 0; i < 100; ++i)
    editor.write(std::string(1'000'000, '{'));  // which is skipped
  CHECK(editor.failure("no/such", json::object())["code"] == kNoMethod);
  CHECK(editor.failure("textDocument/hover", json::object())["code"] == kWrongParams);
  CHECK(editor.failure("textDocument/hover", json::array())["code"] == kWrongParams);
  CHECK(editor.failure("textDocument/hover", editor.in("/nowhere/else.cml"))["code"] ==
        kWrongParams);
  editor.notify("no/such", json::object());
  editor.notify("$/setTrace", {{"value", "off"}});
  editor.notify("textDocument/didChange", json::array());
  editor.send({{"jsonrpc", "2.0"}, {"id", "cml-1"}, {"result", nullptr}});  // to a request of its
  CHECK(editor.request("workspace/symbol", {{"query", "zzz"}}).is_array());
  CHECK(editor.request("shutdown", nullptr).is_null());
  editor.notify("exit", nullptr);
  CHECK(editor.end() == 0);
  CHECK(editor.stray() == "");
}

TEST_CASE("a message to a language server may come in pieces, and several at once") {
  Editor editor;
  const std::string path = "/nowhere/m.cml";
  editor.open(path, "lock m;\nthread T { m.acquire(); }\n");
  std::string all;
  for (int i = 100; i < 103; ++i) {
    json params = editor.at(path, "m;");
    all += editor.framed(json{
        {"jsonrpc", "2.0"},
        {"id", i},
        {"method", "textDocument/hover"},
        {"params", params}}.dump());
  }
  for (const char c : all.substr(0, 200))
    editor.write(std::string_view(&c, 1));
  editor.write(all.substr(200));
  for (int i = 100; i < 103; ++i)
    CHECK(contains(editor.answer(i)["result"]["contents"]["value"].dump(), "lock m"));
}

TEST_CASE("a request that waits for its turn can be cancelled") {
  Editor editor;
  const std::string path = "/nowhere/m.cml";
  editor.open(path, "lock m;\nthread T { m.acquire(); }\n");
  const auto hover = [&](int id) {
    return editor.framed(json{{"jsonrpc", "2.0"},
                              {"id", id},
                              {"method", "textDocument/hover"},
                              {"params", editor.at(path, "m;")}}
                             .dump());
  };
  const std::string cancel = editor.framed(
      json{{"jsonrpc", "2.0"}, {"method", "$/cancelRequest"}, {"params", {{"id", 201}}}}.dump());
  editor.write(hover(200) + hover(201) + cancel);
  CHECK(editor.answer(200).contains("result"));
  // It was read together with the request before it, so it had not begun.
  CHECK(editor.answer(201)["error"]["code"] == -32800);
  editor.notify("$/cancelRequest", {{"id", 999}});
  editor.notify("$/cancelRequest", json::object());
  CHECK(editor.request("textDocument/hover", editor.at(path, "m;")).is_object());
}

}  // namespace
