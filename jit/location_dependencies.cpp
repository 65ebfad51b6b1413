// One walk over the instructions of a micro-transition, then a look at each of them, given what may
// have been assigned before it.
#include "jit/location_dependencies.h"

#include <algorithm>
#include <optional>
#include <utility>
#include <variant>

#include "ir/analysis/code_flow.h"
#include "ir/describe.h"
#include "support/mutation.h"

namespace cml::jit {
namespace {

using ir::Field;
using ir::Pc;

constexpr std::size_t kMostReads = 256;  // far more than the transition cache can use as keys

class Walk {
 public:
  Walk(const ir::System& system, const ir::Layout& layout, const ir::HeldLocks& held,
       const ir::EqualSlots& equal, const ThreadPlan& plan, bool spurious_wakeups,
       ir::ThreadId thread)
      : system_(system),
        layout_(layout),
        held_(held),
        equal_(equal),
        plan_(plan),
        spurious_wakeups_(spurious_wakeups),
        thread_(thread),
        code_(system.threads[thread].code),
        fields_(layout.thread(thread)),
        assigned_(code_.instructions.size()) {}

  LocationDependencies run(Pc begin) {
    begin_ = begin;
    result_.is_known = true;
    result_.writes.push_back(fields_.location);
    for (const Field& slot : fields_.slots)  // a violation sets them to 0
      writes(slot);
    flow();
    for (pc_ = 0; pc_ < assigned_.size(); ++pc_) {
      if (!assigned_[pc_]) continue;
      now_ = &*assigned_[pc_];
      std::visit([this](const auto& node) { look(node); }, code_.instructions[pc_].node);
    }
    if (!result_.is_known) return {};
    unique(result_.reads);
    unique(result_.reads_element);
    unique(result_.known_element);
    unique(result_.writes);
    unique(result_.known_on_entry);
    std::erase_if(result_.writes,
                  [this](const Field& field) { return is_in(result_.known_on_entry, field); });
    return std::move(result_);
  }

 private:
  using Slots = std::vector<bool>;
  /// What was assigned before an instruction, since the transition began.
  struct Assigned {
    Slots certainly;
    Slots perhaps;

    friend bool operator==(const Assigned&, const Assigned&) = default;
  };

  /// Whether a transition ends before this instruction.
  [[nodiscard]] bool is_arrival(Pc pc) const {
    return !plan_.in_region[pc] && ir::is_operation(code_.instructions[pc].opcode());
  }
  // A forward fixed point.
  void flow() {
    std::vector<Pc> work{begin_};
    std::vector<Pc> next;
    const Slots none(fields_.slots.size(), false);
    assigned_[begin_] = Assigned{none, none};
    while (!work.empty()) {
      const Pc pc = work.back();
      work.pop_back();
      Assigned after = *assigned_[pc];
      assign(code_.instructions[pc].node, after);
      next.clear();
      ir::successors(code_, pc, next);
      for (const Pc to : next) {
        if (is_arrival(to)) {
          arrives(to, after);
          continue;
        }
        std::optional<Assigned>& there = assigned_[to];
        Assigned joined = after;
        for (std::size_t i = 0; there && i < none.size(); ++i) {
          joined.certainly[i] = CML_MUTATED("cached-effects-of-assigned-on-one-way",
                                            joined.certainly[i] && there->certainly[i],
                                            joined.certainly[i] || there->certainly[i]);
          joined.perhaps[i] = joined.perhaps[i] || there->perhaps[i];
        }
        if (there && *there == joined) continue;
        there = std::move(joined);
        work.push_back(to);
      }
    }
  }

  // What is observed on arrival depends on which lock the thread is about to acquire, and on which
  // locks it holds (ir/exec/observations.h).
  void arrives(Pc pc, const Assigned& assigned) {
    const auto* acquire = std::get_if<ir::Acquire>(&code_.instructions[pc].node);
    if (acquire == nullptr) return;
    now_ = &assigned;
    if (acquire->lock.index) reads(*acquire->lock.index);
    tells_locks(pc);
  }
  /// Reads the slots on which the lock sets in ir/exec/observations.cpp depend.
  void tells_locks(Pc pc) {
    if (CML_MUTATION("cached-effects-forget-which-locks-are-held")) return;
    for (const ir::ChosenLock& lock : held_.chosen(thread_, pc))
      reads_slot(lock.slot);
  }

