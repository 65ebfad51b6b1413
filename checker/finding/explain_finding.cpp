// One function for each kind of finding: replay, verify, describe.
#include "checker/finding/explain_finding.h"

#include <algorithm>
#include <fmt/format.h>

#include "checker/finding/call_history.h"
#include "checker/finding/discipline_sides.h"
#include "checker/finding/fault_values.h"
#include "checker/finding/heap_objects.h"
#include "checker/finding/livelock_text.h"
#include "checker/finding/liveness_text.h"
#include "checker/finding/race_sides.h"
#include "checker/finding/shorten.h"
#include "checker/finding/stuck_text.h"
#include "checker/monitor/stuck.h"
#include "checker/store/heap_codec.h"

namespace cml::checker {
namespace {

class Explainer {
 public:
  Explainer(Replayer& replayer, const Finding& finding)
      : replayer_(replayer),
        budget_(std::min(kBudget, replayer.work_left())),
        finding_(finding),
        system_(replayer.context().system) {
    violation_.kind = finding.kind;
    violation_.location = finding.event.range;
    found_ = finding.event.object;
    if (found_.valid()) violation_.object = replayer_.context().name(found_);
    if (finding.event.thread.valid())
      violation_.thread = system_.threads[finding.event.thread].name;
  }

  Expected<Violation, std::string> run(const ir::Analyses& analyses, const Options& options,
                                       const IsStillLost& is_still_lost) {
    const std::uint64_t budget = budget_;
    bool replays = false;
    switch (finding_.kind) {
      case ViolationKind::Deadlock:
      case ViolationKind::PartialDeadlock:
        replays = stuck(analyses, options, is_still_lost);
        break;
      case ViolationKind::LockDiscipline:
      case ViolationKind::Guard:
        replays = discipline(analyses.accesses());
        break;
      case ViolationKind::DataRace:
        replays = race();
        break;
      case ViolationKind::Livelock:
        replays = livelock(analyses, is_still_lost);
        break;
      case ViolationKind::Liveness:
        replays = liveness(options);
        break;
      case ViolationKind::Divergence:
        replays = finding_.source == Source::Thread ? divergence() : property();
        break;
      default:
        replays = finding_.source == Source::Thread ? event() : property();
        break;
    }
    replayer_.work_done(budget - budget_);
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
  /// What it is about, what the threads that it is about hold or wait at, and what they look at.
  [[nodiscard]] std::vector<HeapObject> objects_concerned(const std::uint8_t* state) const {
    const TextContext& context = replayer_.context();
    std::vector<HeapPlace> objects;
    if (context.names.is_empty()) return {};
    add_owner(system_, found_, objects);
    std::vector<ir::ThreadId> threads;
    for (const StuckThread& item : finding_.stuck)
      threads.push_back(item.thread);
    if (finding_.event.thread.valid()) threads.push_back(finding_.event.thread);
    for (const ir::ThreadId thread : threads) {
      for (const ir::ObjectId lock : context.layout.locks())
        if (context.layout.owner(state, lock) == thread) add_owner(system_, lock, objects);
      if (location(context.layout, state, thread) < ir::kFirstLocation) continue;
      add_owner(system_, operation_object(context, state, thread), objects);
      add_referred(context, state, thread, objects);
    }
    return heap_objects(context, state, std::move(objects));
  }

  void take_trace(Replay replay) {
    violation_.threads = replayer_.status(replay);
    violation_.state = replayer_.changed_objects(replay);
    violation_.heap = objects_concerned(replay.state.data());
    violation_.trace = std::move(replay.steps);
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
    if (found_.valid()) violation_.object = replayer_.context().name(found_);
    return true;
  }

  void tell_values(const ir::Code& code, const ir::Watch& watch, const std::uint8_t* state) {
    FaultText text = fault_text(replayer_.context(), code, watch, state, finding_.event);
    detail_ = std::move(text.message);
    violation_.values = std::move(text.values);
  }

  /// Shortened, if it leads to the violation at all.
  std::optional<Path> shorten(const Path& path, const Leads& leads, const Goal& goal = {}) {
    if (!leads(path)) return std::nullopt;
    return shortened(replayer_, path, leads, goal, budget_);
  }

  bool event() {
    const Leads leads = [this](const Path& path) -> std::optional<std::size_t> {
      bool seen = false;
      const auto look = [&](const ir::Record& record, const std::uint8_t*) {
        return seen = is_among(record.events);
      };
      const Replay replay = replayer_.replay(path, look, Replayer::Steps::None);
      if (replay.ok && (seen || pending_event(replay.state.data()))) return replay.executed;
      return std::nullopt;
    };
    const Goal goal = [this](const ir::Record& record, const std::uint8_t*, bool) {
      return is_among(record.events);
    };
    const auto path = shorten(replayer_.micros(finding_.path), leads, goal);
    if (!path) return false;
    bool seen = false;
    CallHistory calls(system_);
    const auto look = [&](const ir::Record& record, const std::uint8_t* state) {
      calls.add(record);
      if (seen || !is_among(record.events)) return seen;
      tell_values(system_.threads[finding_.event.thread].code, replayer_.watch(), state);
      return seen = true;
    };
    Replay replay = replayer_.replay(*path, look);
    if (!seen) (void)pending_event(replay.state.data());
    if (finding_.kind == ViolationKind::Linearizability && !show_calls(calls)) return false;
    take_trace(std::move(replay));
    if (finding_.kind == ViolationKind::ClosedChannel) tell_who_closed();
    return true;
  }

  /// In the notes of the thread that comes too late.
  void tell_who_closed() {
    const std::string closing = violation_.object.value_or("") + ".close()";
    const auto& trace = violation_.trace;
    const auto closed = std::find_if(trace.begin(), trace.end(), [&](const TraceStep& step) {
      return step.operation == closing && !step.changes.empty();
    });
    if (closed == trace.end() || !closed->location.file.valid()) return;
    const SourceFile& file = replayer_.context().sources.file(closed->location.file);
    for (ThreadStatus& thread : violation_.threads)
      if (thread.thread == violation_.thread)
        thread.notes.push_back(
            fmt::format("{} closed it before ({}:{})",
                        closed->thread == thread.thread ? "the thread itself" : closed->thread,
                        file.name(), file.line_column(closed->location.begin).line));
  }

  /// Of the object that was found.
  bool show_calls(const CallHistory& calls) {
    violation_.history = calls.of(found_);
    const ir::Object& history = system_.objects[found_];
    const ir::ClassId of = history.owner;
    violation_.object =
        replayer_.context().name(ir::ObjectId(system_.classes[of].first.index + history.position));
    return violation_.history.has_value();
  }

  /// An init-order violation by a guard that is pending.
  bool pending_event(const std::uint8_t* state) {
    if (finding_.kind != ViolationKind::InitOrder) return false;
    if (location(replayer_.context().layout, state, finding_.event.thread) < ir::kFirstLocation)
      return false;
    ir::Record record;
    replayer_.interpreter().pending(state, finding_.event.thread, record);
    return is_among(record.events);
  }

  /// Whether the property fails there.
  bool fails(const std::uint8_t* state, CallHistory* calls = nullptr) {
    const bool is_final = finding_.source == Source::Final;
    const ir::Code& code = failing_property().code;
    const auto goes_on = [&](ir::ThreadId id) {
      const ir::Location at = location(replayer_.context().layout, state, id);
      return !system_.threads[id].is_daemon && at != ir::kEnded;
    };
    const auto threads = system_.threads.ids();
    if (is_final && std::any_of(threads.begin(), threads.end(), goes_on)) return false;
    ir::Record record;
    record.wants_locals = calls != nullptr;
    ir::Watch watch;
    replayer_.interpreter().watch(&watch);
    replayer_.interpreter().run_free(state, code, record);
    replayer_.interpreter().watch(nullptr);
    if (!is_among(record.events)) return false;
    tell_values(code, watch, state);
    if (calls == nullptr || finding_.kind != ViolationKind::Linearizability) return true;
    calls->add(record);
    return show_calls(*calls);
  }

  [[nodiscard]] const ir::Invariant& failing_property() const {
    if (finding_.source == Source::Condition)
      return system_.properties[finding_.property].conditions[finding_.condition];
    return (finding_.source == Source::Final ? system_.finals
                                             : system_.invariants)[finding_.property];
  }

  bool property() {
    std::vector<std::uint8_t> first(replayer_.context().layout.size());
    replayer_.context().layout.initial(system_, first.data());
    const bool is_invariant = finding_.source == Source::Invariant;  // of the first state, too
    const Leads leads = [&](const Path& path) -> std::optional<std::size_t> {
      const Replay replay = replayer_.replay(path, {}, Replayer::Steps::None);
      const bool is_there =
          fails(replay.state.data()) || (is_invariant && path.empty() && fails(first.data()));
      return replay.ok && is_there ? std::optional(replay.executed) : std::nullopt;
    };
    const auto path = shorten(replayer_.micros(finding_.path), leads);
    if (!path) return false;
    CallHistory calls(system_);
    const auto collect = [&calls](const ir::Record& record, const std::uint8_t*) {
      calls.add(record);
      return false;
    };
    Replay replay = replayer_.replay(*path, collect);
    const bool is_there = fails(replay.state.data(), &calls) ||
                          (is_invariant && path->empty() && fails(first.data(), &calls));
    take_trace(std::move(replay));
    return is_there;
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
    if (finding_.source == Source::Condition)
      return fmt::format("in the property {}{}: {}", system_.properties[finding_.property].name,
                         place, detail);
    const std::string invariant =
        (property.name.empty() ? "invariant" : "invariant " + property.name) + place;
    if (finding_.kind == ViolationKind::Assertion)
      return fmt::format("the {} does not hold", invariant);
    if (never_ends) return fmt::format("the {} never comes to an end", invariant);
    return fmt::format("in the {}: {}", invariant, detail);
  }

  bool divergence() {
    const ir::ThreadId thread = finding_.event.thread;
    bool seen = false;
    const auto look = [&](const ir::Record& record, const std::uint8_t*) {
      return seen =
                 seen ||
                 std::any_of(record.events.begin(), record.events.end(), [&](const ir::Event& e) {
                   return e.kind == ir::FaultKind::Divergence && e.thread == thread;
                 });
    };
    const Leads leads = [&](const Path& path) -> std::optional<std::size_t> {
      seen = false;
      Replay replay = replayer_.replay(path, look, Replayer::Steps::None);
      if (replay.ok && !seen) {  // a loop through operations: it must return to the same state
        ir::Record record;
        replayer_.interpreter().run_invisible(replay.state.data(), thread, record);
        (void)look(record, replay.state.data());
      }
      return replay.ok && seen ? std::optional(replay.executed) : std::nullopt;
    };
    const auto path = shorten(replayer_.micros_before_loop(finding_.path, thread), leads);
    if (!path) return false;
    seen = false;
    take_trace(replayer_.replay(replayer_.with_loop(*path, thread), look));
    return true;
  }

  bool stuck(const ir::Analyses& analyses, const Options& search,
             const IsStillLost& is_still_lost) {
    violation_.is_of_graph = finding_.is_of_graph;
    if (finding_.is_of_graph) return stuck_in_graph(analyses, search, is_still_lost);
    Options options;
    options.spurious_wakeups = search.spurious_wakeups;
    StuckMonitor monitor(replayer_.interpreter(), analyses, options);
    std::vector<ir::Action> actions;
    const Leads leads = [&](const Path& path) -> std::optional<std::size_t> {
      const Replay replay = replayer_.replay(path, {}, Replayer::Steps::None);
      if (!replay.ok) return std::nullopt;
      ThreadSet enabled(system_.threads.size());
      for (const ir::ThreadId id : system_.threads.ids()) {
        actions.clear();
        replayer_.interpreter().enabled(replay.state.data(), id, actions);
        if (!actions.empty() && !monitor.is_spurious(replay.state.data(), id)) enabled.insert(id);
      }
      const auto found = monitor.look(replay.state.data(), enabled);
      const bool is_same = found && found->kind == finding_.kind && found->stuck == finding_.stuck;
      return is_same ? std::optional(replay.executed) : std::nullopt;
    };
    const Goal goal = [&](const ir::Record&, const std::uint8_t* state, bool nothing_moves) {
      if (!nothing_moves || finding_.kind != ViolationKind::Deadlock) return false;
      const auto found = monitor.look(state, ThreadSet(system_.threads.size()));
      return found && found->kind == finding_.kind && found->stuck == finding_.stuck;
    };
    const auto path = shorten(replayer_.micros(finding_.path), leads, goal);
    if (!path) return false;
    Replay replay = replayer_.replay(*path);
    take_trace(std::move(replay));
    mark_stuck();
    return true;
  }

  /// That they never move again is known from the graph; here they must be blocked as it says.
  bool stuck_in_graph(const ir::Analyses& analyses, const Options& options,
                      const IsStillLost& is_still_lost) {
    StuckMonitor monitor(replayer_.interpreter(), analyses, options);
    const auto are_blocked = [&](const std::uint8_t* state) {
      return std::all_of(
          finding_.stuck.begin(), finding_.stuck.end(), [&](const StuckThread& item) {
            return location(replayer_.context().layout, state, item.thread) >= ir::kFirstLocation &&
                   monitor.describe(state, item.thread) == item;
          });
    };
    const Leads leads = [&](const Path& path) -> std::optional<std::size_t> {
      const Replay replay = replayer_.replay(path, {}, Replayer::Steps::None);
      const std::uint8_t* const state = replay.state.data();
      const bool is_there = replay.ok && are_blocked(state) && is_still_lost(state, finding_);
      return is_there ? std::optional(replay.executed) : std::nullopt;
    };
    const Path found = replayer_.micros(finding_.path);
    Replay replay = replayer_.replay(shorten(found, leads).value_or(found));
    if (!replay.ok || !are_blocked(replay.state.data())) return false;
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
    violation_.cycle = cycle_of(violation_.threads);
  }

  /// The path leads to a state, and the loop from there back to it.
  bool livelock(const ir::Analyses& analyses, const IsStillLost& is_still_lost) {
    Path path = finding_.path;
    std::size_t stem = replayer_.micros(path).size();
    path.insert(path.end(), finding_.loop.begin(), finding_.loop.end());
    path = replayer_.micros(path);
    const Path loop(path.begin() + static_cast<std::ptrdiff_t>(stem), path.end());
    const auto before_loop = [&](Path first) {
      first.insert(first.end(), loop.begin(), loop.end());
      return first;
    };
    const Leads leads = [&](const Path& first) -> std::optional<std::size_t> {
      const Replay there = replayer_.replay(first, {}, Replayer::Steps::None);
      if (!there.ok || !is_still_lost(there.state.data(), finding_)) return std::nullopt;
      const Replay back = replayer_.replay(before_loop(first), {}, Replayer::Steps::None);
      const bool is_there = back.ok && back.executed == first.size() + loop.size() &&
                            is_same(there.state, back.state);
      return is_there ? std::optional(there.executed) : std::nullopt;
    };
    path.resize(stem);
    if (auto shorter = shorten(path, leads)) path = std::move(*shorter);
    stem = path.size();
    path = before_loop(std::move(path));
    const ir::ThreadId thread = finding_.event.thread;
    std::vector<ir::Touch> touches;
    std::vector<std::uint8_t> begin;
    std::size_t steps = 0;
    const auto look = [&](const ir::Record& record, const std::uint8_t* state) {
      if (steps == stem) begin.assign(state, state + replayer_.context().layout.size());
      if (steps++ <= stem || record.micros.empty()) return false;
      if (ir::moves(record.micros[0].action, thread))
        touches.insert(touches.end(), record.touches.begin(), record.touches.end());
      return false;
    };
    Replay replay = replayer_.replay(path, look);
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

  /// The path leads to a state, and the loop from there back to it, any number of times.
  bool liveness(const Options& options) {
    const Path stem = replayer_.micros(finding_.path);
    Path once = finding_.path;
    once.insert(once.end(), finding_.loop.begin(), finding_.loop.end());
    Path twice = once;
    twice.insert(twice.end(), finding_.loop.begin(), finding_.loop.end());
    LoopWatch watch(replayer_, options, stem.size());
    const Replay first = replayer_.replay(stem, {}, Replayer::Steps::None);
    const Replay again = replayer_.replay(replayer_.micros(twice), {}, Replayer::Steps::None);
    Replay replay = replayer_.replay(replayer_.micros(once),
                                     [&watch](const ir::Record& record, const std::uint8_t* state) {
                                       watch.look(record, state);
                                       return false;
                                     });
    if (!first.ok || !again.ok || !replay.ok || !is_same(first.state, replay.state) ||
        !is_same(first.state, again.state))
      return false;
    not_ended_ = watch.not_ended();
    FairExecution execution;
    execution.property = system_.properties[finding_.property].name;
    execution.fairness = *finding_.fairness;
    execution.ends = finding_.loop.empty();
    if (!execution.ends) execution.threads = watch.why_fair(execution.fairness);
    violation_.execution = std::move(execution);
    take_trace(std::move(replay));
    if (!finding_.loop.empty()) violation_.trace[stem.size()].begins_loop = true;
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

  /// Where the accesses are all of one thread: the others whose code has such an access.
  void find_other_users(const ir::Accesses& accesses) {
    const std::string& first = violation_.accesses.front().thread;
    std::vector<std::string> others;
    for (const ir::ThreadId id : system_.threads.ids()) {
      const auto uses = [&](ir::Use use) { return accesses.ever_itself(id, {found_, use}); };
      if (system_.threads[id].name != first && (uses(ir::Use::Read) || uses(ir::Use::Write)))
        others.push_back(system_.threads[id].name);
    }
    const bool is_one = std::all_of(violation_.accesses.begin(), violation_.accesses.end(),
                                    [&](const AccessSide& side) { return side.thread == first; });
    constexpr std::size_t kMost = 4;
    if (others.size() > kMost) {
      others.resize(kMost);
      others.emplace_back("others");
    }
    if (is_one && !others.empty()) detail_ = fmt::format(", which {} may use, too", join(others));
  }

  bool discipline(const ir::Accesses& accesses) {
    auto sides = finding_.is_on_path ? sides_of_path(replayer_, finding_, budget_)
                                     : sides_of_accesses(replayer_, finding_, budget_);
    if (!sides) return false;
    violation_.accesses = std::move(sides->sides);
    found_ = sides->object;
    violation_.object = replayer_.context().name(found_);
    violation_.almost = std::move(sides->almost);
    if (finding_.kind == ViolationKind::LockDiscipline && !violation_.accesses.empty())
      find_other_users(accesses);
    take_trace(replayer_.replay(sides->path));
    return true;
  }

  bool race() {
    auto found = sides_of_race(replayer_, finding_, budget_);
    if (!found) return false;
    violation_.accesses = std::move(found->sides);
    found_ = found->object;
    violation_.object = replayer_.context().name(found_);
    violation_.last_order = std::move(found->last_order);
    detail_ = std::move(found->message);
    take_trace(replayer_.replay(found->path));
    return true;
  }

  [[nodiscard]] std::string message() const {
    if (finding_.source != Source::Thread && finding_.source != Source::Property)
      return property_message(failing_property());
    switch (finding_.kind) {
      case ViolationKind::Deadlock:
      case ViolationKind::PartialDeadlock:
        return stuck_message(system_, finding_);
      case ViolationKind::LockDiscipline:
        return fmt::format("no single lock protects all accesses to {}{}", *violation_.object,
                           detail_);
      case ViolationKind::Guard: {
        const TextContext& context = replayer_.context();
        return fmt::format("{} accesses {} without {}, which is declared to guard it",
                           *violation_.thread, context.name(found_),
                           context.name(*system_.objects[found_].guarded_by));
      }
      case ViolationKind::Livelock:
        return livelock_message(violation_, is_something_changing_);
      case ViolationKind::Liveness:
        return liveness_message(system_, finding_, not_ended_);
      case ViolationKind::Divergence:
        return fmt::format("{} loops for ever without ever synchronising", *violation_.thread);
      default:
        return event_message();
    }
  }

  /// Of the lock that it is about, in the end of the trace.
  [[nodiscard]] std::string owner_text() const {
    if (violation_.is_trace_lost) return {};
    for (const ThreadStatus& status : violation_.threads)
      for (const std::string& lock : status.holds)
        if (lock == violation_.object) return fmt::format(", {} does", status.thread);
    return ", nobody does";
  }

  [[nodiscard]] std::string event_message() const {
    const ir::Event& e = finding_.event;
    if (e.message.valid()) return system_.texts[e.message];
    const std::string object = violation_.object.value_or("the object");
    if (!detail_.empty()) return detail_;
    switch (finding_.kind) {
      case ViolationKind::Assertion:
        return "the assertion does not hold";
      case ViolationKind::IllegalMonitor:
        return fmt::format("{} does not own {}{}", violation_.thread.value_or("the thread"), object,
                           owner_text());
      case ViolationKind::SemaphoreMax:
        return fmt::format("{} is at its maximum, {}, already", object,
                           found_.valid() ? *system_.objects[found_].max : 0);
      case ViolationKind::ClosedChannel:
        return fmt::format("{} is closed already", object);
      case ViolationKind::Linearizability:
        return linearizability_message(violation_);
      case ViolationKind::InitOrder:
        return fmt::format("{} accesses {} before {} has initialised it",
                           violation_.thread.value_or("a thread"), object,
                           system_.threads[*system_.objects[e.object].init_by].name);
      default:
        return std::string(title(finding_.kind));
    }
  }

  static constexpr std::uint64_t kBudget = 300'000;

  Replayer& replayer_;
  std::uint64_t budget_;  // to shorten its traces, in transitions
  const Finding& finding_;
  const ir::System& system_;
  ir::ObjectId found_;                   // which object it is in the trace
  bool is_something_changing_ = false;   // at which a spinning thread looks
  std::string detail_;                   // of a fault, with its values
  std::vector<ir::ThreadId> not_ended_;  // in the loop of an execution that violates a property
  Violation violation_;
};

}  // namespace

Expected<Violation, std::string> explain(Replayer& replayer, const ir::Analyses& analyses,
                                         const Finding& finding, const Options& options,
                                         const IsStillLost& is_still_lost) {
  return Explainer(replayer, finding).run(analyses, options, is_still_lost);
}

Violation explain_without_trace(Replayer& replayer, const Finding& finding) {
  return Explainer(replayer, finding).without_trace();
}

}  // namespace cml::checker
