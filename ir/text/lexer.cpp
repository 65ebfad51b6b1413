#include "ir/text/lexer.h"

#include <array>
#include <cctype>
#include <charconv>

namespace cml::ir::text {
namespace {

bool is_word(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; }
bool is_digit(char c) { return c >= '0' && c <= '9'; }

/// The value of a string literal that begins at `at`; `at` ends up behind it.
std::optional<std::string> string_at(std::string_view text, std::size_t& at) {
  std::string value;
  for (++at; at < text.size() && text[at] != '"' && text[at] != '\n'; ++at) {
    if (text[at] != '\\') {
      value += text[at];
      continue;
    }
    if (++at == text.size()) return std::nullopt;
    if (text[at] == 'x' && at + 2 < text.size()) {
      int code = 0;
      std::from_chars(text.data() + at + 1, text.data() + at + 3, code, 16);
      value += static_cast<char>(code);
      at += 2;
    } else {
      value += text[at] == 'n' ? '\n' : text[at];
    }
  }
  if (at == text.size() || text[at] != '"') return std::nullopt;
  ++at;
  return value;
}

}  // namespace

std::optional<std::vector<Token>> tokenize(std::string_view text, std::uint32_t& error_line) {
  constexpr std::array<std::string_view, 9> kLongSigns = {
      "..", "->", "==", "!=", "<=", "&&", "||", "<<", ">>"};
  std::vector<Token> tokens;
  std::uint32_t line = 1;
  std::size_t at = 0;
  const auto push = [&](Token::Kind kind, std::string value) {
    Token token;
    token.kind = kind;
    token.text = std::move(value);
    token.line = line;
    tokens.push_back(std::move(token));
  };
  while (at < text.size()) {
    const char c = text[at];
    error_line = line;
    if (c == '\n') {
      push(Token::Kind::NewLine, "end of line");
      ++line;
      ++at;
    } else if (c == ' ' || c == '\t' || c == '\r') {
      ++at;
    } else if (c == ';') {
      while (at < text.size() && text[at] != '\n')
        ++at;
    } else if (c == '"') {
      std::optional<std::string> value = string_at(text, at);
      if (!value) return std::nullopt;
      push(Token::Kind::String, std::move(*value));
    } else if (is_digit(c) || (c == '-' && at + 1 < text.size() && is_digit(text[at + 1]))) {
      Token token;
      token.kind = Token::Kind::Number;
      token.line = line;
      const char* begin = text.data() + at;
      const auto [end, failure] = std::from_chars(begin, text.data() + text.size(), token.number);
      if (failure != std::errc()) return std::nullopt;
      token.text = std::string(begin, end);
      at += static_cast<std::size_t>(end - begin);
      tokens.push_back(std::move(token));
    } else if (is_word(c)) {
      std::size_t end = at;
      while (end < text.size() && is_word(text[end]))
        ++end;
      push(Token::Kind::Word, std::string(text.substr(at, end - at)));
      at = end;
    } else {
      std::string_view sign = text.substr(at, 1);
      for (const std::string_view candidate : kLongSigns)
        if (text.substr(at, candidate.size()) == candidate && candidate.size() > sign.size())
          sign = candidate;
      if (std::string_view("=:,()[]@-+*/%?<.!&|>").find(sign.front()) == std::string_view::npos)
        return std::nullopt;
      push(Token::Kind::Sign, std::string(sign));
      at += sign.size();
    }
  }
  push(Token::Kind::NewLine, "end of line");
  push(Token::Kind::End, "end of text");
  return tokens;
}

std::optional<std::uint32_t> numbered(const Token& token, char letter) {
  if (token.kind != Token::Kind::Word || token.text.size() < 2 || token.text.front() != letter)
    return std::nullopt;
  std::uint32_t number = 0;
  const char* end = token.text.data() + token.text.size();
  const auto [stop, failure] = std::from_chars(token.text.data() + 1, end, number);
  if (failure != std::errc() || stop != end) return std::nullopt;
  return number;
}

}  // namespace cml::ir::text
