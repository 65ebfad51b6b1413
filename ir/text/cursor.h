// A cursor over tokens. The first error is kept; from then on every token is the end of the text,
// so that every loop ends.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "ir/text/lexer.h"
#include "ir/text/text.h"

namespace cml::ir::text {

class Cursor {
 public:
  explicit Cursor(std::vector<Token> tokens) : tokens_(std::move(tokens)) {}

  [[nodiscard]] const Token& peek() const { return tokens_[at_]; }
  const Token& next();
  [[nodiscard]] bool at_end() const { return peek().kind == Token::Kind::End; }
  [[nodiscard]] bool ok() const { return !error_.has_value(); }
  [[nodiscard]] const std::optional<TextError>& error() const { return error_; }
  void fail(std::string message);
  bool take_word(std::string_view word);
  bool take_sign(std::string_view sign);
  void expect_word(std::string_view word);
  void expect_sign(std::string_view sign);
  std::string expect_string();
  std::int32_t expect_number();
  std::uint32_t expect_count();
  std::uint32_t expect_id(char letter);
  void expect_numbered(char letter, std::size_t number);
  void end_line();
  void skip_new_lines();

  template <class T, class Parse>
  std::vector<T> list(Parse&& parse) {
    std::vector<T> items;
    do
      items.push_back(parse());
    while (ok() && take_sign(","));
    return items;
  }

 private:
  std::vector<Token> tokens_;  // the last one is the End
  std::size_t at_ = 0;
  std::optional<TextError> error_;
};

}  // namespace cml::ir::text
