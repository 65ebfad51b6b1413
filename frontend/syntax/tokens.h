// Text to tokens: the first step of parsing, and the one that makes the second safe.
//
//   bytes ──lex──▶ tokens ──balance──▶ tokens whose brackets match ──▶ CmlParser
//
// `lex` runs the generated lexer and reports all that is wrong with single words: encoding, stray
// characters, unclosed comments and strings, malformed numbers. On the way it bounds nesting and
// the length of expressions (`nesting.h`), because the parser, the tree builder and the phases
// behind them recurse. `balance` (brackets.cpp) reports brackets without a partner and repairs
// them, so that recovery from other errors can skip whole groups.
#pragma once

#include "antlr4-runtime.h"
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "frontend/syntax/reporter.h"

namespace cml::syntax {

using TokenPtr = std::unique_ptr<antlr4::Token>;

struct TokenNotes {
  std::uint32_t partner = 0;  // of a bracket: the index of the other one
  std::uint32_t depth = 0;    // brackets open before it; a bracket and its partner have the same
  std::uint32_t column = 0;   // in bytes from the start of its line
  bool first_on_line = false;
  bool quiet = false;  // had an error of its own or was inserted: no syntax error is reported here
};

/// A `///` comment: documents what starts with token `next`.
struct DocComment {
  std::uint32_t next;
  std::string_view text;
};

/// The tokens of a file without comments, the end of file last; `notes` has the same indices.
struct Tokens {
  std::vector<TokenPtr> list;
  std::vector<TokenNotes> notes;
  std::vector<DocComment> docs;  // ascending by `next`
  bool hopeless = false;         // reported; there is no sense in parsing
};

/// All tokens of the text, of which the first `begin` bytes are left out.
[[nodiscard]] Tokens lex(std::size_t begin, Reporter& reporter);

/// Offset of the first byte that is not UTF-8, or the size of the text.
[[nodiscard]] std::size_t valid_utf8_prefix(std::string_view text);

/// Makes brackets match and fills in `partner` and `depth`.
void balance(Tokens& tokens, Reporter& reporter);

/// A word that stands for a name wherever the grammar has no special use for it.
[[nodiscard]] bool is_name(std::size_t token_type);
/// A word that is never a name, except after `.` and `fun`.
[[nodiscard]] bool is_keyword(std::size_t token_type);

[[nodiscard]] inline SourceRange range_of(const antlr4::Token& token, FileId file) {
  return {file, static_cast<std::uint32_t>(token.getStartIndex()),
          static_cast<std::uint32_t>(token.getStopIndex() + 1)};
}

}  // namespace cml::syntax
