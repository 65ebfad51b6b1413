#include "checker/search/make_reduction.h"

#include "checker/reduction/dynamic/backtracking.h"
#include "checker/reduction/dynamic/eager_source.h"
#include "checker/reduction/dynamic/lazy_source.h"
#include "checker/reduction/dynamic/optimal.h"
#include "checker/reduction/dynamic/parsimonious.h"
#include "checker/reduction/static/static_reduction.h"

namespace cml::checker {
namespace {

template <class Dynamic>
std::unique_ptr<Reduction> make_dynamic(const SearchInput& input, const MemoryBudget& budget) {
  return std::make_unique<Dynamic>(input.step, input.analyses, input.options, budget);
}

}  // namespace

std::unique_ptr<Reduction> make_reduction(const SearchInput& input, const MemoryBudget& budget) {
  switch (input.options.reduction.sets) {
    case Sets::EagerSource:
      return make_dynamic<EagerSource>(input, budget);
    case Sets::LazySource:
      return make_dynamic<LazySource>(input, budget);
    case Sets::Optimal:
      return make_dynamic<Optimal>(input, budget);
    case Sets::Parsimonious:
      return make_dynamic<Parsimonious>(input, budget);
    case Sets::Clock:
    case Sets::Source:
      return make_dynamic<Backtracking>(input, budget);
    case Sets::None:
    case Sets::Persistent:
    case Sets::Stubborn:
    case Sets::SafeSet:
      break;
  }
  return std::make_unique<StaticReduction>(input.step, input.analyses, input.options, budget,
                                           candidates(input), input.commuting);
}

}  // namespace cml::checker
