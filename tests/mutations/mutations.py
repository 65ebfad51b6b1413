"""The mutations of tests/mutations/run: each breaks one thing that the soundness of a search rests on.

A mutation is a name, a group, and edits (file, old text, new text). The old text stands in the file exactly once;
where it does not any more, the list is out of date, and the run says so and fails. What the full search (the truth)
uses, too, is only changed where the truth does not follow: `sync` must then differ from `access`.
"""

from typing import NamedTuple


class Edit(NamedTuple):
    file: str
    old: str
    new: str


class Mutation(NamedTuple):
    name: str
    group: str
    edits: tuple
    equivalent: str  # why it is no mistake; empty for those that must be caught


DFS = "checker/search/depth_first.cpp"
BFS = "checker/search/breadth_first.cpp"
STATELESS = "checker/search/stateless.cpp"
SEARCH = "checker/search/search.cpp"
DEPENDENCY = "checker/reduction/dependency.cpp"
SETS = "checker/reduction/static/static_sets.cpp"
SLEEP = "checker/reduction/sleep.cpp"
WATCHED = "checker/reduction/property_reads.cpp"
SET_CACHE = "checker/reduction/static/set_cache.cpp"
PERSISTENT = "checker/reduction/static/persistent.cpp"
STUBBORN = "checker/reduction/static/stubborn.cpp"
DISCIPLINE = "checker/monitor/discipline.cpp"
INTERPRETER = "ir/exec/interpreter.cpp"
EXECUTION = "ir/exec/execution.cpp"
VISIBILITY = "ir/analysis/visibility.cpp"
ACCESSES = "ir/analysis/accesses.cpp"
REDUCER = "checker/reduction/reducer.cpp"
STUCK = "checker/monitor/stuck.cpp"
FINDING = "checker/monitor/finding.cpp"
CHECK = "checker/check.cpp"
MONITORS = "checker/monitor/monitors.cpp"
LOCK_ORDER = "checker/monitor/lock_order.cpp"
LOCK_USE = "checker/monitor/lock_use.cpp"
RECORDER = "checker/monitor/recorder.cpp"
VALUATIONS = "checker/monitor/invariant_cache.cpp"
CONTROL_FLOW = "checker/search/divergence.cpp"
STORE = "checker/store/state_set.cpp"
NEWS = "ir/exec/observations.cpp"
NATIVE = "jit/native_step.cpp"
FAMILIES = "jit/families.cpp"
CALM = "checker/monitor/stuck_filter.cpp"
FOOTPRINT = "jit/location_dependencies.cpp"
MEMO = "jit/transition_cache.cpp"
LAYOUT = "ir/exec/state_layout.cpp"
HELD = "ir/analysis/held_locks.cpp"
EQUAL = "ir/analysis/equal_slots.cpp"
RANGES = "ir/analysis/value_ranges.cpp"
ENTRY_TABLE = "jit/enabled_table.cpp"
HOW_OFTEN = "ir/analysis/execution_bounds.cpp"

MUTATIONS = []


def mutation(group, name, *edits, equivalent=""):
    MUTATIONS.append(Mutation(name, group, tuple(Edit(*edit) for edit in edits), equivalent))


# ---- provisos ----------------------------------------------------------------------------------

mutation("proviso", "no-proviso-depth-first",
         (DFS, "top.is_reduced && (!top.progress || top.stop)", "top.is_reduced && top.stop"))
mutation("proviso", "no-proviso-breadth-first",
         (BFS, "if (!choice.leaves_some || (progress.waits && !progress.stops)) return;",
          "if (!choice.leaves_some || !progress.stops) return;"))
mutation("proviso", "proviso-counts-sleeping-depth-first",
         (DFS, "  const Reducer::Choice choice = reducer_.choose(",
          "  const std::uint64_t slept = reducer_.statistics().slept;\n"
          "  const Reducer::Choice choice = reducer_.choose("),
         (DFS, "  frames_.back().end = actions_.size();\n",
          "  frames_.back().progress = reducer_.statistics().slept > slept;\n"
          "  frames_.back().end = actions_.size();\n"))
mutation("proviso", "proviso-counts-sleeping-breadth-first",
         (BFS, "  const Reducer::Choice choice = reducer_.choose(",
          "  const std::uint64_t slept = reducer_.statistics().slept;\n"
          "  const Reducer::Choice choice = reducer_.choose("),
         (BFS, "  take(0, sleep, progress);\n  if (!choice",
          "  take(0, sleep, progress);\n  progress.waits = progress.waits || reducer_.statistics().slept > slept;\n  if (!choice"))
for what, file, old, new in (
        ("depth-first", DFS, "(!top.progress || top.stop)", "!top.progress"),
        ("breadth-first", BFS, "(progress.waits && !progress.stops)", "progress.waits"),
        ("stateless", STATELESS, "} else if (top.is_reduced && top.stop) {", "} else if (top.is_reduced && top.stop && false) {"),
        ("in-a-chain", SEARCH, "if (leaves_some && reducer_.stops(", "if (leaves_some && false && reducer_.stops(")):
    mutation("stop", "stop-does-not-expand-fully-" + what, (file, old, new))

