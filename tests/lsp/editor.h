// What an editor says to `cml lsp`: a conversation with texts that are open, and places in them by
// the words that stand there.
#pragma once

#include <map>
#include <string>
#include <string_view>

#include "tests/harness/conversation.h"

namespace cml::test {

/// A text that is in no file.
inline const std::string kPath = "/nowhere/model.cml";

class Editor : public Conversation {
 public:
  /// `capabilities`: of the client.
  explicit Editor(const json& capabilities = json::object(), const std::string& root = {});

  /// Opens a text, as the file that it is, or would be.
  void open(const std::string& path, std::string text);
  /// Types: replaces what stands at the `which`th occurrence of `old`, incrementally.
  void type(const std::string& path, std::string_view old, std::string_view text, int which = 0);
  void close(const std::string& path);
  [[nodiscard]] const std::string& text(const std::string& path) { return texts_[path]; }

  /// {"textDocument": …, "position": …} at the `which`th occurrence of a word, and some bytes on.
  [[nodiscard]] json at(const std::string& path, std::string_view word, int which = 0,
                        int more = 0);
  [[nodiscard]] json in(const std::string& path) const {
    return {{"textDocument", {{"uri", uri(path)}}}};
  }
  [[nodiscard]] static std::string uri(const std::string& path) { return "file://" + path; }
  /// The text with these edits of one document.
  [[nodiscard]] std::string edited(const std::string& path, const json& edits);
  /// The diagnostics of a text as it is now, as they are told next.
  [[nodiscard]] json diagnostics(const std::string& path);
  /// The next ones that are not empty.
  [[nodiscard]] json wrong(const std::string& path);

 private:
  std::map<std::string, std::string> texts_;
  std::map<std::string, int> versions_;
};

/// Lines and units of UTF-16 before an offset.
[[nodiscard]] json position_in(std::string_view text, std::size_t offset);
[[nodiscard]] std::size_t offset_in(std::string_view text, const json& position);

}  // namespace cml::test
