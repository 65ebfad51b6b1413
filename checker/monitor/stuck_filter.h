// At which locations a thread can arrive without making any thread stuck, so that the state need
// not be examined for stuck threads (stuck.h).
//
//        s ──t──▶ s′      t arrives at location b and is enabled there; in s only daemons are stuck
//
// In s, for every blocked thread u that is not stuck there is a chain of other threads, the first
// of which is enabled, each of which may enable the next, and the last of which may enable u. In s′
// such chains exist again if the transition satisfies two conditions:
//
//   disables   t may enable again every thread that it has blocked: from b on it may release the
//              lock that it took, up the semaphore that it took from, receive from the channel that
//              it sent to (and the other way round), write what it has written
//   forfeits   no other thread waits for what t might have done from its old location, and cannot
//              do from b on; no thread waits for t to release a lock that it does not own at b
//
// Both are decided by static analysis, for each micro-transition that leads to b (`future` and
// `operation` of ir::Accesses, locks held). A guard that t has made false has read something that t
// wrote, so the first condition covers it. Where t itself cannot do what is needed, another thread
// will do that is enabled in s′ and may: that is tested in each state (`obligations`), except for
// locks, which only t releases. A composed transition is a sequence of micro-transitions, in each
// of which t is enabled, so all locations from which control gets to b must satisfy the conditions,
// and without obligations. A thread that is stopped is never enabled, so its states are examined;
// one that has ended is not blocked, and has no future. A thread that is blocked at b can still be
// the second of a chain, if an enabled thread may do what it waits for.
//
// Cost: a look at a table. The edges of a thread are examined when one of its locations is first
// asked for: each once, since a composed transition gets to a location by way of those before it,
// so that an edge which violates a condition violates it for all locations that follow. A thread
// with very many edges (each of n operations may be followed by each other) is not analysed: its
// states are always examined.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <vector>

#include "ir/analysis/analyses.h"
#include "ir/by_location.h"
#include "ir/system.h"

namespace cml::checker {

class StuckFilter {
 public:
  /// `composed`: transitions go on to the next visible operation. All must outlive it.
  StuckFilter(const ir::System& system, const ir::Analyses& analyses, bool composed);

  /// Whether the thread may ever do this from there on, or one that it may spawn. But a lock is
  /// freed by its owner, and a thread for which another waits has been spawned before.
  [[nodiscard]] bool may(ir::ThreadId thread, ir::Location at, ir::ObjectUse what) const {
    const ir::Accesses& accesses = analyses_.accesses();
    return is_personal(what.use) ? accesses.itself(thread, at, what)
                                 : accesses.future(thread, at, what);
  }

  /// Whether a thread that arrives here by a transition, and is enabled or has ended, has made no
  /// thread stuck.
  struct At {
    bool makes_nobody_stuck = false;  // else it is not known,
    /// Each must be in the future of an enabled thread.
    std::span<const ir::ObjectUse> obligations;
  };
  [[nodiscard]] At at(ir::ThreadId thread, ir::Location location) {
    const std::uint32_t known = known_.at(thread, location);
    if (known == kUnknown) [[unlikely]] {
      decide(thread);
      return at(thread, location);
    }
    if (known == kNobody) return {true, {}};
    if (known == kPerhaps) return {};
    return {true, obligations_[known - kObligations]};
  }

 private:
  // What is known of a location: nothing yet, that it makes no thread stuck, that it may, or which
  // obligations_ there are.
  static constexpr std::uint32_t kUnknown = 0;
  static constexpr std::uint32_t kNobody = 1;
  static constexpr std::uint32_t kPerhaps = 2;
  static constexpr std::uint32_t kObligations = 3;
  struct Edge {
    ir::Location from = 0;
    ir::Location to = 0;
  };

  [[nodiscard]] static bool is_personal(ir::Use use) {
    return use == ir::Use::Give || use == ir::Use::Finish;
  }
  /// Decides all locations of a thread.
  void decide(ir::ThreadId thread);
  /// Finds what threads wait for: once for the model.
  void find_waits();
  /// None if there are too many.
  [[nodiscard]] std::optional<std::vector<Edge>> find_edges(ir::ThreadId thread) const;
  /// The locations that control can reach from these.
  [[nodiscard]] static std::vector<bool> followers(const std::vector<Edge>& edges,
                                                   std::vector<bool> from);
  /// False: the edge may make a thread stuck. Adds the obligations.
  [[nodiscard]] bool makes_nobody_stuck(ir::ThreadId thread, Edge edge,
                                        const std::vector<ir::Pc>& ends,
                                        std::vector<ir::ObjectUse>& obligations) const;
  [[nodiscard]] bool may_own(ir::ThreadId thread, ir::Location at, const std::vector<ir::Pc>& ends,
                             ir::ObjectId lock) const;
  /// Whether a thread other than this one may wait for it.
  [[nodiscard]] bool is_awaited(ir::ThreadId thread, ir::ObjectUse what) const;

  const ir::System& system_;
  const ir::Analyses& analyses_;
  bool composed_;
  bool is_prepared_ = false;
  bool is_known_ = true;  // objects are distinguished
  ir::ByLocation<std::uint32_t> known_;
  std::vector<std::vector<ir::ObjectUse>> obligations_;
  /// The thread that waits for a use; an invalid id: several.
  std::map<ir::ObjectUse, ir::ThreadId> awaited_by_;
};

}  // namespace cml::checker
