#include "lsp/text.h"

#include <algorithm>
#include <utility>

#include "support/lines.h"

namespace cml::lsp {
namespace {

bool continues(char c) { return (static_cast<unsigned char>(c) & 0xC0U) == 0x80U; }

/// Bytes of the character that begins here; one, if it is none.
std::size_t length_at(std::string_view text, std::size_t at) {
  std::size_t end = at + 1;
  if (static_cast<unsigned char>(text[at]) < 0xC0U) return 1;
  while (end < text.size() && end < at + 4 && continues(text[end]))
    ++end;
  return end - at;
}

std::uint32_t units(std::size_t bytes) { return bytes == 4 ? 2 : 1; }

}  // namespace

std::uint32_t utf16_length(std::string_view text) {
  std::uint32_t length = 0;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t bytes = length_at(text, at);
    length += units(bytes);
    at += bytes;
  }
  return length;
}

Text::Text(std::string text) : text_(std::move(text)), starts_(line_starts(text_)) {}

std::string_view Text::line(std::uint32_t number) const {
  if (number >= starts_.size()) return {};
  const std::size_t begin = starts_[number];
  std::size_t end = number + 1 < starts_.size() ? starts_[number + 1] : text_.size();
  while (end > begin && (text_[end - 1] == '\n' || text_[end - 1] == '\r'))
    --end;
  return std::string_view(text_).substr(begin, end - begin);
}

Position Text::position(std::size_t offset) const {
  offset = std::min(offset, text_.size());
  const auto after = std::ranges::upper_bound(starts_, offset);
  const auto line = static_cast<std::uint32_t>(after - starts_.begin() - 1);
  const std::string_view before =
      std::string_view(text_).substr(starts_[line], offset - starts_[line]);
  return {line, utf16_length(before)};
}

std::size_t Text::offset(Position position) const {
  if (position.line >= starts_.size()) return text_.size();
  const std::string_view all = line(position.line);
  std::size_t at = 0;
  for (std::uint32_t character = 0; at < all.size() && character < position.character;) {
    const std::size_t bytes = length_at(all, at);
    character += units(bytes);
    at += bytes;
  }
  return starts_[position.line] + at;
}

std::size_t Text::offset_of(std::uint32_t number, std::uint32_t column) const {
  if (number == 0 || number > starts_.size()) return text_.size();
  const std::string_view all = line(number - 1);
  std::size_t at = 0;
  for (std::uint32_t passed = 1; at < all.size() && passed < column; ++passed)
    at += length_at(all, at);
  return starts_[number - 1] + at;
}

void Text::replace(Position begin, Position end, std::string_view by) {
  const std::size_t from = offset(begin);
  const std::size_t to = std::max(offset(end), from);
  text_.replace(from, to - from, by);
  starts_ = line_starts(text_);
}

}  // namespace cml::lsp
