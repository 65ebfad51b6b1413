// One walk over the instructions of a micro-transition, then a look at each with what is certainly
// assigned in front of it.
#include "jit/footprint.h"

#include <algorithm>
#include <optional>
#include <utility>
#include <variant>

#include "ir/analysis/control_flow.h"
#include "ir/visibility.h"

namespace cml::jit {
namespace {

using ir::Field;
using ir::Pc;

class Walk {
 public:
  Walk(const ir::System& system, const ir::Layout& layout, const ir::HeldLocks& held,
       const ThreadPlan& plan, bool spurious_wakeups, ir::ThreadId thread)
      : system_(system),
        layout_(layout),
        held_(held),
        plan_(plan),
        spurious_wakeups_(spurious_wakeups),
        thread_(thread),
        code_(system.threads[thread].code),
        fields_(layout.thread(thread)),
        assigned_(code_.instructions.size()) {}

  Footprint run(Pc begin) {
    result_.is_known = true;
    result_.writes.push_back(fields_.location);
    flow(begin);
    for (pc_ = 0; pc_ < assigned_.size(); ++pc_) {
      if (!assigned_[pc_]) continue;
      now_ = &*assigned_[pc_];
      std::visit([this](const auto& node) { look(node); }, code_.instructions[pc_].node);
    }
    if (!result_.is_known) return {};
    unique(result_.reads);
    unique(result_.fixed);
    unique(result_.writes);
    std::erase_if(result_.writes, [this](const Field& field) {
      return std::any_of(result_.fixed.begin(), result_.fixed.end(),
                         [&](const Field& fixed) { return fixed.offset == field.offset; });
    });
    return std::move(result_);
  }

 private:
  using Slots = std::vector<bool>;

  /// Whether control stops in front of it.
  [[nodiscard]] bool is_arrival(Pc pc) const {
    return !plan_.in_region[pc] && ir::is_operation(code_.instructions[pc].opcode());
  }
  // A forward fixed point: which slots are assigned on all ways to an instruction.
  void flow(Pc begin) {
    std::vector<Pc> work{begin};
    std::vector<Pc> next;
    assigned_[begin] = Slots(fields_.slots.size(), false);
    while (!work.empty()) {
      const Pc pc = work.back();
      work.pop_back();
      Slots after = *assigned_[pc];
      assign(code_.instructions[pc].node, after);
      next.clear();
      ir::successors(code_, pc, next);
      for (const Pc to : next) {
        if (is_arrival(to)) {
          arrives(to, after);
          continue;
        }
        std::optional<Slots>& there = assigned_[to];
        Slots joined = after;
        for (std::size_t i = 0; there && i < joined.size(); ++i)
          joined[i] = joined[i] && (*there)[i];
        if (there && *there == joined) continue;
        there = std::move(joined);
        work.push_back(to);
      }
    }
  }

  // What an arrival tells depends on which lock the thread comes to (ir/analysis/news.h).
  void arrives(Pc pc, const Slots& assigned) {
    const auto* acquire = std::get_if<ir::Acquire>(&code_.instructions[pc].node);
    if (acquire == nullptr || !acquire->lock.index) return;
    now_ = &assigned;
    reads(*acquire->lock.index);
  }

  static void assign(const ir::LocalPlace& place, Slots& slots) {
    if (!place.index) slots[place.slot] = true;
  }
  static void assign(const ir::Operation& node, Slots& slots) {
    if (const auto* set = std::get_if<ir::Set>(&node)) assign(set->target, slots);
    if (const auto* read = std::get_if<ir::Read>(&node))
      for (const ir::LocalPlace& target : read->targets)
        assign(target, slots);
    if (const auto* update = std::get_if<ir::Update>(&node))
      for (const ir::LocalPlace& target : update->targets)
        assign(target, slots);
  }

  // ---- what instructions look at, and change -------------------------------------------------

  static void unique(std::vector<Field>& fields) {
    std::erase_if(fields, [](const Field& field) { return field.width == 0; });
    const auto before = [](const Field& a, const Field& b) { return a.offset < b.offset; };
    const auto same = [](const Field& a, const Field& b) { return a.offset == b.offset; };
    std::sort(fields.begin(), fields.end(), before);
    fields.erase(std::unique(fields.begin(), fields.end(), same), fields.end());
  }
  void unknown() { result_.is_known = false; }
  void reads(const Field& field) { result_.reads.push_back(field); }
  void writes(const Field& field) { result_.writes.push_back(field); }
  void fixed(const Field& field) { result_.fixed.push_back(field); }
  void changes(const Field& field) {
    reads(field);
    writes(field);
  }

  void reads_slot(std::size_t slot) {
    if (slot >= fields_.slots.size()) return unknown();
    if (!(*now_)[slot]) reads(fields_.slots[slot]);
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
      if (layout_.object(id).init) return unknown();
      use(layout_.object(id).fields[field]);
    });
  }
  void chosen(const ir::Place& place) {
    if (place.index) reads(*place.index);
  }

