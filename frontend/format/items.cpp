// The formatter's scanner; see items.h.
#include "frontend/format/items.h"

#include <array>

namespace cml::formatting {
namespace {

constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";

// Symbols of more than one character; a longer one stands before those that it begins with.
constexpr std::array<std::string_view, 16> kLongSymbols = {
    "..<", "<<", "..", "&&", "||", "==", "!=", "<=",
    ">=",  "+=", "-=", "*=", "/=", "%=", "//", "/*"};

bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_word(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || is_digit(c);
}
bool is_space(char c) { return c == ' ' || c == '\t' || c == '\r' || c == '\n'; }
bool begins_code_point(char c) { return (static_cast<unsigned char>(c) & 0xC0U) != 0x80U; }

class Scanner {
 public:
  explicit Scanner(std::string_view text) : text_(text) {
    if (text_.starts_with(kByteOrderMark)) at_ = kByteOrderMark.size();
  }

  std::vector<Item> all() {
    std::vector<Item> items;
    for (;;) {
      const std::uint32_t newlines = skip_space();
      if (at_ >= text_.size()) return items;
      Item item;
      item.newlines_before = newlines;
      item.begin = static_cast<std::uint32_t>(at_);
      item.column = column_;
      const std::size_t end = end_of(item.kind);
      item.text = text_.substr(at_, end - at_);
      for (; at_ < end; ++at_)
        advance(item.text[at_ - item.begin], item);
      if (item.kind == ItemKind::LineComment) item.text = without_trailing_space(item.text);
      item.width = width_of(item.multi_line ? lines_of(item.text).front() : item.text);
      items.push_back(item);
    }
  }

 private:
  /// Returns the number of line breaks skipped.
  std::uint32_t skip_space() {
    std::uint32_t newlines = 0;
    for (; at_ < text_.size() && is_space(text_[at_]); ++at_) {
      const char c = text_[at_];
      if (c == '\n' || (c == '\r' && !(at_ + 1 < text_.size() && text_[at_ + 1] == '\n'))) {
        ++newlines;
        column_ = 0;
      } else if (c == '\t') {
        column_ += kTabStop - column_ % kTabStop;
      } else if (c == ' ') {
        ++column_;
      }
    }
    return newlines;
  }

  void advance(char c, Item& item) {
    if (c == '\n' || c == '\r') {
      item.multi_line = true;
      column_ = 0;
    } else if (begins_code_point(c)) {
      ++column_;
    }
  }

  /// Where the item that begins here ends; sets its kind.
  [[nodiscard]] std::size_t end_of(ItemKind& kind) const {
    const char first = text_[at_];
    std::size_t end = at_ + 1;
    if (is_word(first)) {
      kind = is_digit(first) ? ItemKind::Number : ItemKind::Word;
      while (end < text_.size() && is_word(text_[end]))
        ++end;
      return end;
    }
    if (first == '"') {
      kind = ItemKind::String;
      for (; end < text_.size() && text_[end] != '\n' && text_[end] != '\r'; ++end) {
        if (text_[end] == '"') return end + 1;
        if (text_[end] == '\\' && end + 1 < text_.size()) ++end;
      }
      return std::min(end, text_.size());
    }
    for (const std::string_view symbol : kLongSymbols) {
      if (!text_.substr(at_).starts_with(symbol)) continue;
      if (symbol == "//") {
        kind = ItemKind::LineComment;
        return std::min(text_.find_first_of("\r\n", at_), text_.size());
      }
      if (symbol == "/*") {
        kind = ItemKind::BlockComment;
        const std::size_t close = text_.find("*/", at_ + 2);
        return close == std::string_view::npos ? text_.size() : close + 2;
      }
      kind = ItemKind::Symbol;
      return at_ + symbol.size();
    }
    kind = ItemKind::Symbol;
    return end;
  }

  std::string_view text_;
  std::size_t at_ = 0;
  std::uint32_t column_ = 0;
};

}  // namespace

std::vector<Item> scan(std::string_view text) { return Scanner(text).all(); }

std::uint32_t width_of(std::string_view text) {
  std::uint32_t width = 0;
  for (const char c : text)
    width += begins_code_point(c) ? 1 : 0;
  return width;
}

std::string_view without_trailing_space(std::string_view text) {
  const std::size_t last = text.find_last_not_of(" \t");
  return last == std::string_view::npos ? std::string_view{} : text.substr(0, last + 1);
}

std::vector<std::string_view> lines_of(std::string_view comment) {
  std::vector<std::string_view> lines;
  for (;;) {
    const std::size_t end = comment.find_first_of("\r\n");
    lines.push_back(without_trailing_space(comment.substr(0, end)));
    if (end == std::string_view::npos) return lines;
    comment.remove_prefix(end + (comment.substr(end).starts_with("\r\n") ? 2 : 1));
  }
}

}  // namespace cml::formatting
