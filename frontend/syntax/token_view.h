// Looking around in the token stream: what error messages and recovery want to know of a token.
#pragma once

#include "antlr4-runtime.h"
#include <algorithm>
#include <string_view>

#include "frontend/syntax/reporter.h"
#include "frontend/syntax/tokens.h"

namespace cml::syntax {

class TokenView {
 public:
  TokenView(const Tokens& tokens, antlr4::TokenStream& stream, const Reporter& reporter)
      : tokens_(tokens), stream_(stream), reporter_(reporter) {}

  [[nodiscard]] std::size_t size() const { return tokens_.notes.size(); }
  [[nodiscard]] const antlr4::Token& token(std::size_t i) const { return *stream_.get(clamped(i)); }
  [[nodiscard]] std::size_t type(std::size_t i) const { return token(i).getType(); }
  [[nodiscard]] const TokenNotes& notes(std::size_t i) const { return tokens_.notes[clamped(i)]; }
  [[nodiscard]] SourceRange range(std::size_t i) const {
    return range_of(token(i), reporter_.file());
  }
  [[nodiscard]] std::string_view text(std::size_t i) const { return reporter_.text(range(i)); }
  /// Does token `i` follow the one before without a gap?
  [[nodiscard]] bool adjacent(std::size_t i) const {
    return i > 0 && range(i - 1).end == range(i).begin;
  }
  /// The point behind the token before `i`.
  [[nodiscard]] SourceRange end_before(std::size_t i) const {
    const std::uint32_t end = i > 0 ? range(i - 1).end : range(i).begin;
    return reporter_.range(end, end);
  }
  [[nodiscard]] bool begins_line(std::size_t i) const { return notes(i).first_on_line; }
  /// Was something wrong with `i` or its left neighbour before the parser came?
  [[nodiscard]] bool quiet(std::size_t i) const {
    return notes(i).quiet || (i > 0 && notes(i - 1).quiet);
  }
  /// Does a statement, or a declaration, begin with token `i`? Names count if what follows fits.
  [[nodiscard]] bool begins_statement(std::size_t i) const;
  [[nodiscard]] bool begins_declaration(std::size_t i) const;

 private:
  [[nodiscard]] std::size_t clamped(std::size_t i) const { return std::min(i, size() - 1); }

  const Tokens& tokens_;
  antlr4::TokenStream& stream_;
  const Reporter& reporter_;
};

}  // namespace cml::syntax
