// What the numbers of an atomic block's choices depend on.
//
// Such a choice is the number of a leaf in the tree of the block's decisions (ir/exec/step.h).
// Where the block decides once, all leaves share the path to that decision, so a leaf has read
// whatever could change its number. Where it decides more than once, the number of leaves of one
// alternative can depend on something that only this alternative reads, and all leaves behind them
// get other numbers:
//
//   either { if a == 1 { either { … } or { … } } }      leaves 0      or 0, 1, once a is 1
//   or     { d = 1; }                                   leaf   1      or 2
//
// So for sleep sets, which identify transitions by their numbers, each transition of such a block
// depends on everything that any part of the block may read.
//
// A search that does not visit every state (visits.h) must besides see who makes another
// alternative possible, or impossible, than the one that was taken; so for it that holds for all
// blocks that decide, or can be blocked: what a condition has read up to where it was decided is
// not enough.
#pragma once

#include <cstdint>
#include <unordered_map>
#include <vector>

#include "checker/reduction/visits.h"
#include "ir/analysis/accesses.h"
#include "ir/system.h"

namespace cml::checker {

class ChoiceDependence {
 public:
  ChoiceDependence(const ir::System& system, Visits visits);

  /// What the numbers of an operation's choices depend on, and which there are; empty for
  /// everything but blocks.
  [[nodiscard]] const std::vector<ir::ObjectUse>& looks(ir::ThreadId thread, ir::Pc pc) const;

 private:
  IdVector<ir::ThreadId, std::unordered_map<ir::Pc, std::vector<ir::ObjectUse>>> blocks_;
  std::vector<ir::ObjectUse> none_;
};

}  // namespace cml::checker
