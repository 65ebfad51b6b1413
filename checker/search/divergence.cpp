#include "checker/search/divergence.h"

#include <algorithm>

#include "ir/analysis/code_flow.h"
#include "support/mutation.h"

namespace cml::checker {
// A location is on such a cycle if it can reach itself through instructions that are not always
// visible, itself included. Removing, again and again, what has no successor left leaves the cycles
// and what leads to them: good enough as a filter before an exact check.
std::vector<bool> may_diverge_invisibly(const ir::System& system, const ir::Accesses& accesses,
                                        ir::ThreadId thread) {
  const ir::Code& code = system.threads[thread].code;
  const std::size_t size = code.instructions.size();
  std::vector<bool> turns(size, true);
  for (ir::Location at = ir::kFirstLocation; at < code.location_pc.size(); ++at)
    if (CML_MUTATED("only-what-is-never-visible-diverges",
                    accesses.visible(thread, at) == ir::Visible::Always,
                    accesses.visible(thread, at) != ir::Visible::Never))
      turns[code.location_pc[at]] = false;
  std::vector<ir::Pc> next;
  for (bool changed = true; changed;) {
    changed = false;
    for (std::size_t pc = size; pc-- > 0;) {
      if (!turns[pc]) continue;
      next.clear();
      ir::successors(code, static_cast<ir::Pc>(pc), next);
      if (std::any_of(next.begin(), next.end(), [&turns](ir::Pc to) { return turns[to]; }))
        continue;
      turns[pc] = false;
      changed = true;
    }
  }
  std::vector<bool> result(code.location_pc.size(), false);
  for (std::size_t at = ir::kFirstLocation; at < result.size(); ++at)
    result[at] = turns[code.location_pc[at]];
  return result;
}

}  // namespace cml::checker