  void look(const ir::Set& node) {
    reads(node.value);
    writes(node.target);
  }
  void look(const ir::Branch& node) { reads(node.condition); }
  void look(const ir::Assert& node) { reads(node.condition); }
  void look(const ir::Assume& node) { reads(node.condition); }
  void look(const ir::Guard& node) { reads(node.condition); }
  void look(const ir::Jump&) {}
  void look(const ir::Mark&) {}
  void look(const ir::Atomic&) {}
  void look(const ir::AtomicEnd&) {}
  void look(const ir::End&) {
    for (const Field& slot : fields_.slots)
      writes(slot);
  }
  void look(const ir::Read& node) {
    chosen(node.place);
    for (std::size_t i = 0; i < node.targets.size(); ++i)
      each(node.place, node.word + i, [this](const Field& field) { reads(field); });
    writes(node.targets);
  }
  void look(const ir::Write& node) {
    chosen(node.place);
    reads(node.values);
    for (std::size_t i = 0; i < node.values.size(); ++i)
      each(node.place, node.word + i, [this](const Field& field) { writes(field); });
  }
  void look(const ir::Update& node) {
    chosen(node.place);
    reads(node.expected);
    reads(node.values);
    for (std::size_t i = 0; i < std::max(node.expected.size(), node.values.size()); ++i)
      each(node.place, node.word + i, [this](const Field& field) { changes(field); });
    writes(node.targets);
  }
  // Whoever cannot own the lock takes it when it is free: else the transition is not enabled.
  void look(const ir::Acquire& node) {
    const bool is_free = !node.lock.index && !plan_.in_region[pc_] &&
                         held_.depth(thread_, pc_, node.lock.base).greatest == 0;
    takes(node.lock, is_free);
  }
  void look(const ir::TryAcquire& node) {
    takes(node.lock, false);
    if (node.target) writes(*node.target);
  }
  void takes(const ir::Place& lock, bool is_free) {
    chosen(lock);
    each(lock, 0, [&](const Field& owner) { is_free ? fixed(owner) : changes(owner); });
    each(lock, 1, [&](const Field& depth) { is_free ? writes(depth) : changes(depth); });
  }
  void look(const ir::Release& node) { gives(node.lock); }
  void look(const ir::Wait& node) {
    gives(node.lock);
    writes(*fields_.wait);
    writes(*fields_.depth);
  }
  void gives(const ir::Place& lock) {
    const ir::LockDepth depth =
        lock.index ? ir::LockDepth{0, ir::LockDepth::kMany} : held_.depth(thread_, pc_, lock.base);
    const bool is_outermost = depth.least == 1 && depth.greatest == 1;
    chosen(lock);
    each(lock, 0, [&](const Field& owner) { depth.least > 0 ? fixed(owner) : changes(owner); });
    each(lock, 1, [&](const Field& field) { is_outermost ? fixed(field) : changes(field); });
  }
  void look(const ir::Rewait& node) {
    if (node.lock.index || spurious_wakeups_ || plan_.in_region[pc_]) return unknown();
    takes(node.lock, true);
    fixed(*fields_.wait);  // it was notified
    changes(*fields_.depth);
  }
  void look(const ir::Held& node) {
    chosen(node.lock);
    each(node.lock, 0, [this](const Field& owner) { reads(owner); });
    if (node.target) writes(*node.target);
  }
  void look(const ir::Up& node) {
    chosen(node.semaphore);
    each(node.semaphore, 0, [this](const Field& amount) { changes(amount); });
  }
  void look(const ir::Down& node) {
    look(ir::Up{node.semaphore});
    if (node.success) writes(*node.success);
  }
  void look(const ir::Size& node) {
    chosen(node.channel);
    each(node.channel, 0, [this](const Field& count) { reads(count); });
    writes(node.target);
  }
  void look(const ir::Notify&) { unknown(); }
  void look(const ir::Send&) { unknown(); }
  void look(const ir::Receive&) { unknown(); }
  void look(const ir::Choose&) { unknown(); }
  void look(const ir::Either&) { unknown(); }
  void look(const ir::Select&) { unknown(); }

  const ir::System& system_;
  const ir::Layout& layout_;
  const ir::HeldLocks& held_;
  const ThreadPlan& plan_;
  bool spurious_wakeups_;
  ir::ThreadId thread_;
  const ir::Code& code_;
  const ir::ThreadFields& fields_;
  Pc pc_ = 0;
  std::vector<std::optional<Slots>> assigned_;  // by Pc, where control comes
  const Slots* now_ = nullptr;                  // of the instruction that is looked at
  Footprint result_;
};

}  // namespace

Footprint footprint(const ir::System& system, const ir::Layout& layout, const ir::HeldLocks& held,
                    const ThreadPlan& plan, bool spurious_wakeups, ir::ThreadId thread,
                    ir::Location location) {
  const LocationPlan& at = plan.locations[location];
  const bool is_single = (at.entries == Entries::Counted && at.count == 1) ||
                         at.entries == Entries::Test || at.entries == Entries::Trial;
  if (location < ir::kFirstLocation || at.is_rare || !is_single || plan.initialises) return {};
  return Walk(system, layout, held, plan, spurious_wakeups, thread).run(at.pc);
}

}  // namespace cml::jit
