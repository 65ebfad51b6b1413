#include "lsp/workspace.h"

#include <algorithm>
#include <filesystem>
#include <functional>
#include <set>
#include <stdexcept>
#include <utility>

#include "frontend/load_model.h"
#include "lsp/uri.h"

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
  opened.text = Text(document.at("text").get<std::string>());
  documents_[opened.uri] = std::move(opened);
  texts_have_changed();
}

bool Workspace::change(const Json& params) {
  Document* document = find(params.at("textDocument").at("uri").get<std::string>());
  if (document == nullptr) return false;
  document->version = params.at("textDocument").value("version", document->version);
  for (const Json& change : params.at("contentChanges")) {
    const auto& text = change.at("text").get_ref<const std::string&>();
    if (change.contains("range"))
      document->text.replace(position_of(change["range"].at("start")),
                             position_of(change["range"].at("end")), text);
    else
      document->text = Text(text);
  }
  document->result.reset();
  texts_have_changed();
  return true;
}

void Workspace::close(const std::string& uri) {
  documents_.erase(uri);
  texts_have_changed();
}

/// What others say of themselves may have changed, too: they may import it.
void Workspace::texts_have_changed() {
  for (auto& [uri, document] : documents_)
    document.is_changed = true;
  analyses_.clear();
}

Document* Workspace::find(const std::string& uri) {
  const auto found = documents_.find(uri);
  return found == documents_.end() ? nullptr : &found->second;
}

Document& Workspace::document(const Json& params) {
  const auto uri = params.at("textDocument").at("uri").get<std::string>();
  Document* const found = find(uri);
  if (found == nullptr) throw std::out_of_range("`" + uri + "` is not open");
  return *found;
}

// ---- analyses ----------------------------------------------------------------------------------

UnsavedTexts Workspace::unsaved() const {
  UnsavedTexts texts;
  for (const auto& [uri, document] : documents_)
    texts.emplace(document.path, document.text.text());
  return texts;
}

const Analysis& Workspace::analysis(const Document& document) {
  std::unique_ptr<Analysis>& known = analyses_[document.uri];
  if (known == nullptr)
    known = std::make_unique<Analysis>(document.path, document.text.text(), unsaved());
  return *known;
}

Analysis Workspace::what_if(const Document& document, const std::string& text,
                            std::string asked) const {
  return {document.path, text, unsaved(), std::move(asked)};
}

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
  const UnsavedTexts texts = unsaved();
  for (const auto& [path, text] : models()) {
    // Who does not import anything names nothing of another file.
    if (path == first.path || text.find(word) == text.npos || text.find("import") == text.npos)
      continue;
    const Analysis one(path, text, texts);
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
