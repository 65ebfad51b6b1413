// Where a thread may come without making anybody stuck, so that a state need not be looked at for
// stuck threads (stuck.h).
//
//        s ──t──▶ s′      t comes to location b and can go on; in s daemons only are stuck
//
// In s every blocked thread u that is not stuck has a chain of others, the first of whom can go,
// each of whom may enable the next. In s′ such chains are there again if what t did satisfies two
// conditions:
//
//   taken   whoever t has blocked, t may enable again: from b on it may give the lock that it took,
//           up the semaphore, receive from the channel that it sent to (and the other way round),
//           write what it has written
//   lost    what t might have done from where it stood, and may not do from b on, nobody else waits
//           for; of a lock that t does not own at b, nobody waits for t to give it
//
// Both are analyses of the code: of each micro-transition that leads to b (`future` and `operation` of
// ir::Accesses, locks held). A guard that t has made false read something that t wrote, so `taken`
// covers it. Where t itself may not do what is needed, somebody else will serve who can go in s′
// and may do it: that is left to be asked in each state (`obligations`), apart from locks, which only t
// gives. A composed transition is a row of micro-transitions in each of which t could go, so all
// locations from which control comes to b must satisfy the conditions, and without any obligations. A
// thread that is stopped cannot go on, so its states are looked at; one that has ended is not
// blocked, and may do nothing any more. One that waits at b may go on after all if what it waits
// for may be done by another who can go: then it is the first to be enabled.
//
// Cost: a look at a table. The ways of a thread are looked at when one of its locations is first
// asked for: each once, since a composed transition comes to a location if it comes to one before
// it, so what is wrong with a way is wrong at all locations that follow. A thread with very many
// ways (each of n operations may be followed by each other) is not looked at: then its states are.
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

  /// Whether a thread that has come here by a transition, and can go on or has ended, has made
  /// nobody stuck.
  struct At {
    bool makes_nobody_stuck = false;  // else it is not known,
    std::span<const ir::ObjectUse>
        obligations;  // and each of these must be done by someone who can go
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
  // What is known of a location: nothing yet, all, that it may be otherwise, or which obligations_.
  static constexpr std::uint32_t kUnknown = 0;
  static constexpr std::uint32_t kNobody = 1;
  static constexpr std::uint32_t kPerhaps = 2;
  static constexpr std::uint32_t kObligations = 3;
  struct Edge {
    ir::Location from = 0;
    ir::Location to = 0;
  };

  /// All locations of a thread.
  void decide(ir::ThreadId thread);
  /// What threads wait for: once for the model.
  void find_waits();
  /// None if there are too many.
  [[nodiscard]] std::optional<std::vector<Edge>> find_edges(ir::ThreadId thread) const;
  /// Where control comes from these locations.
  [[nodiscard]] static std::vector<bool> followers(const std::vector<Edge>& edges,
                                                   std::vector<bool> from);
  /// False: it may make somebody stuck. Adds what is needed.
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
  bool is_known_ = true;  // objects are told apart
  ir::ByLocation<std::uint32_t> known_;
  std::vector<std::vector<ir::ObjectUse>> obligations_;
  /// Who waits for it: a thread, or an invalid id for several.
  std::map<ir::ObjectUse, ir::ThreadId> awaited_by_;
};

}  // namespace cml::checker
