#include "lsp/analysis.h"

#include <algorithm>
#include <utility>

#include "lsp/uri.h"

namespace cml::lsp {

Json position_json(Position position) {
  return {{"line", position.line}, {"character", position.character}};
}

Position position_of(const Json& position) {
  return {position.at("line").get<std::uint32_t>(), position.at("character").get<std::uint32_t>()};
}

Analysis::Analysis(const std::string& path, const std::string& text, const OpenTexts& open,
                   std::string asked)
    : main_(sources_.add(path, text)),
      model_(inspect_model(sources_, main_, open.texts, diagnostics_, std::move(asked))),
      uris_(open.uris) {
  diagnostics_.sort();
}

const ast::Ast* Analysis::tree(FileId file) const {
  const auto found = std::ranges::find_if(
      model_.files, [&](const InspectedFile& one) { return one.tree.file == file; });
  return found == model_.files.end() ? nullptr : &found->tree;
}

const std::string& Analysis::path(FileId file) const {
  const auto found = std::ranges::find_if(
      model_.files, [&](const InspectedFile& one) { return one.tree.file == file; });
  return found == model_.files.end() ? sources_.file(file).name() : found->path;
}

std::string Analysis::uri(FileId file) const {
  const SourceFile& source = sources_.file(file);
  if (source.origin() == Origin::Library) return uri_of_module(source.name());
  const auto open = uris_.find(path(file));
  return open == uris_.end() ? uri_of_path(path(file)) : open->second;
}

std::size_t Analysis::size() const {
  std::size_t bytes = 0;
  for (const InspectedFile& one : model_.files)
    bytes += sources_.file(one.tree.file).text().size();
  return bytes;
}

const Text& Analysis::text(FileId file) const {
  std::unique_ptr<Text>& text = texts_[file];
  if (text == nullptr) text = std::make_unique<Text>(std::string(sources_.file(file).text()));
  return *text;
}

Json Analysis::range(SourceRange range) const {
  const Text& all = text(range.file);
  return {{"start", position_json(all.position(range.begin))},
          {"end", position_json(all.position(range.end))}};
}

Json Analysis::location(SourceRange place) const {
  return {{"uri", uri(place.file)}, {"range", range(place)}};
}

std::uint32_t Analysis::offset(const Json& position) const {
  return static_cast<std::uint32_t>(text(main_).offset(position_of(position)));
}

const std::vector<Word>& Analysis::words() const {
  if (!words_) words_ = words_of(sources_, main_);
  return *words_;
}

}  // namespace cml::lsp
