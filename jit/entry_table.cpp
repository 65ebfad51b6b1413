// One row for each location.
#include "jit/entry_table.h"

#include <algorithm>
#include <optional>
#include <utility>
#include <variant>

#include "ir/analysis/value_ranges.h"

namespace cml::jit {
namespace {

constexpr std::size_t kWord = sizeof(std::uint32_t);

class TestMaker {
 public:
  TestMaker(const ir::System& system, const ir::Layout& layout, ir::ThreadId thread)
      : system_(system),
        layout_(layout),
        slots_(layout.thread(thread).slots),
        ranges_(system, system.threads[thread].code) {}

  /// The tests that follow are made in front of this instruction.
  void at(ir::Pc pc) { pc_ = pc; }

  /// Compares the first field of the object with a value.
  [[nodiscard]] std::optional<EntryTest> compare(
      const ir::Place& place, std::int32_t value, bool differs,
      std::optional<std::int32_t> other = std::nullopt) const {
    const auto all = cells(layout_, place, 0);
    if (!all || layout_.size() < kWord) return std::nullopt;
    EntryTest test;
    test.offset = all->first.offset;
    std::int64_t last = test.offset;
    if (place.index) {
      const ir::Field* index = index_of(place);
      if (index == nullptr) return std::nullopt;
      test.index = index->offset;
      test.stride = static_cast<std::int32_t>(all->stride);
      last = std::max(last, last + all->stride * (std::int64_t{place.count} - 1));
    }
    const std::int64_t first = std::min<std::int64_t>(
        test.offset, test.offset + all->stride * (std::int64_t{place.count} - 1));
    return compare(test, all->first, first, last, value, differs, other);
  }
  /// Whether a lock is free, and this field has a value.
  [[nodiscard]] std::optional<EntryTest> free_and(const ir::Place& lock, const ir::Field& field,
                                                  std::int32_t value) const {
    std::optional<EntryTest> result = compare(lock, 0, false);
    if (!result) return std::nullopt;
    EntryTest also;
    also.offset = field.offset;
    also = *compare(also, field, field.offset, field.offset, value, false, std::nullopt);
    result->also_offset = also.offset;
    result->also_mask = also.mask;
    result->also_value = also.value;
    return result;
  }
  [[nodiscard]] std::int32_t greatest(const ir::Place& place) const { return field(place).hi; }
  [[nodiscard]] const ir::Field& field(const ir::Place& place) const {
    return layout_.object(place.base).fields[0];
  }

 private:
  /// The field lies somewhere from `first` to `last`, where `test` says.
  [[nodiscard]] std::optional<EntryTest> compare(EntryTest test, const ir::Field& field,
                                                 std::int64_t first, std::int64_t last,
                                                 std::int32_t value, bool differs,
                                                 std::optional<std::int32_t> other) const {
    unsigned shift = 0;
    const auto size = static_cast<std::int64_t>(layout_.size());
    if (last + static_cast<std::int64_t>(kWord) > size) {  // load earlier bytes instead
      const std::int64_t back = last + static_cast<std::int64_t>(kWord) - size;
      if (first < back) return std::nullopt;
      test.offset -= static_cast<std::uint32_t>(back);
      shift = field.width == 0 ? 0 : static_cast<unsigned>(back) * 8;
    }
    const std::uint32_t bits = field.width == kWord ? ~0U : (1U << (field.width * 8U)) - 1;
    test.mask = bits << shift;
    test.value = (static_cast<std::uint32_t>(value) - static_cast<std::uint32_t>(field.lo))
                 << shift;
    test.other = test.value;
    if (other) test.other = static_cast<std::uint32_t>(*other) << shift;
    test.differs = differs ? 1 : 0;
    return test;
  }
  /// The local that the index is, if a byte holds just the numbers of the objects.
  [[nodiscard]] const ir::Field* index_of(const ir::Place& place) const {
    const ir::Expr& expr = system_.exprs[*place.index];
    if (expr.op != ir::ExprOp::Local) return nullptr;
    const ir::Field& slot = slots_[static_cast<std::size_t>(expr.value)];
    const ir::ValueRanges::Range range = ranges_.at(pc_, static_cast<ir::Slot>(expr.value));
    const bool fits = slot.width == 1 && slot.lo == 0 && range.lo >= 0 &&
                      range.hi < static_cast<std::int64_t>(place.count);
    return fits ? &slot : nullptr;
  }