  static void assign(const ir::Operation& node, Assigned& assigned) {
    ir::for_each_assigned(node, [&](ir::Slot slot) {
      if (slot < assigned.perhaps.size()) assigned.perhaps[slot] = true;
    });
    ir::for_each_target(node, [&](const ir::LocalPlace& place, ir::Assigned when) {
      if (when == ir::Assigned::Always && !place.index) assigned.certainly[place.slot] = true;
    });
  }

  // ---- what instructions read and write --------------------------------------------------------

  static std::uint32_t offset(const Field& field) { return field.offset; }
  static std::pair<std::uint32_t, std::uint32_t> offset(
      const LocationDependencies::Element& element) {
    return {element.first.offset, element.index.offset};
  }
  static std::uint8_t width(const Field& field) { return field.width; }
  static std::uint8_t width(const LocationDependencies::Element& element) {
    return element.first.width;
  }
  template <class Item>
  static void unique(std::vector<Item>& items) {
    std::erase_if(items, [](const Item& item) { return width(item) == 0; });
    const auto before = [](const Item& a, const Item& b) { return offset(a) < offset(b); };
    const auto same = [](const Item& a, const Item& b) { return offset(a) == offset(b); };
    std::sort(items.begin(), items.end(), before);
    items.erase(std::unique(items.begin(), items.end(), same), items.end());
  }
  static bool is_in(const std::vector<Field>& fields, const Field& field) {
    return std::any_of(fields.begin(), fields.end(),
                       [&](const Field& other) { return other.offset == field.offset; });
  }
  void unknown() { result_.is_known = false; }
  void reads(const Field& field) {
    result_.reads.push_back(field);
    if (result_.reads.size() > kMostReads) unknown();
  }
  void writes(const Field& field) { result_.writes.push_back(field); }
  void fixed(const Field& field) { result_.known_on_entry.push_back(field); }
  void changes(const Field& field) {
    reads(field);
    writes(field);
  }

  /// Of the slots that equal it when the transition begins, the one with the smallest range.
  [[nodiscard]] std::size_t smallest(std::size_t slot) const {
    const auto size = [this](std::size_t of) {
      return std::int64_t{fields_.slots[of].hi} - fields_.slots[of].lo;
    };
    std::size_t result = slot;
    for (ir::Slot other = 0; other < fields_.slots.size(); ++other) {
      const bool is_equal = equal_.are_equal(begin_, other, static_cast<ir::Slot>(slot));
      if (is_equal && size(other) < size(result)) result = other;
    }
    return result;
  }
  void reads_slot(std::size_t slot) {
    if (slot >= fields_.slots.size()) return unknown();
    if (now_->certainly[slot] || !result_.is_known) return;
    const std::size_t same = smallest(slot);
    reads(fields_.slots[same]);
    if (same != slot) fixed(fields_.slots[slot]);
  }
  void reads(ir::ExprId id) {
    const ir::Expr& expr = system_.exprs[id];
    if (expr.op == ir::ExprOp::Local) reads_slot(static_cast<std::size_t>(expr.value));
    if (expr.op == ir::ExprOp::LocalAt) {
      const ir::Expr& bound = system_.exprs[expr.a];
      if (bound.op != ir::ExprOp::Bound) return unknown();
      for (std::int32_t i = 0; i < bound.value; ++i)
        reads_slot(static_cast<std::size_t>(expr.value) + static_cast<std::size_t>(i));
    }
    for (const ir::ExprId part : {expr.a, expr.b, expr.c})
      if (part.valid()) reads(part);
  }
  void reads(const std::vector<ir::ExprId>& exprs) {
    for (const ir::ExprId expr : exprs)
      reads(expr);
  }
  void writes(const ir::LocalPlace& place) {
    if (place.index) reads(*place.index);
    const std::uint32_t count = place.index ? place.count : 1;
    for (std::uint32_t i = 0; i < count && place.slot + i < fields_.slots.size(); ++i)
      writes(fields_.slots[place.slot + i]);
  }
  void writes(const std::vector<ir::LocalPlace>& places) {
    for (const ir::LocalPlace& place : places)
      writes(place);
  }
  /// Calls `use(Field)` for a field of all objects that the place can mean.
  template <class Use>
  void each(const ir::Place& place, std::size_t field, Use use) {
    ir::for_each_object(place, [&](ir::ObjectId id) {
      if (layout_.object(id).init || layout_.object(id).window) return unknown();
      use(layout_.object(id).fields[field]);
    });
  }
  void chosen(const ir::Place& place) {
    if (place.index) reads(*place.index);
  }
  /// The field of the object that the place denotes, if a slot selects it that has not been
  /// assigned since the transition began.
  [[nodiscard]] std::optional<LocationDependencies::Element> one(const ir::Place& place,
                                                                 std::size_t field) const {
    if (!place.index) return std::nullopt;
    const ir::Expr& expr = system_.exprs[*place.index];
    const auto slot = static_cast<std::size_t>(expr.value);
    if (expr.op != ir::ExprOp::Local || slot >= fields_.slots.size() ||
        CML_MUTATED("cached-effects-of-an-index-that-was-assigned", now_->perhaps[slot],
                    now_->certainly[slot]))
      return std::nullopt;
    const Field& index = fields_.slots[smallest(slot)];
    const std::optional<Cells> all = cells(layout_, place, field);
    if (!all || index.width != 1 || index.lo != 0) return std::nullopt;
    return LocationDependencies::Element{index, all->first, all->stride, place.count};
  }
  void reads(const ir::Place& place, std::size_t field) {
    chosen(place);
    const std::optional<LocationDependencies::Element> element = one(place, field);
    if (element) result_.reads_element.push_back(*element);
    each(place, field, [&](const Field& found) {
      if (!element) reads(found);
    });
  }
  void writes(const ir::Place& place, std::size_t field) {
    chosen(place);
    each(place, field, [this](const Field& found) { writes(found); });
  }
  void changes(const ir::Place& place, std::size_t field) {
    reads(place, field);
    writes(place, field);
  }
  /// The value of this field is known when the transition is enabled.
  void fixed(const ir::Place& place, std::size_t field) {
    if (!place.index) return each(place, field, [this](const Field& found) { fixed(found); });
    const std::optional<LocationDependencies::Element> element = one(place, field);
    if (!element) return changes(place, field);
    writes(place, field);
    result_.known_element.push_back(*element);
  }

