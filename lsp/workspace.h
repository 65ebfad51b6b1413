// What a client has open, what the front end says of it, and what checks have found. The requests
// (requests.h) ask it and change nothing else.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "lsp/analysis.h"
#include "lsp/text.h"

namespace cml::lsp {

struct Document {
  std::string uri;
  std::string path;
  std::int64_t version = 0;
  Text text;
  bool is_changed = true;      // since its diagnostics were told
  std::optional<Json> result;  // of a check of just this text: a document of `cml check`
};

class Workspace {
 public:
  void open(const Json& document);
  /// False: it is not open.
  bool change(const Json& params);
  void close(const std::string& uri);

  [[nodiscard]] Document* find(const std::string& uri);
  /// Throws what a request with wrong parameters throws, if it is not open.
  [[nodiscard]] Document& document(const Json& params);
  [[nodiscard]] std::map<std::string, Document>& documents() { return documents_; }

  /// Of an open text; made anew when a text has changed.
  [[nodiscard]] const Analysis& analysis(const Document& document);
  [[nodiscard]] const Analysis& analysis(const Json& params) { return analysis(document(params)); }
  /// As if the text were another one.
  [[nodiscard]] Analysis what_if(const Document& document, const std::string& text,
                                 std::string asked = {}) const;

  /// The folders that the client has open.
  void set_folders(std::vector<std::string> folders) { folders_ = std::move(folders); }
  /// The models in them and beside open texts, with their texts as they are here or on the disk.
  [[nodiscard]] std::map<std::string, std::string> models() const;
  /// An analysis for each model whose text has this word, that of `first` first.
  void for_each_with(const Document& first, std::string_view word,
                     const std::function<void(const Analysis&)>& look);

  /// Where a place of a result lies.
  [[nodiscard]] Json place_of(const Document& document, const Json& location);

 private:
  [[nodiscard]] UnsavedTexts unsaved() const;
  void texts_have_changed();

  std::map<std::string, Document> documents_;  // by URI
  std::map<std::string, std::unique_ptr<Analysis>> analyses_;
  std::vector<std::string> folders_;
};

}  // namespace cml::lsp