mutation("stop", "stops-are-not-noticed", (REDUCER, "return is_stopped(at);\n  if", "return false;\n  if"))
mutation("stop", "stops-to-come-are-not-noticed",
         (REDUCER, "if (!by_micros_ || step_.visible(after, thread)) return false;", "if (by_micros_ || !by_micros_) return false;"))
mutation("stop", "sleeping-stops-are-not-noticed",
         (REDUCER, "choice.stop = choice.stop || dependency_.stops(asleep->summary);", ""))
mutation("stop", "a-thread-about-to-stop-counts-as-one-that-runs",
         (STUCK, "if (is_stopped(location(layout_, scratch_.data(), id))) return true;", ""))

# ---- states ------------------------------------------------------------------------------------

for what, file, name, reached, state, arguments in (
        ("depth-first", DFS, "DepthFirst", "reached", "work_.data()", "work_.data()"),
        ("breadth-first", BFS, "BreadthFirst", "inserted", "state", "state, reached.hash")):
    mutation("state", "initialisation-status-left-out-of-the-state-" + what,
             (file, "#include <algorithm>\n", "#include <algorithm>\n#include <map>\n#include <string>\n"),
             (file, f"namespace cml::checker {{\n\n{name}::",
              f"namespace cml::checker {{\nnamespace {{\nstd::map<std::string, StateNumber> seen;\n}}\n\n{name}::"),
             (file, "  start();\n", "  start();\n  seen.clear();\n"),
             (file, f"const StateSet::Inserted {reached} = store_.insert({arguments});",
              f"std::string key({state}, {state} + bytes());\n"
              "    for (const ir::ObjectId id : step_.system().objects.ids())\n"
              "      if (const auto& status = step_.layout().object(id).init)\n"
              "        status->store(reinterpret_cast<std::uint8_t*>(key.data()), 0);\n"
              f"    StateSet::Inserted {reached};\n"
              "    if (const auto known_before = seen.find(key); known_before != seen.end()) {\n"
              f"      {reached}.number = known_before->second;\n"
              "    } else {\n"
              f"      {reached} = store_.insert({arguments});\n"
              f"      seen.emplace(key, {reached}.number);\n"
              "    }"))

# ---- what is reported --------------------------------------------------------------------------

mutation("report", "truncated-and-verified",
         (CHECK, "result.stats.complete ? Verdict::Verified : Verdict::Inconclusive", "Verdict::Verified"))
mutation("report", "partial-deadlocks-are-none",
         (STUCK, "  if (left_ == 0) return std::nullopt;\n  if (", "  if (left_ == 0 || !nothing_moves) return std::nullopt;\n  if ("))
mutation("report", "all-stuck-vectors-not-the-largest", (FINDING, "if (is_largest) result", "if (is_largest || true) result"))

# ---- sleep sets --------------------------------------------------------------------------------

for what, file, sleep in (("depth-first", DFS, "sleep"), ("breadth-first", BFS, "reached.sleep")):
    mutation("sleep", "matched-without-difference-" + what,
             (file, f"again = reducer_.difference(stored, {sleep});", "again = SleepSets::empty();"))
    mutation("sleep", "stored-set-is-the-arriving-one-" + what,
             (file, f"stored = reducer_.intersection(stored, {sleep});", f"stored = {sleep};"),
             equivalent="what sleeps without need was explored from that state: more is explored, nothing less")
    mutation("sleep", "stored-set-not-intersected-" + what,
             (file, f"stored = reducer_.intersection(stored, {sleep});", ""))
mutation("sleep", "condition-evaluated-after-the-step",
         (SEARCH, "reducer_.child(sleep, explored, action, result.executed, before_.data());",
          "reducer_.child(sleep, explored, action, result.executed, work_.data());"))
mutation("sleep", "actions-by-thread",
         (SLEEP, "  const auto found = std::lower_bound(set.begin(), set.end(), action,\n"
          "                                      [](const Sleeper& sleeper, const ir::Action& wanted) {\n"
          "                                        return before(sleeper.action, wanted);\n"
          "                                      });\n"
          "  return found != set.end() && found->action == action ? &*found : nullptr;",
          "  const auto found = std::find_if(set.begin(), set.end(), [action](const Sleeper& sleeper) {\n"
          "    return sleeper.action.thread == action.thread;\n"
          "  });\n"
          "  return found != set.end() ? &*found : nullptr;"))

mutation("sleep", "own-actions-go-on-sleeping", (SLEEP, "if (sleeper.action.thread == thread) continue;", "static_cast<void>(thread);"))

# ---- dependency of sleep sets ------------------------------------------------------------------

mutation("dependency", "wait-set-dropped",
         (DEPENDENCY, "return add(keys_.wait_set(object), Use::EnterWait);", "return;"),
         (DEPENDENCY, "return add(keys_.wait_set(object), Use::Notify);", "return;"))
mutation("dependency", "look-dropped",
         (DEPENDENCY, "      if (looked) add(Keys::of(lock), Use::Look);", "      if (looked && false) add(Keys::of(lock), Use::Look);"),
         (DEPENDENCY, "if (looked && first == Effect::Take)", "if (looked && false)"),
         (DEPENDENCY, "if (one.effect == Effect::Look)", "if (one.effect == Effect::Look && false)"))
