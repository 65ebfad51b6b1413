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
#pragma once

#include <cstdint>
#include <unordered_map>
#include <vector>

#include "ir/analysis/accesses.h"
#include "ir/system.h"

namespace cml::checker {

class ChoiceDependence {
 public:
  explicit ChoiceDependence(const ir::System& system);

  /// What the numbers of an operation's choices depend on; empty for everything but blocks that
  /// decide more than once.
  [[nodiscard]] const std::vector<ir::ObjectUse>& looks(ir::ThreadId thread, ir::Pc pc) const;

 private:
  IdVector<ir::ThreadId, std::unordered_map<ir::Pc, std::vector<ir::ObjectUse>>> blocks_;
  std::vector<ir::ObjectUse> none_;
};

}  // namespace cml::checker
