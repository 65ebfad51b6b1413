// Finds the accesses again by replaying their paths.
#include "checker/finding/discipline_sides.h"

#include <algorithm>
#include <fmt/format.h>
#include <set>
#include <utility>

#include "checker/finding/shorten.h"
#include "checker/monitor/lock_relations.h"

namespace cml::checker {
namespace {

using Locks = std::vector<ir::ObjectId>;  // sorted

struct Access {
  ir::ObjectId object;
  ir::ThreadId thread;
  ir::Pc pc = 0;
  bool is_write = false;
  Locks locks;  // that still exist
  Locks held;   // at the access
  Path path;    // that leads to it
  std::vector<TraceStep> trace;
  // As its trace calls them.
  std::string object_name;
  std::vector<std::string> held_names;
};

Locks held(const ir::Layout& layout, const ir::Record& record, const ir::Touch& touch) {
  Locks result;
  layout.add_locks(record.held.data() + touch.held, result);
  return result;
}

/// Of these, what counts for this access.
Locks protecting(const ir::Layout& layout, const ir::Record& record, const ir::Touch& touch) {
  std::vector<std::uint64_t> set(layout.lock_set_words());
  layout.protecting(record.held.data() + touch.held, touch.effect == ir::Effect::Write, set.data());
  Locks result;
  layout.add_locks(set.data(), result);
  return result;
}

Locks intersection(const Locks& a, const Locks& b) {
  Locks result;
  std::set_intersection(a.begin(), a.end(), b.begin(), b.end(), std::back_inserter(result));
  return result;
}

/// The locks as they are compared where objects may be at other places.
Locks representatives(const ir::System& system, const Locks& locks) {
  Locks result;
  for (const ir::ObjectId lock : locks)
    result.push_back(representative(system, lock));
  std::sort(result.begin(), result.end());
  result.erase(std::unique(result.begin(), result.end()), result.end());
  return result;
}

/// The counted accesses in a record, all of one thread, to an object, or to any of which it is the
/// representative.
std::vector<Access> accesses_in(const Replayer& replayer, const ir::Record& record,
                                ir::ThreadId thread, ir::ObjectId object) {
  const ir::System& system = replayer.context().system;
  const ir::Layout& layout = replayer.context().layout;
  std::vector<Access> result;
  for (const ir::Touch& touch : record.touches) {
    if (!touch.counted || representative(system, touch.object) != object) continue;
    result.push_back({touch.object,
                      thread,
                      touch.pc,
                      touch.effect == ir::Effect::Write,
                      protecting(layout, record, touch),
                      held(layout, record, touch),
                      {},
                      {},
                      {},
                      {}});
  }
  return result;
}

std::vector<Access> pending_accesses(Replayer& replayer, const std::uint8_t* state,
                                     ir::ThreadId thread, ir::ObjectId object) {
  ir::Record record;
  replayer.interpreter().pending(state, thread, record);
  return accesses_in(replayer, record, thread, object);
}

/// While the replayer's names are those of its trace.
void take_names(const Replayer& replayer, Access& access) {
  access.object_name = replayer.context().name(access.object);
  access.held_names.clear();
  for (const ir::ObjectId lock : access.held)
    access.held_names.push_back(replayer.context().name(lock));
}

std::optional<Access> find_again(Replayer& replayer, const DisciplineAccess& wanted,
                                 ir::ObjectId object, std::uint64_t& budget) {
  const ir::System& system = replayer.context().system;
  const Locks locks = representatives(system, wanted.held);
  const auto is_wanted = [&](const Access& a) {
    return a.thread == wanted.thread && a.pc == wanted.pc && a.is_write == wanted.is_write &&
           representatives(system, a.locks) == locks;
  };
  std::optional<Access> found;
  const auto look = [&](const ir::Record& record, const std::uint8_t* state) {
    std::vector<Access> accesses;
    if (wanted.pending) {
      if (location(replayer.context().layout, state, wanted.thread) >= ir::kFirstLocation)
        accesses = pending_accesses(replayer, state, wanted.thread, object);
    } else if (!record.micros.empty()) {
      accesses = accesses_in(replayer, record, record.micros[0].action.thread, object);
    }
    const auto at = std::find_if(accesses.begin(), accesses.end(), is_wanted);
    if (at != accesses.end()) found = *at;
    return found.has_value();
  };
  const Leads leads = [&](const Path& path) -> std::optional<std::size_t> {
    found.reset();
    const Replay replay = replayer.replay(path, look, Replayer::Steps::None);
    return replay.ok && found ? std::optional(replay.executed) : std::nullopt;
  };
  Path path = replayer.micros(wanted.path);
  if (!leads(path)) return std::nullopt;
  const Goal goal = [&](const ir::Record& record, const std::uint8_t* state, bool) {
    found.reset();
    return look(record, state);
  };
  path = shortened(replayer, std::move(path), leads, goal, budget);
  found.reset();
  Replay replay = replayer.replay(path, look);
  if (!found) return std::nullopt;
  take_names(replayer, *found);
  found->trace = std::move(replay.steps);
  found->path = std::move(path);
  return found;
}

AccessSide side(const Replayer& replayer, Access access) {
  const ir::Thread& thread = replayer.context().system.threads[access.thread];
  AccessSide result;
  result.thread = thread.name;
  result.location = thread.code.instructions[access.pc].range;
  result.operation = fmt::format("{} {}", access.is_write ? "write" : "read", access.object_name);
  result.locks = std::move(access.held_names);
  result.trace = std::move(access.trace);
  return result;
}

/// Declarations of which a lock is held at every access, though no lock is held at all of them.
std::vector<std::string> held_at_each(const ir::System& system,
                                      const std::vector<Access>& accesses) {
  const auto groups = [&system](const Access& access) {
    std::set<ir::GroupId> result;
    for (const ir::ObjectId lock : access.held)
      result.insert(system.objects[lock].group);
    return result;
  };
  std::vector<std::string> result;
  for (const ir::GroupId group : groups(accesses.front()))
    if (std::all_of(accesses.begin(), accesses.end(),
                    [&](const Access& access) { return groups(access).contains(group); }))
      result.push_back(one_lock_of(system, group) + " (at each access, but not always the same)");
  return result;
}

/// The access that breaks the discipline, then the one that it conflicts with; none if the
/// discipline is kept.
std::optional<DisciplineSides> judge(const Replayer& replayer, std::vector<Access> accesses) {
  if (accesses.empty()) return std::nullopt;
  Locks candidates = accesses.front().locks;
  std::size_t emptied_by = 0;
  std::size_t shrunk_by = 0;  // before that
  bool written = false;
  std::size_t write = accesses.size();
  for (std::size_t i = 0; i < accesses.size(); ++i) {
    Locks rest = intersection(candidates, accesses[i].locks);
    if (rest.size() < candidates.size()) {
      shrunk_by = emptied_by;
      emptied_by = i;
    }
    candidates = std::move(rest);
    if (accesses[i].is_write) write = std::min(write, i);
    written = written || accesses[i].is_write;
  }
  if (!candidates.empty() || !written) return std::nullopt;
  DisciplineSides result;
  for (const ir::ObjectId lock : replayer.context().layout.locks()) {
    const auto count = std::count_if(accesses.begin(), accesses.end(), [lock](const Access& a) {
      return std::find(a.locks.begin(), a.locks.end(), lock) != a.locks.end();
    });
    if (count > 0)
      result.almost.push_back(fmt::format("{} (held at {} of the {} accesses that decide)",
                                          replayer.context().name(lock), count, accesses.size()));
  }
  if (accesses.size() > 1)
    for (std::string& each : held_at_each(replayer.context().system, accesses))
      result.almost.push_back(std::move(each));
  std::vector<std::size_t> sides{emptied_by};
  if (shrunk_by != emptied_by) sides.push_back(shrunk_by);
  const bool has_write = std::any_of(sides.begin(), sides.end(),
                                     [&accesses](std::size_t i) { return accesses[i].is_write; });
  if (!has_write || sides.size() == 1) {  // the other side is a write, or any other access
    const std::size_t other = !has_write ? write : accesses.size() - 1;
    if (std::find(sides.begin(), sides.end(), other) == sides.end()) sides.push_back(other);
  }
  result.object = accesses.front().object;
  result.path = accesses[sides.front()].path;
  for (const std::size_t i : sides)
    result.sides.push_back(side(replayer, std::move(accesses[i])));
  return result;
}

}  // namespace

std::optional<DisciplineSides> sides_of_accesses(Replayer& replayer, const Finding& finding,
                                                 std::uint64_t& budget) {
  const ir::ObjectId object = finding.event.object;
  std::vector<Access> accesses;
  for (const DisciplineAccess& wanted : finding.accesses) {
    auto access = find_again(replayer, wanted, object, budget);
    if (!access) return std::nullopt;
    accesses.push_back(std::move(*access));
  }
  if (finding.kind == ViolationKind::LockDiscipline) return judge(replayer, std::move(accesses));
  DisciplineSides result;
  result.object = accesses.empty() ? object : accesses.front().object;
  if (!accesses.empty()) result.path = accesses.front().path;
  for (Access& access : accesses)
    result.sides.push_back(side(replayer, std::move(access)));
  return result;
}

namespace {

/// The accesses along one path, up to where those to one object break the discipline together.
class AccessesOfPath {
 public:
  AccessesOfPath(Replayer& replayer, ir::ObjectId object)
      : replayer_(replayer), system_(replayer.context().system), object_(object) {}

