// Finds the gaps of a logical line; see wrap.h.
#include "frontend/format/wrap.h"

#include <limits>

#include "frontend/format/spacing.h"

namespace cml::formatting {
namespace {

// Looseness within one bracket depth; behind kOperator come the ranks of the binary operators.
constexpr std::uint32_t kClause = 0;
constexpr std::uint32_t kComma = 1;
constexpr std::uint32_t kAssignment = 2;
constexpr std::uint32_t kConditional = 3;
constexpr std::uint32_t kOperator = 4;
constexpr std::uint32_t kLevelsPerDepth = 16;
constexpr std::uint32_t kNoLevel = std::numeric_limits<std::uint32_t>::max();

bool is_assignment(const Item& item) {
  return item.kind == ItemKind::Symbol && item.role == Role::Plain && item.text.ends_with('=');
}

class Finder {
 public:
  Finder(const std::vector<Item>& items, const LogicalLine& line)
      : items_(items),
        first_(line.first),
        size_(line.last - line.first + 1),
        gaps_(size_),
        levels_(size_, kNoLevel),
        stops_(size_ + 1, false) {}

  std::vector<Gap> run() {
    find_tokens();
    for (std::size_t k = 1; k < size_; ++k) {
      gaps_[k].spaces = spaces_between(item(k - 1), item(k));
      if (must_break(k)) gaps_[k].rule = Break::Always;
      // What stands at the end of a line is not counted.
      stops_[k] = gaps_[k].rule == Break::Always || k > last_token_ ||
                  item(k).kind == ItemKind::LineComment;
    }
    stops_[size_] = true;
    find_levels();
    find_pieces();
    return std::move(gaps_);
  }

 private:
  [[nodiscard]] const Item& item(std::size_t k) const { return items_[first_ + k]; }

  void find_tokens() {
    bool seen = false;
    for (std::size_t k = 0; k < size_; ++k) {
      if (item(k).is_comment()) continue;
      if (!seen) first_token_ = k;
      seen = true;
      last_token_ = k;
    }
    if (!seen) first_token_ = size_;
  }

  [[nodiscard]] bool written_below(std::size_t k) const {
    return first_ + k < items_.size() && item(k).newlines_before > 0;
  }
  /// A block comment amid tokens that had, or needs, lines of its own.
  [[nodiscard]] bool stands_alone(std::size_t k) const {
    if (item(k).kind != ItemKind::BlockComment || k < first_token_ || k > last_token_) return false;
    return item(k).multi_line || (written_below(k) && written_below(k + 1));
  }
  [[nodiscard]] bool must_break(std::size_t k) const {
    if (item(k - 1).kind == ItemKind::LineComment) return true;
    if (item(k).kind == ItemKind::LineComment) return k <= last_token_ && written_below(k);
    return stands_alone(k - 1) || stands_alone(k);
  }

  void find_levels() {
    // From gap k the next token is reached without a forced break.
    std::vector<bool> reaches_token(size_ + 1, false);
    for (std::size_t k = size_; k-- > 1;) {
      reaches_token[k] = gaps_[k].rule != Break::Always &&
                         (!item(k).is_comment() ||
                          (item(k).kind == ItemKind::BlockComment && reaches_token[k + 1]));
    }
    std::uint32_t depth = 0;
    for (std::size_t k = 0; k < size_; ++k) {
      if (k > first_token_ && k <= last_token_ && reaches_token[k] && !item(k - 1).is_comment()) {
        find_level(k, depth);
      }
      const Item& here = item(k);
      if (here.is("(") || here.is("[") || here.role == Role::OpenTypes || here.opens_set()) ++depth;
      if (here.is(")") || here.is("]") || here.role == Role::CloseTypes || here.closes_set())
        depth -= depth > 0 ? 1 : 0;
    }
  }

  void find_level(std::size_t k, std::uint32_t depth) {
    const auto set = [&](std::uint32_t looseness, Break rule) {
      levels_[k] = depth * kLevelsPerDepth + looseness;
      gaps_[k].rule = rule;
    };
    const Item& left = item(k - 1);
    if (item(k).role == Role::Clause) {
      set(kClause, Break::IfTooLong);
    } else if (left.is(",")) {
      set(kComma, Break::IfTooLong);
    } else if (left.role == Role::Conditional) {
      set(kConditional, Break::IfTooLong);
    } else if (left.role == Role::Binary) {
      set(kOperator + left.rank, Break::IfTooLong);
    } else if (is_assignment(left)) {
      set(kAssignment, Break::IfItHelps);
    } else if ((left.is("(") || left.is("[")) && !item(k).is(")") && !item(k).is("]")) {
      set(kComma, Break::IfItHelps);
    }
  }

  /// From the right, with a stack of the gaps that are not hidden behind one of an outer or the
  /// same level.
  void find_pieces() {
    std::vector<std::size_t> outer;
    std::size_t next_gap = size_;
    std::vector<std::uint32_t> width(size_ + 1, 0);  // of the items from k on
    for (std::size_t k = size_; k-- > 0;) {
      const std::uint32_t space = k + 1 < size_ ? gaps_[k + 1].spaces : 0;
      width[k] = width[k + 1] + space + item(k).width;
    }
    const auto width_between = [&](std::size_t from, std::size_t to) {
      return width[from] - width[to] - (to < size_ ? gaps_[to].spaces : 0);
    };
    for (std::size_t k = size_; k-- > 1;) {
      if (stops_[k]) {
        outer.assign(1, k);
        next_gap = k;
        continue;
      }
      if (levels_[k] == kNoLevel) continue;
      while (!outer.empty() && !stops_[outer.back()] && levels_[outer.back()] > levels_[k]) {
        outer.pop_back();
      }
      const std::size_t end = outer.empty() ? size_ : outer.back();
      gaps_[k].piece_width = width_between(k, gaps_[k].rule == Break::IfItHelps ? next_gap : end);
      outer.push_back(k);
      next_gap = k;
    }
  }

  const std::vector<Item>& items_;
  std::size_t first_;
  std::size_t size_;
  std::vector<Gap> gaps_;
  std::vector<std::uint32_t> levels_;
  std::vector<bool> stops_;  // the line ends before item k, as far as widths are concerned
  std::size_t first_token_ = 0;
  std::size_t last_token_ = 0;
};

}  // namespace

std::vector<Gap> find_gaps(const std::vector<Item>& items, const LogicalLine& line) {
  return Finder(items, line).run();
}

}  // namespace cml::formatting
