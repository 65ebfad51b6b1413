// One function for each kind of finding: replay, verify, describe.
#include "checker/finding/explain_finding.h"

#include <algorithm>
#include <fmt/format.h>
#include <map>

#include "checker/finding/discipline_sides.h"
#include "checker/finding/livelock_text.h"
#include "checker/monitor/stuck.h"
#include "checker/store/heap_codec.h"

namespace cml::checker {
namespace {

class Explainer {
 public:
  Explainer(Replayer& replayer, const Finding& finding)
      : replayer_(replayer), finding_(finding), system_(replayer.context().system) {
    violation_.kind = finding.kind;
    violation_.location = finding.event.range;
    found_ = finding.event.object;
    if (found_.valid()) violation_.object = system_.objects[found_].name;
    if (finding.event.thread.valid())
      violation_.thread = system_.threads[finding.event.thread].name;
  }

  Expected<Violation, std::string> run(const ir::Analyses& analyses, const Options& options) {
    bool replays = false;
    switch (finding_.kind) {
      case ViolationKind::Deadlock:
      case ViolationKind::PartialDeadlock:
        replays = stuck(analyses, options);
        break;
      case ViolationKind::LockDiscipline:
      case ViolationKind::Guard:
        replays = discipline();
        break;
      case ViolationKind::Livelock:
        replays = livelock(analyses);
        break;
      case ViolationKind::Divergence:
        replays = finding_.source == Source::Thread ? divergence() : property();
        break;
      default:
        replays = finding_.source == Source::Thread ? event() : property();
        break;
    }
    if (!replays)
      return Unexpected(
          fmt::format("the trace of a violation ({}) does not replay", name(finding_.kind)));
    violation_.message = message();
    return std::move(violation_);
  }

  Violation without_trace() {
    violation_.is_trace_lost = true;
    violation_.message = message();
    return std::move(violation_);
  }

 private:
  void take_trace(Replay replay) {
    violation_.trace = std::move(replay.steps);
    violation_.threads = replayer_.status(replay.state.data());
  }

  [[nodiscard]] bool same(const ir::Event& event) const {
    return event.kind == finding_.event.kind && event.thread == finding_.event.thread &&
           event.pc == finding_.event.pc &&
           representative(system_, event.object) == finding_.event.object;
  }
  /// Whether one of them is it.
  bool is_among(const Buffer<ir::Event>& events) {
    const auto* const at =
        std::find_if(events.begin(), events.end(), [this](const ir::Event& e) { return same(e); });
    if (at == events.end()) return false;
    found_ = at->object;
    if (found_.valid()) violation_.object = system_.objects[found_].name;
    return true;
  }

  bool event() {
    bool seen = false;
    const auto look = [&](const ir::Record& record, const std::uint8_t*) {
      return seen = seen || is_among(record.events);
    };
    Replay replay = replayer_.replay(replayer_.micros(finding_.path), look);
    if (replay.ok && !seen) seen = pending_event(replay.state.data());
    if (!replay.ok || !seen) return false;
    take_trace(std::move(replay));
    return true;
  }

  /// An init-order violation by a guard that is pending.
  bool pending_event(const std::uint8_t* state) {
    ir::Record record;
    replayer_.interpreter().pending(state, finding_.event.thread, record);
    return is_among(record.events);
  }

  bool property() {
    Replay replay = replayer_.replay(replayer_.micros(finding_.path));
    if (!replay.ok) return false;
    const auto& list = finding_.source == Source::Invariant ? system_.invariants : system_.finals;
    const auto fails = [&](const std::uint8_t* state) {
      ir::Record record;
      replayer_.interpreter().run_free(state, list[finding_.property].code, record);
      return is_among(record.events);
    };
    std::vector<std::uint8_t> first(replayer_.context().layout.size());
    replayer_.context().layout.initial(system_, first.data());
    if (!fails(replay.state.data()) && !(finding_.path.empty() && fails(first.data())))
      return false;
    take_trace(std::move(replay));
    return true;
  }

  [[nodiscard]] std::string property_message(const ir::Invariant& property) const {
    // What fails may be in a function, which does not say which property has called it.
    const SourceRange& own = property.range;
    const SourceRange& at = violation_.location;
    std::string place;
    if (at.file != own.file || at.begin < own.begin || own.end < at.end) {
      const SourceFile& file = replayer_.context().sources.file(own.file);
      place = fmt::format(" ({}:{})", file.name(), file.line_column(own.begin).line);
    }
    const bool never_ends = finding_.kind == ViolationKind::Divergence;
    const std::string detail = never_ends ? "it never comes to an end" : event_message();
    if (finding_.source == Source::Final)
      return fmt::format("finally{}, when all threads have ended: {}", place, detail);
    const std::string invariant =
        (property.name.empty() ? "invariant" : "invariant " + property.name) + place;
    if (finding_.kind == ViolationKind::Assertion)
      return fmt::format("the {} does not hold", invariant);
    if (never_ends) return fmt::format("the {} never comes to an end", invariant);
    return fmt::format("in the {}: {}", invariant, detail);
  }