  /// How much of the path that takes; none: they do not.
  std::optional<std::size_t> follow(const Path& path, Replayer::Steps made) {
    accesses_.clear();
    steps_.clear();
    broken_.clear();
    broken_steps_.clear();
    executed_ = 0;
    names_ = made == Replayer::Steps::Made;
    const auto look = [this](const ir::Record& record, const std::uint8_t* state) {
      return see(record, state);
    };
    replay_ = replayer_.replay(path, look, made);
    if (!replay_.ok || broken_.empty()) return std::nullopt;
    return replay_.executed;
  }

  /// Those that break it, each with the steps up to it.
  std::vector<Access> take(const Path& path) {
    for (std::size_t i = 0; i < broken_.size(); ++i) {
      const auto count = static_cast<std::ptrdiff_t>(
          std::min({broken_steps_[i], replay_.steps.size(), path.size()}));
      broken_[i].trace.assign(replay_.steps.begin(), replay_.steps.begin() + count);
      broken_[i].path.assign(path.begin(), path.begin() + count);
    }
    return std::move(broken_);
  }

 private:
  bool see(const ir::Record& record, const std::uint8_t* state) {
    std::vector<Access> seen;
    if (!record.micros.empty()) {
      ++executed_;
      seen = accesses_in(replayer_, record, record.micros[0].action.thread, object_);
    }
    for (const ir::ThreadId id : system_.threads.ids()) {
      if (location(replayer_.context().layout, state, id) < ir::kFirstLocation) continue;
      for (Access& access : pending_accesses(replayer_, state, id, object_))
        seen.push_back(std::move(access));
    }
    for (Access& access : seen) {
      if (names_) take_names(replayer_, access);
      accesses_.push_back(std::move(access));
      steps_.push_back(executed_);
    }
    // What a step makes, it makes behind its access.
    if (!seen.empty()) find_broken();
    forget(record);
    return !broken_.empty();
  }

