#include "checker/finding/races_behind.h"

#include <algorithm>
#include <chrono>
#include <memory>
#include <new>

#include "checker/monitor/granularity_for_races.h"
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

StopToken::Clock::time_point in_seconds(double seconds) {
  return StopToken::Clock::now() + std::chrono::duration_cast<StopToken::Clock::duration>(
                                       std::chrono::duration<double>(seconds));
}

}  // namespace

void RacesBehind::operator()(ir::ObjectId object, Violation& violation) {
  if (!has_searched_) {
    has_searched_ = true;
    deadline_ = in_seconds(kMostSeconds);
    races_ = search({}, true);
    deadline_ = in_seconds(kMostSeconds);
  }
  if (!races_) return;
  if (races_->has_race[object]) {
    violation.race = RaceBehind::Race;
    return;
  }
  // Where there is a race, the search has relied on what is not so.
  const bool any =
      std::find(races_->has_race.begin(), races_->has_race.end(), true) != races_->has_race.end();
  if (!races_->is_complete || any) return;
  violation.race = RaceBehind::None;
  violation.ordered_by = ordered_by(object);
}

std::vector<std::string> RacesBehind::ordered_by(ir::ObjectId object) const {
  Ways known = races_->told_by[object];
  Ways needed;
  Ways ignored;
  for (std::size_t i = 0; i < known.size(); ++i) {
    ignored.push_back(known[i]);
    const std::optional<Races> without = search(ignored, true);
    if (!without || !without->is_complete) return {};
    if (without->has_race[object]) {
      ignored.pop_back();
      needed.push_back(known[i]);
      continue;
    }
    // What was told in another way already is told by these now.
    for (const HappensBefore::Way way : without->told_by[object])
      if (std::find(known.begin(), known.end(), way) == known.end()) known.push_back(way);
  }
  std::sort(needed.begin(), needed.end());
  std::vector<std::string> result;
  for (const HappensBefore::Way way : needed)
    result.push_back(races_->names[way]);
  result.erase(std::unique(result.begin(), result.end()), result.end());
  return result;
}

std::optional<RacesBehind::Races> RacesBehind::search(const Ways& ignored, bool notes_ways) const {
  FollowedObjects followed(analyses_.system());
  followed.follow_all();
  try {
    return following(followed, [&] { return search(followed, ignored, notes_ways); });
  } catch (const std::bad_alloc&) {
    return std::nullopt;
  } catch (const Stopped&) {
    return std::nullopt;
  }
}

RacesBehind::Races RacesBehind::search(const FollowedObjects& followed, const Ways& ignored,
                                       bool notes_ways) const {
  const Options options = with_granularity_for_races(options_for_races(options_), analyses_);
  const StopToken stop(context_.stop, deadline_);
  const ir::StepConfig config = step_config(options, &stop);
  const Context quiet{context_.stop, {}};
  const ir::System& system = analyses_.system();
  ir::Interpreter step(analyses_, layout_, config);
  ir::Interpreter properties(analyses_, layout_, config);
  Monitors monitors(step, properties, analyses_, options, followed);
  HappensBefore& order = monitors.races().order();
  for (const HappensBefore::Way way : ignored)
    order.ignore(way);
  if (notes_ways) order.note_ways();
  const SearchInput input{step, analyses_, monitors, options, quiet, nullptr};
  const std::unique_ptr<Search> search = make_search(input);
  search->run();
  Races races;
  races.is_complete = search->statistics().complete && monitors.limits().empty();
  races.has_race = IdVector<ir::ObjectId, bool>(system.objects.size(), false);
  races.told_by = IdVector<ir::ObjectId, Ways>(system.objects.size());
  for (const ir::ObjectId id : system.objects.ids()) {
    races.has_race[id] = monitors.races().has_race(id);
    Ways& ways = races.told_by[representative(system, id)];
    for (HappensBefore::Way way = 0; notes_ways && way < order.ways(); ++way)
      if (order.is_told_by(id, way) && std::find(ways.begin(), ways.end(), way) == ways.end())
        ways.push_back(way);
  }
  for (HappensBefore::Way way = 0; notes_ways && way < order.ways(); ++way)
    races.names.push_back(order.name(way));
  return races;
}

}  // namespace cml::checker