mutation("dependency", "virgin-read-counts-as-a-read",
         (DEPENDENCY, "is_virgin ? Use::Write : Use::Read", "is_virgin && false ? Use::Write : Use::Read"))
mutation("dependency", "watched-properties-dropped",
         (DEPENDENCY, "  for (const std::uint32_t property : watched_.by(object))\n    add(keys_.property(property), Use::Write);\n}",
          "}"),
         equivalent="sleep sets leave out transitions only to states that another order reaches, and an invariant is a property of states")
mutation("dependency", "ends-are-not-watched",
         (DEPENDENCY, "if (location(layout_, after, thread) == ir::kEnded)",
          "if (location(layout_, after, thread) == ir::kEnded && false)"),
         equivalent="sleep sets leave out transitions only to states that another order reaches, and `finally` is a property of states")
BY_KIND = "  if (a == Use::Several || b == Use::Several) return true;"
for what in ("Pass", "Look", "Observe"):
    mutation("kinds", what.lower() + "-conflicts-with-nothing",
             (DEPENDENCY, BY_KIND, f"  if (a == Use::{what} || b == Use::{what}) return false;\n" + BY_KIND))
for what, why in (("Write", ""), ("Take", ""),
                  ("Give", "a lock has one owner: never can two threads free it"),
                  ("Notify", "both wake the one who waits, or all; with two who wait, the notifying thread owns the lock")):
    mutation("kinds", f"two-of-{what.lower()}-commute",
             (DEPENDENCY, BY_KIND, f"  if (a == Use::{what} && b == Use::{what}) return false;\n" + BY_KIND),
             equivalent=why)
mutation("dependency", "kept-locks-count-as-passed",
         (DEPENDENCY, "return held_at_end ? change(lock, Use::Take)", "return held_at_end && false ? change(lock, Use::Take)"))
mutation("dependency", "give-dropped",
         (DEPENDENCY, "if (!held_at_end) change(lock, Use::Give);",
          "if (!held_at_end && false) change(lock, Use::Give);"),
         (DEPENDENCY, "if (one.effect == Effect::Give)", "if (one.effect == Effect::Give && false)"))
mutation("dependency", "two-ups-always-commute", (DEPENDENCY, "return value > max - 2;", "return value > max;"))
mutation("dependency", "up-and-down-always-commute",
         (DEPENDENCY, "return !(0 < value && value < max);", "return value > max;"))
mutation("dependency", "two-downs-always-commute", (DEPENDENCY, "return value < 2;", "return value < 0;"))
mutation("dependency", "send-and-receive-always-commute",
         (DEPENDENCY, "return !(0 < count && count < capacity);", "return count > capacity;"),
         equivalent="both can go only if 0 < count < capacity")
mutation("dependency", "several-counts-as-one",
         (DEPENDENCY, "observes ? Use::Observe : Use::Several", "observes ? Use::Observe : uses_[i].use"))
mutation("dependency", "numbers-of-choices-do-not-move", (DEPENDENCY, "    look(atom);\n", "    static_cast<void>(atom);\n"))
mutation("dependency", "stops-do-not-conflict", (DEPENDENCY, "if (conflict(x.key,", "if (x.key != Keys::stop() && conflict(x.key,"),
         equivalent="the stop is kept for the search to ask for; two stops lead to one state in either order")
for effect in ("Take", "Give", "Look"):
    mutation("dependency", f"{effect.lower()}-dropped-from-first-micro-transitions",
             (DEPENDENCY, f"if (one.effect == Effect::{effect})", f"if (one.effect == Effect::{effect} && false)"))

# ---- static sets -------------------------------------------------------------------------------

mutation("sets", "wait-set-dropped-from-sets",
         (SETS, "out.push_back({keys_.wait_set(object), Use::EnterWait});", ""),
         (SETS, "out.push_back({keys_.wait_set(object), Use::Notify});", ""))
mutation("sets", "look-dropped-from-sets", (SETS, "return add(Use::Look);", "return;"))
mutation("sets", "observe-dropped-from-sets", (SETS, "return add(Use::Observe);", "return;"))
mutation("sets", "virgin-read-counts-as-a-read-in-sets",
         (SETS, "if (virgin || merged_) {", "if ((virgin && false) || merged_) {"))
mutation("sets", "watched-properties-dropped-from-sets",
         (SETS, "        out.push_back({keys_.property(property), Use::Write});\n  };",
          "        static_cast<void>(property);\n  };"))
mutation("sets", "properties-of-one-channel-dropped",
         (WATCHED, "return kind == ir::ObjectKind::Channel ||", "return (kind == ir::ObjectKind::Channel && false) ||"))
mutation("cache", "sets-forget-where-threads-stand",
         (SET_CACHE, "add(layout_.thread(id).location);", ""))
mutation("cache", "sets-forget-who-can-go",
         (SET_CACHE, "*to++ = static_cast<std::uint8_t>(count);", "*to++ = static_cast<std::uint8_t>(count * 0);"))
mutation("cache", "sets-forget-who-owns-locks",
         (SET_CACHE, "if (system.objects[id].kind == ir::ObjectKind::Lock) add(", "if (false) add("))
