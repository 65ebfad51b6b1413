// parse(): bytes to AST, in the steps of tokens.h and builder.h.
//
// Two attempts: the first with SLL prediction, which is fast and gives up at the first error; what
// it cannot parse is parsed again with LL prediction and with the error strategy that reports and
// recovers. The grammar is such that SLL fails on wrong input only.
#include "CmlLexer.h"
#include "CmlParser.h"
#include "antlr4-runtime.h"
#include <exception>
#include <utility>

#include "frontend/parse.h"
#include "frontend/syntax/builder.h"
#include "frontend/syntax/byte_stream.h"
#include "frontend/syntax/reporter.h"
#include "frontend/syntax/tokens.h"

namespace cml {
namespace {

using grammar::CmlLexer;
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

CmlParser::FileContext* parse_tokens(CmlParser& parser, antlr4::CommonTokenStream& stream,
                                     syntax::Reporter& reporter) {
  auto* simulator = parser.getInterpreter<antlr4::atn::ParserATNSimulator>();
  parser.removeErrorListeners();
  simulator->setPredictionMode(antlr4::atn::PredictionMode::SLL);
  parser.setErrorHandler(std::make_shared<antlr4::BailErrorStrategy>());
  try {
    return parser.file();
  } catch (const antlr4::ParseCancellationException&) {
    reporter.report(Code::UnexpectedToken, syntax::range_of(*stream.LT(1), reporter.file()),
                    "unexpected");
    return nullptr;
  }
}

void parse_file(syntax::Reporter& reporter, ast::Ast& ast) {
  const std::string_view text = reporter.text();
  if (const std::size_t valid = syntax::valid_utf8_prefix(text); valid < text.size()) {
    report_encoding(reporter, valid);
    return;
  }
  syntax::ByteStream bytes(text, text.starts_with(kByteOrderMark) ? kByteOrderMark.size() : 0);
  CmlLexer lexer(&bytes);
  lexer.removeErrorListeners();
  syntax::Tokens tokens = syntax::lex(lexer, reporter);
  if (tokens.hopeless) return;
  syntax::balance(tokens, reporter);

  antlr4::ListTokenSource source(std::move(tokens.list));
  antlr4::CommonTokenStream stream(&source);
  stream.fill();
  CmlParser parser(&stream);
  if (CmlParser::FileContext* tree = parse_tokens(parser, stream, reporter)) {
    syntax::Builder(tokens, stream, reporter, ast).file(tree);
  }
}

}  // namespace

ast::Ast parse(const SourceSet& sources, FileId file, Diagnostics& diagnostics) {
  ast::Ast ast;
  ast.file = file;
  syntax::Reporter reporter(diagnostics, file, sources.file(file).text());
  // The runtime's way of saying that it is at its wits' end is to throw; nothing known makes it do
  // so.
  try {
    parse_file(reporter, ast);
  } catch (const std::exception&) {
    if (reporter.errors() == 0) {
      reporter.report(Code::UnexpectedToken, reporter.range(0, 0), "this file cannot be parsed");
    }
  }
  return ast;
}

}  // namespace cml
