// The fixed point: widening to the type, then a few narrowing iterations.
#include "ir/analysis/value_ranges.h"

#include <algorithm>
#include <bit>
#include <optional>
#include <utility>
#include <variant>

#include "ir/analysis/code_flow.h"
#include "ir/describe.h"
#include "support/mutation.h"

namespace cml::ir {
namespace {

using Range = ValueRanges::Range;
using Ranges = std::vector<Range>;  // by slot

constexpr std::size_t kMaxRanges = std::size_t{1} << 18;
constexpr std::uint32_t kPatience = 3;  // how often a range may grow before it is widened
constexpr unsigned kDescents = 3;

Range join(const Range& a, const Range& b) { return {std::min(a.lo, b.lo), std::max(a.hi, b.hi)}; }

class RangeFlow {
 public:
  RangeFlow(const System& system, const Code& code, const StopToken& stop)
      : system_(system), code_(code), stop_(stop) {
    for (const SlotInfo& slot : code.slots) {
      types_.push_back({std::min(slot.type.lo, 0), std::max(slot.type.hi, 0)});
      all_.push_back({0, 0});
    }
  }

  void run() {
    rise();
    std::vector<std::optional<Ranges>> back(before_.size());
    for (Pc pc = 0; pc < before_.size(); ++pc)
      if (before_[pc])
        transfer(pc, *before_[pc], [&](Pc to, const Ranges& ranges) {
          if (to <= pc) add(back[to], ranges);
        });
    for (unsigned i = 0; i < kDescents; ++i)
      back = descend(back);
  }
  [[nodiscard]] const std::optional<Ranges>& before(Pc pc) const { return before_[pc]; }
  [[nodiscard]] const Ranges& types() const { return types_; }
  /// All values that were assigned, in the last narrowing iteration.
  [[nodiscard]] const Ranges& all() const { return all_; }

 private:
  void rise() {
    before_.resize(code_.instructions.size());
    std::vector<std::uint32_t> grown(before_.size(), 0);
    before_[0] = Ranges(types_.size());
    std::vector<Pc> work{0};
    while (!work.empty()) {
      const Pc pc = work.back();
      work.pop_back();
      stop_.poll(1 + types_.size());
      transfer(pc, *before_[pc], [&](Pc to, const Ranges& ranges) {
        std::optional<Ranges>& there = before_[to];
        if (!there) {
          there = ranges;
          return work.push_back(to);
        }
        bool grows = false;
        // Every cycle contains a backward jump.
        const bool is_impatient = to <= pc && grown[to] >= kPatience;
        for (Slot slot = 0; slot < types_.size(); ++slot) {
          Range& range = (*there)[slot];
          Range joined = join(range, ranges[slot]);
          if (joined == range) continue;
          if (is_impatient && joined.lo < range.lo) joined.lo = types_[slot].lo;
          if (is_impatient && joined.hi > range.hi) joined.hi = types_[slot].hi;
          range = joined;
          grows = true;
        }
        if (!grows) return;
        if (to <= pc) ++grown[to];
        work.push_back(to);
      });
    }
  }

  static void add(std::optional<Ranges>& there, const Ranges& ranges) {
    if (!there) {
      there = ranges;
      return;
    }
    for (Slot slot = 0; slot < ranges.size(); ++slot)
      (*there)[slot] = join((*there)[slot], ranges[slot]);
  }
  // One narrowing iteration. `back`: the ranges that backward jumps propagated in the last one; it
  // returns those that they propagate now.
  std::vector<std::optional<Ranges>> descend(std::vector<std::optional<Ranges>>& back) {
    all_.assign(types_.size(), {0, 0});
    std::vector<std::optional<Ranges>> again(before_.size());
    before_ = std::move(back);
    add(before_[0], Ranges(types_.size()));
    for (Pc pc = 0; pc < before_.size(); ++pc)
      if (before_[pc])
        transfer(pc, *before_[pc], [&](Pc to, const Ranges& ranges) {
          if (to <= pc && CML_MUTATION("loops-are-left-after-one-round")) return;
          add(to <= pc ? again[to] : before_[to], ranges);
        });
    return again;
  }

  // ---- instructions ----------------------------------------------------------------------------

  /// Calls `reach(Pc, Ranges)` for all successors.
  template <class Reach>
  void transfer(Pc pc, const Ranges& before, Reach reach) {
    const Operation& node = code_.instructions[pc].node;
    if (const auto* branch = std::get_if<Branch>(&node)) {
      Ranges yes = before;
      if (believe(branch->condition, true, yes)) reach(branch->if_true, yes);
      Ranges no = before;
      if (believe(branch->condition, false, no)) reach(branch->if_false, no);
      return;
    }
    Ranges after = before;
    if (!execute(node, after)) return;
    next_.clear();
    successors(code_, pc, next_);
    for (const Pc to : next_)
      reach(to, after);
  }

