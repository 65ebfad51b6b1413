// Runs the lexer and reports what is wrong with single words; see tokens.h.
#include "frontend/syntax/tokens.h"

#include "CmlLexer.h"
#include <algorithm>
#include <array>
#include <fmt/format.h>
#include <optional>
#include <utility>

#include "frontend/syntax/byte_stream.h"
#include "frontend/syntax/nesting.h"
#include "frontend/syntax/set_braces.h"

namespace cml::syntax {
namespace {

using antlr4::Token;
using grammar::CmlLexer;

/// Length of the well-formed UTF-8 sequence at `at`, or 0 (RFC 3629, section 4).
std::size_t sequence_length(std::string_view text, std::size_t at) {
  const auto byte = [&](std::size_t i) {
    return at + i < text.size() ? static_cast<unsigned char>(text[at + i]) : 0U;
  };
  const auto continues = [&](std::size_t i) { return (byte(i) & 0xC0U) == 0x80U; };
  const unsigned first = byte(0);
  if (first < 0x80) return 1;
  if (first >= 0xC2 && first <= 0xDF) return continues(1) ? 2 : 0;
  if (first >= 0xE0 && first <= 0xEF) {
    const bool overlong = first == 0xE0 && byte(1) < 0xA0;
    const bool surrogate = first == 0xED && byte(1) > 0x9F;
    return continues(1) && continues(2) && !overlong && !surrogate ? 3 : 0;
  }
  if (first >= 0xF0 && first <= 0xF4) {
    const bool overlong = first == 0xF0 && byte(1) < 0x90;
    const bool beyond = first == 0xF4 && byte(1) > 0x8F;
    return continues(1) && continues(2) && continues(3) && !overlong && !beyond ? 4 : 0;
  }
  return 0;
}

/// Characters that word processors and habits put where CML wants ASCII.
struct Lookalike {
  std::string_view character;
  std::string_view what;
  std::string_view cure;
};
constexpr auto kLookalikes = std::to_array<Lookalike>({
    {"\u00A0", "a non-breaking space", "write an ordinary space"},
    {"\u200B", "an invisible space", "delete it"},
    {"\u2003", "a wide space", "write an ordinary space"},
    {"\uFEFF", "a byte order mark", "delete it; it may only stand at the start of the file"},
    {"\u201C", "a typographic quote", "write `\"`"},
    {"\u201D", "a typographic quote", "write `\"`"},
    {"\u201E", "a typographic quote", "write `\"`"},
    {"\u2018", "a typographic quote", "strings are in double quotes `\"`"},
    {"\u2019", "a typographic quote", "strings are in double quotes `\"`"},
    {"\u2013", "a dash", "write `-`"},
    {"\u2014", "a dash", "write `-`"},
    {"\u2212", "a typographic minus", "write `-`"},
    {"\u00D7", "a multiplication sign", "write `*`"},
    {"\u00F7", "a division sign", "write `/`"},
    {"\u2264", "a mathematical sign", "write `<=`"},
    {"\u2265", "a mathematical sign", "write `>=`"},
    {"\u2260", "a mathematical sign", "write `!=`"},
    {"\u2227", "a mathematical sign", "write `&&`"},
    {"\u2228", "a mathematical sign", "write `||`"},
    {"\u00AC", "a mathematical sign", "write `!`"},
    {"\u2026", "an ellipsis", "write `..` for a range"},
    {"\u2192", "an arrow", "a result type follows a colon: `fun f(): int`"},
    {"\uFF1B", "a full-width semicolon", "write `;`"},
    {"\uFF08", "a full-width bracket", "write `(`"},
    {"\uFF09", "a full-width bracket", "write `)`"},
    {"\uFF0C", "a full-width comma", "write `,`"},
});

/// One diagnostic for the first lookalike within, if there is one.
bool report_lookalike(SourceRange word, Reporter& reporter) {
  const std::string_view text = reporter.text(word);
  const Lookalike* best = nullptr;
  std::size_t at = text.size();
  for (const Lookalike& entry : kLookalikes) {
    if (const std::size_t found = text.find(entry.character); found < at) {
      best = &entry;
      at = found;
    }
  }
  if (best == nullptr) return false;
  const SourceRange place =
      reporter.range(word.begin + at, word.begin + at + best->character.size());
  reporter.report(Code::StrayCharacter, place, fmt::format("{} cannot stand here", best->what))
      .cure(std::string(best->cure));
  return true;
}

void report_stray(SourceRange where, Reporter& reporter) {
  const auto byte = static_cast<unsigned char>(reporter.text()[where.begin]);
  if (byte < 0x20 || byte == 0x7F) {
    reporter.report(Code::StrayCharacter, where,
                    fmt::format("the control character U+{:04X} cannot stand here", byte));
    return;
  }
  Diagnostic& diagnostic = reporter.report(
      Code::StrayCharacter, where, fmt::format("`{}` means nothing in CML", reporter.text(where)));
  switch (byte) {
    case '#':
      diagnostic.cure("a comment starts with `//`, an import is `import \"file.cml\";`");
      break;
    case '\'':
      diagnostic.cure("strings are in double quotes `\"`");
      break;
    case '\\':
      diagnostic.cure("and is `&&`, or is `||`");
      break;
    case '@':
      diagnostic.cure("there are no annotations in CML");
      break;
    default:
      break;
  }
}

void report_integer(SourceRange where, Reporter& reporter) {
  const std::string_view text = reporter.text(where);
  const bool all_digits = std::all_of(text.begin(), text.end(),
                                      [](char c) { return c == '_' || (c >= '0' && c <= '9'); });
  if (all_digits && text[0] == '0' && text.size() > 1 && text.find('_') == text.npos) {
    const std::size_t digit = std::min(text.find_first_not_of('0'), text.size() - 1);
    reporter.report(Code::LeadingZero, where, fmt::format("`{}` starts with a zero", text))
        .cure(fmt::format("write `{}`; there are no octal numbers", text.substr(digit)));
    return;
  }
  Diagnostic& diagnostic =
      reporter.report(Code::MalformedInteger, where, fmt::format("`{}` is no integer", text));
  if (all_digits) {
    diagnostic.cure("underscores stand single and between digits: `1_000`");
  } else if (text.starts_with("0X")) {
    diagnostic.cure("hexadecimal numbers start with a small `0x`");
  } else if (text.starts_with("0x")) {
    diagnostic.cure("after `0x` come the digits 0 to 9 and a to f: `0xff`");
  } else if (text.starts_with("0b") || text.starts_with("0o")) {
    diagnostic.cure("numbers are decimal or hexadecimal: `42`, `0x2a`");
  } else {
    diagnostic.cure("a name cannot start with a digit, and numbers have no suffix");
  }
}

void check_escapes(SourceRange where, Reporter& reporter) {
  const std::string_view text = reporter.text(where);
  for (std::size_t i = 0; i + 1 < text.size(); ++i) {
    if (text[i] != '\\') continue;
    const char escaped = text[i + 1];
    if (escaped != '"' && escaped != '\\' && escaped != 'n') {
      const std::size_t length = std::max<std::size_t>(sequence_length(text, i + 1), 1);
      reporter
          .report(Code::UnknownEscape,
                  reporter.range(where.begin + i, where.begin + i + 1 + length),
                  fmt::format("`\\{}` is no escape", text.substr(i + 1, length)))
          .cure("the escapes are `\\\"`, `\\\\` and `\\n`");
    }
    ++i;
  }
}

/// Reports what is wrong with one word. Afterwards the token is what it was probably meant to be;
/// nothing is returned for what is best left out.
class WordChecker {
 public:
  explicit WordChecker(Reporter& reporter) : reporter_(reporter) {}

