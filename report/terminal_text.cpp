// Printable text, widths and colours for a terminal.
#include "report/terminal_text.h"

#include <algorithm>
#include <utf8proc.h>

namespace cml::report {
namespace {

constexpr std::string_view kReplacement = "\uFFFD";

std::string_view code(Paint paint) {
  switch (paint) {
    case Paint::Plain:
      return "";
    case Paint::Strong:
      return "\033[1m";
    case Paint::Error:
      return "\033[1;31m";
    case Paint::Warning:
      return "\033[1;33m";
    case Paint::Note:
      return "\033[1;36m";
    case Paint::Help:
      return "\033[1;32m";
    case Paint::Faint:
      return "\033[2m";
    case Paint::Code:
      return "\033[36m";
  }
  return "";
}

// Marks that reorder the text around them ("Trojan Source", CVE-2021-42574), and line separators.
bool misleads(std::int32_t point) {
  return (point >= 0x202A && point <= 0x202E) || (point >= 0x2066 && point <= 0x2069) ||
         point == 0x200E || point == 0x200F || point == 0x061C || point == 0x2028 ||
         point == 0x2029;
}

}  // namespace

std::string Colours::operator()(Paint paint, std::string_view text) const {
  const std::string_view start = code(paint);
  if (!on_ || start.empty() || text.empty()) return std::string(text);
  return std::string(start).append(text).append("\033[0m");
}

Glyph first_glyph(std::string_view text) {
  const auto byte = static_cast<unsigned char>(text.front());
  if (byte == '\t') return {text.substr(0, 1), 1, 0};
  if (byte < 0x80) {
    if (byte < 0x20 || byte == 0x7F) return {kReplacement, 1, 1};
    return {text.substr(0, 1), 1, 1};
  }
  std::int32_t point = 0;
  const auto length = utf8proc_iterate(reinterpret_cast<const utf8proc_uint8_t*>(text.data()),
                                       static_cast<utf8proc_ssize_t>(text.size()), &point);
  if (length <= 0) return {kReplacement, 1, 1};
  const auto bytes = static_cast<std::uint32_t>(length);
  const bool control = utf8proc_category(point) == UTF8PROC_CATEGORY_CC;
  if (control || misleads(point)) return {kReplacement, bytes, 1};
  return {text.substr(0, bytes), bytes, utf8proc_charwidth(point)};
}

std::string printable(std::string_view text) {
  std::string result;
  result.reserve(text.size());
  while (!text.empty()) {
    if (text.front() == '\n') {
      result += '\n';
      text.remove_prefix(1);
      continue;
    }
    const Glyph glyph = first_glyph(text);
    result += glyph.text;
    text.remove_prefix(glyph.bytes);
  }
  return result;
}

int display_width(std::string_view text) {
  int width = 0;
  while (!text.empty()) {
    const Glyph glyph = first_glyph(text);
    width += glyph.width;
    text.remove_prefix(glyph.bytes);
  }
  return width;
}

std::string wrapped(std::string_view text, int width, int indent, int first_column) {
  std::string result;
  int column = first_column;
  bool line_is_empty = true;
  while (!text.empty()) {
    const std::size_t begin = text.find_first_not_of(" \n");
    if (begin == std::string_view::npos) break;
    text.remove_prefix(begin);
    const std::size_t end = std::min(text.find_first_of(" \n"), text.size());
    const std::string_view word = text.substr(0, end);
    text.remove_prefix(end);
    const int word_width = display_width(word);
    if (!line_is_empty && column + 1 + word_width > width) {
      result += '\n';
      result.append(static_cast<std::size_t>(indent), ' ');
      column = indent;
      line_is_empty = true;
    }
    if (!line_is_empty) {
      result += ' ';
      ++column;
    }
    result += word;
    column += word_width;
    line_is_empty = false;
  }
  return result;
}

std::string padded(std::string text, int width) {
  const int missing = width - display_width(text);
  if (missing > 0) text.append(static_cast<std::size_t>(missing), ' ');
  return text;
}

std::string cut(std::string_view text, int width) {
  std::string out;
  int used = 0;
  while (!text.empty()) {
    const Glyph glyph = first_glyph(text);
    if (used + glyph.width > width - 1 && display_width(text) > width - used) return out + "…";
    out += glyph.text == "\t" ? std::string_view(" ") : glyph.text;
    used += glyph.width;
    text.remove_prefix(glyph.bytes);
  }
  return out;
}

}  // namespace cml::report
