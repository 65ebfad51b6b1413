// The words of a text as the formatter sees them: tokens and comments in one list, with what was
// between.
//
// This is a scanner of its own, beside the grammar's: it keeps comments in line with the tokens and
// knows about line breaks, and all it has to know of the language is where a word ends. The text
// has been parsed before, so nothing in it is malformed; if it were, the scanner would still return
// every byte that is not white space, in order. (docs/reference.md, "Lexical structure")
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

namespace cml::formatting {

/// A tab goes on to the next column that is a multiple of this.
inline constexpr std::uint32_t kTabStop = 8;

enum class ItemKind : std::uint8_t { Word, Number, String, Symbol, LineComment, BlockComment };

/// What the tree says about a symbol or word that could mean several things.
enum class Role : std::uint8_t {
  Plain,
  Prefix,        // unary -, ! and ~
  Binary,        // with its rank in `Item::rank`
  ShiftHead,     // the first > of >>, which is two tokens
  Group,         // ( of a parenthesised expression, not of a call or a list of parameters
  ArrayLiteral,  // [ of an array literal, not of an index or a size
  OpenTypes,     // < and > around type arguments or parameters
  CloseTypes,    //
  Nullable,      // ? of a type
  Conditional,   // ? and : of c ? a : b
  Clause,  // the word that begins a clause of a declaration: guarded, capacity, when, until, …
  ContinuesBlock,   // else and or after a }
  QuantifierColon,  // : of forall i in r: e
  EnumBrace,        // { of an enum: its parts are separated by commas
  SetBrace,         // { and } of a set, which are no braces of a block
};

struct Item {
  ItemKind kind = ItemKind::Symbol;
  Role role = Role::Plain;
  std::uint8_t rank = 0;              // of a binary operator: 0 is the loosest
  bool multi_line = false;            // a block comment with a line break in it
  std::uint32_t begin = 0;            // offset in the text
  std::uint32_t newlines_before = 0;  // line breaks between the item before and this one
  std::uint32_t column = 0;           // of its first character, from 0, in the text as written
  std::uint32_t width = 0;            // columns of its text, or of its first line
  std::string_view text;

  [[nodiscard]] bool is_comment() const {
    return kind == ItemKind::LineComment || kind == ItemKind::BlockComment;
  }
  [[nodiscard]] bool is(std::string_view spelling) const {
    return text == spelling && role != Role::SetBrace;
  }
  [[nodiscard]] bool opens_set() const { return role == Role::SetBrace && text == "{"; }
  [[nodiscard]] bool closes_set() const { return role == Role::SetBrace && text == "}"; }
};

/// All tokens and comments of `text`, in order. Line comments come without trailing white space.
[[nodiscard]] std::vector<Item> scan(std::string_view text);

/// How many columns a text takes: its code points.
[[nodiscard]] std::uint32_t width_of(std::string_view text);

/// The lines of a block comment, without their trailing white space; line ends may be LF, CRLF or
/// CR.
[[nodiscard]] std::vector<std::string_view> lines_of(std::string_view comment);

/// The text without spaces and tabs at its end.
[[nodiscard]] std::string_view without_trailing_space(std::string_view text);

}  // namespace cml::formatting
