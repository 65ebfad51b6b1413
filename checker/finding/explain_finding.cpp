// One function for each kind of finding: replay, verify, describe.
#include "checker/finding/explain_finding.h"

#include <algorithm>
#include <fmt/format.h>
#include <map>

#include "checker/finding/call_history.h"
#include "checker/finding/discipline_sides.h"
#include "checker/monitor/stuck.h"

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
    CallHistory calls(system_);
    const auto look = [&](const ir::Record& record, const std::uint8_t*) {
      calls.add(record);
      return seen = seen || is_among(record.events);
    };
    Replay replay = replayer_.replay(replayer_.micros(finding_.path), look);
    if (replay.ok && !seen) seen = pending_event(replay.state.data());
    if (!replay.ok || !seen) return false;
    if (finding_.kind == ViolationKind::Linearizability && !show_calls(calls)) return false;
    take_trace(std::move(replay));
    return true;
  }

  /// Of the object that was found.
  bool show_calls(const CallHistory& calls) {
    violation_.history = calls.of(found_);
    const ir::Object& history = system_.objects[found_];
    const ir::ClassId of = history.owner;
    violation_.object =
        system_.objects[ir::ObjectId(system_.classes[of].first.index + history.position)].name;
    return violation_.history.has_value();
  }

  /// An init-order violation by a guard that is pending.
  bool pending_event(const std::uint8_t* state) {
    ir::Record record;
    replayer_.interpreter().pending(state, finding_.event.thread, record);
    return is_among(record.events);
  }

  bool property() {
    CallHistory calls(system_);
    const auto collect = [&calls](const ir::Record& record, const std::uint8_t*) {
      calls.add(record);
      return false;
    };
    Replay replay = replayer_.replay(replayer_.micros(finding_.path), collect);
    if (!replay.ok) return false;
    const auto& list = finding_.source == Source::Invariant ? system_.invariants : system_.finals;
    const auto fails = [&](const std::uint8_t* state) {
      ir::Record record;
      record.wants_locals = true;
      replayer_.interpreter().run_free(state, list[finding_.property].code, record);
      if (!is_among(record.events)) return false;
      calls.add(record);
      return finding_.kind != ViolationKind::Linearizability || show_calls(calls);
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
    Options options;
    options.spurious_wakeups = search.spurious_wakeups;
    StuckMonitor monitor(replayer_.interpreter(), analyses, options);
    ThreadSet enabled(system_.threads.size());
    std::vector<ir::Action> actions;
    for (const ir::ThreadId id : system_.threads.ids()) {
      actions.clear();
      replayer_.interpreter().enabled(replay.state.data(), id, actions);
      if (!actions.empty()) enabled.insert(id);
    }
    const auto again = monitor.look(replay.state.data(), enabled);
    if (!again || again->kind != finding_.kind || again->stuck != finding_.stuck) return false;
    take_trace(std::move(replay));
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
    return true;
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
      case ViolationKind::Linearizability:
        return linearizability_message();
      case ViolationKind::InitOrder:
        return fmt::format("{} accesses {} before {} has initialised it",
                           violation_.thread.value_or("a thread"), object,
                           system_.threads[*system_.objects[e.object].init_by].name);
      default:
        return std::string(title(finding_.kind));
    }
  }

  [[nodiscard]] std::string linearizability_message() const {
    const std::string object = violation_.object.value_or("an object");
    if (!violation_.history) return fmt::format("the calls of {} are not linearizable", object);
    const CallsOfObject& history = *violation_.history;
    const RecordedCall& last = history.calls[history.last];
    const std::string returns =
        last.result->empty() ? "returns" : fmt::format("returns {}", *last.result);
    return fmt::format("{} of {} {}, which no order of the calls explains", last.text, object,
                       returns);
  }

  Replayer& replayer_;
  const Finding& finding_;
  const ir::System& system_;
  ir::ObjectId found_;  // which object it is in the trace
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
