// What the lexer says of each word. Comments, which it leaves out, are what else stands between
// words.
#include "frontend/words.h"

#include "CmlLexer.h"
#include <algorithm>

#include "frontend/syntax/byte_stream.h"
#include "frontend/syntax/tokens.h"

namespace cml {
namespace {

using grammar::CmlLexer;

WordKind kind_of(std::size_t type) {
  if (syntax::is_keyword(type)) return WordKind::Keyword;
  if (type == CmlLexer::IDENTIFIER) return WordKind::Name;
  if (syntax::is_name(type)) return WordKind::Keyword;
  switch (type) {
    case CmlLexer::QUANTIFIER:
    case CmlLexer::MUTEX:
    case CmlLexer::CONDITION:
    case CmlLexer::RWLOCK:
    case CmlLexer::MODE:
    case CmlLexer::LABEL:
    case CmlLexer::FORMULA:
    case CmlLexer::TEMPORAL_PREFIX:
    case CmlLexer::TEMPORAL_INFIX:
    case CmlLexer::UNDER:
      return WordKind::Keyword;
    case CmlLexer::INTEGER:
      return WordKind::Number;
    case CmlLexer::STRING:
      return WordKind::String;
    case CmlLexer::SET_OPEN:
    case CmlLexer::SET_CLOSE:
    case CmlLexer::LBRACE:
    case CmlLexer::RBRACE:
    case CmlLexer::LPAREN:
    case CmlLexer::RPAREN:
    case CmlLexer::LBRACKET:
    case CmlLexer::RBRACKET:
    case CmlLexer::SEMICOLON:
    case CmlLexer::COMMA:
      return WordKind::Bracket;
    default:
      return WordKind::Operator;
  }
}

/// The comments between two words.
void add_comments(SourceRange gap, std::string_view text, std::vector<Word>& into) {
  std::size_t at = gap.begin;
  while (at + 1 < gap.end) {
    if (text[at] != '/') {
      ++at;
      continue;
    }
    std::size_t end = gap.end;
    if (text[at + 1] == '/') end = std::min<std::size_t>(end, text.find_first_of("\r\n", at));
    const std::size_t close = text[at + 1] == '*' ? text.find("*/", at + 2) : text.npos;
    if (close != text.npos) end = std::min<std::size_t>(end, close + 2);
    into.push_back({{gap.file, static_cast<std::uint32_t>(at), static_cast<std::uint32_t>(end)},
                    WordKind::Comment});
    at = std::max(end, at + 1);
  }
}

}  // namespace

std::vector<Word> words_of(const SourceSet& sources, FileId file) {
  std::vector<Word> words;
  const std::string_view text = sources.file(file).text();
  if (syntax::valid_utf8_prefix(text) < text.size()) return words;
  Diagnostics ignored;
  syntax::Reporter reporter(ignored, file, text);
  const std::size_t begin = text.starts_with("\xEF\xBB\xBF") ? 3 : 0;
  const syntax::Tokens tokens = syntax::lex(begin, reporter);
  auto end = static_cast<std::uint32_t>(begin);
  for (const syntax::TokenPtr& token : tokens.list) {
    const bool is_last = token->getType() == antlr4::Token::EOF;
    const SourceRange where = is_last ? SourceRange{file, static_cast<std::uint32_t>(text.size()),
                                                    static_cast<std::uint32_t>(text.size())}
                                      : syntax::range_of(*token, file);
    if (where.begin > end) add_comments({file, end, where.begin}, text, words);
    if (is_last) break;
    if (where.end > where.begin) words.push_back({where, kind_of(token->getType())});
    end = std::max(end, where.end);
  }
  return words;
}

const std::vector<std::string>& keywords() {
  static const std::vector<std::string> kWords = [] {
    std::vector<std::string> words;
    syntax::ByteStream nothing("");
    const CmlLexer lexer(&nothing);
    for (std::size_t type = CmlLexer::ASSERT; type <= CmlLexer::YIELD; ++type) {
      std::string word(lexer.getVocabulary().getLiteralName(type));
      words.push_back(word.substr(1, word.size() - 2));  // without quotes
    }
    return words;
  }();
  return kWords;
}

bool is_identifier(std::string_view word) {
  const auto is_letter = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
  };
  return !word.empty() && is_letter(word[0]) && std::ranges::all_of(word, [&](char c) {
    return is_letter(c) || (c >= '0' && c <= '9');
  }) && std::ranges::find(keywords(), word) == keywords().end();
}

}  // namespace cml
