#include "tests/lsp/editor.h"

#include <algorithm>
#include <doctest/doctest.h>
#include <vector>

namespace cml::test {

json position_in(std::string_view text, std::size_t offset) {
  int line = 0;
  int character = 0;
  for (std::size_t i = 0; i < offset; ++i) {
    const auto byte = static_cast<unsigned char>(text[i]);
    if (byte == '\n') {
      ++line;
      character = 0;
    } else if ((byte & 0xC0U) != 0x80U) {
      character += byte >= 0xF0U ? 2 : 1;
    }
  }
  return {{"line", line}, {"character", character}};
}

std::size_t offset_in(std::string_view text, const json& position) {
  for (std::size_t i = 0; i <= text.size(); ++i) {
    const bool is_inside =
        i < text.size() && (static_cast<unsigned char>(text[i]) & 0xC0U) == 0x80U;
    if (!is_inside && position_in(text, i) == position) return i;
  }
  return text.size();
}

Editor::Editor(const json& capabilities, const std::string& root)
    : Conversation("lsp", Separated::ByHeaders) {
  json params = {{"processId", nullptr}, {"rootUri", nullptr}, {"capabilities", capabilities}};
  if (!root.empty())
    params["workspaceFolders"] = json::array({{{"uri", uri(root)}, {"name", "models"}}});
  request("initialize", params);
  notify("initialized", json::object());
}

void Editor::open(const std::string& path, std::string text) {
  texts_[path] = std::move(text);
  const int version = ++versions_[path];
  notify("textDocument/didOpen", {{"textDocument",
                                   {{"uri", uri(path)},
                                    {"languageId", "cml"},
                                    {"version", version},
                                    {"text", texts_[path]}}}});
}

void Editor::type(const std::string& path, std::string_view old, std::string_view text, int which) {
  std::string& whole = texts_[path];
  std::size_t found = whole.find(old);
  for (int i = 0; i < which; ++i)
    found = whole.find(old, found + 1);
  REQUIRE(found != std::string::npos);
  const json change = {
      {"range",
       {{"start", position_in(whole, found)}, {"end", position_in(whole, found + old.size())}}},
      {"text", text}};
  whole.replace(found, old.size(), text);
  notify("textDocument/didChange",
         {{"textDocument", {{"uri", uri(path)}, {"version", ++versions_[path]}}},
          {"contentChanges", json::array({change})}});
}

void Editor::close(const std::string& path) { notify("textDocument/didClose", in(path)); }

json Editor::at(const std::string& path, std::string_view word, int which, int more) {
  const std::string& whole = texts_[path];
  std::size_t found = whole.find(word);
  for (int i = 0; i < which; ++i)
    found = whole.find(word, found + 1);
  CAPTURE(word);
  REQUIRE(found != std::string::npos);
  json params = in(path);
  params["position"] = position_in(whole, found + static_cast<std::size_t>(more));
  return params;
}

std::string Editor::edited(const std::string& path, const json& edits) {
  const std::string& whole = texts_[path];
  struct Edit {
    std::size_t begin;
    std::size_t end;
    std::string text;
  };
  std::vector<Edit> all;
  for (const json& edit : edits)
    all.push_back({offset_in(whole, edit["range"]["start"]), offset_in(whole, edit["range"]["end"]),
                   edit["newText"]});
  std::ranges::sort(all, {}, &Edit::begin);
  std::string result;
  std::size_t done = 0;
  for (const Edit& edit : all) {
    CHECK(edit.begin >= done);
    result += whole.substr(done, edit.begin - done) + edit.text;
    done = edit.end;
  }
  return result + whole.substr(done);
}

json Editor::diagnostics(const std::string& path) {
  for (;;) {
    const json told = notification("textDocument/publishDiagnostics");
    if (told.is_null()) return nullptr;
    if (told["uri"] == uri(path) && told.value("version", versions_[path]) == versions_[path])
      return told["diagnostics"];
  }
}

json Editor::wrong(const std::string& path) {
  for (;;) {
    const json told = diagnostics(path);
    if (!told.is_array() || !told.empty()) return told;
  }
}

}  // namespace cml::test
