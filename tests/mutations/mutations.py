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
REDUCER = "checker/reduction/reducer.cpp"
CONTROL_FLOW = "checker/search/divergence.cpp"
STORE = "checker/store/state_set.cpp"

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
# ---- what a search need not look at ------------------------------------------------------------

mutation("fast", "what-is-told-behind-others-is-not-heard",
         (BFS, "Search::show(successors, shown == actions.size());", "Search::show(successors, actions.size() == 1);"))
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
mutation("fast", "only-what-is-never-visible-turns",
         (CONTROL_FLOW, "== ir::Visible::Always", "!= ir::Visible::Never"))
mutation("fast", "a-grown-table-forgets-its-last-bucket",
         (STORE, "bucket != first + size; ++bucket", "bucket != first + size - 1; ++bucket"))

