// Tokens of the textual form, and a cursor over them.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace cml::ir::text {

struct Token {
  enum class Kind : std::uint8_t { Word, Number, String, Sign, NewLine, End };
  Kind kind = Kind::End;
  std::string text;         // of a string: its value
  std::int64_t number = 0;  // Number
  std::uint32_t line = 1;
};

/// Nothing if there is a character that cannot be part of a token, or an unclosed string;
/// `error_line` says where.
[[nodiscard]] std::optional<std::vector<Token>> tokenize(std::string_view text,
                                                         std::uint32_t& error_line);

/// A word of a letter and a number ("o12"): the number, if the letter is the one asked for.
[[nodiscard]] std::optional<std::uint32_t> numbered(const Token& token, char letter);

}  // namespace cml::ir::text
