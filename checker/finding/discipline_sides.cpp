// Finds the accesses again by replaying their paths.
#include "checker/finding/discipline_sides.h"

#include <algorithm>
#include <fmt/format.h>

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
  std::vector<TraceStep> trace;
};

Locks held(const ir::Layout& layout, const ir::Record& record, const ir::Touch& touch) {
  Locks result;
  for (std::size_t i = 0; i < layout.locks().size(); ++i)
    if ((record.held[touch.held + i / 64] >> (i % 64) & 1) != 0)
      result.push_back(layout.locks()[i]);
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
  const auto& [system, layout, sources] = replayer.context();
  std::vector<Access> result;
  for (const ir::Touch& touch : record.touches) {
    if (!touch.counted || representative(system, touch.object) != object) continue;
    const Locks locks = held(layout, record, touch);
    result.push_back(
        {touch.object, thread, touch.pc, touch.effect == ir::Effect::Write, locks, locks, {}});
  }
  return result;
}

std::vector<Access> pending_accesses(Replayer& replayer, const std::uint8_t* state,
                                     ir::ThreadId thread, ir::ObjectId object) {
  ir::Record record;
  replayer.interpreter().pending(state, thread, record);
  return accesses_in(replayer, record, thread, object);
}

std::optional<Access> find_again(Replayer& replayer, const DisciplineAccess& wanted,
                                 ir::ObjectId object) {
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
  Replay replay = replayer.replay(replayer.micros(wanted.path), look);
  if (!replay.ok || !found) return std::nullopt;
  found->trace = std::move(replay.steps);
  return found;
}

AccessSide side(const Replayer& replayer, Access access) {
  const ir::System& system = replayer.context().system;
  const ir::Thread& thread = system.threads[access.thread];
  AccessSide result;
  result.thread = thread.name;
  result.location = thread.code.instructions[access.pc].range;
  result.operation =
      fmt::format("{} {}", access.is_write ? "write" : "read", system.objects[access.object].name);
  for (const ir::ObjectId lock : access.held)
    result.locks.push_back(system.objects[lock].name);
  result.trace = std::move(access.trace);
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
  const ir::System& system = replayer.context().system;
  DisciplineSides result;
  for (const ir::ObjectId lock : replayer.context().layout.locks()) {
    const auto count = std::count_if(accesses.begin(), accesses.end(), [lock](const Access& a) {
      return std::find(a.locks.begin(), a.locks.end(), lock) != a.locks.end();
    });
    if (count > 0)
      result.almost.push_back(fmt::format("{} (held at {} of the {} accesses that decide)",
                                          system.objects[lock].name, count, accesses.size()));
  }
  std::vector<std::size_t> sides{emptied_by};
  if (shrunk_by != emptied_by) sides.push_back(shrunk_by);
  const bool has_write = std::any_of(sides.begin(), sides.end(),
                                     [&accesses](std::size_t i) { return accesses[i].is_write; });
  if (!has_write || sides.size() == 1) {  // the other side is a write, or any other access
    const std::size_t other = !has_write ? write : accesses.size() - 1;
    if (std::find(sides.begin(), sides.end(), other) == sides.end()) sides.push_back(other);
  }
  result.object = accesses.front().object;
  for (const std::size_t i : sides)
    result.sides.push_back(side(replayer, std::move(accesses[i])));
  return result;
}

}  // namespace

std::optional<DisciplineSides> sides_of_accesses(Replayer& replayer, const Finding& finding) {
  const ir::ObjectId object = finding.event.object;
  std::vector<Access> accesses;
  for (const DisciplineAccess& wanted : finding.accesses) {
    auto access = find_again(replayer, wanted, object);
    if (!access) return std::nullopt;
    accesses.push_back(std::move(*access));
  }
  if (finding.kind == ViolationKind::LockDiscipline) return judge(replayer, std::move(accesses));
  DisciplineSides result;
  result.object = accesses.empty() ? object : accesses.front().object;
  for (Access& access : accesses)
    result.sides.push_back(side(replayer, std::move(access)));
  return result;
}

std::optional<DisciplineSides> sides_of_path(Replayer& replayer, const Finding& finding) {
  const ir::ObjectId object = finding.event.object;
  const ir::System& system = replayer.context().system;
  std::vector<Access> accesses;
  std::vector<std::size_t> steps;  // of the trace, up to each access
  std::size_t executed = 0;
  // An object at a place where another one was before: neither its fields nor its locks are those.
  const auto forget = [&](const ir::Record& record) {
    for (const ir::Touch& touch : record.touches) {
      if (touch.effect != ir::Effect::New) continue;
      const ir::Object& place = system.objects[touch.object];
      const auto is_there = [&](ir::ObjectId id) {
        const ir::Object& one = system.objects[id];
        return one.owner == place.owner && one.position == place.position;
      };
      for (std::size_t i = accesses.size(); i-- > 0;) {
        std::erase_if(accesses[i].locks, is_there);
        if (!is_there(accesses[i].object)) continue;
        accesses.erase(accesses.begin() + static_cast<std::ptrdiff_t>(i));
        steps.erase(steps.begin() + static_cast<std::ptrdiff_t>(i));
      }
    }
  };
  std::vector<Access> broken;  // of the object, as soon as they break the discipline
  std::vector<std::size_t> broken_steps;
  const auto find_broken = [&] {
    for (std::size_t last = accesses.size(); last-- > 0 && broken.empty();) {
      std::vector<Access> own;
      std::vector<std::size_t> own_steps;
      for (std::size_t i = 0; i < accesses.size(); ++i) {
        if (accesses[i].object != accesses[last].object) continue;
        own.push_back(accesses[i]);
        own_steps.push_back(steps[i]);
      }
      if (!judge(replayer, own)) continue;
      broken = std::move(own);
      broken_steps = std::move(own_steps);
    }
  };
  const auto look = [&](const ir::Record& record, const std::uint8_t* state) {
    std::vector<Access> seen;
    if (!record.micros.empty()) {
      ++executed;
      seen = accesses_in(replayer, record, record.micros[0].action.thread, object);
    }
    for (const ir::ThreadId id : system.threads.ids()) {
      if (location(replayer.context().layout, state, id) < ir::kFirstLocation) continue;
      for (Access& access : pending_accesses(replayer, state, id, object))
        seen.push_back(std::move(access));
    }
    for (Access& access : seen) {
      accesses.push_back(std::move(access));
      steps.push_back(executed);
    }
    // What a step makes, it makes behind its access.
    if (!seen.empty()) find_broken();
    forget(record);
    return !broken.empty();
  };
  Replay replay = replayer.replay(replayer.micros(finding.path), look);
  if (!replay.ok) return std::nullopt;
  for (std::size_t i = 0; i < broken.size(); ++i)
    broken[i].trace.assign(replay.steps.begin(),
                           replay.steps.begin() + static_cast<std::ptrdiff_t>(std::min(
                                                      broken_steps[i], replay.steps.size())));
  return judge(replayer, std::move(broken));
}

}  // namespace cml::checker
