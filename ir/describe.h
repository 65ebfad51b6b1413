// What each instruction uses, reads, assigns and waits for, and where control goes: said once,
// here.
//
// `describe` calls a visitor, which overrides what it needs and inherits the rest from Description:
//
//   struct Reads : Description {
//     void reads(ExprId expr) { … }
//   };
//   describe(instruction, visitor);
//
// The most frequent questions follow at the end. What cannot be derived from a description (the
// meaning of an instruction, native code, its text, its translation) visits all kinds of
// instructions without a default.
//
// An instruction is described by itself: an Atomic without the instructions inside, a Guard as if
// the block began with it.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <type_traits>
#include <variant>
#include <vector>

#include "ir/cases.h"
#include "ir/effects.h"
#include "ir/system.h"
#include "support/mutation.h"

namespace cml::ir {

enum class Assigned : std::uint8_t {
  Always,
  Perhaps,  // depends on the outcome
};

/// When an operation is visible (docs/reference.md, "Transitions"), so that the other threads must
/// be interleaved before it. Which of the rules applies depends on the instruction alone.
enum class VisibleWhen : std::uint8_t {
  Never,
  Always,
  Reading,  // an atomic, or an object that nobody has accessed yet
  Writing,  // the same, and what properties look at
  Taking,   // the thread does not own the lock
  Freeing,  // at the outermost level, a lock at which others look without owning it
  Leaving,  // the same, at whatever level
  Waking,   // several threads wait, of which it wakes one
  Inside,   // something inside is visible
};

/// What an operation can wait for.
enum class Awaited : std::uint8_t {
  Lock,      // that is free, or its own, if that is no mutex
  Wakeup,    // from a wait set
  Unit,      // of a semaphore
  Value,     // in a channel, or that it is closed
  Room,      // in a channel, or that it is closed
  Sender,    // at a rendezvous, or that it is closed
  Receiver,  // at a rendezvous, or that it is closed
  End,       // of a thread
};
/// The effect that is possible then.
[[nodiscard]] constexpr Effect effect_of(Awaited awaited) {
  switch (awaited) {
    case Awaited::Lock:
      return Effect::Take;
    case Awaited::Wakeup:
      return Effect::LeaveWait;
    case Awaited::Unit:
      return Effect::Down;
    case Awaited::Value:
    case Awaited::Sender:
      return Effect::Receive;
    case Awaited::End:
      return Effect::Join;
    case Awaited::Room:
    case Awaited::Receiver:
      break;
  }
  return Effect::Send;
}

/// What a visitor inherits.
struct Description {
  /// All effects that it may have on the object, also where it fails or is disabled; each place
  /// once.
  void uses(const Place&, Effects) {}
  /// The expressions that it evaluates, apart from those in places.
  void reads(ExprId) {}
  template <class Local>  // const or not
  void assigns(Local&, Assigned) {}
  /// Control may continue at the next instruction.
  void goes_on() {}
  template <class Target>
  void goes_to(Target&) {}
  /// The end of the region that begins with it.
  template <class Target>
  void encloses(Target&) {}
  /// It is enabled only if all of this is there; with several calls, if that of one call is.
  void waits_for(const Place&, std::initializer_list<Awaited>) {}
  /// Its block is enabled only if the condition holds.
  void waits_until(ExprId) {}
  /// It may have several choices.
  void chooses() {}
  /// `place`: that of the rule.
  void is_visible(VisibleWhen, const Place* place = nullptr) { static_cast<void>(place); }
};

/// What the case of a select waits for.
[[nodiscard]] inline Awaited awaited(const Select::Case& item) {
  switch (item.kind) {
    case Select::Kind::Receive:
      return item.meets ? Awaited::Sender : Awaited::Value;
    case Select::Kind::Send:
      return item.meets ? Awaited::Receiver : Awaited::Room;
    case Select::Kind::Down:
      return Awaited::Unit;
    case Select::Kind::Acquire:
    case Select::Kind::Await:  // which waits for nothing
      break;
  }
  return Awaited::Lock;
}

namespace detail {

void reads_all(const std::vector<ExprId>& exprs, auto& v) {
  for (const ExprId expr : exprs)
    v.reads(expr);
}
[[nodiscard]] constexpr Effects if_that(bool holds, Effect effect) {
  return holds ? Effects(effect) : Effects();
}
/// `places`: some, or perhaps one.
void assigns_all(auto& places, Assigned when, auto& v) {
  if constexpr (requires { places.has_value(); }) {
    if (places) v.assigns(*places, when);
  } else {
    for (auto& place : places)
      v.assigns(place, when);
  }
}

// ---- local -------------------------------------------------------------------------------------

void describe(AnyOf<Set> auto& node, auto& v) {
  v.reads(node.value);
  v.assigns(node.target, Assigned::Always);
  v.goes_on();
}
void describe(AnyOf<Jump> auto& node, auto& v) { v.goes_to(node.target); }
void describe(AnyOf<Branch> auto& node, auto& v) {
  v.reads(node.condition);
  v.goes_to(node.if_true);
  v.goes_to(node.if_false);
}
void describe(AnyOf<Assert, Assume> auto& node, auto& v) {
  v.reads(node.condition);
  v.goes_on();
}
void describe(AnyOf<Mark, AtomicEnd> auto&, auto& v) { v.goes_on(); }
void describe(AnyOf<Guard> auto& node, auto& v) {
  v.reads(node.condition);
  v.waits_until(node.condition);
  v.goes_on();
  v.is_visible(VisibleWhen::Always);
}
void describe(AnyOf<End> auto&, auto&) {}

// ---- variables ---------------------------------------------------------------------------------

void describe(AnyOf<Read> auto& node, auto& v) {
  v.uses(node.place, Effect::Read);
  assigns_all(node.targets, Assigned::Always, v);
  v.goes_on();
  v.is_visible(VisibleWhen::Reading, &node.place);
}
void describe(AnyOf<Write> auto& node, auto& v) {
  v.uses(node.place, Effect::Write);
  reads_all(node.values, v);
  v.goes_on();
  v.is_visible(VisibleWhen::Writing, &node.place);
}
void describe(AnyOf<ReadConstant> auto& node, auto& v) {
  v.uses(node.place, Effect::Read);
  assigns_all(node.targets, Assigned::Always, v);
  v.goes_on();
}
void describe(AnyOf<WriteConstant> auto& node, auto& v) {
  v.uses(node.place, Effect::Write);
  reads_all(node.values, v);
  v.goes_on();
}
void describe(AnyOf<Update> auto& node, auto& v) {
  v.uses(node.place, Effect::Read | Effect::Update);
  reads_all(node.expected, v);
  reads_all(node.values, v);
  assigns_all(node.targets, Assigned::Always, v);
  v.goes_on();
  v.is_visible(VisibleWhen::Always);
}

void describe(AnyOf<New> auto& node, auto& v) {
  v.uses(node.object, Effect::New);
  v.assigns(node.target, Assigned::Always);
  v.goes_on();
}

// ---- locks -------------------------------------------------------------------------------------

void describe(AnyOf<Acquire> auto& node, auto& v) {
  v.uses(node.lock, Effect::Take | Effect::Deepen);
  v.waits_for(node.lock, {Awaited::Lock});
  v.goes_on();
  v.is_visible(node.begins_call ? VisibleWhen::Always : VisibleWhen::Taking, &node.lock);
}
void describe(AnyOf<TryAcquire> auto& node, auto& v) {
  v.uses(node.lock, Effect::Take | Effect::Deepen | Effect::Look);
  assigns_all(node.target, Assigned::Always, v);
  v.goes_on();
  v.is_visible(VisibleWhen::Taking, &node.lock);
}
void describe(AnyOf<Release> auto& node, auto& v) {
  v.uses(node.lock, Effect::Give | Effect::Lessen | Effect::Held);
  v.goes_on();
  v.is_visible(VisibleWhen::Freeing, &node.lock);
}
/// What is done to the wait set, and to the lock beside it.
void uses_wait_set(auto& node, Effect of_set, Effects of_lock, auto& v) {
  if (!node.condition) return v.uses(node.lock, Effects(of_set) | of_lock);
  v.uses(*node.condition, of_set);
  if (!of_lock.empty()) v.uses(node.lock, of_lock);
}
// Who notifies a condition need not own its lock, so between the acquire and the wait of another
// thread it makes a difference when.
void describe(AnyOf<Wait> auto& node, auto& v) {
  uses_wait_set(node, Effect::EnterWait, Effect::Give | Effect::Held, v);
  v.goes_on();
  v.is_visible(node.condition && !CML_MUTATION("invisible-wait-for-a-condition")
                   ? VisibleWhen::Always
                   : VisibleWhen::Leaving,
               &node.lock);
}
void describe(AnyOf<TimeOut> auto& node, auto& v) {
  uses_wait_set(node, Effect::LeaveWait, {}, v);
  assigns_all(node.target, Assigned::Always, v);
  v.goes_on();
  v.is_visible(
      CML_MUTATED("the-end-of-the-time-is-invisible", VisibleWhen::Always, VisibleWhen::Never));
}
void describe(AnyOf<Rewait> auto& node, auto& v) {
  uses_wait_set(node, Effect::LeaveWait, Effect::Take, v);
  v.waits_for(node.lock, {Awaited::Wakeup, Awaited::Lock});
  v.goes_on();
  v.is_visible(VisibleWhen::Always);
}
void describe(AnyOf<Notify> auto& node, auto& v) {
  v.uses(node.set, node.of_condition ? Effects(Effect::Notify) : Effect::Notify | Effect::Held);
  if (!node.all) v.chooses();
  v.goes_on();
  v.is_visible(node.of_condition && !CML_MUTATION("invisible-notify-of-a-condition")
                   ? VisibleWhen::Always
               : node.all ? VisibleWhen::Never
                          : VisibleWhen::Waking,
               &node.set);
}
void describe(AnyOf<Held> auto& node, auto& v) {
  v.uses(node.lock, Effect::Held);
  assigns_all(node.target, Assigned::Always, v);
  v.goes_on();
}
void describe(AnyOf<Owner> auto& node, auto& v) {
  v.uses(node.lock, Effect::Look);
  v.assigns(node.target, Assigned::Always);
  v.goes_on();
  v.is_visible(VisibleWhen::Always);
}

// ---- semaphores and channels -------------------------------------------------------------------

void describe(AnyOf<Up> auto& node, auto& v) {
  v.uses(node.semaphore, Effect::Up);
  v.goes_on();
  v.is_visible(VisibleWhen::Always);
}
void describe(AnyOf<Down> auto& node, auto& v) {
  v.uses(node.semaphore, node.try_only ? Effect::Down | Effect::DownFailed : Effect::Down);
  if (!node.try_only) v.waits_for(node.semaphore, {Awaited::Unit});
  assigns_all(node.success, Assigned::Always, v);
  v.goes_on();
  v.is_visible(VisibleWhen::Always);
}
void describe(AnyOf<Send> auto& node, auto& v) {
  v.uses(node.channel, Effect::Send | if_that(node.try_only, Effect::SendFailed) |
                           if_that(node.may_be_closed, Effect::Closed));
  if (!node.try_only) v.waits_for(node.channel, {node.meets ? Awaited::Receiver : Awaited::Room});
  if (node.meets) v.chooses();
  reads_all(node.values, v);
  assigns_all(node.success, Assigned::Always, v);
  v.goes_on();
  v.is_visible(VisibleWhen::Always);
}
void describe(AnyOf<Receive> auto& node, auto& v) {
  v.uses(node.channel, Effect::Receive | if_that(node.try_only, Effect::ReceiveFailed) |
                           if_that(node.may_be_closed, Effect::Closed));
  if (!node.try_only) v.waits_for(node.channel, {node.meets ? Awaited::Sender : Awaited::Value});
  if (node.meets && node.try_only) v.chooses();
  const bool perhaps = node.try_only || (node.may_be_closed && node.success);
  assigns_all(node.targets, perhaps ? Assigned::Perhaps : Assigned::Always, v);
  assigns_all(node.success, Assigned::Always, v);
  v.goes_on();
  v.is_visible(VisibleWhen::Always);
}
void describe(AnyOf<Close> auto& node, auto& v) {
  v.uses(node.channel, Effect::Close | Effect::Closed);
  v.goes_on();
  v.is_visible(VisibleWhen::Always);
}
void describe(AnyOf<Closed> auto& node, auto& v) {
  v.uses(node.channel, Effect::Closed);
  v.assigns(node.target, Assigned::Always);
  v.goes_on();
  v.is_visible(VisibleWhen::Always);
}
void describe(AnyOf<Size> auto& node, auto& v) {
  v.uses(node.channel, Effect::Size);
  v.assigns(node.target, Assigned::Always);
  v.goes_on();
  v.is_visible(VisibleWhen::Always);
}

// ---- threads -----------------------------------------------------------------------------------

void describe(AnyOf<Spawn> auto& node, auto& v) {
  v.uses(node.thread, node.any ? Effect::Spawn | Effect::Join : Effect::Spawn);
  reads_all(node.values, v);
  assigns_all(node.target, Assigned::Always, v);
  v.goes_on();
}
void describe(AnyOf<Begin> auto& node, auto& v) {
  v.uses(node.thread, Effect::Begin);
  assigns_all(node.targets, Assigned::Always, v);
  v.goes_on();
  v.is_visible(CML_MUTATED("the-first-step-is-invisible", VisibleWhen::Always, VisibleWhen::Never));
}
void describe(AnyOf<Finish> auto& node, auto& v) {
  v.uses(node.thread, Effect::Finish);
  v.goes_on();
}
void describe(AnyOf<Join> auto& node, auto& v) {
  v.uses(node.thread, Effect::Join);
  v.waits_for(node.thread, {Awaited::End});
  v.goes_on();
  v.is_visible(VisibleWhen::Always);
}

// ---- histories ---------------------------------------------------------------------------------

void describe(AnyOf<Construct> auto& node, auto& v) {
  v.uses(node.history, Effect::Construct);
  reads_all(node.arguments, v);
  v.goes_on();
}
void describe(AnyOf<Enter> auto&, auto& v) {
  v.goes_on();
  v.is_visible(VisibleWhen::Always);
}
void describe(AnyOf<Invoke> auto& node, auto& v) {
  v.uses(node.history, Effect::Invoke);
  reads_all(node.arguments, v);
  v.goes_on();
}
void describe(AnyOf<Respond> auto& node, auto& v) {
  v.uses(node.history, Effect::Respond);
  reads_all(node.results, v);
  v.goes_on();
}

// ---- choices and blocks ------------------------------------------------------------------------

void describe(AnyOf<Choose> auto& node, auto& v) {
  v.reads(node.lo);
  v.reads(node.hi);
  if (node.among) v.reads(*node.among);
  v.assigns(node.target, Assigned::Always);
  v.chooses();
  v.goes_on();
  v.is_visible(VisibleWhen::Always);
}
void describe(AnyOf<Either> auto& node, auto& v) {
  v.chooses();
  for (auto& target : node.targets)
    v.goes_to(target);
  v.is_visible(VisibleWhen::Always);
}
void describe(AnyOf<Select> auto& node, auto& v) {
  for (auto& item : node.cases) {
    if (item.when) v.reads(*item.when);
    if (item.kind == Select::Kind::Await) {
      v.goes_to(item.next);
      continue;
    }
    const Effect effect = effect_of(awaited(item));
    v.uses(item.place, effect == Effect::Take
                           ? effect | Effect::Deepen | Effect::Look
                           : effect | Effect::Ready | if_that(item.may_be_closed, Effect::Closed));
    if (!node.otherwise) v.waits_for(item.place, {awaited(item)});
    reads_all(item.values, v);
    assigns_all(item.targets, Assigned::Perhaps, v);
    v.goes_to(item.next);
  }
  if (node.otherwise) v.goes_to(*node.otherwise);
  v.chooses();
  v.is_visible(VisibleWhen::Always);
}
void describe(AnyOf<Atomic> auto& node, auto& v) {
  v.encloses(node.end);
  v.goes_on();
  v.is_visible(VisibleWhen::Inside);
}

}  // namespace detail

/// Describes an Instruction, an Operation or one of its kinds; const, or not, to change its
/// targets.
void describe(auto& instruction, auto&& visitor) {
  if constexpr (requires { instruction.opcode(); }) {
    describe(instruction.node, visitor);
  } else if constexpr (requires {
                         std::variant_size<std::remove_cvref_t<decltype(instruction)>>::value;
                       }) {
    std::visit([&visitor](auto& node) { detail::describe(node, visitor); }, instruction);
  } else {
    detail::describe(instruction, visitor);
  }
}

// ---- what is asked most ------------------------------------------------------------------------

/// Calls `use(object)` for every object that a place can denote.
template <class Use>
void for_each_object(const Place& place, Use use) {
  const std::uint32_t count = place.index ? place.count : 1;
  for (std::uint32_t i = 0; i < count; ++i)
    use(ObjectId(place.base.index + i * place.stride));
}

/// Calls `use(Place, Effects)` for every place that an instruction names.
template <class Use>
void for_each_place(const auto& instruction, Use use) {
  struct Visitor : Description {
    Use& use;
    explicit Visitor(Use& u) : use(u) {}
    void uses(const Place& place, Effects effects) { use(place, effects); }
  };
  describe(instruction, Visitor(use));
}

/// Calls `use(LocalPlace, Assigned)` for all that an instruction may assign.
template <class Use>
void for_each_target(const auto& instruction, Use use) {
  struct Visitor : Description {
    Use& use;
    explicit Visitor(Use& u) : use(u) {}
    void assigns(const LocalPlace& place, Assigned when) { use(place, when); }
  };
  describe(instruction, Visitor(use));
}

/// Calls `use(Slot)` for all that an instruction may assign: of an array, all elements.
template <class Use>
void for_each_assigned(const auto& instruction, Use use) {
  for_each_target(instruction, [&use](const LocalPlace& target, Assigned) {
    const std::uint32_t count = target.index ? target.count : 1;
    for (std::uint32_t i = 0; i < count; ++i)
      use(target.slot + i);
  });
}

/// Calls `use(ExprId)` for every expression that an instruction evaluates, in places too, but not
/// for their parts.
template <class Use>
void for_each_expr(const auto& instruction, Use use) {
  struct Visitor : Description {
    Use& use;
    explicit Visitor(Use& u) : use(u) {}
    void reads(ExprId expr) { use(expr); }
    void uses(const Place& place, Effects) {
      if (place.index) use(*place.index);
    }
    void assigns(const LocalPlace& place, Assigned) {
      if (place.index) use(*place.index);
    }
  };
  describe(instruction, Visitor(use));
}

/// Calls `change(Pc&)` for every target of an instruction, the next one excluded, and the end of
/// its region.
template <class Described, class Change>
void for_each_pc(Described& instruction, Change change) {
  using Target = std::conditional_t<std::is_const_v<Described>, const Pc, Pc>;
  struct Visitor : Description {
    Change& change;
    explicit Visitor(Change& c) : change(c) {}
    void goes_to(Target& target) { change(target); }
    void encloses(Target& end) { change(end); }
  };
  describe(instruction, Visitor(change));
}

/// Calls `use(Place, std::initializer_list<Awaited>)` for what an instruction waits for: in each
/// call, for all of it; in several calls, for that of one of them.
template <class Use>
void for_each_wait(const auto& instruction, Use use) {
  struct Visitor : Description {
    Use& use;
    explicit Visitor(Use& u) : use(u) {}
    void waits_for(const Place& place, std::initializer_list<Awaited> all) { use(place, all); }
  };
  describe(instruction, Visitor(use));
}

/// Whether an instruction by itself may have several choices.
[[nodiscard]] bool chooses(const Instruction& instruction);
/// Reads the state and changes nothing but locals: what guards, invariants and `finally` are made
/// of.
[[nodiscard]] bool only_looks(const Instruction& instruction);
/// Changes what a property can read.
[[nodiscard]] bool changes_objects(const Instruction& instruction);
/// Is not enabled in every state, by itself or by an instruction inside.
[[nodiscard]] bool may_block(const Instruction& instruction);

/// The wait set that a thread is in at this instruction, or leaves there; null: none.
[[nodiscard]] inline const Place* wait_set(const Operation& node) {
  const auto of = [](const auto& one) { return one.condition ? &*one.condition : &one.lock; };
  if (const auto* rewait = std::get_if<Rewait>(&node)) return of(*rewait);
  if (const auto* timed = std::get_if<TimeOut>(&node)) return of(*timed);
  return nullptr;
}

struct VisibilityRule {
  VisibleWhen when = VisibleWhen::Never;
  const Place* place = nullptr;
};
[[nodiscard]] inline VisibilityRule visibility_rule(const Instruction& instruction) {
  struct Visitor : Description {
    VisibilityRule rule;
    void is_visible(VisibleWhen when, const Place* place = nullptr) { rule = {when, place}; }
  };
  Visitor visitor;
  describe(instruction, visitor);
  return visitor.rule;
}

}  // namespace cml::ir
