#include "ir/text/cursor.h"

#include <fmt/format.h>

namespace cml::ir::text {

void Cursor::fail(std::string message) {
  if (!error_) error_ = TextError{peek().line, std::move(message)};
  at_ = tokens_.size() - 1;
}

const Token& Cursor::next() {
  const Token& token = tokens_[at_];
  if (at_ + 1 < tokens_.size()) ++at_;
  return token;
}

bool Cursor::take_word(std::string_view word) {
  if (peek().kind != Token::Kind::Word || peek().text != word) return false;
  next();
  return true;
}

bool Cursor::take_sign(std::string_view sign) {
  if (peek().kind != Token::Kind::Sign || peek().text != sign) return false;
  next();
  return true;
}

void Cursor::expect_word(std::string_view word) {
  if (!take_word(word)) fail(fmt::format("expected `{}`, found `{}`", word, peek().text));
}

void Cursor::expect_sign(std::string_view sign) {
  if (!take_sign(sign)) fail(fmt::format("expected `{}`, found `{}`", sign, peek().text));
}

std::string Cursor::expect_string() {
  if (peek().kind == Token::Kind::String) return next().text;
  fail(fmt::format("expected a string, found `{}`", peek().text));
  return "";
}

std::int32_t Cursor::expect_number() {
  if (peek().kind == Token::Kind::Number && peek().number >= INT32_MIN &&
      peek().number <= INT32_MAX)
    return static_cast<std::int32_t>(next().number);
  fail(fmt::format("expected a number of 32 bits, found `{}`", peek().text));
  return 0;
}

std::uint32_t Cursor::expect_count() {
  if (peek().kind == Token::Kind::Number && peek().number >= 0 && peek().number <= INT32_MAX)
    return static_cast<std::uint32_t>(next().number);
  fail(fmt::format("expected a number, found `{}`", peek().text));
  return 0;
}

std::uint32_t Cursor::expect_id(char letter) {
  if (const std::optional<std::uint32_t> number = numbered(peek(), letter)) {
    next();
    return *number;
  }
  fail(fmt::format("expected `{}` with a number, found `{}`", letter, peek().text));
  return 0;
}

void Cursor::expect_numbered(char letter, std::size_t number) {
  if (expect_id(letter) != number)
    fail(fmt::format("expected `{}{}`: numbers go up by one", letter, number));
}

void Cursor::end_line() {
  if (peek().kind != Token::Kind::NewLine)
    fail(fmt::format("expected the end of the line, found `{}`", peek().text));
  skip_new_lines();
}

void Cursor::skip_new_lines() {
  while (peek().kind == Token::Kind::NewLine)
    next();
}

}  // namespace cml::ir::text