  /// An object at a place where another one was before: neither its fields nor its locks are those.
  void forget(const ir::Record& record) {
    for (const ir::Touch& touch : record.touches) {
      if (touch.effect != ir::Effect::New) continue;
      const ir::Object& place = system_.objects[touch.object];
      const auto is_there = [&](ir::ObjectId id) {
        const ir::Object& one = system_.objects[id];
        return one.owner == place.owner && one.position == place.position;
      };
      for (std::size_t i = accesses_.size(); i-- > 0;) {
        std::erase_if(accesses_[i].locks, is_there);
        if (!is_there(accesses_[i].object)) continue;
        accesses_.erase(accesses_.begin() + static_cast<std::ptrdiff_t>(i));
        steps_.erase(steps_.begin() + static_cast<std::ptrdiff_t>(i));
      }
    }
  }

  void find_broken() {
    for (std::size_t last = accesses_.size(); last-- > 0 && broken_.empty();) {
      std::vector<Access> own;
      std::vector<std::size_t> own_steps;
      for (std::size_t i = 0; i < accesses_.size(); ++i) {
        if (accesses_[i].object != accesses_[last].object) continue;
        own.push_back(accesses_[i]);
        own_steps.push_back(steps_[i]);
      }
      if (!judge(replayer_, own)) continue;
      broken_ = std::move(own);
      broken_steps_ = std::move(own_steps);
    }
  }

  Replayer& replayer_;
  const ir::System& system_;
  ir::ObjectId object_;
  Replay replay_;
  bool names_ = false;
  std::size_t executed_ = 0;
  std::vector<Access> accesses_;
  std::vector<std::size_t> steps_;  // of the trace, up to each access
  std::vector<Access> broken_;      // of one object, as soon as they break the discipline
  std::vector<std::size_t> broken_steps_;
};

}  // namespace

std::optional<DisciplineSides> sides_of_path(Replayer& replayer, const Finding& finding,
                                             std::uint64_t& budget) {
  AccessesOfPath accesses(replayer, finding.event.object);
  const Leads leads = [&accesses](const Path& path) {
    return accesses.follow(path, Replayer::Steps::None);
  };
  Path path = replayer.micros(finding.path);
  if (!leads(path)) return std::nullopt;
  path = shortened(replayer, std::move(path), leads, {}, budget);
  if (!accesses.follow(path, Replayer::Steps::Made)) return std::nullopt;
  return judge(replayer, accesses.take(path));
}

}  // namespace cml::checker
