// textDocument/documentSymbol and workspace/symbol: the declarations of a text, of all models.
#include <algorithm>
#include <cctype>
#include <string_view>
#include <type_traits>
#include <variant>

#include "frontend/parse.h"
#include "lsp/declarations.h"
#include "lsp/protocol.h"
#include "lsp/requests.h"
#include "support/overloaded.h"

namespace cml::lsp {
namespace {

SymbolKind kind_of(const ast::Decl& decl, bool in_class) {
  return std::visit(Overloaded{
                        [](const ast::ConstDecl&) { return SymbolKind::Constant; },
                        [](const ast::EnumDecl&) { return SymbolKind::Enum; },
                        [](const ast::StructDecl&) { return SymbolKind::Struct; },
                        [](const ast::ClassDecl&) { return SymbolKind::Class; },
                        [&](const ast::ObjectDecl&) {
                          return in_class ? SymbolKind::Field : SymbolKind::Variable;
                        },
                        [&](const ast::FunctionDecl& node) {
                          if (node.is_init) return SymbolKind::Constructor;
                          return in_class ? SymbolKind::Method : SymbolKind::Function;
                        },
                        [](const ast::ThreadDecl&) { return SymbolKind::Event; },
                        [](const ast::ProcessDecl&) { return SymbolKind::Namespace; },
                        [](const auto&) { return SymbolKind::Property; },
                    },
                    decl.node);
}

/// Of what has no name: the word that it begins with.
std::string_view word_of(const ast::Decl& decl) {
  if (std::holds_alternative<ast::FinallyDecl>(decl.node)) return "finally";
  if (std::holds_alternative<ast::InvariantDecl>(decl.node)) return "invariant";
  if (std::holds_alternative<ast::TerminatesDecl>(decl.node)) return "terminates";
  if (const auto* function = std::get_if<ast::FunctionDecl>(&decl.node))
    return function->is_init ? "init" : "";
  return {};
}

class Outline {
 public:
  Outline(const SourceSet& sources, const ast::Ast& tree)
      : tree_(tree), text_(std::string(sources.file(tree.file).text())) {}

  Json of(const std::vector<ast::DeclId>& items, bool in_class) const {
    Json list = Json::array();
    for (const ast::DeclId item : items) {
      const ast::Decl& decl = tree_.decls[item];
      const ast::Name* const name = name_of(decl);
      const std::string_view word = word_of(decl);
      const bool is_named = name != nullptr && !name->text.empty();
      if (!is_named && word.empty()) continue;
      Json symbol = {{"name", is_named ? name->text : word},
                     {"kind", kind_of(decl, in_class)},
                     {"range", range(decl.range)},
                     {"selectionRange", range(is_named ? name->range : decl.range)}};
      if (Json parts = parts_of(decl); !parts.empty()) symbol["children"] = std::move(parts);
      list.push_back(std::move(symbol));
    }
    return list;
  }

 private:
  Json parts_of(const ast::Decl& decl) const {
    Json list = Json::array();
    const auto part = [&](const ast::Name& name, SymbolKind kind) {
      if (!name.text.empty())
        list.push_back({{"name", name.text},
                        {"kind", kind},
                        {"range", range(name.range)},
                        {"selectionRange", range(name.range)}});
    };
    if (const auto* process = std::get_if<ast::ProcessDecl>(&decl.node))
      return of(process->members, false);
    if (const auto* cls = std::get_if<ast::ClassDecl>(&decl.node)) return of(cls->members, true);
    if (const auto* enumeration = std::get_if<ast::EnumDecl>(&decl.node))
      for (const ast::Name& name : enumeration->enumerators)
        part(name, SymbolKind::EnumMember);
    if (const auto* structure = std::get_if<ast::StructDecl>(&decl.node))
      for (const auto& field : structure->fields)
        part(field.name, SymbolKind::Field);
    return list;
  }

  Json range(SourceRange where) const {
    return {{"start", position_json(text_.position(where.begin))},
            {"end", position_json(text_.position(where.end))}};
  }

  const ast::Ast& tree_;
  Text text_;
};

/// Whether the letters of the query stand in the name, in this order.
bool matches(std::string_view name, std::string_view query) {
  const auto lower = [](char c) { return std::tolower(static_cast<unsigned char>(c)); };
  for (const char c : name)
    if (!query.empty() && lower(c) == lower(query.front())) query.remove_prefix(1);
  return query.empty();
}

void flatten(const Json& symbols, const std::string& uri, const std::string& container,
             std::string_view query, Json& into) {
  for (const Json& symbol : symbols) {
    const auto name = symbol["name"].get<std::string>();
    if (matches(name, query))
      into.push_back({{"name", name},
                      {"kind", symbol["kind"]},
                      {"containerName", container},
                      {"location", {{"uri", uri}, {"range", symbol["selectionRange"]}}}});
    if (symbol.contains("children")) flatten(symbol["children"], uri, name, query, into);
  }
}

}  // namespace

Json document_symbols(Workspace& workspace, const Json& params) {
  const Analysis& analysis = workspace.analysis(params);
  return Outline(analysis.sources(), analysis.tree()).of(analysis.tree().items, false);
}

Json workspace_symbols(Workspace& workspace, const Json& params) {
  const auto query = params.at("query").get<std::string>();
  Json found = Json::array();
  for (const auto& [path, text] : workspace.models()) {
    SourceSet sources;
    Diagnostics ignored;
    const FileId file = sources.add(path, text);
    const ast::Ast tree = parse(sources, file, ignored);
    flatten(Outline(sources, tree).of(tree.items, false), workspace.uri_of(path), "", query, found);
  }
  return found;
}

}  // namespace cml::lsp
