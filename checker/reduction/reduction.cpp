#include "checker/reduction/reduction.h"

#include <utility>

#include "checker/reduction/static/persistent.h"
#include "checker/reduction/static/set_cache.h"
#include "checker/reduction/static/stubborn.h"

namespace cml::checker {
namespace {

Scope scope(const Options& options) {
  if (!options.composes()) return Scope::Micro;
  return options.composition == Composition::InvisibleFirst ? Scope::VisibleOnly : Scope::Composed;
}

}  // namespace

std::unique_ptr<Reduction> make_reduction(ir::Step& step, const ir::Analyses& analyses,
                                          const Options& options,
                                          const CandidateLocks* candidates) {
  std::unique_ptr<Reduction> reduction;
  switch (options.reduction.sets) {
    case Sets::None:
      return nullptr;
    case Sets::Persistent:
      reduction = std::make_unique<Persistent>(step, analyses, scope(options), candidates);
      break;
    case Sets::Stubborn:
      reduction = std::make_unique<Stubborn>(step, analyses, scope(options),
                                             options.spurious_wakeups, candidates);
      break;
  }
  return std::make_unique<SetCache>(std::move(reduction), step, candidates);
}

}  // namespace cml::checker
