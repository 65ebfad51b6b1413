// Stubborn sets (Valmari; Godefroid's "stubborn set technique"): the closure of persistent.h, but a
// thread that is blocked pulls in only a necessary enabling set, threads one of which must move
// before it can go:
//
//   acquire, second part of wait   the owner, if the lock is owned
//   second part of wait            else those that may notify
//   down / send / receive          those that may up / receive / send
//   await, blocks                  those that may change what the guard has read in this state
//   select                         the union over its cases
//
// The closure is computed from every enabled thread, and the smallest result is kept.
//
// Cost: persistent.h's, times the enabled threads.
#pragma once

#include "checker/reduction/reduction.h"

namespace cml::checker {

class Stubborn final : public Reduction {
 public:
  Stubborn(ir::Step& step, const ir::StaticFacts& facts, Scope scope, bool spurious_wakeups,
           const CandidateLocks* candidates)
      : step_(step),
        spurious_wakeups_(spurious_wakeups),
        sets_(step.system(), step.layout(), facts, scope, candidates) {}

  void select(const std::uint8_t* state, const std::vector<std::uint32_t>& entries,
              std::vector<bool>& chosen) override;

 private:
  void close(const std::uint8_t* state, ir::ThreadId seed,
             const std::vector<std::uint32_t>& entries);
  void add(const std::uint8_t* state, ir::ThreadId thread);
  void add_all_that_may(const std::uint8_t* state, KeyUse use);
  void add_enabling(const std::uint8_t* state, ir::ThreadId blocked);
  /// By thread: the row of what it conflicts with in this state, once it was asked for.
  const Row& row(const std::uint8_t* state, ir::ThreadId thread);

  ir::Step& step_;
  bool spurious_wakeups_;
  StaticSets sets_;
  std::vector<bool> set_;
  std::vector<ir::ThreadId> work_;
  std::vector<Row> rows_;
  std::vector<bool> has_row_;
  ir::Record record_;
};

}  // namespace cml::checker
