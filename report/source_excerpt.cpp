// Excerpts of source lines with carets.
#include "report/source_excerpt.h"

#include <algorithm>
#include <fmt/core.h>
#include <string_view>

namespace cml::report {
namespace {

constexpr int kTabStop = 4;
constexpr int kNumberWidth = 5;
constexpr int kGutterWidth = kNumberWidth + 3;  // "   13 | "
constexpr int kNarrowest = 20;
constexpr std::string_view kCut = "…";

// The part of a line that is shown, and where in it the carets stand.
struct Window {
  std::string text;
  int caret_column = 0;
  int caret_width = 0;
};

// Start of the character before `offset`. What is no UTF-8 counts byte by byte.
std::size_t previous(std::string_view line, std::size_t offset) {
  for (std::size_t length = 1; length <= 4 && length <= offset; ++length) {
    const std::size_t start = offset - length;
    if ((static_cast<unsigned char>(line[start]) & 0xC0U) == 0x80U) continue;
    return first_glyph(line.substr(start)).bytes == length ? start : offset - 1;
  }
  return offset - 1;
}

int width_of(const Glyph& glyph) { return glyph.text == "\t" ? kTabStop : glyph.width; }

// Goes back from `offset` by characters of at most `budget` columns.
std::size_t back(std::string_view line, std::size_t offset, int budget) {
  while (offset > 0) {
    const std::size_t before = previous(line, offset);
    budget -= width_of(first_glyph(line.substr(before)));
    if (budget < 0) break;
    offset = before;
  }
  return offset;
}

// End of what fits into `budget` columns from `offset` on.
std::size_t forward(std::string_view line, std::size_t offset, int budget) {
  while (offset < line.size()) {
    const Glyph glyph = first_glyph(line.substr(offset));
    budget -= width_of(glyph);
    if (budget < 0) break;
    offset += glyph.bytes;
  }
  return offset;
}

Window window(std::string_view line, std::size_t begin, std::size_t end, int columns) {
  begin = std::min(begin, line.size());
  end = std::clamp(end, begin, line.size());
  std::size_t first = 0;
  std::size_t last = forward(line, 0, columns);
  if (last < line.size()) {
    // Too long: a third of the room for what stands before the place, then what fits after it, and
    // what is left over at the line's end goes to the front again.
    const int room = columns - 2;
    first = back(line, begin, room / 3);
    last = forward(line, first, room);
    if (last == line.size()) first = std::min(first, back(line, last, room));
  }

  Window shown;
  int column = 0;
  if (first > 0) {
    shown.text += kCut;
    column = 1;
  }
  int caret_end = -1;
  for (std::size_t at = first;;) {
    if (at == begin || (at > begin && shown.caret_width == 0)) {
      shown.caret_column = column;
      shown.caret_width = 1;
    }
    if (at >= end && caret_end < 0) caret_end = column;
    if (at >= last) break;
    const Glyph glyph = first_glyph(line.substr(at));
    if (glyph.text == "\t") {
      const int spaces = kTabStop - column % kTabStop;
      shown.text.append(static_cast<std::size_t>(spaces), ' ');
      column += spaces;
    } else {
      shown.text += glyph.text;
      column += glyph.width;
    }
    at += glyph.bytes;
  }
  if (caret_end < 0) caret_end = column;
  shown.caret_width = std::max(1, caret_end - shown.caret_column);
  if (last < line.size()) shown.text += kCut;
  return shown;
}

class Excerpt {
 public:
  Excerpt(const SourceFile& file, Paint paint, const TextStyle& style)
      : file_(file), paint_(paint), style_(style) {}

  // Line `number` with carets under the file's bytes [begin, end).
  void line(std::uint32_t number, std::size_t begin, std::size_t end) {
    const std::string_view line = file_.line_text(number);
    // Not line_begin: a byte order mark is no part of the first line's text.
    const auto start = static_cast<std::size_t>(line.data() - file_.text().data());
    const auto within = [&](std::size_t offset) { return offset > start ? offset - start : 0; };
    const Window shown =
        window(line, within(begin), within(end), std::max(kNarrowest, style_.width - kGutterWidth));
    const std::string& text = shown.text;
    text_ += style_.colours(Paint::Faint, fmt::format("{:>{}} |", number, kNumberWidth));
    text_ += (text.empty() ? "" : " ") + text + "\n";
    text_ += style_.colours(Paint::Faint, fmt::format("{:>{}} |", "", kNumberWidth));
    text_ += std::string(static_cast<std::size_t>(shown.caret_column) + 1, ' ');
    text_ += style_.colours(paint_, std::string(static_cast<std::size_t>(shown.caret_width), '^')) +
             "\n";
  }

  void gap() {
    text_ += style_.colours(Paint::Faint, fmt::format("{:>{}} |", "...", kNumberWidth)) + "\n";
  }

  [[nodiscard]] std::string text() && { return std::move(text_); }

 private:
  const SourceFile& file_;
  Paint paint_;
  const TextStyle& style_;
  std::string text_;
};

}  // namespace

std::string source_excerpt(const SourceSet& sources, SourceRange where, Paint paint,
                           const TextStyle& style) {
  const SourceFile& file = sources.file(where.file);
  const std::uint32_t first = file.line_column(where.begin).line;
  // A range that ends with a line break ends on the line before.
  const std::uint32_t last_byte = where.end > where.begin ? where.end - 1 : where.begin;
  const std::uint32_t last = std::max(first, file.line_column(last_byte).line);

  Excerpt excerpt(file, paint, style);
  if (first == last) {
    excerpt.line(first, where.begin, std::max(where.end, where.begin));
  } else {
    excerpt.line(first, where.begin, file.text().size());
    if (last - first > 1) excerpt.gap();
    const std::size_t indent = file.line_text(last).find_first_not_of(" \t");
    const std::size_t begin = file.line_begin(last);
    excerpt.line(last, indent == std::string_view::npos ? begin : begin + indent, where.end);
  }
  return std::move(excerpt).text();
}

std::string place_text(const SourceSet& sources, SourceRange where) {
  const SourceFile& file = sources.file(where.file);
  const LineColumn place = file.line_column(where.begin);
  return fmt::format("{}:{}:{}", printable(file.name()), place.line, place.column);
}

std::string short_place(const SourceSet& sources, SourceRange where) {
  if (!where.file.valid()) return {};
  const SourceFile& file = sources.file(where.file);
  std::string line = std::to_string(file.line_column(where.begin).line);
  if (where.file == FileId(0)) return line;
  std::string_view name = file.name();
  if (file.origin() == Origin::User) {
    name.remove_prefix(name.rfind('/') + 1);
    name = name.substr(0, name.rfind('.'));
  } else {
    name.remove_prefix(name.rfind('.') + 1);
  }
  return fmt::format("{}:{}", name, line);
}

}  // namespace cml::report
