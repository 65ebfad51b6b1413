// From items to logical lines; see line_layout.h.
//
// One pass with a stack of open blocks. A line ends at `;`, at the `{` and the `}` of a block that
// is not kept on one line, and at the colon of a `case`; comments that follow on the same line
// belong to it.
#include "frontend/format/line_layout.h"

#include "frontend/format/blocks.h"
#include "frontend/format/spacing.h"

namespace cml::formatting {
namespace {

struct Frame {
  std::uint32_t indent = 0;       // of what it contains
  std::uint32_t line_indent = 0;  // of the line that opened it
  bool is_enum = false;
  bool in_case = false;           // a label has been seen: it contains cases
  std::uint32_t case_column = 0;  // where the last label stood in the text as written
};

class Layout {
 public:
  explicit Layout(const std::vector<Item>& items)
      : items_(items),
        blocks_(items),
        widths_(items.size() + 1, 0),
        breaks_(items.size() + 1, 0),
        obstacles_(items.size() + 1, 0) {
    for (std::size_t i = 0; i < items.size(); ++i) {
      const std::uint32_t space = i > 0 ? spaces_between(items[i - 1], items[i]) : 0;
      widths_[i + 1] = widths_[i] + space + items[i].width;
      breaks_[i + 1] = breaks_[i] + items[i].newlines_before;
      obstacles_[i + 1] = obstacles_[i] + (needs_line_break(i) ? 1 : 0);
    }
  }

  std::vector<LogicalLine> run() {
    std::size_t i = 0;
    while (i < items_.size())
      i = items_[i].is_comment() ? comment(i) : token(i);
    if (start_ < items_.size()) end_line(items_.size() - 1);  // never, if the text is well-formed
    return std::move(lines_);
  }

 private:
  /// A comment that cannot stand in the middle of a line.
  [[nodiscard]] bool needs_line_break(std::size_t i) const {
    const Item& item = items_[i];
    if (item.kind == ItemKind::LineComment || item.multi_line) return true;
    return item.is_comment() && item.newlines_before > 0 && line_ends_after(i);
  }

  /// There was a line break, or nothing, after the item.
  [[nodiscard]] bool line_ends_after(std::size_t i) const {
    return i + 1 >= items_.size() || items_[i + 1].newlines_before > 0;
  }

  [[nodiscard]] bool closes_block(std::size_t i) const {
    return i < items_.size() && items_[i].is("}");
  }

  /// Can everything from the start of this line to item `last` stand on it?
  [[nodiscard]] bool fits(std::size_t last) const {
    const std::uint32_t space = start_ > 0 ? spaces_between(items_[start_ - 1], items_[start_]) : 0;
    return obstacles_[last + 1] == obstacles_[start_] &&
           indent_ + (widths_[last + 1] - widths_[start_] - space) <= kMaxWidth;
  }

  // ---- lines ------------------------------------------------------------------------------------

  /// Ends the line at item `last` and the comments that follow it there; returns what comes next.
  std::size_t end_line(std::size_t last) {
    std::size_t next = last + 1;
    while (next < items_.size() && items_[next].is_comment() && items_[next].newlines_before == 0) {
      ++next;
    }
    // Without any line break the comments belong to what follows.
    if (!line_ends_after(next - 1) && !closes_block(next)) next = last + 1;
    const Item& first = items_[start_];
    const bool joined = first.is("}") || first.role == Role::ContinuesBlock;
    const bool blank = first.newlines_before > 1 && !lines_.empty() && !at_block_start_ && !joined;
    lines_.push_back({start_, next - 1, indent_, blank});
    start_ = next;
    only_comments_ = true;
    at_block_start_ = false;
    return next;
  }

  [[nodiscard]] std::uint32_t indent_of_statement() const {
    return frame().indent + (frame().in_case ? kLevel : 0);
  }

  std::size_t comment(std::size_t i) {
    if (!only_comments_) return i + 1;
    if (i == start_) indent_ = indent_of_comment(i);
    return line_ends_after(i) || closes_block(i + 1) ? end_line(i) : i + 1;
  }

