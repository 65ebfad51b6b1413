// Marks the items that the tree tells apart; see roles.h.
#include "frontend/format/roles.h"

#include <algorithm>
#include <cstddef>
#include <optional>

namespace cml::formatting {
namespace {

/// How tightly an operator binds, 0 the loosest (docs/reference.md, "Expressions").
std::uint8_t rank_of(ast::BinaryOp op) {
  switch (op) {
    case ast::BinaryOp::Or:
      return 0;
    case ast::BinaryOp::And:
      return 1;
    case ast::BinaryOp::Equal:
    case ast::BinaryOp::NotEqual:
      return 2;
    case ast::BinaryOp::Less:
    case ast::BinaryOp::LessEqual:
    case ast::BinaryOp::Greater:
    case ast::BinaryOp::GreaterEqual:
    case ast::BinaryOp::In:
      return 3;
    case ast::BinaryOp::Add:
    case ast::BinaryOp::Subtract:
    case ast::BinaryOp::BitOr:
    case ast::BinaryOp::BitXor:
      return 4;
    case ast::BinaryOp::Multiply:
    case ast::BinaryOp::Divide:
    case ast::BinaryOp::Remainder:
    case ast::BinaryOp::BitAnd:
    case ast::BinaryOp::ShiftLeft:
    case ast::BinaryOp::ShiftRight:
      return 5;
  }
  return 0;
}

/// Of `until`, `release` and `implies`.
std::uint8_t rank_of(FormulaKind op) { return op == FormulaKind::Implies ? 0 : 1; }

class Marker {
 public:
  Marker(const ast::Ast& tree, std::vector<Item>& items) : tree_(tree), items_(items) {
    for (std::size_t i = 0; i < items.size(); ++i) {
      if (!items[i].is_comment()) tokens_.push_back(i);
    }
  }

  void run() {
    for (const ast::Expr& expr : tree_.exprs) {
      std::visit([&](const auto& node) { mark(node, expr.range); }, expr.node);
    }
    for (const ast::Type& type : tree_.types) {
      std::visit([&](const auto& node) { mark(node, type.range); }, type.node);
    }
    for (const ast::Stmt& stmt : tree_.stmts) {
      std::visit([&](const auto& node) { mark(node, stmt.range); }, stmt.node);
    }
    for (const ast::Decl& decl : tree_.decls) {
      std::visit([&](const auto& node) { mark(node, decl.range); }, decl.node);
    }
    mark_continued_blocks();
  }

 private:
  // ---- finding tokens: positions in tokens_, which may lie beyond its end -----------------------

  /// The first token that begins at `offset` or later.
  [[nodiscard]] std::size_t from(std::uint32_t offset) const {
    const auto place = std::lower_bound(
        tokens_.begin(), tokens_.end(), offset,
        [&](std::size_t item, std::uint32_t wanted) { return items_[item].begin < wanted; });
    return static_cast<std::size_t>(place - tokens_.begin());
  }
  /// The last token that begins before `offset`.
  [[nodiscard]] std::size_t before(std::uint32_t offset) const { return from(offset) - 1; }

  void set(std::size_t token, std::string_view spelling, Role role, std::uint8_t rank = 0) {
    if (token >= tokens_.size()) return;
    Item& item = items_[tokens_[token]];
    if (item.text != spelling) return;
    item.role = role;
    item.rank = rank;
  }
  void set_symbol(std::size_t token, Role role, std::uint8_t rank = 0) {
    if (token >= tokens_.size()) return;
    Item& item = items_[tokens_[token]];
    item.role = role;
    item.rank = rank;
  }

  [[nodiscard]] SourceRange range_of(ast::ExprId expr) const { return tree_.exprs[expr].range; }

  /// The clause word that stands `distance` tokens before an expression.
  void mark_clause(const std::optional<ast::ExprId>& expr, std::string_view word,
                   std::size_t distance) {
    if (expr) set(from(range_of(*expr).begin) - distance, word, Role::Clause);
  }

  // ---- expressions ------------------------------------------------------------------------------

  template <class Node>
  void mark(const Node&, SourceRange) {}

