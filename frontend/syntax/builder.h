// Parse tree to AST, and the errors that only the finished tree shows.
//
// The parse tree may have holes where the parser recovered: a missing part is a null pointer. What
// was reported there is not reported again; holes become `ErrorExpr`, `ErrorType` or an empty
// block, and a declaration with a name is kept, so that `Sema` does not complain about its uses.
//
// Recursion goes as deep as the tree, which `nesting.h` bounds.
#pragma once

#include "CmlParser.h"
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "frontend/ast.h"
#include "frontend/syntax/reporter.h"
#include "frontend/syntax/tokens.h"

namespace cml::syntax {

class Builder {
 public:
  using P = grammar::CmlParser;

  Builder(const Tokens& tokens, const antlr4::TokenStream& stream, Reporter& reporter,
          ast::Ast& ast)
      : tokens_(tokens), stream_(stream), reporter_(reporter), ast_(ast) {}

  void file(P::FileContext* file);

 private:
  static constexpr std::uint32_t kMaxQuantifiers = 16;
  static constexpr std::size_t kMaxTemporal = 16;  // before one operand

  // What surrounds a declaration decides whether it may stand there.
  enum class Scope : std::uint8_t { File, Process, Class };

  // build_items.cpp
  void items(const std::vector<P::ItemContext*>& items, Scope scope, std::vector<ast::DeclId>& out);
  std::optional<ast::DeclId> item(P::ItemContext* item, Scope scope);
  std::optional<ast::DeclId> plain_item(P::PlainItemContext* item, Scope scope);
  std::optional<ast::DeclId> model(P::ModelDeclContext* decl, Scope scope);
  std::optional<ast::DeclId> discipline(P::DisciplineDeclContext* decl, Scope scope);
  std::optional<ast::DeclId> import(P::ImportDeclContext* decl, Scope scope);
  std::optional<ast::DeclId> constant(P::ConstDeclContext* decl, Scope scope);
  std::optional<ast::DeclId> enumeration(P::EnumDeclContext* decl);
  std::optional<ast::DeclId> structure(P::StructDeclContext* decl);
  /// `first` is its first token, which may be `atomic`.
  std::optional<ast::DeclId> function(P::FunctionDeclContext* decl, const antlr4::Token* first,
                                      Scope scope);
  std::optional<ast::DeclId> constructor(P::ConstructorDeclContext* decl, Scope scope);
  std::optional<ast::DeclId> thread(antlr4::ParserRuleContext* decl, P::ThreadHeaderContext* header,
                                    P::BlockContext* body, bool daemon);
  std::optional<ast::DeclId> process(P::ProcessDeclContext* decl, Scope scope);
  std::optional<ast::DeclId> class_declaration(antlr4::ParserRuleContext* decl,
                                               P::ClassDeclContext* rest, bool is_atomic);
  std::optional<ast::DeclId> commutes(P::CommutesDeclContext* decl, Scope scope);
  std::optional<ast::DeclId> invariant(P::InvariantDeclContext* decl);
  std::optional<ast::DeclId> property(P::PropertyDeclContext* decl, Scope scope);
  std::optional<ast::DeclId> formula(P::FormulaDeclContext* decl, Scope scope);
  std::optional<ast::DeclId> terminates(P::TerminatesDeclContext* decl, Scope scope);
  std::optional<ast::DeclId> fairness(P::FairnessDeclContext* decl, Scope scope);
  [[nodiscard]] std::optional<ast::Name> fairness(P::UnderFairnessContext* under) const;
  std::optional<ast::DeclId> final_block(P::FinallyDeclContext* decl);
  std::vector<ast::Parameter> parameters(P::ParametersContext* list);
  std::vector<ast::TypeParameter> type_parameters(P::TypeParametersContext* list);
  std::optional<ast::IndexDecl> index(P::IndexContext* index);
  bool misplaced(antlr4::ParserRuleContext* decl, bool wrong, std::string_view message,
                 std::string_view cure);
  ast::DeclId add(antlr4::ParserRuleContext* context, decltype(ast::Decl::node) node);
  std::string doc_before(const antlr4::Token* token) const;

  // build_objects.cpp
  std::optional<ast::DeclId> object(antlr4::ParserRuleContext* decl, const antlr4::Token* kind,
                                    P::ObjectRestContext* rest, Scope scope);
  void prefers(P::AttributeContext* clause, ast::ObjectDecl& object);
  void clauses(P::ObjectRestContext* rest, ast::ObjectDecl& object);

