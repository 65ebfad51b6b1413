// A text and its places as the protocol counts them: lines from 0, and in a line units of UTF-16,
// of which a character beyond U+FFFF has two. Everywhere else in this program places are bytes.
//
// A place that is not in the text is taken as the nearest one that is: clients are ahead of a
// server now and then, and a place in the middle of a character is one of its ends.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace cml::lsp {

struct Position {
  std::uint32_t line = 0;
  std::uint32_t character = 0;
  friend auto operator<=>(const Position&, const Position&) = default;
};

class Text {
 public:
  explicit Text(std::string text = {});

  [[nodiscard]] const std::string& text() const { return text_; }
  [[nodiscard]] std::size_t lines() const { return starts_.size(); }
  [[nodiscard]] Position position(std::size_t offset) const;
  [[nodiscard]] std::size_t offset(Position position) const;
  /// Without its line break.
  [[nodiscard]] std::string_view line(std::uint32_t number) const;
  /// Of a line and a column in code points, both from 1, as results have them.
  [[nodiscard]] std::size_t offset_of(std::uint32_t line, std::uint32_t column) const;
  void replace(Position begin, Position end, std::string_view by);

 private:
  std::string text_;
  std::vector<std::uint32_t> starts_;  // of lines
};

/// Units of UTF-16.
[[nodiscard]] std::uint32_t utf16_length(std::string_view text);

}  // namespace cml::lsp
