// Which search serves which options, and what all of them report.
#include "checker/search/search.h"

#include <utility>

#include "checker/search/depth_first.h"
#include "checker/search/full.h"
#include "checker/search/reduced.h"
#include "checker/search/sleeping.h"
#include "checker/search/stateless.h"
#include "checker/store/heap_codec.h"
#include "checker/store/packing_codec.h"
#include "checker/store/state_codec.h"

namespace cml::checker {
namespace {

template <StateCodec Codec>
std::unique_ptr<Search> make_with_store(const SearchInput& input, Codec codec) {
  const Options& options = input.options;
  if (options.order != Order::BreadthFirst && !options.shortest)
    return std::make_unique<DepthFirst<Codec>>(input, std::move(codec));
  if (options.reduction.sleep) return std::make_unique<Sleeping<Codec>>(input, std::move(codec));
  if (options.reduction.sets != Sets::None)
    return std::make_unique<Reduced<Codec>>(input, std::move(codec));
  return std::make_unique<Full<Codec>>(input, std::move(codec));
}

}  // namespace

std::unique_ptr<Search> make_search(const SearchInput& input) {
  if (input.options.store == Store::Stateless) return std::make_unique<Stateless>(input);
  const ir::Layout& layout = input.step.layout();
  const std::size_t bytes = layout.size() + input.monitors.extra_bytes();
  const bool packed = input.options.state_form == StateForm::Bits;
  if (!input.step.system().classes.empty()) {
    return make_with_store(
        input, HeapCodec(input.step.system(), layout, bytes, input.monitors.kept(), packed));
  }
  if (packed) return make_with_store(input, PackingCodec(input.step.system(), layout, bytes));
  return make_with_store(input, IdentityCodec(bytes));
}

Statistics Search::statistics() const {
  Statistics result;
  result.complete = limits_.complete();
  result.states = options_.store == Store::Stateful ? states() : 0;
  result.transitions = transitions();
  result.max_depth = limits_.max_depth();
  result.limits_hit = limits_.hit();
  result.state_bytes = static_cast<double>(state_bytes());
  result.peak_memory_bytes = limits_.memory();
  result.seconds_search = limits_.seconds();
  return result;
}

}  // namespace cml::checker