  enum class Outcome : std::uint8_t { Fine, Mended, Dropped };

  Outcome check(antlr4::CommonToken& token) {
    const SourceRange where = range_of(token, reporter_.file());
    switch (token.getType()) {
      case CmlLexer::STRING:
        check_escapes(where, reporter_);
        return Outcome::Fine;
      case CmlLexer::UNCLOSED_COMMENT:
        reporter_
            .report(Code::UnclosedComment, reporter_.range(where.begin, where.begin + 2UL),
                    "this comment is not closed")
            .cure("end it with `*/`");
        return Outcome::Dropped;
      case CmlLexer::UNCLOSED_STRING:
        reporter_.report(Code::UnclosedString, where, "this string is not closed on its line")
            .cure("end it with `\"`; a line break inside is written `\\n`");
        token.setType(CmlLexer::STRING);
        return Outcome::Mended;
      case CmlLexer::SINGLE_QUOTED:
        reporter_.report(Code::SingleQuotes, where, "strings are not in single quotes")
            .cure(
                "strings are in double quotes, and there are no characters: use an integer or an "
                "enum");
        token.setType(CmlLexer::STRING);
        return Outcome::Mended;
      case CmlLexer::BAD_INTEGER:
        report_integer(where, reporter_);
        token.setType(CmlLexer::INTEGER);
        return Outcome::Mended;
      case CmlLexer::BAD_NAME:
        if (!report_lookalike(where, reporter_)) {
          reporter_
              .report(
                  Code::NonAsciiName, where,
                  fmt::format("the name `{}` has other than ASCII letters", reporter_.text(where)))
              .cure("names are made of the letters a to z, A to Z, digits and `_`");
        }
        token.setType(CmlLexer::IDENTIFIER);
        return Outcome::Mended;
      case CmlLexer::STRAY: {
        // A run of them is one error.
        if (where.begin != end_of_stray_) report_stray(where, reporter_);
        end_of_stray_ = where.end;
        return Outcome::Dropped;
      }
      default:
        return Outcome::Fine;
    }
  }

