// What an executed transition did, and whether two transitions commute (docs/reductions.md, "What
// depends on what"; Stoller's framework §5 and §7; Godefroid's conditional dependency).
//
// A summary is a set of uses (ir/effects.def). A lock appears with its net effect over the whole
// transition, and its wait set is an object of its own:
//
//   Pass   acquired and released inside: needs the lock free, leaves it free
//   Take   acquired, held at the end
//   Give   held at the start, freed
//   Look   a tryAcquire that failed, or the case of a select that was not taken
//          (nothing: use by the owner throughout)
//
// Pass and Pass commute: that makes two critical sections with disjoint data one interleaving.
//
// Semaphores and channels are dependent conditionally: it depends on the value *before* the
// transitions, and holds for transitions with exactly one operation on the object (`several`).
//
// Summaries are interned: the same transition in two states has nearly always the same one, so a
// sleep set is a list of numbers. Cost of a comparison: one AND in the common case, then a merge of
// two sorted lists of a few elements.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <span>
#include <unordered_map>
#include <vector>

#include "checker/reduction/choice_dependence.h"
#include "checker/reduction/method_calls.h"
#include "checker/reduction/property_reads.h"
#include "checker/reduction/visits.h"
#include "ir/effects.h"
#include "ir/exec/step.h"

namespace cml::checker {

using ir::Use;

/// Whether two uses of one object conflict (ir/effects.def); none where that depends on the state.
[[nodiscard]] std::optional<bool> conflict_by_kind(Use a, Use b);
/// Whether two that commute order what their threads do, one way or the other, by happens-before:
/// critical sections, an `up` and a `down` that need not wait for it.
[[nodiscard]] bool leaves_an_order(Use a, Use b);

/// Numbers everything that transitions can depend on: objects, wait sets, properties.
class Keys {
 public:
  explicit Keys(const ir::System& system)
      : objects_(static_cast<std::uint32_t>(system.objects.size())) {}
  [[nodiscard]] static std::uint32_t of(ir::ObjectId object) { return object.index; }
  [[nodiscard]] std::uint32_t wait_set(ir::ObjectId lock) const { return objects_ + lock.index; }
  [[nodiscard]] std::uint32_t property(std::uint32_t number) const { return 2 * objects_ + number; }
  /// Written by every transition that stops its thread.
  [[nodiscard]] static constexpr std::uint32_t stop() { return UINT32_MAX; }
  /// Calls of methods that do not commute (method_calls.h); behind all others.
  [[nodiscard]] static constexpr std::uint32_t call(std::uint32_t pair) {
    return stop() - 1 - pair;
  }
  /// Of a key of calls.
  [[nodiscard]] static constexpr std::uint32_t pair(std::uint32_t key) { return stop() - 1 - key; }
  [[nodiscard]] bool is_object(std::uint32_t key) const { return key < objects_; }

 private:
  std::uint32_t objects_;
};

struct KeyUse {
  std::uint32_t key = 0;
  Use use = Use::Read;

  friend auto operator<=>(const KeyUse&, const KeyUse&) = default;
};

using SummaryId = Id<struct SummaryTag>;

/// Which part of a record is the transition.
enum class Extent : std::uint8_t {
  First,  // its first micro-transition: invisible-first search, where the invisible ones that
          // follow need not be considered (Theorem 3 of the framework)
  All,    // all of it
};

class Dependency {
 public:
  /// All must outlive it. `calls`: null where transitions are compared that need not be enabled at
  /// the same time. `keeps_order`: see ReductionOptions.
  Dependency(const ir::System& system, const ir::Layout& layout, const MethodCalls* calls,
             Visits visits, bool keeps_order);

  /// The summary of a transition. `before` and `after` are the states around it.
  SummaryId summary(const ir::Record& record, Extent extent, const std::uint8_t* before,
                    const std::uint8_t* after, bool stops);
  /// Of what decides whether a thread is blocked that is, at the operation at `pc`; `record` is
  /// what ir::Step::pending() says, and ignored where the operation is a block.
  SummaryId pending(const ir::Record& record, ir::ThreadId thread, ir::Pc pc);
  /// Of what a transition did, and of these uses, or of those that are of the same objects.
  SummaryId widened(SummaryId id, std::span<const ir::ObjectUse> uses, bool same_objects);
  /// Whether the transition has stopped its thread.
  [[nodiscard]] bool stops(SummaryId id) const {
    const Summary& summary = summaries_[id];
    return summary.begin != summary.end && pool_[summary.end - 1].key == Keys::stop();
  }

