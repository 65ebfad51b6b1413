// What the front end says of an open text: its trees, names and diagnostics, and the places in it
// as the protocol counts them.
#pragma once

#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "frontend/inspect_model.h"
#include "frontend/words.h"
#include "lsp/text.h"

namespace cml::lsp {

using Json = nlohmann::json;

/// What a client has open, by the paths of the files.
struct OpenTexts {
  UnsavedTexts texts;
  std::map<std::string, std::string> uris;  // as the client calls them
};

class Analysis {
 public:
  /// `asked`: a word that stands for a cursor (frontend/name_index.h).
  Analysis(const std::string& path, const std::string& text, const OpenTexts& open,
           std::string asked = {});

  [[nodiscard]] FileId main() const { return main_; }
  [[nodiscard]] const SourceSet& sources() const { return sources_; }
  [[nodiscard]] const InspectedModel& model() const { return model_; }
  [[nodiscard]] const NameIndex& names() const { return model_.names; }
  [[nodiscard]] const Diagnostics& diagnostics() const { return diagnostics_; }
  [[nodiscard]] const ast::Ast& tree() const { return model_.files.front().tree; }
  [[nodiscard]] const ast::Ast* tree(FileId file) const;

  /// What a client has open is called as it calls it, by whatever symbolic links.
  [[nodiscard]] std::string uri(FileId file) const;
  /// Without symbolic links; of the standard library, a module's name.
  [[nodiscard]] const std::string& path(FileId file) const;
  /// The bytes that were looked at.
  [[nodiscard]] std::size_t size() const;
  [[nodiscard]] std::string_view text(SourceRange range) const { return sources_.text(range); }
  [[nodiscard]] const Text& text(FileId file) const;
  /// {"start": …, "end": …}
  [[nodiscard]] Json range(SourceRange range) const;
  /// {"uri": …, "range": …}
  [[nodiscard]] Json location(SourceRange range) const;
  /// The offset in the main file.
  [[nodiscard]] std::uint32_t offset(const Json& position) const;

  /// The name at an offset of the main file.
  [[nodiscard]] std::optional<NameIndex::Found> name_at(std::uint32_t offset) const {
    return model_.names.at(main_, offset);
  }
  [[nodiscard]] const std::vector<Word>& words() const;

 private:
  SourceSet sources_;
  FileId main_;
  Diagnostics diagnostics_;
  InspectedModel model_;
  std::map<std::string, std::string> uris_;
  mutable std::map<FileId, std::unique_ptr<Text>> texts_;
  mutable std::optional<std::vector<Word>> words_;
};

[[nodiscard]] Json position_json(Position position);
[[nodiscard]] Position position_of(const Json& position);

}  // namespace cml::lsp