  /// False: the thread certainly stops there.
  bool execute(const Operation& node, Ranges& ranges) {
    return std::visit([&](const auto& kind) { return execute(kind, ranges); }, node);
  }
  bool execute(const Set& node, Ranges& ranges) {
    Interval value = this->value(node.value, ranges);
    value.lo = std::max<std::int64_t>(value.lo, node.bounds.lo);
    value.hi = std::min<std::int64_t>(value.hi, node.bounds.hi);
    if (value.lo > value.hi) return false;
    const Expr& expr = system_.exprs[node.value];
    if (expr.op == ExprOp::Bound) meet(expr.a, 0, std::int64_t{expr.value} - 1, ranges);
    assign(node.target, value, ranges);
    return true;
  }
  bool execute(const Guard& node, Ranges& ranges) { return believe(node.condition, true, ranges); }
  bool execute(const Read& node, Ranges& ranges) {
    for (std::size_t i = 0; i < node.targets.size(); ++i)
      assign(node.targets[i], of_objects(node.place, node.word + i), ranges);
    return true;
  }
  bool execute(const ReadConstant& node, Ranges& ranges) {
    return execute(static_cast<const Read&>(node), ranges);
  }
  bool execute(const Begin& node, Ranges& ranges) {
    for (std::size_t i = 0; i < node.targets.size(); ++i)
      assign(node.targets[i], of_objects(node.thread, i), ranges);
    return true;
  }
  bool execute(const Spawn& node, Ranges& ranges) {
    if (!node.target) return true;
    const std::uint32_t count = node.thread.index ? node.thread.count : 1;
    const std::int64_t first = system_.objects[node.thread.base].thread.index + std::int64_t{1};
    assign(*node.target, {first, first + count - 1}, ranges);
    return true;
  }
  bool execute(const Choose& node, Ranges& ranges) {
    const Interval lo = value(node.lo, ranges);
    const Interval hi = value(node.hi, ranges);
    if (lo.lo > hi.hi) return false;
    if (node.among) {
      const auto last = static_cast<std::int64_t>(std::bit_width(
          static_cast<std::uint64_t>(std::max<std::int64_t>(value(*node.among, ranges).hi, 1))));
      assign(node.target, {0, last - 1}, ranges);
    } else {
      assign(node.target, {lo.lo, hi.hi}, ranges);
    }
    return true;
  }
  // Where it fails, a receive leaves its targets unchanged.
  bool execute(const Receive& node, Ranges& ranges) {
    receives(node.channel, node.targets, ranges);
    if (node.success) assign(*node.success, {0, 1}, ranges);
    return true;
  }
  bool execute(const Select& node, Ranges& ranges) {
    for (const Select::Case& item : node.cases)
      if (!item.targets.empty()) receives(item.place, item.targets, ranges);
    return true;
  }
  bool execute(const Update& node, Ranges& ranges) {
    for (std::size_t i = 0; i < node.targets.size(); ++i)
      assign(
          node.targets[i],
          node.kind == Update::Kind::Cas ? Interval{0, 1} : of_objects(node.place, node.word + i),
          ranges);
    return true;
  }
  /// Of all others it need not be known what they assign: whatever the slot can hold.
  template <class Other>
  bool execute(const Other& node, Ranges& ranges) {
    for_each_assigned(node, [&](Slot slot) { assign(slot, types_[slot], ranges, false); });
    return true;
  }

  void receives(const Place& channel, const std::vector<LocalPlace>& targets, Ranges& ranges) {
    for (std::size_t i = 0; i < targets.size(); ++i) {
      const Ranges before = ranges;
      if (!CML_MUTATION("nothing-is-received")) assign(targets[i], of_objects(channel, i), ranges);
      for (Slot slot = 0; slot < ranges.size(); ++slot)
        ranges[slot] = join(before[slot], ranges[slot]);
    }
  }
  [[nodiscard]] Interval of_objects(const Place& place, std::size_t word) const {
    Interval result{INT32_MAX, INT32_MIN};
    const std::uint32_t count = place.index ? place.count : 1;
    for (std::uint32_t i = 0; i < count; ++i) {
      const ObjectId id(place.base.index + i * place.stride);
      const WordType& type = system_.objects[id].words[word];
      result.lo = std::min<std::int64_t>(result.lo, type.lo);
      result.hi = std::max<std::int64_t>(result.hi, type.hi);
    }
    return result;
  }
  [[nodiscard]] Interval value(ExprId id, const Ranges& ranges) const {
    return interval(
        system_, id, ranges.size(), [&](ExprId part) { return value(part, ranges); },
        [&](Slot slot) {
          return Interval{ranges[slot].lo, ranges[slot].hi};
        });
  }

  void assign(Slot slot, Range range, Ranges& ranges, bool replaces) {
    if (slot >= ranges.size()) return;
    all_[slot] = join(all_[slot], range);
    ranges[slot] = replaces ? range : join(ranges[slot], range);
  }
  /// A value that does not fit stops the thread, so the slot's type bounds what is assigned.
  void assign(const LocalPlace& place, const Interval& value, Ranges& ranges) {
    const std::uint32_t count = place.index ? place.count : 1;
    for (Slot slot = place.slot; slot < place.slot + count && slot < ranges.size(); ++slot) {
      const auto lo = std::max<std::int64_t>(value.lo, types_[slot].lo);
      const auto hi = std::min<std::int64_t>(value.hi, types_[slot].hi);
      if (lo > hi) continue;
      const Range range{static_cast<std::int32_t>(lo), static_cast<std::int32_t>(hi)};
      assign(slot, range, ranges, !place.index);
    }
  }