mutation("cache", "sets-forget-initialisation",
         (SET_CACHE, "if (layout_.object(id).init) add(*layout_.object(id).init);", ""))
mutation("cache", "sets-forget-wait-sets",
         (SET_CACHE, "if (layout_.thread(id).wait) add(*layout_.thread(id).wait);", ""))
mutation("cache", "sets-forget-values-waited-for",
         (SET_CACHE, "if (waits_by_value_.at(id, location(layout_, state, id)) != 0) return false;", ""))
mutation("cache", "sets-forget-candidates",
         (SET_CACHE, "++generation_;  // there", "// there"),
         equivalent="candidates only become fewer, and with more of them sets are larger")
mutation("blocks", "guard-of-another-way",
         (EXECUTION, "if (is_operation(opcode) && !evaluates_guard[pc_]) {", "if (is_operation(opcode) && false) {"))
mutation("sets", "ends-are-not-watched-in-sets",
         (SETS, "out.push_back({keys_.property(property), Use::Write});\n    return;",
          "static_cast<void>(property);\n    return;"))
mutation("sets", "kept-locks-count-as-passed-in-sets",
         (SETS, "return kept() ? change(Use::Take) : add(Use::Pass);", "return add(Use::Pass);"))
mutation("sets", "give-dropped-from-sets",
         (SETS, "if (kept()) change(Use::Give);", "if (kept() && false) change(Use::Give);"))
mutation("sets", "blocked-operations-ignored-persistent",
         (PERSISTENT, "    sets_.conflicts(state, thread,",
          "    if (actions[thread.index] == 0) continue;\n    sets_.conflicts(state, thread,"))
mutation("sets", "blocked-operations-ignored-stubborn",
         (STUBBORN, "  if ((*actions_)[node] == 0) return add_enabling(thread);\n", "  if ((*actions_)[node] == 0) return;\n"))
mutation("sets", "blocked-operations-count-as-enabled",
         (SETS, "enabled && next.is_simple ? Mode::Enabled", "(enabled || true) && next.is_simple ? Mode::Enabled"))
mutation("sets", "blocks-count-as-simple-operations",
         (SETS, "enabled && next.is_simple ?", "enabled ?"),
         equivalent="what may block stands first in a block, so it goes with the block; whatever else may fail is an Observe, too")
mutation("sets", "smallest-component-though-it-reaches-others",
         (STUBBORN, "  if (size > 0 && !reaches &&", "  if (size > 0 && (!reaches || true) &&"))
mutation("sets", "one-atom-answers-for-all-of-the-same-threads",
         (SETS, "      columns[position] = split->second;\n", ""))
mutation("sets", "owner-shortcut-for-anybodys-lock",
         (SETS, "if (layout_.owner(state, lock) == thread) mode", "if (layout_.owner(state, lock).valid()) mode"))
mutation("sets", "waiters-without-notifiers",
         (STUBBORN, "          add(sets_.wait_set(touch.object, Use::Notify));", "          ;"))
mutation("sets", "first-case-of-a-blocked-select-only",
         (STUBBORN, "  for (const ir::Touch& touch : touches) {\n",
          "  for (const ir::Touch& touch : touches) {\n    if (&touch != &touches[0]) break;\n"))
for what, effect, use in (("down-without-ups", "Down", "Up"), ("send-without-receives", "Send", "Receive"),
                          ("receive-without-sends", "Receive", "Send"), ("await-without-writes", "Read", "Write")):
    mutation("sets", "blocked-" + what,
             (STUBBORN, f"      case Effect::{effect}:\n        on(touch, Use::{use});\n        break;\n", ""))
mutation("sets", "everything-is-excluded-by-the-discipline",
         (SETS, "return !candidates_->allows(", "return candidates_ != nullptr || !candidates_->allows("))
mutation("sets", "acquired-locks-do-not-count-as-held",
         (SETS, "if (use.use == Use::Pass || use.use == Use::Take) add(", "if (use.use < Use::Read) add("))

mutation("sets", "held-locks-do-not-count",
         (SETS, "    if (layout_.owner(state, lock) == thread) add(lock);\n", "    static_cast<void>(state), static_cast<void>(thread), static_cast<void>(lock);\n"),
         equivalent="while the thread holds a lock of the object, the others access it only by breaking the discipline, which shows in either order")
mutation("sets", "init-by-objects-are-excluded",
         (SETS, "declared.kind != ir::ObjectKind::Shared || declared.init_by)", "declared.kind != ir::ObjectKind::Shared)"))
mutation("sets", "own-release-does-not-meet-a-look",
         (SETS, "return mine.use == Use::Give && use == Use::Look;", "return false;"))
mutation("sets", "bounded-ups-commute", (SETS, "      return has_max;\n", "      return false;\n"))
mutation("sets", "downs-commute", (SETS, "return use != Use::Up || has_max || !can_go;", "return use == Use::Up && (has_max || !can_go);"))
mutation("sets", "down-and-bounded-up-commute", (SETS, "return use != Use::Up || has_max || !can_go;", "return use != Use::Up || !can_go;"))
mutation("sets", "sends-commute", (SETS, "return use != Use::Receive || !can_go;", "return use == Use::Receive && !can_go;"))
mutation("sets", "receives-commute", (SETS, "return use != Use::Send || !can_go;", "return use == Use::Send && !can_go;"))
mutation("sets", "locks-kept-at-the-end-count-as-passed",
         (SETS, "if (code.instructions[pc].opcode() == ir::Opcode::End) stands(pc);", "static_cast<void>(pc);"))