 private:
  Reporter& reporter_;
  std::size_t end_of_stray_ = std::string_view::npos;
};

bool report_depth(NestingMeter::Verdict verdict, SourceRange where, Reporter& reporter) {
  switch (verdict) {
    case NestingMeter::Verdict::Fine:
      return false;
    case NestingMeter::Verdict::TooDeep:
      reporter
          .report(Code::NestingTooDeep, where,
                  fmt::format("nesting is deeper than {} levels here", kMaxNesting))
          .cure("move inner parts into functions or variables");
      return true;
    case NestingMeter::Verdict::TooLong:
      reporter
          .report(Code::ExpressionTooLong, where,
                  fmt::format("this expression has more than {} operators", kMaxOperators))
          .cure("compute it in steps, or in a loop");
      return true;
  }
  return false;
}

/// Skips what the lexer's BLANK, LINE_COMMENT and BLOCK_COMMENT match, at a tenth of its cost, and
/// keeps documentation and lines. An unclosed comment is left to the lexer.
struct Trivia {
  Trivia(std::string_view source, std::size_t begin)
      : text(source), position(begin), line_begin(begin) {}

  void skip(Tokens& tokens) {
    while (position < text.size()) {
      const char c = text[position];
      if (c == '\n') {
        ++position;
        line_begin = position;
        new_line = true;
      } else if (c == ' ' || c == '\t' || c == '\r') {
        ++position;
      } else if (text.substr(position, 2) == "//") {
        const std::size_t end = std::min(text.find_first_of("\r\n", position), text.size());
        const std::string_view comment = text.substr(position, end - position);
        if (comment.starts_with("///") && !comment.starts_with("////")) {
          tokens.docs.push_back({static_cast<std::uint32_t>(tokens.list.size()), comment});
        }
        position = end;
      } else if (text.substr(position, 2) == "/*") {
        const std::size_t end = text.find("*/", position + 2);
        if (end == text.npos) return;
        if (const std::size_t line = text.substr(position, end - position).rfind('\n');
            line != text.npos) {
          line_begin = position + line + 1;
          new_line = true;
        }
        position = end + 2;
      } else {
        return;
      }
    }
  }

