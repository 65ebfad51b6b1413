// From a name to its declaration, and to all places where it stands.
#include <algorithm>
#include <set>

#include "frontend/stdlib_embedded.h"
#include "lsp/declarations.h"
#include "lsp/requests.h"
#include "lsp/uri.h"

namespace cml::lsp {
namespace {

/// `import "shapes.cml";`, `import std.barrier;`: the file, if the cursor is on one.
Json imported_at(const Analysis& analysis, std::uint32_t offset) {
  const ast::Ast& tree = analysis.tree();
  for (const ast::DeclId item : tree.items) {
    const ast::Decl& decl = tree.decls[item];
    const auto* const import = std::get_if<ast::ImportDecl>(&decl.node);
    if (import == nullptr || offset < decl.range.begin || offset > decl.range.end) continue;
    std::string module;
    for (const ast::Name& part : import->module)
      module += (module.empty() ? "" : ".") + std::string(part.text);
    for (const InspectedFile& file : analysis.model().files) {
      const bool is_it =
          import->file ? file.path.ends_with("/" + import->file->value) : file.path == module;
      if (is_it && file.tree.file != analysis.main())
        return analysis.location({file.tree.file, 0, 0});
    }
  }
  return nullptr;
}

}  // namespace

Json definition(Workspace& workspace, const Json& params) {
  const Analysis& analysis = workspace.analysis(params);
  const std::uint32_t offset = analysis.offset(params.at("position"));
  if (const auto found = analysis.name_at(offset)) return analysis.location(found->declared);
  return imported_at(analysis, offset);
}

Json references(Workspace& workspace, const Json& params) {
  const Document& document = workspace.document(params);
  const Analysis& analysis = workspace.analysis(document);
  const auto found = analysis.name_at(analysis.offset(params.at("position")));
  if (!found) return Json::array();
  const bool with_declaration = params.at("context").value("includeDeclaration", true);
  const std::string word(analysis.text(found->declared));
  const Json declared = analysis.location(found->declared);
  // Other models that import the file see the same declaration in analyses of their own.
  std::set<Json> places;
  workspace.for_each_with(document, word, [&](const Analysis& one) {
    for (const Use& use : one.names().uses)
      if (one.text(use.declared) == word && one.location(use.declared) == declared)
        places.insert(one.location(use.where));
  });
  Json list = Json::array();
  if (with_declaration) list.push_back(declared);
  for (const Json& place : places)
    list.push_back(place);
  return list;
}

Json highlights(Workspace& workspace, const Json& params) {
  const Analysis& analysis = workspace.analysis(params);
  const auto found = analysis.name_at(analysis.offset(params.at("position")));
  Json list = Json::array();
  if (!found) return list;
  if (found->declared.file == analysis.main())
    list.push_back({{"range", analysis.range(found->declared)}});
  for (const Use& use : analysis.names().uses)
    if (use.declared == found->declared && use.where.file == analysis.main())
      list.push_back({{"range", analysis.range(use.where)}});
  return list;
}

}  // namespace cml::lsp