  void look(const ir::Set& node) {
    reads(node.value);
    writes(node.target);
  }
  void look(const ir::Branch& node) {
    if (!CML_MUTATION("cached-effects-forget-branches")) reads(node.condition);
  }
  void look(const ir::Assert& node) { reads(node.condition); }
  void look(const ir::Assume& node) { reads(node.condition); }
  void look(const ir::Guard& node) { reads(node.condition); }
  void look(const ir::Jump&) {}
  void look(const ir::Mark&) {}
  void look(const ir::Atomic&) {}
  void look(const ir::AtomicEnd&) {}
  void look(const ir::End&) {}
  void look(const ir::Read& node) {
    tells_locks(pc_);
    if (CML_MUTATION("cached-effects-forget-what-is-read")) {
      chosen(node.place);
      return writes(node.targets);
    }
    for (std::size_t i = 0; i < node.targets.size(); ++i)
      reads(node.place, node.word + i);
    writes(node.targets);
  }
  void look(const ir::Write& node) {
    tells_locks(pc_);
    reads(node.values);
    for (std::size_t i = 0; i < node.values.size(); ++i)
      writes(node.place, node.word + i);
  }
  void look(const ir::Update& node) {
    tells_locks(pc_);
    reads(node.expected);
    reads(node.values);
    for (std::size_t i = 0; i < std::max(node.expected.size(), node.values.size()); ++i)
      changes(node.place, node.word + i);
    writes(node.targets);
  }
  // A thread that cannot own the lock takes it when it is free; else the action is not enabled.
  void look(const ir::Acquire& node) {
    takes(node.lock,
          !plan_.in_region[pc_] && (held_.depth(thread_, pc_, node.lock).greatest == 0 ||
                                    system_.objects[node.lock.base].is_mutex ||
                                    CML_MUTATION("cached-effects-of-a-lock-owned-already")));
  }
  void look(const ir::TryAcquire& node) {
    takes(node.lock, false);
    if (node.target) writes(*node.target);
  }
  void takes(const ir::Place& lock, bool is_free) {
    is_free ? fixed(lock, 0) : changes(lock, 0);
    is_free ? writes(lock, 1) : changes(lock, 1);
  }
  void look(const ir::Release& node) { gives(node.lock); }
  void look(const ir::Wait& node) {
    gives(node.lock);
    if (node.condition) {  // which one is recorded, and which locks are held
      chosen(*node.condition);
      tells_locks(pc_);
    }
    writes(*fields_.wait);
    writes(*fields_.depth);
  }
  void gives(const ir::Place& lock) {
    const ir::LockDepth depth = held_.depth(thread_, pc_, lock);
    const bool is_outermost = depth.least == 1 && depth.greatest == 1;
    depth.least > 0 ? fixed(lock, 0) : changes(lock, 0);
    is_outermost ? fixed(lock, 1) : changes(lock, 1);
  }
  void look(const ir::TimeOut& node) {
    if (!CML_MUTATION("cached-effects-forget-who-was-notified")) reads(*fields_.wait);
    writes(*fields_.wait);
    chosen(node.condition ? *node.condition : node.lock);
    if (node.target) writes(*node.target);
  }
  void look(const ir::Rewait& node) {
    if (node.lock.index || spurious_wakeups_ || plan_.in_region[pc_]) return unknown();
    takes(node.lock, true);
    fixed(*fields_.wait);  // it was notified
    changes(*fields_.depth);
  }
  void look(const ir::Held& node) {
    reads(node.lock, 0);
    if (node.target) writes(*node.target);
  }
  void look(const ir::Owner& node) {
    reads(node.lock, 0);
    writes(node.target);
  }
  void look(const ir::Up& node) {
    tells_locks(pc_);
    changes(node.semaphore, 0);
  }
  void look(const ir::Down& node) {
    look(ir::Up{node.semaphore});
    if (node.success) writes(*node.success);
  }
  void look(const ir::Enter&) {}
  void look(const ir::Invoke& node) {
    reads(node.arguments);
    changes(node.history, 0);
  }
  void look(const ir::Respond& node) {
    reads(node.results);
    changes(node.history, 0);
  }
  void look(const ir::ReadConstant& node) {
    for (std::size_t i = 0; i < node.targets.size(); ++i)
      reads(node.place, node.word + i);
    writes(node.targets);
  }
  void look(const ir::Size& node) {
    tells_locks(pc_);
    reads(node.channel, 0);
    writes(node.target);
  }
  void look(const ir::Closed& node) { look(ir::Size{node.channel, node.target}); }
  /// Of all others it is not known which fields they depend on.
  template <class Other>
  void look(const Other&) {
    unknown();
  }

