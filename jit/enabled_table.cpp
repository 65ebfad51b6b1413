// Makes one row for each location, or for each location and wait status.
#include "jit/enabled_table.h"

#include <algorithm>
#include <initializer_list>
#include <optional>
#include <utility>
#include <variant>

#include "ir/analysis/value_ranges.h"
#include "ir/describe.h"
#include "support/mutation.h"

namespace cml::jit {
namespace {

const EnabledTest kNeverEnabled = {EnabledTest::Kind::Never, {}, 0, 0, false, false, 0, 0, 1};
constexpr auto kMostStatus = static_cast<std::size_t>(ir::WaitStatus::Notified);

class TestMaker {
 public:
  TestMaker(const ir::Analyses& analyses, const ir::Layout& layout, ir::ThreadId thread)
      : system_(analyses.system()),
        layout_(layout),
        slots_(layout.thread(thread).slots),
        ranges_(analyses.ranges(thread)) {}

  /// The tests made from now on are evaluated before this instruction.
  void at(ir::Pc pc) { pc_ = pc; }

  /// Compares the first field of the object with a value.
  [[nodiscard]] std::optional<EnabledTest> compare(
      const ir::Place& place, std::int32_t value, bool differs,
      std::optional<std::int32_t> other = std::nullopt) const {
    const auto all = cells(layout_, place, 0);
    if (!all) return std::nullopt;
    EnabledTest test;
    test.kind = EnabledTest::Kind::Compare;
    test.field = all->first;
    const auto raw = [&](std::int32_t of) {
      return static_cast<std::uint32_t>(of) - static_cast<std::uint32_t>(test.field.lo);
    };
    test.value = raw(value);
    test.other = raw(other.value_or(value));
    test.differs = differs;
    if (test.field.width == 0) {  // the field is a constant
      const bool is_equal = test.value == 0 || test.other == 0;
      test = {};
      if (is_equal == differs) test.kind = EnabledTest::Kind::Never;
      return test;
    }
    if (place.index) {
      const ir::Field* index = index_of(place);
      if (index == nullptr) return std::nullopt;
      test.index = index->offset;
      test.stride = static_cast<std::int32_t>(all->stride);
      test.count = place.count;
    }
    return test;
  }
  [[nodiscard]] std::int32_t capacity(const ir::Place& channel) const {
    return static_cast<std::int32_t>(system_.objects[channel.base].capacity);
  }
  [[nodiscard]] const ir::Field& field(const ir::Place& place) const {
    return layout_.object(place.base).fields[0];
  }

 private:
  /// The local that is the index, if it is one byte whose values are the numbers of the objects.
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
  const ir::ValueRanges& ranges_;
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

/// `await x == 3;`, where x is the first word of an object: read, compare, block or continue.
std::optional<EnabledTest> test_of_guard(const TestMaker& maker, const ir::System& system,
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

/// Whether all of this is there; none: a test does not tell.
std::optional<EnabledTest> test_of(const TestMaker& maker, const ir::Place& place,
                                   std::initializer_list<ir::Awaited> all, bool wakes,
                                   std::optional<std::int32_t> owner) {
  std::optional<EnabledTest> result;
  for (const ir::Awaited awaited : all) {
    switch (awaited) {
      case ir::Awaited::Wakeup:
        if (!wakes && !CML_MUTATION("who-waits-can-go")) return kNeverEnabled;
        break;
      case ir::Awaited::Lock:
        result = maker.compare(place, 0, false, owner);
        break;
      case ir::Awaited::Unit:
      case ir::Awaited::Value:
        result = maker.compare(place, 0, true);
        break;
      case ir::Awaited::End:
        result = maker.compare(place, std::int32_t{ir::kEnded}, false);
        break;
      case ir::Awaited::Sender:
      case ir::Awaited::Receiver:
        return std::nullopt;
      case ir::Awaited::Room:
        result = maker.compare(place, maker.capacity(place), true);
        break;
    }
  }
  return result;
}

std::optional<EnabledTest> test_of(const TestMaker& maker, const ir::System& system,
                                   const ir::HeldLocks& held, ir::ThreadId thread, ir::Pc pc,
                                   ir::WaitStatus status, bool spurious_wakeups,
                                   const ir::Instruction& instruction) {
  const bool wakes = spurious_wakeups || status == ir::WaitStatus::Notified;
  std::optional<EnabledTest> result;
  std::size_t ways = 0;
  ir::for_each_wait(
      instruction, [&](const ir::Place& place, std::initializer_list<ir::Awaited> all) {
        ++ways;
        std::optional<std::int32_t> owner;
        if (held.depth(thread, pc, place).greatest > 0 && !system.objects[place.base].is_mutex)
          owner = static_cast<std::int32_t>(thread.index + 1);
        result = test_of(maker, place, all, wakes, owner);
      });
  return ways == 1 ? result : std::nullopt;
}

}  // namespace

std::vector<EnabledTest> enabled_tests(const ir::Analyses& analyses, const ir::Layout& layout,
                                       const Plan& plan, bool spurious_wakeups,
                                       ir::ThreadId thread) {
  const ir::System& system = analyses.system();
  const ir::HeldLocks& held = analyses.held();
  const std::vector<LocationPlan>& locations = plan.threads[thread].locations;
  const ir::Code& code = system.threads[thread].code;
  const ir::ThreadFields& fields = layout.thread(thread);
  TestMaker maker(analyses, layout, thread);
  EnabledTest slow;
  slow.slow = true;
  std::vector<EnabledTest> result;
  for (std::size_t status = 0; status <= (fields.wait ? kMostStatus : 0); ++status) {
    for (std::size_t at = 0; at < locations.size(); ++at) {
      const LocationPlan& location = locations[at];
      maker.at(location.pc);
      const bool is_met = location.enabledness == Enabledness::Meets &&
                          std::holds_alternative<ir::Receive>(code.instructions[location.pc].node);
      if (at < ir::kFirstLocation || is_met) {
        result.push_back(kNeverEnabled);
      } else if (location.enabledness == Enabledness::Counted && location.count == 1) {
        result.emplace_back();
      } else if (location.enabledness == Enabledness::Test && location.is_region) {
        result.push_back(test_of_guard(maker, system, fields, code, location.pc).value_or(slow));
      } else if (location.enabledness == Enabledness::Test) {
        result.push_back(test_of(maker, system, held, thread, location.pc,
                                 static_cast<ir::WaitStatus>(status), spurious_wakeups,
                                 code.instructions[location.pc])
                             .value_or(slow));
      } else {
        result.push_back(slow);
      }
    }
  }
  return result;
}

}  // namespace cml::jit
