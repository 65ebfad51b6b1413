// textDocument/publishDiagnostics: what the front end says of a text while it is written, and what
// the last check of just this text has found (results.cpp).
#include <fmt/format.h>

#include "lsp/declarations.h"
#include "lsp/protocol.h"
#include "lsp/requests.h"

namespace cml::lsp {
namespace {

/// Where an imported file is named.
std::optional<SourceRange> import_of(const Analysis& analysis, FileId file) {
  const ast::Ast& tree = analysis.tree();
  const std::string& path = analysis.sources().file(file).name();
  for (const ast::DeclId item : tree.items) {
    const auto* const import = std::get_if<ast::ImportDecl>(&tree.decls[item].node);
    if (import != nullptr && import->file && path.ends_with(import->file->value))
      return import->file->range;
  }
  return std::nullopt;
}

/// A file without threads is one to be imported, if it does not say that it is a model.
bool is_part(const Analysis& analysis) {
  const ast::Ast& tree = analysis.tree();
  for (const ast::DeclId item : tree.items)
    if (std::holds_alternative<ast::ModelDecl>(tree.decls[item].node)) return false;
  return true;
}

}  // namespace

Json diagnostics(Workspace& workspace, const Document& document) {
  const Analysis& analysis = workspace.analysis(document);
  Json list = Json::array();
  for (const Diagnostic& one : analysis.diagnostics().all()) {
    if (!one.where.file.valid()) continue;
    if (one.code == Code::NoThread && is_part(analysis)) continue;
    SourceRange where = one.where;
    std::string message = one.message;
    if (where.file != analysis.main()) {
      const auto import = import_of(analysis, where.file);
      const SourceFile& file = analysis.sources().file(where.file);
      message = fmt::format("in {}, line {}: {}", file.name(), file.line_column(where.begin).line,
                            message);
      where = import.value_or(SourceRange{analysis.main(), 0, 0});
    }
    if (!one.hint.empty()) message += "\n" + one.hint;
    Json related = Json::array();
    for (const Related& place : one.related)
      related.push_back({{"location", analysis.location(place.where)}, {"message", place.message}});
    list.push_back({{"range", analysis.range(where)},
                    {"severity", severity_of(info(one.code).severity)},
                    {"code", code_text(one.code)},
                    {"source", "cml"},
                    {"message", message},
                    {"relatedInformation", std::move(related)}});
  }
  for (Json& found : result_diagnostics(workspace, document))
    list.push_back(std::move(found));
  return list;
}

}  // namespace cml::lsp
