#include "checker/finding/race_sides.h"

#include <algorithm>
#include <array>
#include <fmt/format.h>
#include <utility>

#include "checker/finding/last_order.h"
#include "checker/finding/shorten.h"
#include "checker/monitor/happens_before.h"

namespace cml::checker {
namespace {

struct Access {
  ir::ObjectId object;
  ir::ThreadId thread;
  ir::Pc pc = 0;
  bool is_write = false;
  std::size_t steps = 0;  // of the trace, up to it
  std::string name;       // of the object, as the trace calls it then
  std::vector<std::string> locks;
};

struct Pair {
  Access later;
  Access earlier;
};

IdVector<ir::ObjectId, bool> same_as(const ir::System& system, ir::ObjectId object) {
  IdVector<ir::ObjectId, bool> result(system.objects.size(), false);
  for (const ir::ObjectId id : system.objects.ids())
    result[id] = ir::representative(system, id) == object;
  return result;
}

/// The accesses along one path, up to the first two that race.
class RaceOnPath {
 public:
  RaceOnPath(Replayer& replayer, ir::ObjectId object)
      : replayer_(replayer), system_(replayer.context().system), object_(object) {
    make_order();
  }

  /// How much of the path that takes; none: no two race.
  std::optional<std::size_t> follow(const Path& path, Replayer::Steps made) {
    for (;; room_ *= 2, make_order()) {
      try {
        return follow_within_room(path, made);
      } catch (const NoRoomForReaders&) {
      }
    }
  }

  [[nodiscard]] const Pair& race() const { return *race_; }
  [[nodiscard]] const Replay& replay() const { return replay_; }

 private:
  void make_order() {
    order_.emplace(system_, replayer_.context().layout, same_as(system_, object_), room_);
  }

  std::optional<std::size_t> follow_within_room(const Path& path, Replayer::Steps made) {
    accesses_.clear();
    race_.reset();
    executed_ = 0;
    names_ = made == Replayer::Steps::Made;
    sets_.assign(order_->bytes(), 0);
    order_->initial(sets_.data());
    const std::size_t bytes = replayer_.context().layout.size();
    before_.clear();
    const auto look = [this, bytes](const ir::Record& record, const std::uint8_t* state) {
      if (before_.empty()) before_.assign(state, state + bytes);  // nobody waits in the beginning
      const bool is_found = see(record, state);
      std::copy_n(state, bytes, before_.begin());
      return is_found;
    };
    replay_ = replayer_.replay(path, look, made);
    if (!replay_.ok || !race_) return std::nullopt;
    return replay_.executed;
  }

  bool see(const ir::Record& record, const std::uint8_t* state) {
    if (!record.micros.empty()) ++executed_;
    std::optional<RacingAccess> found;
    const auto take = [&found](const RacingAccess& access) {
      if (!found) found = access;
    };
    order_->transition(before_.data(), record, state, sets_.data(), take);
    for (const ir::Touch& touch : record.touches)
      if (touch.effect == ir::Effect::New) forget(touch.object);
    add(record);
    if (found) pair(*found);
    return race_.has_value();
  }

  void add(const ir::Record& record) {
    for (const ir::Touch& touch : record.touches) {
      const bool is_write = touch.effect == ir::Effect::Write;
      if (!is_write && touch.effect != ir::Effect::Read) continue;
      if (ir::representative(system_, touch.object) != object_) continue;
      Access access{
          touch.object, record.micros[0].action.thread, touch.pc, is_write, executed_, {}, {}};
      if (names_) take_names(record, touch, access);
      accesses_.push_back(std::move(access));
    }
  }

  void take_names(const ir::Record& record, const ir::Touch& touch, Access& access) const {
    const TextContext& context = replayer_.context();
    access.name = context.name(touch.object);
    if (!touch.counted) return;  // in the window of an initialisation locks are not looked at
    std::vector<ir::ObjectId> held;
    context.layout.add_locks(record.held.data() + touch.held, held);
    for (const ir::ObjectId lock : held)
      access.locks.push_back(context.name(lock));
  }