  std::string_view text;
  std::size_t position;
  std::size_t line_begin;
  bool new_line = true;  // since the last token
};

/// Is the token before the last a word that its neighbours make a name? `or` goes on with `either`
/// only before a brace, `unshared` qualifies `new` only before another name.
void decide_contextual(std::vector<TokenPtr>& list) {
  if (list.size() < 2) return;
  auto& word = static_cast<antlr4::CommonToken&>(*list[list.size() - 2]);
  const std::size_t next = list.back()->getType();
  const bool is_plain_name =
      (word.getType() == CmlLexer::OR && next != CmlLexer::LBRACE) ||
      (word.getType() == CmlLexer::UNSHARED &&
       (!is_name(next) || list.size() < 3 || list[list.size() - 3]->getType() != CmlLexer::NEW));
  if (is_plain_name) word.setType(CmlLexer::IDENTIFIER);
}

/// Does `in` make the last three tokens the beginning of a quantifier, `forall i in`?
void find_quantifier(std::vector<TokenPtr>& list) {
  if (list.size() < 3 || list.back()->getType() != CmlLexer::IN) return;
  auto& word = static_cast<antlr4::CommonToken&>(*list[list.size() - 3]);
  if (word.getType() != CmlLexer::IDENTIFIER || !is_name(list[list.size() - 2]->getType())) return;
  const std::string text = word.getText();
  if (text == "forall" || text == "exists" || text == "count") word.setType(CmlLexer::QUANTIFIER);
}

/// Do the last three tokens begin `with read r`?
void find_mode(std::vector<TokenPtr>& list) {
  if (list.size() < 3 || list[list.size() - 3]->getType() != CmlLexer::WITH) return;
  const std::size_t next = list.back()->getType();
  if (!is_name(next) && next != CmlLexer::THIS) return;
  auto& word = static_cast<antlr4::CommonToken&>(*list[list.size() - 2]);
  if (word.getType() != CmlLexer::IDENTIFIER) return;
  const std::string text = word.getText();
  if (text == "read" || text == "write") word.setType(CmlLexer::MODE);
}

/// Do the last three tokens begin a declaration, `; mutex m`?
void find_declaration(std::vector<TokenPtr>& list) {
  if (list.size() < 2 || !is_name(list.back()->getType())) return;
  auto& word = static_cast<antlr4::CommonToken&>(*list[list.size() - 2]);
  if (word.getType() != CmlLexer::IDENTIFIER) return;
  if (list.size() > 2) {
    const std::size_t before = list[list.size() - 3]->getType();
    if (before != CmlLexer::SEMICOLON && before != CmlLexer::LBRACE && before != CmlLexer::RBRACE)
      return;
  }
  const std::string text = word.getText();
  if (text == "mutex") word.setType(CmlLexer::MUTEX);
  if (text == "condition") word.setType(CmlLexer::CONDITION);
  if (text == "rwlock") word.setType(CmlLexer::RWLOCK);
}
/// Tells the words of temporal formulas from names: `property name: formula;`, where no
/// `implements` stands, and the words in it; `label "cs"`; `… under strong fairness;`.
class FormulaWords {
 public:
  /// The last token is new.
  void find(std::vector<TokenPtr>& list) {
    const std::size_t last = list.size() - 1;
    const std::size_t type = list[last]->getType();
    if (last > 0 && type == CmlLexer::STRING && is_word(list, last - 1, "label"))
      set(list, last - 1, CmlLexer::LABEL);
    if (last > 3 && type == CmlLexer::SEMICOLON &&
        list[last - 1]->getType() == CmlLexer::FAIRNESS && is_word(list, last - 3, "under"))
      set(list, last - 3, CmlLexer::UNDER);
    if (last > 0 && list[last - 1]->getType() == CmlLexer::PROPERTY && is_name(type))
      begin_ = last - 1;
    if (!begin_) return;
    if (type == CmlLexer::IMPLEMENTS || type == CmlLexer::LBRACE || type == CmlLexer::RBRACE) {
      begin_ = std::nullopt;
    } else if (type == CmlLexer::SEMICOLON || type == Token::EOF) {
      mark(list, *begin_, last);
      begin_ = std::nullopt;
    }
  }

 private:
  static bool is_word(const std::vector<TokenPtr>& list, std::size_t at, std::string_view word) {
    return list[at]->getType() == CmlLexer::IDENTIFIER && list[at]->getText() == word;
  }
  static void set(std::vector<TokenPtr>& list, std::size_t at, std::size_t type) {
    static_cast<antlr4::CommonToken&>(*list[at]).setType(type);
  }