mutation("sets", "perhaps-visible-operations-are-no-places-to-stand",
         (SETS, "accesses_.visible(thread, at) != ir::Visible::Never", "accesses_.visible(thread, at) == ir::Visible::Always"))
mutation("sets", "transitions-end-at-perhaps-visible-operations",
         (ACCESSES, "= of.visible[at] == Visible::Always;", "= of.visible[at] != Visible::Never;"),
         equivalent="what is invisible behind such an operation is under locks that the thread owns, or has just taken and, standing there, keeps")
mutation("sets", "blocked-acquire-without-owner", (STUBBORN, "            edges_.push_back(node_of(owner));\n", "            ;\n"))

# ---- the lock discipline -----------------------------------------------------------------------

mutation("discipline", "candidates-undone-in-the-global-form",
         (DISCIPLINE, "if (form != Discipline::PerExecution) return result;", "if (form == Discipline::Off) return result;"),
         (DISCIPLINE, "  if (form_ == Discipline::PerExecution) {\n    broken", "  if (form_ != Discipline::Off) {\n    broken"),
         (DISCIPLINE, "if (form_ == Discipline::PerExecution) found.", "if (form_ != Discipline::Off) found."))
mutation("discipline", "candidates-kept-in-the-other-form",
         (DISCIPLINE, "broken = candidates.state_bytes && update(extra + *candidates.state_bytes, held, is_write);",
          "broken = candidates.state_bytes && (update(extra + *candidates.state_bytes, held, is_write) || broken);"))
mutation("discipline", "candidates-kept-for-the-sets",
         (DISCIPLINE, "  if (form_ == Discipline::PerExecution) {\n    if (!candidates.state_bytes) return true;",
          "  if (form_ == Discipline::Off) {\n    if (!candidates.state_bytes) return true;"))
mutation("discipline", "unwritten-objects-are-excluded",
         (DISCIPLINE, "if (!is_write && !candidates.written) return true;",
          "if (!is_write && !candidates.written && false) return true;"),
         equivalent="who reads without a lock what another thread writes breaks the discipline, which shows in either order")
mutation("discipline", "accesses-before-the-second-thread-count-for-nothing",
         (DISCIPLINE, "  candidates.user = thread;\n",
          "  if (candidates.accesses.empty() && (!candidates.user.valid() || candidates.user == thread)) {\n"
          "    candidates.user = thread;\n    return;\n  }\n  candidates.user = thread;\n"))
mutation("window", "window-open-after-release",
         (EXECUTION, "    default:\n      return is_operation(instruction.opcode());",
          "    default:\n      return is_operation(instruction.opcode()) && instruction.opcode() != Opcode::Release;"))
mutation("window", "window-open-after-everything",
         (EXECUTION, "  if (closes_windows(current())) close_windows();\n}",
          "  if (closes_windows(current()) && false) close_windows();\n}"))

# ---- visible operations that count as invisible ------------------------------------------------
# One that can block, or go in several ways, still ends the transition where it does.

mutation("visible", "read-of-an-atomic",
         (INTERPRETER, "    case Opcode::Read:\n      return access_visible(",
          "    case Opcode::Read:\n      if (system_.objects[execution_.resolve(std::get<Read>(instruction.node).place)].kind !=\n"
          "          ObjectKind::Shared)\n        return false;\n      return access_visible("))
mutation("visible", "write-of-an-atomic",
         (INTERPRETER, "    case Opcode::Write:\n      return access_visible(",
          "    case Opcode::Write:\n      if (system_.objects[execution_.resolve(std::get<Write>(instruction.node).place)].kind !=\n"
          "          ObjectKind::Shared)\n        return false;\n      return access_visible("))
VIRGIN = "  return status && status->load(state) == static_cast<std::int32_t>(InitStatus::Virgin);"
mutation("visible", "virgin-read", (INTERPRETER, VIRGIN, VIRGIN.replace("return ", "return is_write && ")))
mutation("visible", "virgin-write", (INTERPRETER, VIRGIN, VIRGIN.replace("return ", "return !is_write && ")))
mutation("visible", "watched-write",
         (INTERPRETER, "if (is_write && visibility_.is_watched[object]) return true;", ""))
ENABLED = ("{\n      std::vector<Action> ways;\n      enabled(state, thread, ways);\n"
           "      return ways.size() != 1 || ways[0].choice != 0;\n    }\n")
mutation("visible", "acquire",
         (INTERPRETER, "    case Opcode::Acquire:\n      return !owns(std::get<Acquire>(instruction.node).lock);\n",
          "    case Opcode::Acquire: " + ENABLED))
mutation("visible", "try-acquire",
         (INTERPRETER, "return !owns(std::get<TryAcquire>(instruction.node).lock);", "return false;"))
mutation("visible", "release-of-a-tried-lock",
         (INTERPRETER, "      return visibility_.is_tried[lock] && execution_.owns(lock) &&\n",
          "      return visibility_.is_tried[lock] && execution_.owns(lock) && false &&\n"))