  // ---- conditions ------------------------------------------------------------------------------

  /// Restricts the slots to values for which the condition has this value. False: there are none.
  bool believe(ExprId id, bool holds, Ranges& ranges) const {
    const Expr& expr = system_.exprs[id];
    switch (expr.op) {
      case ExprOp::Constant:
        return (expr.value != 0) == holds;
      case ExprOp::Local: {
        Range& range = ranges[static_cast<Slot>(expr.value)];
        if (!holds) return meet(id, 0, 0, ranges);
        if (range.lo == 0) return meet(id, 1, INT32_MAX, ranges);
        return true;
      }
      case ExprOp::Not:
        return believe(expr.a, !holds, ranges);
      case ExprOp::And:
        return !holds || (believe(expr.a, true, ranges) && believe(expr.b, true, ranges));
      case ExprOp::Or:
        return holds || (believe(expr.a, false, ranges) && believe(expr.b, false, ranges));
      case ExprOp::Equal:
        return holds ? equal(expr, ranges) : differ(expr, ranges);
      case ExprOp::NotEqual:
        return holds ? differ(expr, ranges) : equal(expr, ranges);
      case ExprOp::Less:
        return holds != CML_MUTATION("conditions-hold-the-other-way")
                   ? less(expr.a, expr.b, 1, ranges)
                   : less(expr.b, expr.a, 0, ranges);
      case ExprOp::LessEqual:
        return holds ? less(expr.a, expr.b, 0, ranges) : less(expr.b, expr.a, 1, ranges);
      default:
        return true;
    }
  }
  bool equal(const Expr& expr, Ranges& ranges) const {
    const Interval a = value(expr.a, ranges);
    const Interval b = value(expr.b, ranges);
    return meet(expr.a, b.lo, b.hi, ranges) && meet(expr.b, a.lo, a.hi, ranges);
  }
  bool differ(const Expr& expr, Ranges& ranges) const {
    return leave_out(expr.a, value(expr.b, ranges), ranges) &&
           leave_out(expr.b, value(expr.a, ranges), ranges);
  }
  /// Restricts the slots of a and b by a + by <= b.
  bool less(ExprId a, ExprId b, std::int64_t by, Ranges& ranges) const {
    const Interval left = value(a, ranges);
    const Interval right = value(b, ranges);
    const std::int64_t most = right.hi - by - CML_MUTATED("a-bound-is-one-too-small", 0, 1);
    return meet(a, INT32_MIN, most, ranges) && meet(b, left.lo + by, INT32_MAX, ranges);
  }
  /// Restricts an expression that is a slot to lo..hi. False: it never lies there.
  bool meet(ExprId id, std::int64_t lo, std::int64_t hi, Ranges& ranges) const {
    const Expr& expr = system_.exprs[id];
    if (expr.op != ExprOp::Local) return true;
    Range& range = ranges[static_cast<Slot>(expr.value)];
    lo = std::max<std::int64_t>(range.lo, lo);
    hi = std::min<std::int64_t>(range.hi, hi);
    if (lo > hi) return false;
    range = {static_cast<std::int32_t>(lo), static_cast<std::int32_t>(hi)};
    return true;
  }
  bool leave_out(ExprId id, const Interval& one, Ranges& ranges) const {
    const Expr& expr = system_.exprs[id];
    if (expr.op != ExprOp::Local || one.lo != one.hi) return true;
    const Range& range = ranges[static_cast<Slot>(expr.value)];
    if (range.lo == one.lo) return meet(id, one.lo + 1, INT32_MAX, ranges);
    if (range.hi == one.lo) return meet(id, INT32_MIN, one.lo - 1, ranges);
    return true;
  }

  const System& system_;
  const Code& code_;
  const StopToken& stop_;
  Ranges types_;
  Ranges all_;
  std::vector<std::optional<Ranges>> before_;
  std::vector<Pc> next_;
};

}  // namespace

ValueRanges::ValueRanges(const System& system, const Code& code, const StopToken& stop) {
  RangeFlow flow(system, code, stop);
  const std::size_t cells = code.slots.size() * code.instructions.size();
  if (cells == 0 || cells > kMaxRanges) {
    all_ = flow.types();
    return;
  }
  flow.run();
  all_ = flow.all();
  ranges_.reserve(cells);
  for (Pc pc = 0; pc < code.instructions.size(); ++pc) {
    for (Slot slot = 0; slot < all_.size(); ++slot) {
      const Range range = flow.before(pc) ? (*flow.before(pc))[slot] : all_[slot];
      const Range both{std::max(range.lo, all_[slot].lo), std::min(range.hi, all_[slot].hi)};
      ranges_.push_back(both.lo <= both.hi ? both : all_[slot]);
    }
  }
}

}  // namespace cml::ir
