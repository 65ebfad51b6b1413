// textDocument/rename. The edits are tried before they are handed out: afterwards each name must
// mean what it meant before, and nothing may be wrong that was right.
#include <algorithm>
#include <fmt/format.h>
#include <map>
#include <set>
#include <utility>
#include <vector>

#include "frontend/words.h"
#include "lsp/requests.h"

namespace cml::lsp {
namespace {

using rpc::Answer;
using rpc::Failure;

/// Places in the texts of files, by their paths: offsets, and ends.
using Places = std::map<std::string, std::set<std::pair<std::uint32_t, std::uint32_t>>>;

/// All places of the name, in all models that see its declaration.
Places places_of(Workspace& workspace, const Document& document, SourceRange declared) {
  const Analysis& analysis = workspace.analysis(document);
  const std::string word(analysis.text(declared));
  const std::string& path = analysis.path(declared.file);
  Places places;
  places[path].emplace(declared.begin, declared.end);
  workspace.for_each_with(document, word, [&](const Analysis& one) {
    for (const Use& use : one.names().uses)
      if (use.declared.begin == declared.begin && one.path(use.declared.file) == path)
        places[one.path(use.where.file)].emplace(use.where.begin, use.where.end);
  });
  return places;
}

/// Which name means which declaration, by their numbers: the same before and after a renaming.
std::vector<std::pair<std::size_t, std::size_t>> meaning(const NameIndex& names) {
  std::vector<std::pair<std::size_t, std::size_t>> pairs;
  std::size_t position = 0;
  for (const Use& use : names.uses) {
    const Declared* const declared = names.declared_at(use.declared);
    pairs.emplace_back(position++, declared == nullptr ? 0 : declared - names.declared.data());
  }
  return pairs;
}

std::string renamed(const std::string& text, const Places::mapped_type& places,
                    const std::string& name) {
  std::string result = text;
  for (auto place = places.rbegin(); place != places.rend(); ++place)
    result.replace(place->first, place->second - place->first, name);
  return result;
}

/// An error that is new; null: there is none. By their codes, as one may take the place of another.
const Diagnostic* new_error(const Analysis& was, const Analysis& is) {
  std::multiset<Code> known;
  for (const Diagnostic& one : was.diagnostics().all())
    known.insert(one.code);
  for (const Diagnostic& one : is.diagnostics().all()) {
    if (info(one.code).severity != Severity::Error) continue;
    const auto found = known.find(one.code);
    if (found == known.end()) return &one;
    known.erase(found);
  }
  return nullptr;
}

/// Why one model would not do with the texts as they will be, or empty.
std::string objection_of(const std::string& path, const Analysis& was, const OpenTexts& after,
                         const std::string& name) {
  const Analysis is(path, after.texts.at(path), after);
  if (const Diagnostic* const error = new_error(was, is))
    return fmt::format("`{}` cannot be the name: {}", name, error->message);
  if (meaning(was.names()) != meaning(is.names()))
    return fmt::format("with the name `{}` some name would mean something else", name);
  return {};
}

/// Why it would not do, or empty. A file that is changed may be imported by models that do not have
/// the name, and yet declare the new one; all that import it are looked at.
std::string objection(Workspace& workspace, const Places& places, const std::string& name) {
  const OpenTexts before = {workspace.models(), {}};
  OpenTexts after = before;
  for (const auto& [path, where] : places) {
    const auto text = after.texts.find(path);
    if (text == after.texts.end()) return fmt::format("`{}` cannot be read", path);
    text->second = renamed(text->second, where, name);
  }
  for (const auto& [path, text] : before.texts) {
    const bool is_changed = places.contains(path);
    if (!is_changed && text.find("import") == text.npos) continue;
    const Analysis was(path, text, before);
    const auto& files = was.model().files;
    if (std::ranges::none_of(files, [&](const auto& one) { return places.contains(one.path); }))
      continue;
    if (std::string why = objection_of(path, was, after, name); !why.empty()) return why;
  }
  return {};
}

/// The declaration that the request is about, or why it cannot be renamed.
std::variant<NameIndex::Found, Failure> target(const Analysis& analysis, const Json& params) {
  const auto found = analysis.name_at(analysis.offset(params.at("position")));
  if (!found) return Failure{rpc::kRequestFailed, "there is no name here that could be another"};
  if (analysis.sources().is_library(found->declared))
    return Failure{rpc::kRequestFailed, "names of the standard library stay as they are"};
  return *found;
}

}  // namespace

Answer prepare_rename(Workspace& workspace, const Json& params) {
  const Analysis& analysis = workspace.analysis(params);
  const auto found = target(analysis, params);
  if (const auto* failure = std::get_if<Failure>(&found)) return *failure;
  const SourceRange where = std::get<NameIndex::Found>(found).where;
  return Json{{"range", analysis.range(where)}, {"placeholder", analysis.text(where)}};
}

Answer rename(Workspace& workspace, const Json& params) {
  const Document& document = workspace.document(params);
  const Analysis& analysis = workspace.analysis(document);
  const auto name = params.at("newName").get<std::string>();
  const auto found = target(analysis, params);
  if (const auto* failure = std::get_if<Failure>(&found)) return *failure;
  if (!is_identifier(name))
    return Failure{rpc::kRequestFailed, fmt::format("`{}` can be no name", name)};
  const Places places = places_of(workspace, document, std::get<NameIndex::Found>(found).declared);
  if (const std::string why = objection(workspace, places, name); !why.empty())
    return Failure{rpc::kRequestFailed, why};
  Json changes = Json::object();
  const std::map<std::string, std::string> texts = workspace.models();
  for (const auto& [path, where] : places) {
    const Text text(texts.at(path));
    Json edits = Json::array();
    for (const auto& [begin, end] : where)
      edits.push_back({{"range",
                        {{"start", position_json(text.position(begin))},
                         {"end", position_json(text.position(end))}}},
                       {"newText", name}});
    changes[path == document.path ? document.uri : workspace.uri_of(path)] = std::move(edits);
  }
  return Json{{"changes", std::move(changes)}};
}

}  // namespace cml::lsp