mutation("visible", "wait-on-a-tried-lock",
         (INTERPRETER, "return visibility_.is_tried[lock] && execution_.owns(lock);\n",
          "return visibility_.is_tried[lock] && execution_.owns(lock) && false;\n"))
mutation("visible", "notify-with-several-waiters",
         (INTERPRETER, "return execution_.waiters(execution_.resolve(notify.lock)) >= 2;",
          "return execution_.waiters(execution_.resolve(notify.lock)) >= 99;"))
for opcode in ("Update", "Rewait", "Up", "Down", "Send", "Receive", "Size", "Choose", "Either", "Select"):
    # Of Choose and Either the first way is taken.
    never_blocks = opcode in ("Update", "Up", "Size", "Choose", "Either")
    case = " return false;\n" if never_blocks else " " + ENABLED
    mutation("visible", {"Rewait": "second-part-of-wait"}.get(opcode, opcode.lower()),
             (INTERPRETER, "    case Opcode::Held:\n      return false;\n    case Opcode::Atomic:",
              f"    case Opcode::{opcode}:{case}    case Opcode::Held:\n      return false;\n    case Opcode::Atomic:"))
mutation("visible", "block-that-reads-an-atomic",
         (INTERPRETER, "any(std::get<Read>(instruction.node).place, false);", "static_cast<void>(any);"))
mutation("visible", "block-that-writes-an-atomic",
         (INTERPRETER, "any(std::get<Write>(instruction.node).place, true);", "static_cast<void>(any);"))
mutation("visible", "block-that-releases-a-tried-lock",
         (INTERPRETER, "found = found || visibility_.is_tried[id];", "found = found || (visibility_.is_tried[id] && false);"))
mutation("visible", "block-that-notifies",
         (INTERPRETER, "found = !std::get<Notify>(instruction.node).all;", "found = false;"))
mutation("visible", "await-that-can-go",
         (INTERPRETER, "      return region_visible(state, thread, execution_.pc());",
          "    {\n      const Pc region = execution_.pc();\n      std::vector<Action> ways;\n"
          "      enabled(state, thread, ways);\n"
          "      return ways.size() != 1 && region_visible(state, thread, region);\n    }"))
mutation("visible", "block-with-another-operation",
         (INTERPRETER, "found = is_operation(instruction.opcode()) || instruction.opcode() == Opcode::Guard;",
          "found = instruction.opcode() == Opcode::Guard;"))
mutation("visible", "release-of-a-lock-that-a-select-looks-at",
         (VISIBILITY, "if (select == nullptr || !select->otherwise) continue;", "if (select == nullptr || true) continue;"))
mutation("visible", "finals-beside-daemons-watch-nothing",
         (VISIBILITY, "if (!has_daemons) return;", "return;"))

# ---- what a search need not look at ------------------------------------------------------------

mutation("fast", "what-is-told-behind-others-is-not-heard",
         (BFS, "Search::show(successors, shown == actions.size());", "Search::show(successors, actions.size() == 1);"))
mutation("fast", "successors-go-on-behind-what-tells",
         (NATIVE, "    if (record.has_observations()) break;\n", ""))
mutation("fast", "depths-end-before-the-last-are-looked-up",
         (BFS, "  flush();\n  return waiting() > 0;", "  if (reducer_.any()) flush();\n  return waiting() > 0;"))
mutation("fast", "shown-behind-the-first-violation",
         (BFS, "shown < actions.size() && !monitors_.enough();", "shown < actions.size();"))
mutation("fast", "goes-on-from-the-state-of-the-first-violation",
         (BFS, "  if (!all_.empty() && monitors_.enough() && stopped()) return;\n", ""))
mutation("fast", "a-search-cut-short-is-complete",
         (BFS, "while (more() && !stopped()) {", "while (more() && !monitors_.enough()) {"))
mutation("fast", "expanded-again-at-once",
         (BFS, "again_left_ > 0 && again_.front().before <= next_", "again_left_ > 0"),
         equivalent="another order of the same expansions")
mutation("fast", "what-may-become-free-is-not-forgotten",
         (STUCK, "  free_ = notified_ = ir::ObjectId();\n", ""))
mutation("fast", "whom-may-be-notified-is-asked-for-another-lock",
         (STUCK, "  notified_ = lock;\n", "  notified_ = free_;\n"),
         equivalent="it is the same lock")
mutation("fast", "an-awaited-lock-with-an-index",
         (STUCK, "return place.index ? Awaited() : Awaited{kind, access, place.base};",
          "return Awaited{kind, access, place.base};"))
mutation("fast", "nobody-is-ever-stuck-for-the-lock-order",
         (MONITORS, "if (stuck_.anyone_stuck()) lock_order_.stuck(state);", ""))
mutation("fast", "all-edges-of-an-acquisition-are-the-same",
         (LOCK_ORDER, "is_exact && !acquire->lock.index ? 1 : 0;", "is_exact ? 1 : 0;"))
mutation("fast", "edges-of-unknown-locks-are-the-same",
         (LOCK_ORDER, "is_exact && !acquire->lock.index ? 1 : 0;", "!acquire->lock.index ? 1 : 0;"))