  /// Whether the two, of different threads and both enabled in `state`, are dependent there.
  [[nodiscard]] bool dependent(SummaryId a, SummaryId b, const std::uint8_t* state) const;
  /// Whether there may be a state in which they are.
  [[nodiscard]] bool ever_dependent(SummaryId a, SummaryId b) const {
    return dependent(a, b, nullptr);
  }
  /// What a transition did, ascending by key.
  [[nodiscard]] std::span<const KeyUse> uses(SummaryId id) const { return uses(summaries_[id]); }
  [[nodiscard]] bool is_lock(std::uint32_t key) const {
    return keys_.is_object(key) && system_.objects[ir::ObjectId(key)].kind == ir::ObjectKind::Lock;
  }

  [[nodiscard]] std::size_t count() const { return summaries_.size(); }
  /// How many numbers summaries take, or their uses, whichever are more.
  [[nodiscard]] std::size_t numbers() const { return std::max(summaries_.size(), pool_.size()); }
  [[nodiscard]] std::uint64_t memory() const;

 private:
  struct Summary {
    std::uint64_t mask = 0;  // of the keys
    std::uint32_t begin = 0;
    std::uint32_t end = 0;
  };
  void add(std::uint32_t key, Use use) {
    if (key < stands_for_.size()) {
      key = stands_for_[key];
      if (key == kNothing) return;
    }
    uses_.push_back({key, use});
  }
  /// For add(), which knows what stands for it in a summary.
  [[nodiscard]] std::uint32_t own_key(ir::ObjectUse use) const {
    return ir::of(use.use) == ir::UseOf::WaitSet ? keys_.wait_set(use.object)
                                                 : Keys::of(use.object);
  }
  /// What stands for it in a summary; kNothing: nothing does.
  [[nodiscard]] std::uint32_t key(ir::ObjectUse use) const {
    const std::uint32_t key = own_key(use);
    return stands_for_.empty() ? key : stands_for_[key];
  }
  void add_use(ir::ObjectUse use);
  /// A use that changes the object, and so perhaps the value of properties.
  void change(ir::ObjectId object, Use use);
  void touch(const ir::Touch& touch, const std::uint8_t* before);
  /// Of one thread: the micro-transitions from `from` to the one before `to`.
  void add_part(const ir::Record& record, std::size_t from, std::size_t to, Extent extent,
                const std::uint8_t* before, const std::uint8_t* after);
  void change_properties(ir::ObjectId object);
  void look(ir::ObjectUse use);
  void lock_effect(ir::ObjectId lock, ir::Effect first, ir::ThreadId thread, bool looked,
                   const std::uint8_t* after);
  void locks(std::span<const ir::Touch> touches, ir::ThreadId thread, const std::uint8_t* after);
  SummaryId intern();
  [[nodiscard]] std::span<const KeyUse> uses(const Summary& summary) const {
    return {pool_.data() + summary.begin, pool_.data() + summary.end};
  }
  /// `state`: null if in some state.
  [[nodiscard]] bool conflict(std::uint32_t key, Use a, Use b, const std::uint8_t* state) const;
  [[nodiscard]] bool semaphore_conflict(ir::ObjectId object, Use a, Use b,
                                        const std::uint8_t* state) const;
  [[nodiscard]] bool channel_conflict(ir::ObjectId object, Use a, Use b,
                                      const std::uint8_t* state) const;

  const ir::System& system_;
  const ir::Layout& layout_;
  const MethodCalls* calls_;
  bool keeps_order_;
  PropertyReads watched_;
  ChoiceDependence decisions_;
  // By key: objects of the heap are at other places in a stored state, and a summary that is stored
  // with it (a sleep set) stays as it is. So a field of one object stands for that of all; where
  // objects are confined to threads (ir/analysis/confined_classes.h), nothing does.
  static constexpr std::uint32_t kNothing = UINT32_MAX;
  std::vector<std::uint32_t> stands_for_;
  Keys keys_;
  std::vector<KeyUse> uses_;  // of the summary that is being made
  std::vector<KeyUse> pool_;
  IdVector<SummaryId, Summary> summaries_;
  std::unordered_multimap<std::uint64_t, SummaryId> by_hash_;
};

}  // namespace cml::checker