  /// Between two cases, as at the end of the last one, it belongs to the statements before if it
  /// was written to the right of their label.
  [[nodiscard]] std::uint32_t indent_of_comment(std::size_t i) const {
    const std::size_t next = blocks_.next_token[i];
    const bool at_case_end =
        frame().in_case && (closes_block(next) || (next < items_.size() && blocks_.is_label[next]));
    if (at_case_end && items_[i].column <= frame().case_column) return frame().indent;
    return indent_of_statement();
  }

  // ---- tokens -----------------------------------------------------------------------------------

  std::size_t token(std::size_t i) {
    const Item& item = items_[i];
    if (item.is("}")) return close_block(i);
    if (only_comments_) {
      only_comments_ = false;
      if (blocks_.is_label[i]) {
        frame().in_case = true;
        frame().case_column = item.column;
        indent_ = frame().indent;
      } else {
        indent_ = indent_of_statement();
      }
    }
    if (item.is("{")) return open_block(i);
    if (item.is(";") || ends_enumerator(i)) return end_line(i);
    if (blocks_.case_end[i] != kNowhere) return end_label(i);
    return i + 1;
  }

  [[nodiscard]] bool ends_enumerator(std::size_t i) const {
    if (!frame().is_enum) return false;
    const std::size_t next = blocks_.next_token[i];
    return items_[i].is(",") || closes_block(next);
  }

  /// A block that is a value is followed by the `;` of its statement.
  [[nodiscard]] std::size_t with_semicolon(std::size_t brace) const {
    return brace + 1 < items_.size() && items_[brace + 1].is(";") ? brace + 1 : brace;
  }

  std::size_t open_block(std::size_t i) {
    const std::size_t end = blocks_.chain_end[i];
    const bool last_of_chain = end == blocks_.partner[i];
    if (end != kNowhere) {
      const std::size_t last = with_semicolon(end);
      if (last_of_chain && end == i + 1) return end_line(last);  // {}
      if (!blocks_.continues[i] && blocks_.written_on_one_line[i] && fits(last)) {
        return end_line(last);
      }
    }
    const bool is_enum = items_[i].role == Role::EnumBrace;
    const std::size_t next = end_line(i);
    frames_.push_back({indent_ + kLevel, indent_, is_enum, false, 0});
    at_block_start_ = true;
    return next;
  }

  std::size_t close_block(std::size_t i) {
    if (start_ < i) end_line(i - 1);
    indent_ = frame().line_indent;
    if (frames_.size() > 1) frames_.pop_back();
    only_comments_ = false;
    const std::size_t next = blocks_.next_token[i];
    const bool goes_on = next < items_.size() && items_[next].role == Role::ContinuesBlock &&
                         obstacles_[next] == obstacles_[i];
    return goes_on ? next : end_line(with_semicolon(i));
  }

  std::size_t end_label(std::size_t colon) {
    const std::size_t end = blocks_.case_end[colon];
    const bool on_one_line = breaks_[end + 1] == breaks_[colon + 1];
    if (end != colon && on_one_line && fits(end)) return end_line(end);
    const std::size_t next = end_line(colon);
    at_block_start_ = true;
    return next;
  }

  [[nodiscard]] Frame& frame() { return frames_.back(); }
  [[nodiscard]] const Frame& frame() const { return frames_.back(); }

  const std::vector<Item>& items_;
  Blocks blocks_;
  std::vector<std::uint32_t> widths_;     // of the items before i, side by side
  std::vector<std::uint32_t> breaks_;     // line breaks in the text before item i
  std::vector<std::uint32_t> obstacles_;  // items before i that need a line break
  std::vector<Frame> frames_{1};
  std::vector<LogicalLine> lines_;

  // The line that is being collected.
  std::size_t start_ = 0;
  std::uint32_t indent_ = 0;
  bool only_comments_ = true;
  bool at_block_start_ = false;
};

}  // namespace

std::vector<LogicalLine> lay_out(const std::vector<Item>& items) { return Layout(items).run(); }

}  // namespace cml::formatting
