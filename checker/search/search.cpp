// Which search serves which options, and what all of them report.
#include "checker/search/search.h"

#include "checker/search/depth_first.h"
#include "checker/search/full.h"
#include "checker/search/reduced.h"
#include "checker/search/sleeping.h"
#include "checker/search/stateless.h"

namespace cml::checker {

std::unique_ptr<Search> make_search(const SearchInput& input) {
  const Options& options = input.options;
  if (options.store == Store::Stateless) return std::make_unique<Stateless>(input);
  if (options.order == Order::DepthFirst && !options.shortest)
    return std::make_unique<DepthFirst>(input);
  if (options.reduction.sleep) return std::make_unique<Sleeping>(input);
  if (options.reduction.sets != Sets::None) return std::make_unique<Reduced>(input);
  return std::make_unique<Full>(input);
}

Statistics Search::statistics() const {
  Statistics result;
  result.complete = limits_.complete();
  result.states = options_.store == Store::Stateful ? states() : 0;
  result.transitions = transitions();
  result.max_depth = limits_.max_depth();
  result.limits_hit = limits_.hit();
  result.state_bytes = static_cast<double>(explorer_.bytes());
  result.peak_memory_bytes = memory();
  result.seconds_search = limits_.seconds();
  return result;
}

}  // namespace cml::checker
