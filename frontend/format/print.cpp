// Writes logical lines; see print.h.
#include "frontend/format/print.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "frontend/format/spacing.h"
#include "frontend/format/wrap.h"

namespace cml::formatting {
namespace {

constexpr std::uint32_t kBeforeComment = 2;  // spaces, at least

struct Line {
  std::string code;            // indented
  std::uint32_t width = 0;     // of `code`
  std::string_view comment{};  // a line comment behind code
  std::uint32_t indent = 0;
  std::size_t statement = 0;  // which logical line it is part of
  bool blank_before = false;

  [[nodiscard]] std::uint32_t comment_end() const {
    return width + kBeforeComment + width_of(comment);
  }
};

class Printer {
 public:
  explicit Printer(const std::vector<Item>& items) : items_(items) {}

  void add(const LogicalLine& line) {
    const std::vector<Gap> gaps = find_gaps(items_, line);
    new_line(line.indent);
    lines_.back().blank_before = line.blank_before;
    for (std::size_t i = line.first; i <= line.last; ++i) {
      const Item& item = items_[i];
      if (i > line.first && is_broken(gaps[i - line.first], line)) {
        new_line(line.indent + (item.is("{") ? 0 : kContinuation));
      } else if (i > line.first) {
        if (item.kind == ItemKind::LineComment) {
          lines_.back().comment = item.text;
          continue;
        }
        append_spaces(gaps[i - line.first].spaces);
      }
      append(item);
    }
    ++statement_;
  }

  /// Comments behind neighbouring lines start in the same column, as far as the width allows.
  void align_comments() {
    for (std::size_t first = 0; first < lines_.size();) {
      std::size_t end = first + 1;
      if (!lines_[first].comment.empty()) {
        std::uint32_t width = lines_[first].width;
        std::uint32_t comment = width_of(lines_[first].comment);
        for (; end < lines_.size() && aligned(lines_[end - 1], lines_[end]); ++end) {
          const std::uint32_t new_width = std::max(width, lines_[end].width);
          const std::uint32_t new_comment = std::max(comment, width_of(lines_[end].comment));
          if (new_width + kBeforeComment + new_comment > kMaxWidth) break;
          width = new_width;
          comment = new_comment;
        }
        for (std::size_t i = first; i < end; ++i) {
          Line& line = lines_[i];
          line.code.append(width - line.width + kBeforeComment, ' ').append(line.comment);
        }
      }
      first = end;
    }
  }

  [[nodiscard]] std::string text() const {
    std::string text;
    for (const Line& line : lines_) {
      if (line.blank_before) text += '\n';
      text.append(line.code) += '\n';
    }
    return text;
  }

 private:
  static bool aligned(const Line& above, const Line& below) {
    return !below.comment.empty() && !below.blank_before &&
           (above.indent == below.indent || above.statement == below.statement) &&
           above.comment_end() <= kMaxWidth && below.comment_end() <= kMaxWidth;
  }

  [[nodiscard]] bool is_broken(const Gap& gap, const LogicalLine& line) const {
    const std::uint32_t indent = line.indent + kContinuation;
    const std::uint32_t here = lines_.back().width + gap.spaces;
    switch (gap.rule) {
      case Break::Never:
        return false;
      case Break::Always:
        return true;
      case Break::IfTooLong:
        return here + gap.piece_width > kMaxWidth && indent < here;
      case Break::IfItHelps:
        return here + gap.piece_width > kMaxWidth && indent + gap.piece_width <= kMaxWidth;
    }
    return false;
  }

  void new_line(std::uint32_t indent) {
    lines_.push_back({std::string(indent, ' '), indent, {}, indent, statement_, false});
  }
  void append_spaces(std::uint32_t count) {
    lines_.back().code.append(count, ' ');
    lines_.back().width += count;
  }

  void append(const Item& item) {
    if (item.multi_line) return append_block_comment(item);
    append_text(item.text);
  }

  /// The lines below the first move with it; where each begins with a star, the stars form a
  /// column.
  void append_block_comment(const Item& item) {
    const std::vector<std::string_view> texts = lines_of(item.text);
    const bool has_stars = std::all_of(texts.begin() + 1, texts.end(), [](std::string_view text) {
      const std::size_t first = text.find_first_not_of(" \t");
      return first != std::string_view::npos && text[first] == '*';
    });
    const std::uint32_t column = lines_.back().width;
    const std::int64_t shift = std::int64_t{column} - std::int64_t{item.column};
    append_text(texts.front());
    for (std::size_t i = 1; i < texts.size(); ++i) {
      std::string_view text = texts[i];
      std::uint32_t indent = 0;
      while (!text.empty() && (text.front() == ' ' || text.front() == '\t')) {
        indent += text.front() == ' ' ? 1 : kTabStop - indent % kTabStop;
        text.remove_prefix(1);
      }
      new_line(0);
      if (text.empty()) continue;
      const std::int64_t moved = std::max<std::int64_t>(std::int64_t{indent} + shift, 0);
      append_spaces(has_stars ? column + 1 : static_cast<std::uint32_t>(moved));
      append_text(text);
    }
  }

  void append_text(std::string_view text) {
    lines_.back().code += text;
    lines_.back().width += width_of(text);
  }

  const std::vector<Item>& items_;
  std::vector<Line> lines_;
  std::size_t statement_ = 0;
};

}  // namespace

std::string print(const std::vector<Item>& items, const std::vector<LogicalLine>& lines) {
  Printer printer(items);
  for (const LogicalLine& line : lines)
    printer.add(line);
  printer.align_comments();
  return printer.text();
}

}  // namespace cml::formatting
