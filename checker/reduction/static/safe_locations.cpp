#include "checker/reduction/static/safe_locations.h"

#include <vector>

#include "ir/analysis/code_flow.h"
#include "ir/analysis/execution_bounds.h"
#include "support/mutation.h"

namespace cml::checker {

bool SafeLocations::is_safe(ir::ThreadId thread, ir::Location at) const {
  if (at < ir::kFirstLocation) return false;
  const bool depends = sets_.may_depend(thread, at) && !CML_MUTATION("every-transition-is-safe");
  return !depends && (!goes_back(thread, at) || CML_MUTATION("going-back-is-safe"));
}

bool SafeLocations::goes_back(ir::ThreadId thread, ir::Location at) const {
  const ir::Code& code = system_.threads[thread].code;
  const ir::Pc begin = code.location_pc[at];
  // Where the transition ends: at the next operation, or, composed, at one that may be visible.
  std::vector<bool> ends(code.instructions.size(), false);
  for (ir::Location other = ir::kFirstLocation; other < code.location_pc.size(); ++other)
    ends[code.location_pc[other]] =
        scope_ == Scope::Micro ||
        analyses_.accesses().visible(thread, other) == ir::Visible::Always;
  std::vector<bool> seen(code.instructions.size(), false);
  std::vector<ir::Pc> work{begin};
  std::vector<ir::Pc> next;
  bool is_back = false;
  while (!work.empty() && !is_back) {
    const ir::Pc pc = work.back();
    work.pop_back();
    next.clear();
    ir::successors(code, pc, next);
    for (const ir::Pc to : next) {
      is_back = is_back || to <= begin;
      if (seen[to]) continue;
      seen[to] = true;
      if (!ends[to]) work.push_back(to);
    }
  }
  return is_back &&
         !ir::execution_bound(system_, code, analyses_.ranges(thread), begin).has_value();
}

}  // namespace cml::checker