  bool divergence() {
    bool seen = false;
    const auto look = [&](const ir::Record& record, const std::uint8_t*) {
      return seen = seen || std::any_of(record.events.begin(), record.events.end(),
                                        [this](const ir::Event& e) {
                                          return e.kind == ir::FaultKind::Divergence &&
                                                 e.thread == finding_.event.thread;
                                        });
    };
    const Path micros = replayer_.micros_with_loop(finding_.path, finding_.event.thread);
    Replay replay = replayer_.replay(micros, look);
    if (!replay.ok) return false;
    if (!seen) {  // a loop through operations: it must return to the same state
      ir::Record record;
      std::vector<std::uint8_t> state = replay.state;
      replayer_.interpreter().run_invisible(state.data(), finding_.event.thread, record);
      if (!look(record, state.data())) return false;
    }
    take_trace(std::move(replay));
    return true;
  }

  bool stuck(const ir::Analyses& analyses, const Options& search) {
    Replay replay = replayer_.replay(replayer_.micros(finding_.path));
    if (!replay.ok) return false;
    violation_.is_of_graph = finding_.is_of_graph;
    if (finding_.is_of_graph) return stuck_in_graph(std::move(replay), analyses, search);
    Options options;
    options.spurious_wakeups = search.spurious_wakeups;
    StuckMonitor monitor(replayer_.interpreter(), analyses, options);
    ThreadSet enabled(system_.threads.size());
    std::vector<ir::Action> actions;
    for (const ir::ThreadId id : system_.threads.ids()) {
      actions.clear();
      replayer_.interpreter().enabled(replay.state.data(), id, actions);
      if (!actions.empty() && !monitor.is_spurious(replay.state.data(), id)) enabled.insert(id);
    }
    const auto again = monitor.look(replay.state.data(), enabled);
    if (!again || again->kind != finding_.kind || again->stuck != finding_.stuck) return false;
    take_trace(std::move(replay));
    mark_stuck();
    return true;
  }

  /// That they never move again is known from the graph; here they must be blocked as it says.
  bool stuck_in_graph(Replay replay, const ir::Analyses& analyses, const Options& options) {
    StuckMonitor monitor(replayer_.interpreter(), analyses, options);
    for (const StuckThread& item : finding_.stuck) {
      const std::uint8_t* const state = replay.state.data();
      if (location(replayer_.context().layout, state, item.thread) < ir::kFirstLocation ||
          monitor.describe(state, item.thread) != item)
        return false;
    }
    take_trace(std::move(replay));
    mark_stuck();
    return true;
  }

  void mark_stuck() {
    for (const StuckThread& item : finding_.stuck) {
      const auto is_it = [&](const ThreadStatus& one) {
        return one.thread == system_.threads[item.thread].name;
      };
      ThreadStatus& status =
          *std::find_if(violation_.threads.begin(), violation_.threads.end(), is_it);
      status.is_stuck = true;
      if (!violation_.location.file.valid() && !status.is_daemon)
        violation_.location = status.location;
    }
    find_cycle();
  }

  /// The path leads to a state, and the loop from there back to it.
  bool livelock(const ir::Analyses& analyses) {
    const std::size_t stem = replayer_.micros(finding_.path).size();
    Path path = finding_.path;
    path.insert(path.end(), finding_.loop.begin(), finding_.loop.end());
    const ir::ThreadId thread = finding_.event.thread;
    std::vector<ir::Touch> touches;
    std::vector<std::uint8_t> begin;
    std::size_t steps = 0;
    const auto look = [&](const ir::Record& record, const std::uint8_t* state) {
      if (steps == stem) begin.assign(state, state + replayer_.context().layout.size());
      if (steps++ <= stem || record.micros.empty()) return false;
      if (record.micros.back().action.thread == thread)
        touches.insert(touches.end(), record.touches.begin(), record.touches.end());
      return false;
    };
    Replay replay = replayer_.replay(replayer_.micros(path), look);
    if (!replay.ok || steps <= stem + 1 || !is_same(begin, replay.state)) return false;
    take_trace(std::move(replay));
    violation_.trace[stem].begins_loop = true;
    for (std::size_t i = stem; i < violation_.trace.size(); ++i) {
      if (violation_.trace[i].thread != *violation_.thread) continue;
      violation_.location = violation_.trace[i].location;
      break;
    }
    const std::vector<ir::ObjectId> objects = looked_at(system_, touches);
    is_something_changing_ = std::any_of(objects.begin(), objects.end(), [&](ir::ObjectId object) {
      const auto& changing = finding_.still_changing;
      return std::find(changing.begin(), changing.end(), object) != changing.end();
    });
    violation_.looks_at = who_could_change(analyses, thread, objects, violation_.threads);
    return true;
  }