  static void mark(std::vector<TokenPtr>& list, std::size_t first, std::size_t last) {
    set(list, first, CmlLexer::FORMULA);
    for (std::size_t at = first + 2; at < last; ++at) {
      if (list[at - 1]->getType() == CmlLexer::DOT) continue;
      if (is_word(list, at, "always") || is_word(list, at, "eventually"))
        set(list, at, CmlLexer::TEMPORAL_PREFIX);
      else if (list[at]->getType() == CmlLexer::UNTIL || is_word(list, at, "release") ||
               is_word(list, at, "implies"))
        set(list, at, CmlLexer::TEMPORAL_INFIX);
    }
  }

  std::optional<std::size_t> begin_;  // of the property that is being read
};

}  // namespace

bool is_name(std::size_t token_type) {
  return (token_type >= CmlLexer::BY && token_type <= CmlLexer::WHEN) ||
         token_type == CmlLexer::IDENTIFIER;
}

bool is_keyword(std::size_t token_type) {
  return token_type >= CmlLexer::ASSERT && token_type <= CmlLexer::YIELD;
}

std::size_t valid_utf8_prefix(std::string_view text) {
  std::size_t at = 0;
  while (at < text.size()) {
    const std::size_t length = sequence_length(text, at);
    if (length == 0) break;
    at += length;
  }
  return at;
}

Tokens lex(std::size_t begin, Reporter& reporter) {
  const std::string_view text = reporter.text();
  ByteStream bytes(text);
  grammar::CmlLexer lexer(&bytes);
  lexer.removeErrorListeners();
  Tokens tokens;
  tokens.list.reserve(text.size() / 4 + 16);
  tokens.notes.reserve(tokens.list.capacity());
  NestingMeter meter;
  WordChecker words(reporter);
  FormulaWords formulas;
  SetBraces sets;
  Trivia trivia(text, begin);
  std::ptrdiff_t open_braces = 0;
  bool quiet = false;
  while (true) {
    trivia.skip(tokens);
    bytes.seek(trivia.position);
    TokenPtr token = lexer.nextToken();
    const std::size_t type = token->getType();
    const auto column = static_cast<std::uint32_t>(trivia.position - trivia.line_begin);
    const bool first_on_line = std::exchange(trivia.new_line, false);
    trivia.position = bytes.index();
    if (type > CmlLexer::BLANK || type == CmlLexer::STRING) {
      const auto outcome = words.check(static_cast<antlr4::CommonToken&>(*token));
      if (reporter.too_many()) {
        tokens.hopeless = true;
        return tokens;
      }
      if (outcome == WordChecker::Outcome::Dropped) {
        // Neighbours on both sides may look odd now.
        if (!tokens.notes.empty()) tokens.notes.back().quiet = true;
        quiet = true;
        trivia.new_line = first_on_line;
        continue;
      }
      quiet = quiet || outcome == WordChecker::Outcome::Mended;
    }
    if (const std::size_t kind = sets.next(tokens.list, token->getType()); kind != type)
      static_cast<antlr4::CommonToken&>(*token).setType(kind);
    if (report_depth(meter.next(token->getType()), range_of(*token, reporter.file()), reporter)) {
      tokens.hopeless = true;
      return tokens;
    }
    if (type == CmlLexer::RBRACE || type == CmlLexer::LBRACE) {
      open_braces += type == CmlLexer::LBRACE ? 1 : -1;
      if (open_braces < -static_cast<std::ptrdiff_t>(Diagnostics::kMaxErrors)) {
        reporter
            .report(Code::UnmatchedBracket, range_of(*token, reporter.file()),
                    "this `}` closes nothing, like many before")
            .cure("is this a model?");
        tokens.hopeless = true;
        return tokens;
      }
    }
    tokens.notes.push_back({0, 0, column, first_on_line, quiet});
    quiet = false;
    tokens.list.push_back(std::move(token));
    decide_contextual(tokens.list);
    find_quantifier(tokens.list);
    find_declaration(tokens.list);
    formulas.find(tokens.list);
    find_mode(tokens.list);
    if (type == Token::EOF) return tokens;
  }
}

}  // namespace cml::syntax