  void pair(const RacingAccess& found) {
    const auto later = std::find_if(accesses_.rbegin(), accesses_.rend(), [&](const Access& a) {
      return a.object == found.object && a.thread == found.thread && a.pc == found.pc;
    });
    const auto earlier = std::find_if(accesses_.rbegin(), accesses_.rend(), [&](const Access& a) {
      if (a.object != found.object) return false;
      if (found.reader && !found.reader->valid()) return !a.is_write;  // in any place
      if (a.thread == found.thread) return false;
      return found.reader ? !a.is_write && a.thread == *found.reader : a.is_write;
    });
    if (later != accesses_.rend() && earlier != accesses_.rend()) race_ = {*later, *earlier};
  }

  /// The accesses to an object at a place that is another one's now.
  void forget(ir::ObjectId instance) {
    const ir::Object& place = system_.objects[instance];
    std::erase_if(accesses_, [&](const Access& access) {
      const ir::Object& one = system_.objects[access.object];
      return one.owner == place.owner && one.position == place.position;
    });
  }

  Replayer& replayer_;
  const ir::System& system_;
  ir::ObjectId object_;
  std::size_t room_ = 2;
  std::optional<HappensBefore> order_;
  std::vector<std::uint8_t> sets_;
  std::vector<std::uint8_t> before_;  // the state before the next transition
  Replay replay_;
  bool names_ = false;
  std::size_t executed_ = 0;
  std::vector<Access> accesses_;
  std::optional<Pair> race_;
};

/// Not of threads in whose places others can begin: whose step was which?
std::optional<LastOrderOfTwo::Steps> last_order(Replayer& replayer, const Path& path,
                                                const Pair& race) {
  const ir::System& system = replayer.context().system;
  const ir::Layout& layout = replayer.context().layout;
  const std::array<ir::ThreadId, 2> threads{race.earlier.thread, race.later.thread};
  for (const ir::ThreadId thread : threads)
    if (system.threads[thread].is_reused) return std::nullopt;
  LastOrderOfTwo order(system, layout, threads, path.size());
  std::vector<std::uint8_t> before;
  const auto look = [&](const ir::Record& record, const std::uint8_t* state) {
    if (before.empty()) before.assign(state, state + layout.size());
    order.see(before.data(), record, state);
    std::copy_n(state, layout.size(), before.begin());
    return false;
  };
  if (!replayer.replay(path, look, Replayer::Steps::None).ok) return std::nullopt;
  return order.last(race.earlier.steps - 1);
}

NamedStep named(const TraceStep& step) {
  const bool answers = step.result && step.shows_result;
  return {step.thread, step.location,
          answers ? fmt::format("{} → {}", step.operation, step.result->text) : step.operation};
}

const char* what(const Access& access) { return access.is_write ? "write" : "read"; }

}  // namespace

std::optional<RaceSides> sides_of_race(Replayer& replayer, const Finding& finding,
                                       std::uint64_t& budget) {
  RaceOnPath on_path(replayer, finding.event.object);
  const Leads leads = [&on_path](const Path& path) {
    return on_path.follow(path, Replayer::Steps::None);
  };
  Path path = replayer.micros(finding.path);
  if (!leads(path)) return std::nullopt;
  path = shortened(replayer, std::move(path), leads, {}, budget);
  const std::optional<std::size_t> length = on_path.follow(path, Replayer::Steps::None);
  if (!length) return std::nullopt;
  path.resize(*length);
  const auto last = last_order(replayer, path, on_path.race());
  if (!on_path.follow(path, Replayer::Steps::Made)) return std::nullopt;
  const ir::System& system = replayer.context().system;
  const auto [later, earlier] = on_path.race();
  RaceSides result;
  result.object = later.object;
  for (const Access* access : {&later, &earlier}) {
    const ir::Thread& thread = system.threads[access->thread];
    AccessSide& side = result.sides.emplace_back();
    side.thread = thread.name;
    side.location = thread.code.instructions[access->pc].range;
    side.operation = fmt::format("{} {}", what(*access), access->name);
    side.locks = access->locks;
    const std::vector<TraceStep>& steps = on_path.replay().steps;
    side.trace.assign(steps.begin(), steps.begin() + static_cast<std::ptrdiff_t>(
                                                         std::min(access->steps, steps.size())));
  }
  result.message =
      fmt::format("nothing orders the {} of {} by {} before the {} by {}", what(earlier),
                  later.name, result.sides[1].thread, what(later), result.sides[0].thread);
  const std::vector<TraceStep>& steps = on_path.replay().steps;
  if (last && last->after < steps.size())
    result.last_order = {named(steps[last->before]), named(steps[last->after])};
  result.path = std::move(path);
  return result;
}

}  // namespace cml::checker
