// Dynamic reductions that keep, for each state of the path, the set of threads to be explored from
// there (a backtrack set), and add to it what races ask for. Two of them, which differ in what they
// add:
//
//   clock    Flanagan and Godefroid, "Dynamic Partial-Order Reduction for Model Checking Software",
//            POPL 2005: for the last event in a race with an operation, the thread of the
//            operation, or, if that was not enabled, all threads. Without sleep sets: what is added
//            need not be an initial, and where it sleeps nothing would be explored. Thread starts
//            and ends are events like others, and no places where all threads are tried, as they
//            are in JPF's (E. Noonan, E. Mercer, N. Rungta, "Vector-Clock Based Partial Order
//            Reduction for JPF", 2014).
//   source   Abdulla, Aronis, Jonsson, Sagonas, "Source Sets", JACM 2017, Algorithm 1: for each
//            event in a race, nothing if a thread is in the set already that can begin the
//            execution in which the race is reversed (an initial of v = notdep(e, E).p); else such
//            a thread. With sleep sets.
//
//   Explore(E):                                                       here
//     pick any enabled p that does not sleep; backtrack := {p}        open
//     while p ∈ backtrack, not asleep, not done                       next
//       for races e of p's next event with E                          DynamicReduction
//         if backtrack(before e) has no initial of v, add one         reverse
//       Sleep′ := {q ∈ Sleep | independent of p}; Explore(E.p)        DynamicReduction
//       add p to Sleep
#pragma once

#include <vector>

#include "checker/reduction/dynamic/dynamic_reduction.h"

namespace cml::checker {

class Backtracking final : public DynamicReduction {
 public:
  using DynamicReduction::DynamicReduction;

  [[nodiscard]] std::optional<ir::Action> next(Depth depth) override;
  [[nodiscard]] std::uint64_t memory() const override {
    return DynamicReduction::memory() + backtrack_.capacity() * sizeof(Word);
  }

 private:
  void open(Depth depth) override;
  void reverse(EventNumber event, const Operation& operation) override;
  void expand(Depth depth) override;
  void close(Depth depth) override { backtrack_.resize(depth * words_); }
  /// Whether all of the thread's actions sleep there.
  [[nodiscard]] bool is_asleep(Depth depth, std::uint32_t thread);

  std::vector<Word> backtrack_;  // sets of threads
};

}  // namespace cml::checker
