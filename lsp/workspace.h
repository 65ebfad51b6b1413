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

/// Which texts a check is about: that of a document, and those of the files that it imports, on the
/// disk, where a check reads them, and in the editor, where its places are shown.
struct CheckedTexts {
  struct Import {
    std::optional<std::string> on_disk;
    std::optional<std::string> in_editor;
    friend bool operator==(const Import&, const Import&) = default;
  };
  std::uint64_t generation = 0;           // of the document
  std::map<std::string, Import> imports;  // by path
  friend bool operator==(const CheckedTexts&, const CheckedTexts&) = default;
};

/// A document of `cml check`.
struct CheckResult {
  Json document;
  CheckedTexts texts;
};

struct Document {
  std::string uri;
  std::string path;
  std::int64_t version = 0;      // as the client counts, or does not
  std::uint64_t generation = 0;  // another one for each text that any document has had
  Text text;
  bool is_changed = true;             // since its diagnostics were told
  std::optional<CheckResult> result;  // of a check of the texts as they are
};

class Workspace {
 public:
  void open(const Json& document);
  /// Of all changes or, if one of them is none, of no change.
  void change(const Json& params);
  void close(const std::string& uri);
  /// What is on the disk may be another one.
  void files_have_changed() { texts_have_changed(); }

  [[nodiscard]] Document* find(const std::string& uri);
  /// Throws rpc::WrongParameters if it is not open.
  [[nodiscard]] Document& document(const Json& params);
  [[nodiscard]] std::map<std::string, Document>& documents() { return documents_; }

  /// Of an open text; made anew when a text has changed.
  [[nodiscard]] const Analysis& analysis(const Document& document);
  [[nodiscard]] const Analysis& analysis(const Json& params) { return analysis(document(params)); }
  /// As if the text were another one.
  [[nodiscard]] Analysis what_if(const Document& document, const std::string& text,
                                 std::string asked = {}) const;
  /// How many analyses were made for requests: what takes their time.
  [[nodiscard]] std::size_t analyses_made() const { return analyses_made_; }

  /// Those that a check of this document is about, as they are now.
  [[nodiscard]] CheckedTexts checked_texts(const Document& document);
  /// The result of a check that began with these texts. False: they are not the same any more.
  bool set_result(Document& document, Json result, const CheckedTexts& texts);

  /// The folders that the client has open.
  void set_folders(std::vector<std::string> folders) { folders_ = std::move(folders); }
  /// As the client calls a file that it has open.
  [[nodiscard]] std::string uri_of(const std::string& path) const;
  /// The models in them and beside open texts, with their texts as they are here or on the disk.
  [[nodiscard]] std::map<std::string, std::string> models() const;
  /// An analysis for each model whose text has this word, that of `first` first.
  void for_each_with(const Document& first, std::string_view word,
                     const std::function<void(const Analysis&)>& look);

  /// Where a place of a result lies.
  [[nodiscard]] Json place_of(const Document& document, const Json& location);

 private:
  [[nodiscard]] OpenTexts open_texts() const;
  [[nodiscard]] CheckedTexts::Import import_at(const std::string& path) const;
  void texts_have_changed();

  std::map<std::string, Document> documents_;  // by URI
  std::map<std::string, std::unique_ptr<Analysis>> analyses_;
  std::vector<std::string> folders_;
  std::uint64_t last_generation_ = 0;
  mutable std::size_t analyses_made_ = 0;
};

}  // namespace cml::lsp
