#include "lsp/declarations.h"

#include <algorithm>
#include <type_traits>
#include <variant>

namespace cml::lsp {
namespace {

const std::vector<ast::DeclId>* members_of(const ast::Decl& decl) {
  if (const auto* process = std::get_if<ast::ProcessDecl>(&decl.node)) return &process->members;
  if (const auto* cls = std::get_if<ast::ClassDecl>(&decl.node)) return &cls->members;
  return nullptr;
}

bool has_body(const ast::Decl& decl) {
  return std::holds_alternative<ast::FunctionDecl>(decl.node) ||
         std::holds_alternative<ast::ThreadDecl>(decl.node) || members_of(decl) != nullptr;
}

const ast::Decl* find_named(const ast::Ast& tree, const std::vector<ast::DeclId>& among,
                            std::string_view name) {
  for (const ast::DeclId id : among) {
    const ast::Name* const found = name_of(tree.decls[id]);
    if (found != nullptr && found->text == name) return &tree.decls[id];
  }
  return nullptr;
}

}  // namespace

const ast::Name* name_of(const ast::Decl& decl) {
  return std::visit(
      [](const auto& node) -> const ast::Name* {
        using Node = std::decay_t<decltype(node)>;
        if constexpr (std::is_same_v<Node, ast::InvariantDecl>) {
          return node.name ? &*node.name : nullptr;
        } else if constexpr (requires { node.name.text; }) {
          return &node.name;
        } else {
          return nullptr;
        }
      },
      decl.node);
}

const ast::Decl* declaration_at(const Analysis& analysis, SourceRange where) {
  const ast::Ast* const tree = analysis.tree(where.file);
  if (tree == nullptr) return nullptr;
  for (const ast::Decl& decl : tree->decls) {
    const ast::Name* const name = name_of(decl);
    if (name != nullptr && name->range == where) return &decl;
  }
  return nullptr;
}

std::string head_of(const Analysis& analysis, const ast::Decl& decl) {
  std::string_view text = analysis.text(decl.range);
  if (has_body(decl)) text = text.substr(0, text.find('{'));
  std::string head;
  for (const char c : text) {
    const bool is_space = c == ' ' || c == '\n' || c == '\r' || c == '\t';
    if (!is_space)
      head += c;
    else if (!head.empty() && head.back() != ' ')
      head += ' ';
  }
  while (!head.empty() && (head.back() == ' ' || head.back() == ';'))
    head.pop_back();
  return head;
}

const model::Object* object_at(const Analysis& analysis, SourceRange where) {
  const auto& objects = analysis.model().model.objects;
  const auto found = std::ranges::find_if(
      objects, [&](const model::Object& object) { return object.range == where; });
  return found == objects.end() ? nullptr : &*found;
}

std::optional<SourceRange> place_of_object(const Analysis& analysis, std::string_view name) {
  // Indices and arguments of types say which; the declaration is the same.
  std::string plain;
  int depth = 0;
  for (const char c : name) {
    if (c == '[' || c == '<') ++depth;
    if (depth == 0) plain += c;
    if (c == ']' || c == '>') --depth;
  }
  const std::size_t dot = plain.find('.');
  for (const InspectedFile& file : analysis.model().files) {
    const ast::Decl* found = find_named(file.tree, file.tree.items, plain.substr(0, dot));
    if (found != nullptr && dot != plain.npos) {
      const auto* const members = members_of(*found);
      found = members == nullptr ? nullptr : find_named(file.tree, *members, plain.substr(dot + 1));
    }
    if (found != nullptr) return name_of(*found)->range;
  }
  return std::nullopt;
}

}  // namespace cml::lsp
