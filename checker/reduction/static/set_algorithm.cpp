#include "checker/reduction/static/set_algorithm.h"

#include "checker/reduction/static/persistent.h"
#include "checker/reduction/static/safe_set.h"
#include "checker/reduction/static/stubborn.h"

namespace cml::checker {

Scope scope(const Options& options) {
  if (!options.composes()) return Scope::Micro;
  return options.composition == Composition::InvisibleFirst ? Scope::VisibleOnly : Scope::Composed;
}

std::unique_ptr<SetAlgorithm> make_set_algorithm(ir::Step& step, const ir::Analyses& analyses,
                                                 const Options& options,
                                                 const CandidateLocks* candidates,
                                                 const MethodCalls& calls) {
  switch (options.reduction.sets) {
    case Sets::None:
    case Sets::Clock:  // no sets before something was executed
    case Sets::Source:
    case Sets::Optimal:
    case Sets::Parsimonious:
      return nullptr;
    // Those that learn from what lies behind states explore a part of these sets.
    case Sets::SafeSet:
    case Sets::EagerSource:
    case Sets::LazySource:
      return std::make_unique<SafeSet>(step, analyses, scope(options), candidates, calls,
                                       options.reduction.keeps_order);
    case Sets::Persistent:
      return std::make_unique<Persistent>(step, analyses, scope(options), candidates, calls,
                                          options.reduction.keeps_order);
    case Sets::Stubborn:
      return std::make_unique<Stubborn>(step, analyses, scope(options), options.spurious_wakeups,
                                        candidates, calls, options.reduction.keeps_order);
  }
  return nullptr;
}

}  // namespace cml::checker