  /// But for the places of objects.
  [[nodiscard]] bool is_same(std::vector<std::uint8_t> a, std::vector<std::uint8_t> b) const {
    if (system_.classes.empty()) return a == b;
    const ir::Layout& layout = replayer_.context().layout;
    HeapCodec codec(system_, layout, layout.size(), {}, false);
    std::vector<std::uint8_t> first(codec.room());
    std::vector<std::uint8_t> second(codec.room());
    const std::uint8_t* const one = codec.encode(a.data(), first.data());
    const std::uint8_t* const other = codec.encode(b.data(), second.data());
    return std::equal(one, one + codec.size(), other);
  }

  [[nodiscard]] std::string livelock_message() const {
    std::string what;
    for (const LookedAt& item : violation_.looks_at)
      what += (what.empty() ? "" : ", ") + item.object;
    if (what.empty() || is_something_changing_)
      return fmt::format("{} spins for ever: it changes nothing any more, and never ends",
                         *violation_.thread);
    return fmt::format("{} spins for ever at {}: nobody left can change what it looks at",
                       *violation_.thread, what);
  }

  void find_cycle() {
    std::map<std::string, std::string> waits_for;
    for (const ThreadStatus& status : violation_.threads)
      if (status.waits_for) waits_for[status.thread] = *status.waits_for;
    for (const auto& [first, next] : waits_for) {
      std::vector<std::string> cycle{first};
      auto at = waits_for.find(next);
      while (at != waits_for.end() && at->first != first && cycle.size() <= waits_for.size()) {
        cycle.push_back(at->first);
        at = waits_for.find(at->second);
      }
      if (at == waits_for.end() || at->first != first) continue;
      violation_.cycle = std::move(cycle);
      return;
    }
  }

  [[nodiscard]] std::string stuck_message() const {
    std::vector<std::string> names;
    for (const StuckThread& item : finding_.stuck)
      names.push_back(system_.threads[item.thread].name);
    const char* are = names.size() == 1 ? "is" : "are";
    if (finding_.kind == ViolationKind::Deadlock)
      return fmt::format("no thread can move: {} {} blocked for ever", join(names), are);
    return fmt::format("{} {} blocked for ever, while other threads go on", join(names), are);
  }

  bool discipline() {
    const auto sides = finding_.is_on_path ? sides_of_path(replayer_, finding_)
                                           : sides_of_accesses(replayer_, finding_);
    if (!sides) return false;
    violation_.accesses = sides->sides;
    found_ = sides->object;
    violation_.object = system_.objects[found_].name;
    violation_.almost = sides->almost;
    Replay replay = replayer_.replay(replayer_.micros(finding_.path));
    if (!replay.ok) return false;
    take_trace(std::move(replay));
    return true;
  }

  [[nodiscard]] std::string message() const {
    if (finding_.source == Source::Invariant)
      return property_message(system_.invariants[finding_.property]);
    if (finding_.source == Source::Final)
      return property_message(system_.finals[finding_.property]);
    switch (finding_.kind) {
      case ViolationKind::Deadlock:
      case ViolationKind::PartialDeadlock:
        return stuck_message();
      case ViolationKind::LockDiscipline:
        return fmt::format("no single lock protects all accesses to {}", *violation_.object);
      case ViolationKind::Guard: {
        const ir::Object& object = system_.objects[found_];
        return fmt::format("{} accesses {} without {}, which is declared to guard it",
                           *violation_.thread, object.name,
                           system_.objects[*object.guarded_by].name);
      }
      case ViolationKind::Livelock:
        return livelock_message();
      case ViolationKind::Divergence:
        return fmt::format("{} loops for ever without ever synchronising", *violation_.thread);
      default:
        return event_message();
    }
  }

  [[nodiscard]] std::string event_message() const {
    const ir::Event& e = finding_.event;
    if (e.message.valid()) return system_.texts[e.message];
    const std::string object = violation_.object.value_or("the object");
    switch (finding_.kind) {
      case ViolationKind::Assertion:
        return "the assertion does not hold";
      case ViolationKind::IllegalMonitor:
        return fmt::format("{} does not own {}", violation_.thread.value_or("the thread"), object);
      case ViolationKind::SemaphoreMax:
        return fmt::format("{} is at its maximum already", object);
      case ViolationKind::InitOrder:
        return fmt::format("{} accesses {} before {} has initialised it",
                           violation_.thread.value_or("a thread"), object,
                           system_.threads[*system_.objects[e.object].init_by].name);
      default:
        return std::string(title(finding_.kind));
    }
  }

  Replayer& replayer_;
  const Finding& finding_;
  const ir::System& system_;
  ir::ObjectId found_;                  // which object it is in the trace
  bool is_something_changing_ = false;  // at which a spinning thread looks
  Violation violation_;
};

}  // namespace

Expected<Violation, std::string> explain(Replayer& replayer, const ir::Analyses& analyses,
                                         const Finding& finding, const Options& options) {
  return Explainer(replayer, finding).run(analyses, options);
}

Violation explain_without_trace(Replayer& replayer, const Finding& finding) {
  return Explainer(replayer, finding).without_trace();
}

}  // namespace cml::checker
