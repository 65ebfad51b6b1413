// parse(): bytes to AST, in the steps of tokens.h and builder.h.
//
// The grammar needs no prediction (see grammar/CmlParser.g4), so there is one attempt, in which the
// error strategy reports and recovers.
#include <new>

#include "frontend/parse.h"
#include "frontend/syntax/builder.h"
#include "frontend/syntax/error_strategy.h"
#include "frontend/syntax/reporter.h"
#include "frontend/syntax/token_view.h"
#include "frontend/syntax/tokens.h"

namespace cml {
namespace {

using grammar::CmlParser;

constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";

void report_encoding(syntax::Reporter& reporter, std::size_t at) {
  const auto byte = static_cast<unsigned char>(reporter.text()[at]);
  Diagnostic& diagnostic =
      reporter.report(Code::InvalidUtf8, reporter.range(at, at + 1), "this byte is not UTF-8");
  if (at == 0 && (byte == 0xFF || byte == 0xFE)) {
    diagnostic.cure("the file looks like UTF-16: save it as UTF-8");
  } else {
    diagnostic.cure("save the file as UTF-8");
  }
}

void parse_file(syntax::Reporter& reporter, ast::Ast& ast) {
  const std::string_view text = reporter.text();
  if (const std::size_t valid = syntax::valid_utf8_prefix(text); valid < text.size()) {
    report_encoding(reporter, valid);
    return;
  }
  // Also inside comments and strings, where the lexer would not mind.
  if (const std::size_t nul = text.find('\0'); nul != text.npos) {
    reporter
        .report(Code::StrayCharacter, reporter.range(nul, nul + 1), "a NUL byte cannot stand here")
        .cure("is this a text file? save it as UTF-8 without NUL bytes");
    return;
  }
  const std::size_t begin = text.starts_with(kByteOrderMark) ? kByteOrderMark.size() : 0;
  syntax::Tokens tokens = syntax::lex(begin, reporter);
  if (tokens.hopeless) return;
  syntax::balance(tokens, reporter);

  antlr4::ListTokenSource source(std::move(tokens.list));
  antlr4::CommonTokenStream stream(&source);
  stream.fill();
  CmlParser parser(&stream);
  parser.removeErrorListeners();
  const syntax::TokenView view(tokens, stream, reporter);
  parser.setErrorHandler(std::make_shared<syntax::ErrorStrategy>(view, reporter));
  try {
    syntax::Builder(tokens, stream, reporter, ast).file(parser.file());
  } catch (const antlr4::ParseCancellationException&) {
    // Too many errors: those that are reported will do.
  }
}

}  // namespace

ast::Ast parse(const SourceSet& sources, FileId file, Diagnostics& diagnostics) {
  ast::Ast ast;
  ast.file = file;
  syntax::Reporter reporter(diagnostics, file, sources.file(file).text());
  // ANTLR's runtime throws where it cannot recover. No input is known that makes it do so.
  try {
    parse_file(reporter, ast);
  } catch (const std::bad_alloc&) {
    throw;  // not about the model
  } catch (const std::exception&) {
    if (reporter.errors() == 0) {
      reporter.report(Code::UnexpectedToken, reporter.range(0, 0), "this file cannot be parsed");
    }
  }
  return ast;
}

}  // namespace cml