  const ir::System& system_;
  const ir::Layout& layout_;
  const std::vector<ir::Field>& slots_;
  ir::ValueRanges ranges_;
  ir::Pc pc_ = 0;
};

/// The value that a local must have, or (`differs`) must not have.
struct Wanted {
  std::int32_t slot = 0;
  std::int32_t value = 0;
  bool differs = false;
};

std::optional<Wanted> wanted(const ir::System& system, ir::ExprId id) {
  const ir::Expr& expr = system.exprs[id];
  if (expr.op == ir::ExprOp::Local) return Wanted{expr.value, 0, true};
  if (expr.op == ir::ExprOp::Not) {
    std::optional<Wanted> inner = wanted(system, expr.a);
    if (inner) inner->differs = !inner->differs;
    return inner;
  }
  if (expr.op != ir::ExprOp::Equal && expr.op != ir::ExprOp::NotEqual) return std::nullopt;
  const ir::Expr* local = &system.exprs[expr.a];
  const ir::Expr* constant = &system.exprs[expr.b];
  if (local->op == ir::ExprOp::Constant) std::swap(local, constant);
  if (local->op != ir::ExprOp::Local || constant->op != ir::ExprOp::Constant) return std::nullopt;
  return Wanted{local->value, constant->value, expr.op == ir::ExprOp::NotEqual};
}

/// `await x == 3;`, where x is the first word of an object: read it, look at it, go.
std::optional<EntryTest> test_of_guard(const TestMaker& maker, const ir::System& system,
                                       const ir::ThreadFields& fields, const ir::Code& code,
                                       ir::Pc atomic) {
  const ir::Pc end = std::get<ir::Atomic>(code.instructions[atomic].node).end;
  const ir::Read* read = nullptr;
  const ir::Guard* guard = nullptr;
  for (ir::Pc pc = atomic + 1; pc < end; ++pc) {
    const auto& node = code.instructions[pc].node;
    if (std::holds_alternative<ir::Mark>(node)) continue;
    if (guard == nullptr && read == nullptr && std::holds_alternative<ir::Read>(node)) {
      read = std::get_if<ir::Read>(&node);
    } else if (guard == nullptr && read != nullptr && std::holds_alternative<ir::Guard>(node)) {
      guard = std::get_if<ir::Guard>(&node);
    } else if (guard == nullptr || !std::holds_alternative<ir::Set>(node)) {
      return std::nullopt;
    }
  }
  if (guard == nullptr || read->word != 0 || read->targets.size() != 1 || read->targets[0].index)
    return std::nullopt;
  const std::optional<Wanted> value = wanted(system, guard->condition);
  if (!value || static_cast<ir::Slot>(value->slot) != read->targets[0].slot) return std::nullopt;
  const ir::Field& from = maker.field(read->place);
  const ir::Field& to = fields.slots[read->targets[0].slot];
  if (!from.holds(value->value) || !to.holds(from.lo) || !to.holds(from.hi)) return std::nullopt;
  return maker.compare(read->place, value->value, value->differs);
}

std::optional<EntryTest> test_of(const TestMaker& maker, const ir::HeldLocks& held,
                                 ir::ThreadId thread, ir::Pc pc, const ir::ThreadFields& fields,
                                 bool spurious_wakeups, const ir::Instruction& instruction) {
  if (const auto* acquire = std::get_if<ir::Acquire>(&instruction.node)) {
    const ir::Place& lock = acquire->lock;
    if (held.depth(thread, pc, lock).greatest == 0) return maker.compare(lock, 0, false);
    return maker.compare(lock, 0, false, static_cast<std::int32_t>(thread.index + 1));
  }
  if (const auto* rewait = std::get_if<ir::Rewait>(&instruction.node)) {
    if (spurious_wakeups) return maker.compare(rewait->lock, 0, false);
    return maker.free_and(rewait->lock, *fields.wait,
                          static_cast<std::int32_t>(ir::WaitStatus::Notified));
  }
  if (const auto* down = std::get_if<ir::Down>(&instruction.node))
    return maker.compare(down->semaphore, 0, true);
  if (const auto* send = std::get_if<ir::Send>(&instruction.node))
    return maker.compare(send->channel, maker.greatest(send->channel), true);
  if (const auto* receive = std::get_if<ir::Receive>(&instruction.node))
    return maker.compare(receive->channel, 0, true);
  return std::nullopt;
}

}  // namespace

std::vector<EntryTest> entry_tests(const ir::System& system, const ir::Layout& layout,
                                   const Plan& plan, const ir::HeldLocks& held,
                                   bool spurious_wakeups, ir::ThreadId thread) {
  const std::vector<LocationPlan>& locations = plan.threads[thread].locations;
  TestMaker maker(system, layout, thread);
  EntryTest never;
  never.value = never.other = 1;
  const EntryTest always;
  EntryTest slow = always;
  slow.slow = 1;
  std::vector<EntryTest> result(locations.size(), slow);
  for (std::size_t at = 0; at < locations.size(); ++at) {
    const LocationPlan& location = locations[at];
    maker.at(location.pc);
    if (at < ir::kFirstLocation) {
      result[at] = never;
    } else if (location.entries == Entries::Counted && location.count == 1) {
      result[at] = always;
    } else if (location.entries == Entries::Test) {
      const ir::Code& code = system.threads[thread].code;
      const ir::ThreadFields& fields = layout.thread(thread);
      result[at] = (location.is_region ? test_of_guard(maker, system, fields, code, location.pc)
                                       : test_of(maker, held, thread, location.pc, fields,
                                                 spurious_wakeups, code.instructions[location.pc]))
                       .value_or(slow);
    }
  }
  return result;
}

}  // namespace cml::jit