  // build_statements.cpp
  ast::Block block(P::BlockContext* block);
  std::vector<ast::StmtId> statements(const std::vector<P::StatementContext*>& list);
  std::optional<ast::StmtId> statement(P::StatementContext* statement);
  std::optional<ast::StmtId> plain_statement(P::PlainStatementContext* s);
  ast::StmtId if_statement(P::IfStatementContext* s);
  std::optional<ast::StmtId> local(P::PlainStatementContext* s);
  std::optional<ast::StmtId> expression_statement(P::PlainStatementContext* s);
  bool prints(P::PlainStatementContext* s);
  ast::StmtId assignment(P::PlainStatementContext* s);
  /// Of a `match` or a `select`; `build` makes a case of its header.
  template <class Choice, class Entry, class Header, class Build>
  void add_cases(Choice& result, const std::vector<Entry*>& entries, Header* (Entry::*header_of)(),
                 Build build);
  std::optional<ast::StmtId> match(P::PlainStatementContext* s);
  std::optional<ast::AtomicValue> atomic_value(P::AtomicValueContext* context);
  std::optional<ast::StmtId> select(P::PlainStatementContext* s);
  ast::SelectStmt::Case select_case(P::CaseHeaderContext* header);
  ast::StmtId either(P::PlainStatementContext* s);
  void misplaced_in_block(P::MisplacedContext* decl);
  void stray_semicolon(const antlr4::Token* token);
  ast::ExprId condition(P::ConditionContext* condition, P::BlockContext* body);
  ast::ExprId whole_value(P::PlainStatementContext* s);
  /// Was something skipped between a header and its body? Then the header is not to be trusted.
  [[nodiscard]] static bool junk_before(P::BlockContext* block);
  ast::StmtId add(const antlr4::ParserRuleContext* context, decltype(ast::Stmt::node) node);

  // build_expressions.cpp
  ast::ExprId expression(P::ExpressionContext* e);
  /// An expression that may be absent where no error was reported.
  std::optional<ast::ExprId> optional_expression(P::ExpressionContext* e,
                                                 const antlr4::ParserRuleContext* owner);
  /// A right-hand side or a statement: `spawn` may stand there.
  ast::ExprId value(P::ExpressionContext* e);
  ast::ExprId rest(P::ExpressionContext* e, std::size_t first, std::size_t prefix);
  [[nodiscard]] static std::optional<std::size_t> quantifier(P::OperandContext* o,
                                                             std::size_t from);
  ast::ExprId quantify(P::ExpressionContext* e, std::size_t position, std::size_t prefix);
  ast::ExprId binary(P::ExpressionContext* e, std::size_t begin, std::size_t end,
                     std::size_t prefix);
  ast::ExprId operand(P::ExpressionContext* e, std::size_t position, std::size_t prefix);
  ast::ExprId temporal(P::ExpressionContext* e, std::size_t& position, std::size_t end,
                       std::size_t prefix);
  ast::ExprId apply_prefixes(P::OperandContext* o, std::size_t begin, std::size_t end,
                             ast::ExprId inner);
  [[nodiscard]] SourceRange to_end(SourceRange first, const P::ExpressionContext* e) const;
  ast::ExprId bare_operand(P::OperandContext* o, bool spawn_allowed);
  ast::ExprId primary(P::OperandContext* o, bool spawn_allowed);
  ast::ExprId postfix(ast::ExprId base, P::PostfixContext* p);
  [[nodiscard]] std::size_t end_of_primary(P::OperandContext* o) const;
  ast::ExprId literal(const antlr4::Token* token);
  ast::ExprId spawn(P::OperandContext* o, SourceRange where, bool allowed);
  ast::ExprId hole(SourceRange range);
  std::vector<ast::Argument> arguments(P::ArgumentsContext* list);
  /// The name that an expression consists of, if it is one.
  [[nodiscard]] std::optional<ast::Name> bare_name(P::ExpressionContext* e) const;
  std::optional<ast::Name> label_before_colon(P::ExpressionContext* e);
  std::vector<ast::ExprId> dimensions(const std::vector<P::DimensionContext*>& list);
  std::optional<ast::Range> range(P::RangeContext* range);
  std::variant<ast::Range, ast::ExprId> parentheses(P::ParenthesesContext* p,
                                                    const antlr4::ParserRuleContext* owner);
  /// Of `for`: a range, or a channel.
  ast::Range values_of(P::ForHeaderContext* header, std::optional<ast::ExprId>& channel);
  ast::Range range_or_hole(P::RangeContext* range, const antlr4::ParserRuleContext* owner);

  // build_types.cpp
  ast::TypeId type(P::TypeContext* type);
  std::optional<ast::TypeId> optional_type(P::TypeContext* type,
                                           const antlr4::ParserRuleContext* owner);
  ast::TypeId type_name(P::TypeNameContext* name);
  decltype(ast::Type::node) in_parentheses(P::TypeNameContext* context, SourceRange where);
  ast::NamedType named(P::NameContext* name, P::TypeArgumentsContext* arguments);
  std::variant<ast::TypeId, ast::ExprId> type_argument(P::TypeArgumentContext* argument);

  // Names, strings and places.
  ast::Name name(const antlr4::ParserRuleContext* name) const;
  ast::StringLiteral string(const antlr4::Token* token) const;
  [[nodiscard]] SourceRange place(const antlr4::Token* token) const;
  [[nodiscard]] SourceRange place(const antlr4::ParserRuleContext* context) const;
  [[nodiscard]] std::string_view text(const antlr4::Token* token) const;
  [[nodiscard]] bool quiet(const antlr4::Token* token) const;
  /// Reports unless what stands there has been reported as something else.
  Diagnostic& report(Code code, SourceRange where, std::string message) {
    return reporter_.report(code, where, std::move(message));
  }

  const Tokens& tokens_;
  const antlr4::TokenStream& stream_;
  Reporter& reporter_;
  ast::Ast& ast_;
  std::uint32_t quantifiers_ = 0;  // around the expression that is built
  bool in_formula_ = false;        // of a property: labels may stand there
};

}  // namespace cml::syntax
