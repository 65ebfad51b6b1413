#include "tests/differential/differential.h"

#include <algorithm>
#include <fmt/format.h>
#include <sstream>

#include "checker/check.h"
#include "tests/brute/brute_force.h"
#include "tests/differential/elements.h"
#include "tests/differential/heap_names.h"
#include "tests/differential/plain_names.h"
#include "tests/differential/spawned_names.h"
#include "tests/differential/subject.h"
#include "tests/differential/traces.h"

namespace cml::differential {
namespace {

using brute::StuckVector;

/// Findings in a form that every search can be brought to.
struct Facts {
  std::set<std::string> violations;
  std::set<StuckVector> deadlocks;
  std::set<StuckVector> partial;                           // partial deadlocks
  std::set<std::string> spinning;                          // livelock
  std::set<StuckVector> placed_deadlocks, placed_partial;  // with the places of blocks
  std::set<std::string> covered;
  std::set<std::string> table;       // what protects what: "x0 protected m0 m1"
  std::set<std::string> broken;      // objects that break the lock discipline
  std::set<std::string> undeclared;  // "guard x", "init-order x"
  std::uint64_t states = 0;
};

template <class Set>
std::string joined(const Set& set) {
  std::string out;
  for (const auto& item : set)
    out += (out.empty() ? "" : ", ") + item;
  return out;
}

void differ(const char* what, const std::set<std::string>& a, const std::set<std::string>& b,
            std::string& report) {
  for (const std::string& item : a)
    if (!b.contains(item)) report += fmt::format("  {}: only the first: {}\n", what, item);
  for (const std::string& item : b)
    if (!a.contains(item)) report += fmt::format("  {}: only the second: {}\n", what, item);
}

/// "P[0].A1[2]" becomes "P.A1": a violation is told once for all threads of a family.
std::string without_indices(const std::string& thread) {
  std::string out;
  int depth = 0;
  for (const char c : thread) {
    depth += c == '[' ? 1 : 0;
    if (depth == 0) out += c;
    depth -= c == ']' ? 1 : 0;
  }
  return out;
}

bool within_any(const StuckVector& mine, const std::set<StuckVector>& all) {
  return std::any_of(all.begin(), all.end(), [&mine](const StuckVector& theirs) {
    return std::includes(theirs.begin(), theirs.end(), mine.begin(), mine.end());
  });
}
bool is_told(const StuckVector& stuck, const Facts& facts) {
  return within_any(stuck, facts.deadlocks) || within_any(stuck, facts.partial);
}

/// A stuck vector is told once, for the most threads: so a deadlock of the one search may be part
/// of a larger stuck vector of the other.
void differ_stuck(const Facts& a, const Facts& b, const char* which, std::string& report) {
  for (const StuckVector& mine : a.deadlocks)
    if (!is_told(mine, b)) report += fmt::format("  stuck: only the {}: {}\n", which, joined(mine));
}

/// "A0:block @17" becomes "A0:block".
StuckVector without_places(const StuckVector& stuck) {
  StuckVector out;
  for (const std::string& text : stuck)
    out.insert(text.substr(0, text.find(" @")));
  return out;
}

/// What the search tells against what the brute force knows (tests/brute/graph.h). What is told is
/// a state of its own, so there the places where threads wait in blocks must be the same. It is
/// told once for all places at which the same objects are looked at, so the reverse does not hold.
void differ_from_brute(const Facts& search, const brute::Findings& brute, std::string& report) {
  for (const StuckVector& stuck : brute.deadlocks)
    if (!is_told(without_places(stuck), search))
      report += fmt::format("  nothing can go, and it is not told: {}\n", joined(stuck));
  for (const StuckVector& stuck : search.placed_deadlocks)
    if (!brute.deadlocks.contains(stuck))
      report += fmt::format("  told as a deadlock, and something can go: {}\n", joined(stuck));
  for (const StuckVector& stuck : search.placed_partial) {
    if (brute.deadlocks.contains(stuck))
      report += fmt::format("  told as partial, and nothing can go: {}\n", joined(stuck));
    if (!within_any(stuck, brute.stuck_exactly))
      report += fmt::format("  said to be stuck, and one of them moves: {}\n", joined(stuck));
  }
  for (const StuckVector& stuck : brute.stuck_at_least)
    if (!is_told(without_places(stuck), search))
      report += fmt::format("  stuck for ever, and not told: {}\n", joined(stuck));
}

/// Of a search that has looked for lost threads: both must know the same.
void compare_lost(const Facts& search, const brute::Findings& brute, std::string& report) {
  std::set<std::string> spinning;
  for (const std::string& thread : brute.spinning)
    spinning.insert(without_ranks(thread));
  differ("livelock", search.spinning, spinning, report);
  for (const StuckVector& stuck : brute.stuck_exactly)
    if (!is_told(without_places(stuck), search))
      report += fmt::format("  never moves again, and is not told: {}\n", joined(stuck));
}

/// "one stripe[0..3] of one Map" becomes "one stripe of one Map".
std::string without_bounds(std::string text) {
  for (std::size_t at = text.find('['); at != std::string::npos; at = text.find('['))
    text.erase(at, text.find(']', at) + 1 - at);
  return text;
}

/// What protects objects whose candidates belong to the state.
void compare_protection(const checker::Result& search, const brute::Findings& brute,
                        std::string& report) {
  for (const checker::DisciplineEntry& entry : search.discipline)
    for (const std::string& object : elements(entry.object)) {
      const auto lasting = brute.lasting.find(object);
      if (entry.status != "protected" || lasting == brute.lasting.end()) continue;
      differ((object + " protected by").c_str(), {entry.locks.begin(), entry.locks.end()},
             lasting->second, report);
      const auto of_each = brute.of_each.find(object);
      if (!entry.locks.empty() || of_each == brute.of_each.end()) continue;
      std::set<std::string> told;
      for (const std::string& each : entry.of_each)
        told.insert(without_bounds(each));
      differ((object + " in each protected by").c_str(), told, of_each->second, report);
    }
}

std::string difference(const Facts& a, const Facts& b) {
  std::string report;
  differ("violation", a.violations, b.violations, report);
  differ("cover", a.covered, b.covered, report);
  return report;
}

/// Of two searches by the checker: their tables, too.
std::string difference_of_searches(const Facts& a, const Facts& b) {
  std::string report = difference(a, b);
  differ_stuck(a, b, "first", report);
  differ_stuck(b, a, "second", report);
  differ("lock-discipline", a.broken, b.broken, report);
  for (const StuckVector& mine : a.partial)
    if (!is_told(mine, b))
      report += fmt::format("  partial deadlock: only the first: {}\n", joined(mine));
  for (const StuckVector& mine : b.partial)
    if (!is_told(mine, a))
      report += fmt::format("  partial deadlock: only the second: {}\n", joined(mine));
  differ("table", a.table, b.table, report);
  differ("livelock", a.spinning, b.spinning, report);
  return report;
}

/// A method of an atomic class, whatever the object is called: "counter.take" and "Counter.take"
/// are ".take".
std::string method_alone(const std::string& operation) {
  static const std::set<std::string> kOperations = {"acquire", "tryAcquire", "wait",
                                                    "down",    "send",       "recv"};
  const std::size_t dot = operation.rfind('.');
  if (dot == std::string::npos || kOperations.contains(operation.substr(dot + 1))) return operation;
  return operation.substr(dot);
}

/// The same of threads that are stuck, "A:Counter.take".
template <class Sets>
Sets methods_alone(const Sets& sets) {
  Sets result;
  for (const auto& set : sets) {
    typename Sets::value_type changed;
    for (const std::string& stuck : set) {
      const std::size_t colon = stuck.find(':') + 1;
      changed.insert(stuck.substr(0, colon) + method_alone(stuck.substr(colon)));
    }
    result.insert(std::move(changed));
  }
  return result;
}

/// What a thread waits at: operation and object, not its place in the text.
std::string waits_at(const checker::ThreadStatus& thread, const PlainNames& plain) {
  std::string text = thread.blocked_on.value_or("?");
  if (text.starts_with("await") || text.starts_with("atomic")) return "block";
  if (text.starts_with("select")) return "select";
  if (const std::size_t target = text.find(" = "); target != std::string::npos)
    text.erase(0, target + 3);
  if (text.starts_with("atomic")) return "block";  // with a value
  return method_alone(plain(text.substr(0, text.find('(')), false));
}

/// Guard and initialisation are told once for an object, the others once for a place in the text:
/// so whichever thread calls a function or belongs to a family has made the mistake.
std::string violation_text(const brute::Violation& violation) {
  const bool is_of_object = violation.kind == "illegal-monitor" ||
                            violation.kind == "semaphore-max" || violation.kind == "guard" ||
                            violation.kind == "init-order" || violation.kind == "unshared" ||
                            violation.kind == "linearizability";
  std::string who = without_indices(violation.thread);
  if (who.find("/spawn") != std::string::npos) who = "a spawned thread";
  if (violation.thread.empty()) who = "a property";
  if (violation.in_function && !violation.thread.empty()) who = "a function";
  std::string text = fmt::format("{} {}", violation.kind, is_of_object ? violation.object : who);
  if (violation.kind == "assertion") text += fmt::format(" @{}", violation.place);
  return text;
}

Facts facts_of(const checker::Result& result, const model::Model& model) {
  Facts facts;
  const PlainNames plain(model);
  facts.states = result.stats.states;
  for (const checker::Violation& violation : result.violations) {
    using checker::ViolationKind;
    switch (violation.kind) {
      case ViolationKind::PartialDeadlock:
      case ViolationKind::Deadlock: {
        StuckVector stuck;
        for (const checker::ThreadStatus& thread : violation.threads) {
          if (!thread.is_stuck) continue;
          std::string text = without_ranks(thread.thread + ":" + waits_at(thread, plain));
          if (text.ends_with(":block")) text += fmt::format(" @{}", thread.location.begin);
          stuck.insert(std::move(text));
        }
        const bool is_partial = violation.kind == ViolationKind::PartialDeadlock;
        (is_partial ? facts.partial : facts.deadlocks).insert(without_places(stuck));
        (is_partial ? facts.placed_partial : facts.placed_deadlocks).insert(std::move(stuck));
        continue;
      }
      case ViolationKind::Livelock:
        facts.spinning.insert(without_ranks(*violation.thread));
        continue;
      case ViolationKind::LockDiscipline:
      case ViolationKind::DataRace:
        facts.broken.insert(plain.object_of(violation));
        continue;
      case ViolationKind::Guard:
      case ViolationKind::InitOrder:
        facts.undeclared.insert(
            fmt::format("{} {}", checker::name(violation.kind), plain.object_of(violation)));
        break;
      case ViolationKind::Liveness:      // tests/liveness
      case ViolationKind::FalseCommute:  // the brute force verifies no declarations
        continue;
      default:
        break;
    }
    const bool is_divergence = violation.kind == ViolationKind::Divergence;
    const bool in_function =
        std::any_of(model.functions.begin(), model.functions.end(), [&](const auto& function) {
          const SourceRange& body = function.body.block.range;
          return body.begin <= violation.location.begin && violation.location.end <= body.end;
        });
    facts.violations.insert(violation_text(
        {std::string(checker::name(violation.kind)), plain.object_of(violation),
         violation.thread.value_or(""), in_function && !is_divergence, violation.location.begin}));
  }
  for (const checker::CoverEntry& entry : result.cover)
    if (entry.reached) facts.covered.insert(entry.label);
  for (const checker::DisciplineEntry& entry : result.discipline)
    for (const std::string& object : elements(entry.object))
      facts.table.insert(
          without_numbers(fmt::format("{} {} {}", object, entry.status, joined(entry.locks))));
  return facts;
}

Facts facts_of(const brute::Findings& findings) {
  Facts facts;
  facts.states = findings.states;
  for (const brute::Violation& violation : findings.violations)
    facts.violations.insert(violation_text(violation));
  facts.covered = findings.covered;
  return facts;
}

/// Whether one thread may take the place of another that has ended, or another place: where a loop
/// spawns, the checker distinguishes the two; where a thread spawns at two places, the brute force.
bool chooses_whom_to_spawn(const ir::System& system) {
  for (const ir::Thread& thread : system.threads) {
    std::size_t spawns = 0;
    for (const ir::Instruction& instruction : thread.code.instructions)
      if (const auto* spawn = std::get_if<ir::Spawn>(&instruction.node))
        spawns += spawn->thread.index ? 2 : 1;
    if (spawns > 1) return true;
  }
  return false;
}

/// Where the time of a wait is up, the checker stores the result at once, the brute force when the
/// thread has its lock back: in between, what was stored there before distinguishes states only for
/// the latter.
bool stores_results_early(const ir::System& system) {
  for (const ir::Thread& thread : system.threads)
    for (const ir::Instruction& instruction : thread.code.instructions)
      if (const auto* time_out = std::get_if<ir::TimeOut>(&instruction.node))
        if (time_out->target) return true;
  return false;
}

/// Every trace that several searches tell, and the lengths of the shortest, against the brute
/// force.
std::string compare_traces(const model::Model& model, const ir::System& system,
                           const SourceSet& sources, const brute::Findings& findings) {
  std::string report;
  const auto follow = [&](const char* what, const checker::Options& options) {
    checker::Result result = checker::check(system, sources, options);
    if (const std::string wrong = follow_traces(model, result); !wrong.empty())
      report += fmt::format("traces, {}:\n{}", what, wrong);
    return result;
  };
  checker::Options options;
  options.all = true;
  options.shortest = true;
  options.engine = checker::Engine::Interpreter;
  const auto lengths = [&](const char* what, const checker::Result& result) {
    if (const std::string wrong = compare_lengths(model, result, findings, options.all);
        !wrong.empty())
      report += fmt::format("lengths, {}:\n{}", what, wrong);
  };
  lengths("all", follow("shortest, all", options));
  options.all = false;
  options.discipline = checker::Discipline::Off;
  lengths("the first", follow("shortest", options));
  options.shortest = false;
  options.discipline = checker::Discipline::PerExecution;
  follow("depth-first", options);
  options.granularity = checker::Granularity::Sync;
  options.composition = checker::Composition::Composed;
  options.reduction.sets = checker::Sets::Stubborn;
  options.discipline = checker::Discipline::Global;
  options.order = checker::Order::BreadthFirst;
  options.all = true;
  follow("composed, stubborn", options);
  return report;
}

/// Whether an object that one thread alone accesses counts as unshared is a static question, and
/// such an object has no guard or init-order violations.
std::set<std::string> without_unshared(std::set<std::string> violations,
                                       const brute::Findings& brute) {
  std::erase_if(violations, [&brute](const std::string& violation) {
    const bool asks = violation.starts_with("guard ") || violation.starts_with("init-order ");
    return asks && !brute.shared.contains(violation.substr(violation.find(' ') + 1));
  });
  return violations;
}

/// Happens-before against accesses that are made one right behind the other.
std::string compare_races(Subject& subject, std::uint64_t max_states, const model::Model& model,
                          const brute::Findings& brute) {
  const checker::Result* result = subject.truth(max_states, checker::Discipline::Races);
  if (result == nullptr) return {};
  if (result->internal_error) return "races: internal error: " + *result->internal_error + "\n";
  const Facts facts = facts_of(*result, model);
  std::string report;
  for (const std::string& object : brute.racing)
    if (!facts.broken.contains(object))
      report += "  data race: only the brute force: " + object + "\n";
  // What is read in a race orders nothing, and yet tells what others did: an object may be reached
  // by it that its creator has just written.
  const bool may_be_more = brute.learns_by_looks || !brute.racing.empty();
  for (const std::string& object : facts.broken)
    if (!brute.racing.contains(object) && !may_be_more)
      report += "  data race: only the search: " + object + "\n";
  differ("declared, where races are looked for", without_unshared(facts.undeclared, brute),
         without_unshared(brute.undeclared, brute), report);
  return report;
}

}  // namespace

Truth truth_of(const std::string& text, std::uint64_t max_states) {
  Subject& subject = Subject::of(text);
  if (!subject.refused().empty()) return {Outcome::Refused, subject.refused(), {}};
  const checker::Result* result = subject.truth(max_states, checker::Discipline::Global);
  if (result == nullptr) return {Outcome::Discarded, {}, {}};
  Truth out;
  out.states = result->stats.states;
  for (const checker::Violation& violation : result->violations) {
    std::string kind(checker::name(violation.kind));
    // Without a thread: of an invariant (`invariant small: …`) or a `finally`.
    if (violation.kind == checker::ViolationKind::Assertion && !violation.thread)
      kind = violation.message.find("invariant") != std::string::npos ? "invariant" : "finally";
    out.kinds.insert(std::move(kind));
  }
  return out;
}

Comparison compare(const std::string& text, std::uint64_t max_states) {
  Comparison out;
  Subject& subject = Subject::of(text);
  if (!subject.refused().empty()) {
    out.outcome = Outcome::Refused;
    out.report = subject.refused();
    return out;
  }
  const SourceSet& sources = subject.sources();
  const ir::System* system = &subject.system();
  const model::Model& model = subject.model();

  checker::Options options;
  options.all = true;
  options.limits.max_states = max_states;
  const checker::Result depth_first = checker::check(*system, sources, options);
  out.states = depth_first.stats.states;
  if (depth_first.internal_error) {
    out.outcome = Outcome::Differ;
    out.report = "internal error: " + *depth_first.internal_error;
    return out;
  }
  if (!depth_first.stats.complete) {
    out.outcome = Outcome::Discarded;
    return out;
  }
  const Facts truth = facts_of(depth_first, model);
  const auto explored = [&](const char* what, const Facts& expected) {
    const checker::Result result = checker::check(*system, sources, options);
    if (result.internal_error) out.report += "internal error: " + *result.internal_error + "\n";
    Facts facts = facts_of(result, model);
    const std::string report = difference_of_searches(expected, facts);
    if (!report.empty()) out.report += fmt::format("{}:\n{}", what, report);
    return facts;
  };
  options.order = checker::Order::BreadthFirst;
  const Facts breadth_first = explored("depth-first against breadth-first", truth);
  if (truth.states != breadth_first.states)
    out.report += fmt::format("states: depth-first {}, breadth-first {}\n", truth.states,
                              breadth_first.states);
  options.order = checker::Order::DepthFirst;
  const auto without_proofs = [&](checker::Discipline form) {
    const checker::Result* unproved = subject.truth(max_states, form);
    return unproved == nullptr || unproved->internal_error
               ? std::nullopt
               : std::optional(facts_of(*unproved, model));
  };
  if (const auto unproved = without_proofs(checker::Discipline::Global)) {
    if (const std::string report = difference_of_searches(truth, *unproved); !report.empty())
      out.report += "with proofs against without:\n" + report;
  } else {
    out.report += "without proofs there are more states, or an internal error\n";
  }
  options.discipline = checker::Discipline::PerExecution;
  if (const auto unproved = without_proofs(checker::Discipline::PerExecution))
    explored("per-execution, without proofs against with", *unproved);

  // The brute force does not know properties, but a condition in one may have no value.
  const auto is_of_property = [](const checker::Violation& violation) {
    return violation.message.find("in the property ") != std::string::npos;
  };
  if (std::any_of(depth_first.violations.begin(), depth_first.violations.end(), is_of_property)) {
    out.outcome = out.report.empty() ? Outcome::Unsupported : Outcome::Differ;
    return out;
  }
  brute::Findings findings = brute::explore(model, {max_states * 2});
  findings.deadlocks = methods_alone(without_ranks(findings.deadlocks));
  findings.stuck_exactly = methods_alone(without_ranks(findings.stuck_exactly));
  findings.stuck_at_least = methods_alone(without_ranks(findings.stuck_at_least));
  if (findings.unsupported) {
    out.outcome = Outcome::Unsupported;
  } else if (!findings.complete) {
    out.report += "the brute force finds more than twice the states\n";
  } else {
    const auto comparable = [&findings](Facts facts) {
      facts.violations = without_unshared(std::move(facts.violations), findings);
      return facts;
    };
    if (std::string report = difference(comparable(truth), comparable(facts_of(findings)));
        !report.empty())
      out.report += "search against brute force:\n" + report;
    std::set<std::string> broken;
    for (const std::string& object : truth.broken)
      if (findings.candidates.contains(object)) broken.insert(object);
    std::string report;
    differ("lock-discipline", broken, findings.broken, report);
    differ_from_brute(truth, findings, report);
    compare_protection(depth_first, findings, report);
    if (!report.empty()) out.report += "search against brute force:\n" + report;
    out.report += compare_traces(model, *system, sources, findings);
    if (depth_first.checked_hangs) compare_lost(truth, findings, out.report);
    out.untold = !depth_first.checked_hangs &&
                 std::any_of(findings.stuck_exactly.begin(), findings.stuck_exactly.end(),
                             [&truth](const StuckVector& stuck) {
                               return !is_told(without_places(stuck), truth);
                             });
    const bool is_fewer = out.states < findings.states && stores_results_early(*system);
    if (findings.states != out.states && !is_fewer && !chooses_whom_to_spawn(*system) &&
        model.classes.empty())
      out.report += fmt::format("states: search {}, brute force {}\n", out.states, findings.states);
  }
  if (findings.complete && !findings.unsupported)
    out.report += compare_races(subject, max_states, model, findings);
  if (!out.report.empty()) out.outcome = Outcome::Differ;
  return out;
}

}  // namespace cml::differential
