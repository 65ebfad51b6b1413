#include "checker/reduction/reduction.h"

#include "checker/reduction/persistent.h"
#include "checker/reduction/stubborn.h"

namespace cml::checker {
namespace {

Scope scope(const Options& options) {
  if (!options.composes()) return Scope::Micro;
  return options.composition == Composition::InvisibleFirst ? Scope::VisibleOnly : Scope::Composed;
}

}  // namespace

std::unique_ptr<Reduction> make_reduction(ir::Step& step, const ir::StaticFacts& facts,
                                          const Options& options,
                                          const CandidateLocks* candidates) {
  switch (options.reduction.sets) {
    case Sets::None:
      return nullptr;
    case Sets::Persistent:
      return std::make_unique<Persistent>(step, facts, scope(options), candidates);
    case Sets::Stubborn:
      return std::make_unique<Stubborn>(step, facts, scope(options), options.spurious_wakeups,
                                        candidates);
  }
  return nullptr;
}

}  // namespace cml::checker
