#include "lsp/workspace.h"

#include <algorithm>
#include <filesystem>
#include <functional>
#include <set>
#include <utility>

#include "frontend/load_model.h"
#include "lsp/uri.h"
#include "rpc/server.h"

namespace cml::lsp {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kMaxEntries = 20'000;  // of the folders, that are looked at
constexpr std::size_t kMaxModels = 1'000;

/// All models in a folder and below.
void find_models(const std::string& folder, std::set<std::string>& found) {
  std::error_code error;
  fs::recursive_directory_iterator at(folder, fs::directory_options::skip_permission_denied, error);
  for (std::size_t i = 0; !error && i < kMaxEntries && at != fs::recursive_directory_iterator();
       ++i) {
    const std::string name = at->path().filename().string();
    if (name.starts_with('.') || name == "node_modules" || name == "build")
      at.disable_recursion_pending();
    if (at->path().extension() == ".cml" && found.size() < kMaxModels)
      found.insert(fs::weakly_canonical(at->path(), error).string());
    at.increment(error);
  }
}

}  // namespace

// ---- documents ---------------------------------------------------------------------------------

void Workspace::open(const Json& document) {
  Document opened;
  opened.uri = document.at("uri").get<std::string>();
  opened.path = path_of_uri(opened.uri);
  opened.version = document.value("version", std::int64_t{0});
  opened.generation = ++last_generation_;
  opened.text = Text(document.at("text").get<std::string>());
  documents_[opened.uri] = std::move(opened);
  texts_have_changed();
}

void Workspace::change(const Json& params) {
  Document* document = find(params.at("textDocument").at("uri").get<std::string>());
  if (document == nullptr) return;
  const Json version = params.at("textDocument").value("version", Json());
  Text changed = document->text;
  for (const Json& change : params.at("contentChanges")) {
    const auto& text = change.at("text").get_ref<const std::string&>();
    if (const Json range = change.value("range", Json()); !range.is_null())
      changed.replace(position_of(range.at("start")), position_of(range.at("end")), text);
    else
      changed = Text(text);
  }
  document->text = std::move(changed);
  if (version.is_number_integer()) document->version = version.get<std::int64_t>();
  document->generation = ++last_generation_;
  texts_have_changed();
}

void Workspace::close(const std::string& uri) {
  documents_.erase(uri);
  texts_have_changed();
}

/// What others say of themselves may have changed, too, and what checks have said of them: they may
/// import it.
void Workspace::texts_have_changed() {
  analyses_.clear();
  for (auto& [uri, document] : documents_) {
    document.is_changed = true;
    if (!document.result) continue;
    // The same files as then: which ones they are depends on their texts.
    CheckedTexts now = {document.generation, {}};
    for (const auto& [path, import] : document.result->texts.imports)
      now.imports[path] = import_at(path);
    // Where the model had errors, a file may be there now that was missing.
    const bool has_verdict = document.result->document.contains("verdict");
    if (!has_verdict || now != document.result->texts) document.result.reset();
  }
}

Document* Workspace::find(const std::string& uri) {
  const auto found = documents_.find(uri);
  return found == documents_.end() ? nullptr : &found->second;
}

Document& Workspace::document(const Json& params) {
  const auto uri = params.at("textDocument").at("uri").get<std::string>();
  Document* const found = find(uri);
  if (found == nullptr) throw rpc::WrongParameters("`" + uri + "` is not open");
  return *found;
}

// ---- analyses ----------------------------------------------------------------------------------

OpenTexts Workspace::open_texts() const {
  OpenTexts open;
  for (const auto& [uri, document] : documents_) {
    open.texts.emplace(document.path, document.text.text());
    open.uris.emplace(document.path, uri);
  }
  return open;
}

const Analysis& Workspace::analysis(const Document& document) {
  std::unique_ptr<Analysis>& known = analyses_[document.uri];
  if (known == nullptr) known = std::make_unique<Analysis>(what_if(document, document.text.text()));
  return *known;
}

Analysis Workspace::what_if(const Document& document, const std::string& text,
                            std::string asked) const {
  ++analyses_made_;
  OpenTexts open = open_texts();
  open.uris[document.path] = document.uri;  // if it is open by two names
  return {document.path, text, open, std::move(asked)};
}

std::string Workspace::uri_of(const std::string& path) const {
  const auto found =
      std::ranges::find_if(documents_, [&](const auto& one) { return one.second.path == path; });
  return found == documents_.end() ? uri_of_path(path) : found->first;
}

// ---- checks ------------------------------------------------------------------------------------

CheckedTexts::Import Workspace::import_at(const std::string& path) const {
  CheckedTexts::Import found;
  SourceSet sources;
  if (const auto file = read_file(sources, path)) found.on_disk = sources.file(*file).text();
  found.in_editor = found.on_disk;  // to open it changes nothing
  for (const auto& [uri, document] : documents_)
    if (document.path == path) found.in_editor = document.text.text();
  return found;
}

CheckedTexts Workspace::checked_texts(const Document& document) {
  const Analysis& known = analysis(document);
  CheckedTexts texts = {document.generation, {}};
  for (const InspectedFile& one : known.model().files)
    if (one.tree.file != known.main() &&
        known.sources().file(one.tree.file).origin() != Origin::Library)
      texts.imports[one.path] = import_at(one.path);
  return texts;
}

bool Workspace::set_result(Document& document, Json result, const CheckedTexts& texts) {
  if (checked_texts(document) != texts) return false;
  document.result = CheckResult{std::move(result), texts};
  return true;
}

// ---- models ------------------------------------------------------------------------------------

std::map<std::string, std::string> Workspace::models() const {
  std::set<std::string> paths;
  for (const std::string& folder : folders_)
    find_models(folder, paths);
  for (const auto& [uri, document] : documents_)
    if (folders_.empty() && document.path.starts_with('/'))
      find_models(fs::path(document.path).parent_path().string(), paths);
  std::map<std::string, std::string> texts;
  for (const std::string& path : paths) {
    SourceSet sources;
    if (const auto file = read_file(sources, path))
      texts.emplace(path, std::string(sources.file(*file).text()));
  }
  for (const auto& [uri, document] : documents_)
    texts[document.path] = document.text.text();
  return texts;
}

void Workspace::for_each_with(const Document& first, std::string_view word,
                              const std::function<void(const Analysis&)>& look) {
  look(analysis(first));
  const OpenTexts open = open_texts();
  for (const auto& [path, text] : models()) {
    // Who does not import anything names nothing of another file.
    if (path == first.path || text.find(word) == text.npos || text.find("import") == text.npos)
      continue;
    const Analysis one(path, text, open);
    look(one);
  }
}

Json Workspace::place_of(const Document& document, const Json& location) {
  const Analysis& known = analysis(document);
  const auto name = location.at("file").get<std::string>();
  FileId file = known.main();
  for (const InspectedFile& one : known.model().files) {
    const std::string& given = known.sources().file(one.tree.file).name();
    const std::string base =
        fs::path(given).lexically_relative(fs::path(document.path).parent_path()).string();
    if (given == name ||
        (one.tree.file != known.main() && base == fs::path(name).lexically_normal()))
      file = one.tree.file;
  }
  const auto number = [&](const char* member) { return location.at(member).get<std::uint32_t>(); };
  const Text& text = known.text(file);
  return known.location(
      {file, static_cast<std::uint32_t>(text.offset_of(number("line"), number("column"))),
       static_cast<std::uint32_t>(text.offset_of(number("end_line"), number("end_column")))});
}

}  // namespace cml::lsp
