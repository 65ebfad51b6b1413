// textDocument/semanticTokens/full: what each word is. Names have the kind of what they mean.
#include <algorithm>
#include <array>
#include <map>
#include <optional>

#include "lsp/requests.h"

namespace cml::lsp {
namespace {

enum class TokenType : std::uint8_t {
  Namespace,
  Type,
  Class,
  Enum,
  Struct,
  TypeParameter,
  Parameter,
  Variable,
  Property,
  EnumMember,
  Event,
  Function,
  Method,
  Keyword,
  Comment,
  String,
  Number,
  Operator,
};
constexpr auto kTokenTypes = std::to_array<std::string_view>(
    {"namespace", "type", "class", "enum", "struct", "typeParameter", "parameter", "variable",
     "property", "enumMember", "event", "function", "method", "keyword", "comment", "string",
     "number", "operator"});

constexpr unsigned kDeclaration = 1;
constexpr unsigned kReadonly = 2;
constexpr unsigned kBuiltIn = 4;
constexpr auto kModifiers =
    std::to_array<std::string_view>({"declaration", "readonly", "defaultLibrary"});

TokenType type_of(NameKind kind) {
  switch (kind) {
    case NameKind::Enum:
      return TokenType::Enum;
    case NameKind::Enumerator:
      return TokenType::EnumMember;
    case NameKind::Struct:
      return TokenType::Struct;
    case NameKind::StructField:
    case NameKind::Field:
      return TokenType::Property;
    case NameKind::Class:
      return TokenType::Class;
    case NameKind::Method:
      return TokenType::Method;
    case NameKind::TypeParameter:
    case NameKind::ConstantParameter:
      return TokenType::TypeParameter;
    case NameKind::Function:
      return TokenType::Function;
    case NameKind::Thread:
      return TokenType::Event;
    case NameKind::Process:
      return TokenType::Namespace;
    case NameKind::Parameter:
      return TokenType::Parameter;
    case NameKind::Constant:
    case NameKind::Object:
    case NameKind::Variable:
    case NameKind::Let:
    case NameKind::Index:
      break;
  }
  return TokenType::Variable;
}

bool is_readonly(NameKind kind) {
  return kind == NameKind::Constant || kind == NameKind::Let || kind == NameKind::Index ||
         kind == NameKind::Enumerator;
}

struct Token {
  std::optional<TokenType> type = {};  // none: no colour
  unsigned modifiers = 0;
};

/// By where they begin: the names of the main file.
std::map<std::uint32_t, Token> names_of(const Analysis& analysis) {
  std::map<std::uint32_t, Token> tokens;
  const auto add = [&](SourceRange where, const Declared& name, unsigned modifiers) {
    if (where.file != analysis.main()) return;
    if (is_readonly(name.kind)) modifiers |= kReadonly;
    tokens[where.begin] = {type_of(name.kind), modifiers};
  };
  for (const Use& use : analysis.names().uses)
    if (const Declared* const name = analysis.names().declared_at(use.declared))
      add(use.where, *name, 0);
  for (const Declared& name : analysis.names().declared)
    add(name.where, name, kDeclaration);
  for (const OperationUse& use : analysis.names().operations)
    if (use.where.file == analysis.main())
      tokens[use.where.begin] = {
          model::is_property(use.op) ? TokenType::Property : TokenType::Method, kBuiltIn};
  return tokens;
}

Token token_of(const Word& word, const std::map<std::uint32_t, Token>& names) {
  if (const auto name = names.find(word.where.begin);
      name != names.end() && word.kind != WordKind::Comment)
    return name->second;
  switch (word.kind) {
    case WordKind::Keyword:
      return {TokenType::Keyword};
    case WordKind::Number:
      return {TokenType::Number};
    case WordKind::String:
      return {TokenType::String};
    case WordKind::Comment:
      return {TokenType::Comment};
    case WordKind::Operator:
      return {TokenType::Operator};
    case WordKind::Name:
    case WordKind::Bracket:
      break;
  }
  return {};
}

}  // namespace

Json semantic_tokens_legend() {
  return {{"tokenTypes", kTokenTypes}, {"tokenModifiers", kModifiers}};
}

Json semantic_tokens(Workspace& workspace, const Json& params) {
  const Analysis& analysis = workspace.analysis(params);
  const std::map<std::uint32_t, Token> names = names_of(analysis);
  const Text& text = analysis.text(analysis.main());
  std::vector<std::uint32_t> data;
  Position last;
  for (const Word& word : analysis.words()) {
    const Token token = token_of(word, names);
    if (!token.type) continue;
    // A token ends with its line: a comment of several lines is several.
    Position begin = text.position(word.where.begin);
    const Position end = text.position(word.where.end);
    for (; begin.line <= end.line; begin = {begin.line + 1, 0}) {
      const std::uint32_t stop =
          begin.line == end.line ? end.character : utf16_length(text.line(begin.line));
      if (stop <= begin.character) continue;
      const std::uint32_t lines = begin.line - last.line;
      data.insert(data.end(), {lines, begin.character - (lines == 0 ? last.character : 0),
                               stop - begin.character, static_cast<std::uint32_t>(*token.type),
                               token.modifiers});
      last = begin;
    }
  }
  return {{"data", std::move(data)}};
}

}  // namespace cml::lsp