  const ir::System& system_;
  const ir::Layout& layout_;
  const ir::HeldLocks& held_;
  const ir::EqualSlots& equal_;
  const ThreadPlan& plan_;
  bool spurious_wakeups_;
  ir::ThreadId thread_;
  const ir::Code& code_;
  const ir::ThreadFields& fields_;
  Pc begin_ = 0;
  Pc pc_ = 0;
  std::vector<std::optional<Assigned>> assigned_;  // by Pc, where control gets
  const Assigned* now_ = nullptr;                  // of the instruction that is looked at
  LocationDependencies result_;
};

/// Whether a transition from the location is of a kind whose dependencies can be computed.
bool is_plain(const ThreadPlan& plan, ir::Location location) {
  const LocationPlan& at = plan.locations[location];
  const bool is_single = (at.enabledness == Enabledness::Counted && at.count == 1) ||
                         at.enabledness == Enabledness::Test ||
                         at.enabledness == Enabledness::Trial;
  return location >= ir::kFirstLocation && !at.is_rare && is_single && !plan.initialises;
}

}  // namespace

std::vector<LocationDependencies> location_dependencies(const ir::Analyses& analyses,
                                                        const ir::Layout& layout,
                                                        const ThreadPlan& plan,
                                                        bool spurious_wakeups,
                                                        ir::ThreadId thread) {
  const ir::System& system = analyses.system();
  const ir::HeldLocks& held = analyses.held();
  const ir::EqualSlots& equal = analyses.equal_slots(thread);
  std::vector<LocationDependencies> result(plan.locations.size());
  for (ir::Location at = 0; at < plan.locations.size(); ++at)
    if (is_plain(plan, at))
      result[at] = Walk(system, layout, held, equal, plan, spurious_wakeups, thread)
                       .run(plan.locations[at].pc);
  return result;
}

}  // namespace cml::jit