  void mark(const ast::UnaryExpr&, SourceRange range) {
    set_symbol(from(range.begin), Role::Prefix);
  }
  void mark(const ast::BinaryExpr& node, SourceRange) {
    std::size_t sign = from(node.op_range.begin);
    if (node.op == ast::BinaryOp::ShiftRight) set_symbol(sign++, Role::ShiftHead);
    set_symbol(sign, Role::Binary, rank_of(node.op));
  }
  void mark(const ast::TemporalExpr& node, SourceRange) {
    if (node.left) set_symbol(from(node.op_range.begin), Role::Binary, rank_of(node.op));
  }
  void mark(const ast::ConditionalExpr& node, SourceRange) {
    set(from(range_of(node.condition).end), "?", Role::Conditional);
    set(from(range_of(node.if_true).end), ":", Role::Conditional);
  }
  void mark(const ast::QuantifiedExpr& node, SourceRange) {
    set(before(range_of(node.body).begin), ":", Role::QuantifierColon);
  }
  void mark(const ast::ParenExpr&, SourceRange range) { set(from(range.begin), "(", Role::Group); }
  void mark(const ast::SetExpr&, SourceRange range) {
    set(from(range.begin), "{", Role::SetBrace);
    set(before(range.end), "}", Role::SetBrace);
  }
  void mark(const ast::ArrayExpr&, SourceRange range) {
    set(from(range.begin), "[", Role::ArrayLiteral);
  }

  // ---- types ------------------------------------------------------------------------------------

  void mark(const ast::NamedType& node, SourceRange range) {
    if (node.arguments.empty()) return;
    set(from(node.name.range.end), "<", Role::OpenTypes);
    set(before(range.end), ">", Role::CloseTypes);
  }
  void mark(const ast::ChannelType& node, SourceRange range) {
    if (!node.element.valid()) return;
    set(before(tree_.types[node.element].range.begin), "<", Role::OpenTypes);
    set(before(range.end), ">", Role::CloseTypes);
  }
  void mark(const ast::NullableType&, SourceRange range) {
    set(before(range.end), "?", Role::Nullable);
  }

  // ---- statements -------------------------------------------------------------------------------

  void mark(const ast::WaitUntilStmt& node, SourceRange) {
    mark_clause(node.condition, "until", 1);
  }
  void mark(const ast::SelectStmt& node, SourceRange) {
    for (const ast::SelectStmt::Case& c : node.cases)
      mark_clause(c.guard, "when", 1);
  }
  void mark(const ast::EitherStmt& node, SourceRange) {
    for (std::size_t i = 1; i < node.branches.size(); ++i) {
      set(before(node.branches[i].range.begin), "or", Role::ContinuesBlock);
    }
  }

  // ---- declarations -----------------------------------------------------------------------------

  void mark(const ast::ObjectDecl& node, SourceRange) {
    mark_clause(node.capacity, "capacity", 1);
    mark_clause(node.max, "max", 1);
    mark_clause(node.of, "of", 1);
    mark_clause(node.guarded_by, "guarded", 2);
    mark_clause(node.init_by, "init", 2);
  }
  void mark(const ast::CommutesDecl& node, SourceRange) { mark_clause(node.when, "when", 1); }
  void mark(const ast::EnumDecl& node, SourceRange) {
    set(from(node.name.range.end), "{", Role::EnumBrace);
  }
  void mark(const ast::FunctionDecl& node, SourceRange) { mark_parameters(node.type_parameters); }
  void mark(const ast::ClassDecl& node, SourceRange) { mark_parameters(node.type_parameters); }
  void mark_parameters(const std::vector<ast::TypeParameter>& parameters) {
    if (parameters.empty()) return;
    const std::size_t first = before(parameters.front().name.range.begin);
    set(parameters.front().is_const ? first - 1 : first, "<", Role::OpenTypes);
    set(from(parameters.back().name.range.end), ">", Role::CloseTypes);
  }

  // ---- else -------------------------------------------------------------------------------------

  /// A keyword, so the tree is not needed: after a `}` it is never a name.
  void mark_continued_blocks() {
    for (std::size_t token = 1; token < tokens_.size(); ++token) {
      if (items_[tokens_[token - 1]].is("}")) set(token, "else", Role::ContinuesBlock);
    }
  }

  const ast::Ast& tree_;
  std::vector<Item>& items_;
  std::vector<std::size_t> tokens_;  // the items that are no comments
};

}  // namespace

void mark_roles(const ast::Ast& tree, std::vector<Item>& items) { Marker(tree, items).run(); }

}  // namespace cml::formatting
