// What happens where the parser stumbles: one message in our own words, then on with the next
// statement.
//
// ANTLR calls `sync` before each iteration of a loop, `recoverInline` where one certain token is
// missing, and `reportError` and `recover` in each rule that an error leaves. Here
//
//  * a missing `;` is reported behind the token before, and counted as present;
//  * an error inside an expression leaves all rules up to its statement or declaration, whose rest
//    is skipped: to its `;`, over whole groups of brackets, never beyond the enclosing `}`, and not
//    into a line that begins like another statement;
//  * an error in a header (`while x = 1 {`) skips to the brace only: the body is still read;
//  * loops over statements and declarations skip what begins none.
//
// Brackets match (tokens.h), so skipping can rely on their depth.
#pragma once

#include "CmlParser.h"
#include "antlr4-runtime.h"

#include "frontend/syntax/reporter.h"
#include "frontend/syntax/token_view.h"

namespace cml::syntax {

class ErrorStrategy final : public antlr4::ANTLRErrorStrategy {
 public:
  ErrorStrategy(const TokenView& view, Reporter& reporter) : view_(view), reporter_(reporter) {}

  void reset(antlr4::Parser*) override {}
  antlr4::Token* recoverInline(antlr4::Parser* parser) override;
  void recover(antlr4::Parser* parser, std::exception_ptr error) override;
  void sync(antlr4::Parser* parser) override;
  bool inErrorRecoveryMode(antlr4::Parser*) override { return false; }
  void reportMatch(antlr4::Parser*) override {}
  void reportError(antlr4::Parser* parser, const antlr4::RecognitionException& error) override;

 private:
  enum class Skip : std::uint8_t { Statement, Declaration, Header, CaseHeader };

  void report(antlr4::Parser* parser);
  void say(Code code, SourceRange where, std::string message, std::string cure);
  /// Reports a missing `;` if that is all that is wrong.
  bool semicolon_was_missing(antlr4::Parser* parser);
  void skip(antlr4::Parser* parser, std::size_t anchor, Skip what);
  [[nodiscard]] static std::size_t position(antlr4::Parser* parser);

  const TokenView& view_;
  Reporter& reporter_;
  bool reported_ = false;             // the error that is on its way up
  std::size_t silent_at_ = SIZE_MAX;  // an error here follows from the one before
};

}  // namespace cml::syntax