mutation("fast", "locks-at-unknown-places-are-known",
         (LOCK_USE, "analyses.held.is_exact(thread, pc) ? At::Known : At::Followed;", "At::Known;"))
mutation("fast", "locks-are-not-followed-through-a-transition",
         (RECORDER, "  for (std::size_t i = 0; i < touch; ++i) {", "  for (std::size_t i = 0; false; ++i) {"))
mutation("fast", "only-what-is-never-visible-turns",
         (CONTROL_FLOW, "== ir::Visible::Always", "!= ir::Visible::Never"))
mutation("fast", "invariants-by-the-first-byte-they-read",
         (VALUATIONS, "std::memcpy(to, state + bytes.offset, bytes.size);", "std::memcpy(to, state + bytes.offset, 1);"))
mutation("fast", "enabled-in-the-state-before",
         (STUCK, "  enabled_.clear();\n", ""))
mutation("fast", "a-grown-table-forgets-its-last-bucket",
         (STORE, "bucket != first + size; ++bucket", "bucket != first + size - 1; ++bucket"))

# ---- what native code leaves out ---------------------------------------------------------------

mutation("observations", "what-is-kept-in-each-state-is-observations-once",
         (NEWS, "always = always || in_state[id] || at.system.objects[id].init_by.has_value();",
          "always = always || at.system.objects[id].init_by.has_value();"))
mutation("observations", "a-window-of-initialisation-is-observations-once",
         (NEWS, "always = always || in_state[id] || at.system.objects[id].init_by.has_value();",
          "always = always || in_state[id];"))
mutation("observations", "accesses-with-unknown-locks-are-observations-once",
         (NEWS, "    if (!held->held.is_determined(held->thread, held->pc)) return {};\n", ""))
mutation("observations", "locks-are-never-followed",
         (NEWS, "= !is_exact && (joins || pc < region_end);", "= false;"))
mutation("observations", "arrivals-are-never-told",
         (NEWS, "return new_numbers(&acquire->lock, &at);", "return nothing;"))
mutation("observations", "arrivals-are-told-for-one-lock",
         (NEWS, "return new_numbers(&acquire->lock, &at);", "return new_numbers(nullptr, &at);"))
mutation("observations", "ends-are-never-told",
         (NEWS, "if (!may_hold) result.first = kNothing;", "result.first = kNothing;"))
mutation("observations", "all-objects-of-an-access-have-one-number",
         (NEWS, "result.count = each->index ? each->count : 1;", "result.count = 1;\n    result.stride = 0;"))
mutation("observations", "all-that-is-chosen-has-one-number",
         (NEWS, "result.choices.push_back({lock, static_cast<Number>(all)});", "result.choices.push_back({lock, 0});"))
mutation("observations", "an-assertion-that-failed-hides-what-its-condition-does",
         (NEWS, "                          event.range == instruction.range &&\n                          event.kind == fault_kind(instruction) &&\n", ""))
mutation("observations", "what-is-pending-leaves-out-what-was-heard",
         (NATIVE, "  leave_out_recorded(false);\n", ""))
mutation("observations", "sleep-sets-hear-observations-only",
         (CHECK, "if (!options.reduction.sleep) step", "step"))
mutation("observations", "beginnings-are-of-the-first-thread",
         (MONITORS, "  executed({before, record, after, extra}, where);\n",
          "  executed({before, record, after, extra}, where);\n  if (!record.micros.empty()) recorder_.transition({before, record, after, extra});\n"),
         equivalent="beginnings are no micro-transitions, so nothing is heard of them")
mutation("observations", "shared-code-with-different-constants",
         (FAMILIES, "        constants_.push_back(number->getSExtValue());", "        constants_.push_back(llvm::cast<ConstantInt>(one)->getSExtValue());"))

# ---- where nobody is looked for who is stuck ---------------------------------------------------

mutation("calm", "calm-forgets-what-was-taken",
         (CALM, "    if (back.access == Access::Give) return false;\n    obligations.push_back(back);\n", ""))
mutation("calm", "calm-forgets-the-lock-that-was-taken",
         (CALM, "    if (back.access == Access::Give) return false;\n", "    if (back.access == Access::Give) continue;\n"))
mutation("calm", "calm-forgets-what-is-lost",
         (CALM, "if (!is_awaited(thread, lost)) return;", "return;"))
mutation("calm", "calm-forgets-that-the-thread-owns-a-lock",
         (CALM, "      calm = calm && !may_own(thread, edge.to, ends, lost.object);\n", "      ;\n"))
mutation("calm", "calm-obligations-nothing",
         (CALM, "    if (needed.empty()) continue;\n", "    continue;\n"))
mutation("calm", "calm-obligations-are-met-by-whoever-can-go",
         (STUCK, "return may[place(state, action.thread)] != 0;", "return may[place(state, action.thread)] != 2;"))
mutation("calm", "calm-behind-an-owner-who-cannot-go",
         (STUCK, "return owner.valid() && can_go(actions, owner) &&", "return owner.valid() &&"))
mutation("calm", "calm-though-somebody-was-stuck",
         (STUCK, "  if (!nothing_moves) may_use_filter_ = uses_filter_ = false;\n", ""))
