#include "checker/finding/races_behind.h"

#include <algorithm>
#include <memory>
#include <new>

#include "checker/monitor/monitors.h"
#include "checker/search/search.h"
#include "checker/step_config.h"
#include "ir/exec/interpreter.h"

namespace cml::checker {
namespace {

constexpr std::uint64_t kMostStates = 50'000;
constexpr double kMostSeconds = 0.5;

Options options_for_races(const Options& asked) {
  Options options = asked;
  options.discipline = Discipline::Races;
  options.granularity = Granularity::Sync;
  options.composition = Composition::Composed;
  options.store = Store::Stateful;
  options.state_form = StateForm::Bytes;
  options.undo.reset();
  options.order = Order::BreadthFirst;
  options.reduction.sets = Sets::Stubborn;
  options.reduction.sleep = false;
  options.reduction.keeps_order = true;
  options.all = true;
  options.shortest = false;
  options.hang_check = false;
  options.limits.max_states = std::min(options.limits.max_states, kMostStates);
  options.limits.max_seconds = kMostSeconds;
  return options;
}

}  // namespace

RaceBehind RacesBehind::operator()(ir::ObjectId object) {
  if (!has_searched_) search();
  has_searched_ = true;
  if (races_.size() == 0) return RaceBehind::Unknown;
  if (races_[object]) return RaceBehind::Race;
  // Where there is a race, the search has relied on what is not so.
  const bool any = std::find(races_.begin(), races_.end(), true) != races_.end();
  return is_complete_ && !any ? RaceBehind::None : RaceBehind::Unknown;
}

void RacesBehind::search() {
  const Options options = options_for_races(options_);
  const StopToken stop(context_.stop, StopToken::Clock::now() +
                                          std::chrono::duration_cast<StopToken::Clock::duration>(
                                              std::chrono::duration<double>(kMostSeconds)));
  const ir::StepConfig config = step_config(options, &stop);
  const Context quiet{context_.stop, {}};
  const ir::System& system = analyses_.system();
  try {
    ir::Interpreter step(analyses_, layout_, config);
    ir::Interpreter properties(analyses_, layout_, config);
    Monitors monitors(step, properties, analyses_, options);
    const SearchInput input{step, analyses_, monitors, options, quiet, nullptr};
    const std::unique_ptr<Search> search = make_search(input);
    search->run();
    is_complete_ = search->statistics().complete && monitors.limits().empty();
    races_ = IdVector<ir::ObjectId, bool>(system.objects.size(), false);
    for (const ir::ObjectId id : system.objects.ids())
      races_[id] = monitors.races().has_race(id);
  } catch (const std::bad_alloc&) {
    races_ = {};
  } catch (const Stopped&) {
    races_ = {};
  }
}

}  // namespace cml::checker