mutation("calm", "stuck-daemons-are-told",
         (STUCK, "  if (are_daemons()) return std::nullopt;\n", ""))
mutation("calm", "calm-beside-a-guard",
         (CALM, "          waits_for(Access::Write, atom.object);\n", ""))
mutation("calm", "calm-by-the-last-edge-of-a-composed-transition",
         (CALM, "  if (composed_) perhaps =", "  if (false) perhaps ="))

# ---- rows of what was executed -----------------------------------------------------------------

mutation("rows", "rows-forget-branches",
         (FOOTPRINT, "void look(const ir::Branch& node) { reads(node.condition); }", "void look(const ir::Branch&) {}"))
mutation("rows", "rows-forget-what-is-read",
         (FOOTPRINT, "      reads(node.place, node.word + i);\n    writes(node.targets);", "      chosen(node.place);\n    writes(node.targets);"))
mutation("rows", "rows-of-assigned-on-one-way",
         (FOOTPRINT, "joined.certainly[i] = joined.certainly[i] && there->certainly[i];", "joined.certainly[i] = joined.certainly[i] || there->certainly[i];"))
mutation("rows", "rows-of-a-lock-owned-already",
         (FOOTPRINT, "!plan_.in_region[pc_] && held_.depth(thread_, pc_, node.lock).greatest == 0", "!plan_.in_region[pc_]"),
         equivalent="where a thread perhaps owns the lock, it tells what it does each time, and has no row")
mutation("rows", "rows-of-what-tells",
         (NATIVE, "if (cache_ && !record.has_observations() && cache_->may_insert(action, state))", "if (cache_ && cache_->may_insert(action, state))"),
         equivalent="the second execution tells the same, and then nothing is learnt")
mutation("rows", "rows-of-an-index-that-was-assigned",
         (FOOTPRINT, "slot >= fields_.slots.size() || now_->perhaps[slot])", "slot >= fields_.slots.size() || now_->certainly[slot])"))
mutation("rows", "rows-forget-which-locks-are-held",
         (FOOTPRINT, "    for (const ir::ChosenLock& lock : held_.chosen(thread_, pc))\n      reads_slot(lock.slot);", "    static_cast<void>(pc);"))
mutation("rows", "rows-of-slots-that-were-equal",
         (EQUAL, "    if (slot < groups.size()) leave(groups, slot);", "    if (slot > groups.size()) leave(groups, slot);"))
mutation("rows", "rows-of-slots-that-are-equal-on-one-way",
         (EQUAL, "if (there && *there == joined) continue;", "if (there) continue;"))
mutation("rows", "rows-learnt-from-one-state",
         (MEMO, "field.store(other, field.load(state) == field.lo ? field.lo + 1 : field.lo);", "static_cast<void>(other);"))

# ---- how much a field can hold -----------------------------------------------------------------

mutation("ranges", "loops-are-left-after-one-round",
         (RANGES, "        add(to <= pc ? again[to] : before_[to], ranges);", "        if (to > pc) add(before_[to], ranges);"))
mutation("ranges", "conditions-hold-the-other-way",
         (RANGES, "return holds ? less(expr.a, expr.b, 1, ranges) : less(expr.b, expr.a, 0, ranges);",
          "return holds ? less(expr.b, expr.a, 1, ranges) : less(expr.a, expr.b, 0, ranges);"))
mutation("ranges", "a-bound-is-one-too-small",
         (RANGES, "meet(a, INT32_MIN, right.hi - by, ranges)", "meet(a, INT32_MIN, right.hi - by - 1, ranges)"))
mutation("ranges", "nothing-is-received",
         (RANGES, "      assign(targets[i], of_objects(channel, i), ranges);", "      static_cast<void>(channel);"))
mutation("ranges", "updates-change-nothing",
         (LAYOUT, "void look(const Update& node) { changes(node.place); }", "void look(const Update& node) { uses(node.place); }"))
mutation("ranges", "elements-that-an-index-chooses-differ",
         (LAYOUT, "      if (chosen_[id]) make_alike(system.groups[id]);", "      static_cast<void>(id);"),
         equivalent="what does not lie alike is left to the interpreter")
mutation("ranges", "loops-go-round-once",
         (HOW_OFTEN, "if (!loop[pc]) return 1;", "if (loop.size() > pc) return 1;"))
mutation("ranges", "who-waits-can-go",
         (ENTRY_TABLE, "    if (!wakes) return kNever;\n", "    static_cast<void>(wakes);\n"))

# ---- what is known of locks --------------------------------------------------------------------

mutation("locks", "no-lock-is-taken-twice",
         (LAYOUT, "greatest = std::max<std::int32_t>(greatest, depth.greatest);", "greatest = 1;"))
mutation("locks", "an-index-that-was-assigned-chooses-the-same-lock",
         (HELD, "    assigns(known, pc, node);\n    next_.clear();", "    next_.clear();"))
mutation("locks", "another-lock-is-chosen-beside",
         (HELD, "      if (overlap(chosen.place, place)) return forget(known);", "      if (overlap(chosen.place, place)) return;"))
mutation("locks", "ways-that-chose-otherwise",
         (HELD, "} else if (!same(chosen_[pc], incoming.chosen)) {", "} else if (false) {"))
