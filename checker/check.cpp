// Puts the parts together: step, monitors, search; then replays the findings.
#include "checker/check.h"

#include <algorithm>
#include <chrono>
#include <fmt/format.h>
#include <functional>
#include <memory>
#include <new>
#include <optional>
#include <utility>

#include "checker/commutes.h"
#include "checker/finding/ending.h"
#include "checker/finding/explain_finding.h"
#include "checker/finding/races_behind.h"
#include "checker/finding/warnings.h"
#include "checker/liveness/liveness.h"
#include "checker/memory_budget.h"
#include "checker/monitor/granularity_for_races.h"
#include "checker/monitor/monitors.h"
#include "checker/refused_models.h"
#include "checker/search/hang_check.h"
#include "checker/search/random_walks.h"
#include "checker/search/search.h"
#include "checker/search/still_lost.h"
#include "checker/simulate.h"
#include "checker/step_config.h"
#include "ir/exec/interpreter.h"
#include "jit/tiered_step.h"
#include "support/memory.h"
#include "support/mutation.h"

namespace cml::checker {
namespace {

using Clock = StopToken::Clock;

/// Findings are explained even if the time is over, or the search was interrupted; in this time.
constexpr double kSecondsToExplain = 2;
constexpr double kShareToExplain = 0.1;  // of --max-time, if that is more
constexpr std::uint64_t kWorthGivingBack = std::uint64_t{8} << 20;  // bytes

Clock::duration seconds(double count) {
  return std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(count));
}

/// The stop token of the analyses before the search, and of transitions that take long.
StopToken stop_token(const Options& options, const Context& context, Clock::time_point started) {
  std::optional<Clock::time_point> until;
  if (options.limits.max_seconds > 0) until = started + seconds(options.limits.max_seconds);
  return {context.stop, until};
}

/// The stop token of the explanations.
StopToken explanation_token(const Options& options, const Context& context, const StopToken& stop) {
  const bool has_limit = options.limits.max_seconds > 0;
  if (!has_limit && !stop.is_interrupted()) return {context.stop, std::nullopt};
  const double grace = std::max(kSecondsToExplain, kShareToExplain * options.limits.max_seconds);
  const Clock::time_point until = Clock::now() + seconds(grace);
  return {stop.is_interrupted() ? nullptr : context.stop, until};
}

const char* limit_name(const StopToken& stop) {
  return stop.is_interrupted() ? "interrupted" : "max-time";
}

jit::TierOptions tier_options(const Options& options) {
  jit::TierOptions tiers;
  tiers.is_enabled = options.engine == Engine::Jit;
  tiers.native_after = options.jit_after;
  tiers.perf_map = options.perf_map;
  return tiers;
}

constexpr std::uint64_t kShortTraces = std::uint64_t{8} << 20;  // bytes that they always may have

/// Keeps the largest sets of stuck threads: one that is part of another is no finding of its own.
void keep_largest(std::vector<Finding>& findings) {
  const auto is_part = [&findings](const Finding& finding) {
    return !finding.stuck.empty() &&
           std::any_of(findings.begin(), findings.end(), [&finding](const Finding& other) {
             const bool includes = std::includes(other.stuck.begin(), other.stuck.end(),
                                                 finding.stuck.begin(), finding.stuck.end());
             const bool stays =
                 finding.kind == ViolationKind::Deadlock && other.kind != finding.kind;
             return includes && !stays &&
                    (other.stuck.size() > finding.stuck.size() || &other < &finding);
           });
  };
  std::vector<Finding> largest;
  for (const Finding& finding : findings)
    if (!is_part(finding)) largest.push_back(finding);
  findings = std::move(largest);
}

/// The findings to report. An incomplete search has seen that some threads are stuck, but perhaps
/// not whether the others run for ever.
std::vector<Finding> findings_to_report(const Findings& findings, ir::Step& step,
                                        const ir::Analyses& analyses, const Options& options,
                                        const StopToken& stop) {
  std::vector<Finding> reported = findings.report();
  const auto deadlock = [&](const Finding& partial) -> std::optional<Finding> {
    if (partial.is_path_lost) return std::nullopt;
    try {
      return deadlock_behind(partial, step, analyses, options, stop);
    } catch (const std::bad_alloc&) {
      return std::nullopt;  // then it stays a partial deadlock
    } catch (const Stopped&) {
      return std::nullopt;
    }
  };
  for (Finding& finding : reported) {
    if (finding.kind != ViolationKind::PartialDeadlock) continue;
    if (auto end = deadlock(finding)) finding = std::move(*end);
  }
  if (options.all) keep_largest(reported);
  if (options.all || !options.shortest || reported.empty() || !reported[0].stuck.empty())
    return reported;
  // The search continued in order to find the nearest deadlock, and there is none.
  const Finding* partial = findings.nearest_partial();
  if (partial != nullptr && partial->path.size() < reported[0].path.size() && !deadlock(*partial))
    reported[0] = *partial;
  return reported;
}

Violation explain_within_limits(const Finding& finding, Replayer& replayer,
                                const ir::Analyses& analyses, const Options& options,
                                const StopToken& stop, const IsStillLost& is_still_lost,
                                Result& result) {
  const std::uint64_t memory_left = replayer.memory_left();
  try {
    if (finding.is_path_lost) return explain_without_trace(replayer, finding);
    auto violation = explain(replayer, analyses, finding, options, is_still_lost);
    if (violation) return std::move(*violation);
    result.internal_error = violation.error();
    return {};
  } catch (const std::bad_alloc&) {
    replayer.limit_memory(memory_left);
    return explain_without_trace(replayer, finding);
  } catch (const Stopped&) {
    result.end_at(limit_name(stop));
    return explain_without_trace(replayer, finding);
  }
}

void explain_all(const std::vector<Finding>& findings, Replayer& replayer,
                 const ir::Analyses& analyses, const Options& options, const StopToken& stop,
                 ir::Interpreter& step, RacesBehind races_behind, Result& result) {
  for (const Finding& finding : findings) {
    StillLost still_lost(step, analyses, options, stop);
    Violation violation = explain_within_limits(
        finding, replayer, analyses, options, stop,
        [&](const std::uint8_t* state, const Finding& of) { return still_lost(state, of); },
        result);
    if (result.internal_error) return;
    if (finding.kind == ViolationKind::LockDiscipline)
      races_behind(finding.event.object, violation);
    result.violations.push_back(std::move(violation));
  }
}

/// What atomic classes declare is verified first. False: that is all that is wanted.
bool verify_declarations(const ir::System& system, const Options& options, const StopToken& stop,
                         CommutesFindings& findings, Result& result) {
  findings = verify_commutes(system, options.all, stop);
  result.violations = std::move(findings.violations);
  if (!result.violations.empty()) result.verdict = Verdict::Violated;
  return result.violations.empty() || options.all;
}

void add_doubts(const CommutesFindings& findings, const Options& options, Result& result) {
  result.warnings.insert(result.warnings.end(), findings.warnings.begin(), findings.warnings.end());
  if (findings.lacks_stack && options.limits.can_have_more_room) result.end_at("max-stack");
}

/// After a complete search that has found nothing: threads that are lost, and warnings.
void check_hangs(const SearchInput& input, Search& search, const ir::StepConfig& config,
                 const StopToken& stop, std::vector<Finding>& lost,
                 std::vector<ir::ThreadId>& never_ending, Result& result) {
  const bool is_reached = search.statistics().complete && input.monitors.findings().empty() &&
                          input.monitors.limits().empty() && !input.monitors.internal_error();
  if (!input.options.hang_check || search.graph() == nullptr || !is_reached) return;
  const auto started = Clock::now();
  ir::Interpreter step(input.analyses, input.step.layout(), config);
  try {
    HangCheck check(input, *search.graph(), step, stop);
    lost = check.lost();
    if (lost.empty()) never_ending = check.never_ending();
    result.checked_hangs = true;
  } catch (const std::bad_alloc&) {
    search.run_out_of_memory();
  } catch (const Stopped&) {
    search.end_at(limit_name(stop));
  }
  result.stats.seconds_hangs = std::chrono::duration<double>(Clock::now() - started).count();
}

/// After a complete search that has found nothing: properties of executions, in a graph of their
/// own, of which nothing is left out.
LivenessOutcome check_properties(const ir::Analyses& analyses, const ir::Layout& layout,
                                 const Options& options, const ir::StepConfig& micros,
                                 const StopToken& stop, Result& result) {
  LivenessOutcome outcome;
  const auto started = Clock::now();
  try {
    jit::TieredStep step(analyses, layout, micros, tier_options(options));
    ir::Interpreter free_code(analyses, layout, micros);
    check_liveness(step, free_code, options, stop, outcome);
  } catch (const std::bad_alloc&) {
    outcome.limits.note("max-memory");
  } catch (const Stopped&) {
    outcome.limits.note(limit_name(stop));
  }
  for (const std::string& limit : outcome.limits.names)
    result.end_at(limit);
  result.stats.liveness_states = outcome.states;
  result.stats.liveness_transitions = outcome.transitions;
  result.stats.seconds_liveness = std::chrono::duration<double>(Clock::now() - started).count();
  result.properties = outcome.checked;
  return outcome;
}

void add_limits(const ir::System& system, const LimitMonitor::Limits& found, Result& result) {
  for (const auto& [limit, event] : found) {
    result.end_at(std::string(limit));
    result.limits.push_back({std::string(limit),
                             event.thread.valid() ? system.threads[event.thread].name : "",
                             event.range});
  }
}

/// What of a module of the standard library a model does not need.
void leave_out_library(const SourceSet& sources, Result& result) {
  std::erase_if(result.discipline, [&sources](const DisciplineEntry& entry) {
    return entry.status == "unshared" && sources.is_library(entry.location);
  });
  std::erase_if(result.warnings, [&sources](const Warning& warning) {
    const bool is_of_use = warning.kind == name(WarningKind::LockOrder);
    return !is_of_use && sources.is_library(warning.location);
  });
}

using MakeSearch = std::function<std::unique_ptr<Search>(const SearchInput&)>;

/// Throws what says that more has to be followed (followed_objects.h).
void explore(const ir::System& system, const SourceSet& sources, const Options& asked,
             const MakeSearch& make, const FollowedObjects& followed, const Context& context,
             const StopToken& stop, const std::vector<ProvedCommutes>& commuting, Result& result) {
  const ir::Analyses analyses(system, stop);
  const Options options = with_granularity_for_races(asked, analyses);
  const ir::StepConfig config = step_config(options, &stop);
  const ir::Layout layout = options.static_analyses ? ir::Layout(analyses) : ir::Layout(system);
  jit::TieredStep step(analyses, layout, config, tier_options(options));
  ir::Interpreter free_code(analyses, layout, config);
  Monitors monitors(step, free_code, analyses, options, followed);
  Options searched = options;
  searched.reduction.keeps_order =
      CML_MUTATED("synchronisation-that-commutes-orders-nothing", monitors.races().any(), false);
  const std::uint64_t memory_before = resident_memory();
  // Sleep sets, dynamic reductions and happens-before need complete records.
  if ((!options.reduction.sleep && !options.reduction.is_dynamic() && !monitors.races().any()) ||
      CML_MUTATION("sleep-sets-see-observations-only"))
    step.leave_out(monitors.observations());
  const SearchInput input{step,     analyses,
                          monitors, searched,
                          context,  searched.reduction.keeps_order ? nullptr : &commuting};
  std::unique_ptr<Search> search = make(input);
  try {
    search->run();
  } catch (const std::bad_alloc&) {
    search->run_out_of_memory();
  } catch (const Stopped&) {
    search->end_at(limit_name(stop));
  }
  std::vector<Finding> lost;
  std::vector<ir::ThreadId> never_ending;
  check_hangs(input, *search, config, stop, lost, never_ending, result);
  if (!monitors.findings().empty() || !lost.empty()) result.verdict = Verdict::Violated;
  const double seconds_hangs = result.stats.seconds_hangs;
  result.stats = search->statistics();
  result.stats.seconds_hangs = seconds_hangs;
  result.stats.deadlocked_states = monitors.deadlocked_states();
  search.reset();  // its memory is needed for the explanations
  // Giving back a little costs more than it gains: a small search is over in a millisecond.
  if (resident_memory() > memory_before + kWorthGivingBack) give_back_memory();
  const jit::EngineReport engine = step.report();
  result.stats.is_native = engine.is_native;
  result.stats.jit_failure = engine.failure;
  result.stats.seconds_jit = engine.seconds;
  add_limits(system, monitors.limits(), result);
  // At granularity `sync` everything but the check of the discipline itself relies on it.
  result.assumption_broken = config.stop == ir::Stop::Visible &&
                             (monitors.discipline().is_broken() || monitors.races().is_broken());
  const bool is_all = result.stats.complete && !result.assumption_broken;
  result.cover = monitors.cover();
  result.discipline = monitors.discipline().table(
      is_all, [&monitors](ir::ObjectId id) { return monitors.races().has_race(id); });
  result.searched_with = options;
  result.warnings = warnings(system, layout, analyses.held(), monitors, is_all);
  for (Warning& warning : checker::never_ending(system, never_ending))
    result.warnings.push_back(std::move(warning));
  leave_out_library(sources, result);

  ir::StepConfig micros = config;
  micros.stop = ir::Stop::Micro;
  LivenessOutcome liveness;
  const bool is_nothing_found = monitors.findings().empty() && lost.empty();
  if (!system.properties.empty() && is_all && is_nothing_found && !monitors.internal_error()) {
    liveness = check_properties(analyses, layout, options, micros, stop, result);
    add_limits(system, liveness.limits.places.limits(), result);
    if (liveness.limits.places.internal_error())
      result.internal_error = "the transition system contradicts itself";
    if (!liveness.findings.empty()) result.verdict = Verdict::Violated;
  }

  const StopToken explaining = explanation_token(options, context, stop);
  ir::StepConfig explained = config;
  explained.stop_token = &explaining;
  // The same transitions as the search's, with another time to end.
  ir::Interpreter continuing(analyses, layout, explained);
  Replayer replayer(analyses, layout, sources, continuing, explained, explaining);
  replayer.limit_memory(std::max(MemoryBudget(options.limits.max_memory).left(), kShortTraces));
  if (monitors.internal_error()) {
    result.internal_error = "the transition system contradicts itself";
  } else {
    const Findings& found = monitors.findings();
    explain_all(!lost.empty() ? lost
                : result.stats.complete
                    ? found.report()
                    : findings_to_report(found, continuing, analyses, options, explaining),
                replayer, analyses, options, explaining, continuing,
                RacesBehind(analyses, layout, options, context), result);
    if (!liveness.findings.empty()) {
      micros.stop_token = &explaining;
      ir::Interpreter each(analyses, layout, micros);
      Replayer of_micros(analyses, layout, sources, each, micros, explaining);
      of_micros.limit_memory(replayer.memory_left());
      explain_all(liveness.findings, of_micros, analyses, options, explaining, each,
                  RacesBehind(analyses, layout, options, context), result);
    }
  }
  if (result.violations.empty())
    result.verdict = result.stats.complete || CML_MUTATION("truncated-and-verified")
                         ? Verdict::Verified
                         : Verdict::Inconclusive;
}

// Where memory or time runs out outside the search, what was found by then is the result: perhaps
// nothing else.
Result check_with(const MakeSearch& make, FollowedObjects followed, const ir::System& system,
                  const SourceSet& sources, const Options& options, const Context& context) {
  const Clock::time_point started = Clock::now();
  const StopToken stop = stop_token(options, context, started);
  Result result;
  result.stats.complete = false;
  try {
    CommutesFindings commutes;
    if (verify_declarations(system, options, stop, commutes, result)) {
      following(followed, [&] {
        explore(system, sources, options, make, followed, context, stop, commutes.proved, result);
      });
      add_doubts(commutes, options, result);
    }
  } catch (const std::bad_alloc&) {
    result.run_out_of_memory();
  } catch (const Stopped&) {
    result.end_at(limit_name(stop));
  }
  result.stats.seconds_total = std::chrono::duration<double>(Clock::now() - started).count();
  return result;
}

}  // namespace

Result check(const ir::System& system, const SourceSet& sources, const Options& options,
             const Context& context) {
  if (std::optional<Unsupported> why = refused(system, options)) {
    Result result;
    result.stats.complete = false;
    result.unsupported = std::move(why);
    return result;
  }
  return check_with(make_search, FollowedObjects(system), system, sources, options, context);
}

Result simulate(const ir::System& system, const SourceSet& sources, const Options& options,
                const WalkOptions& walks, WalkStatistics& told, const Context& context) {
  const auto make = [&](const SearchInput& input) -> std::unique_ptr<Search> {
    told = {};
    return std::make_unique<RandomWalks>(input, walks, told);
  };
  FollowedObjects followed(system);
  followed.follow_all();  // so that walks need hardly begin again
  return check_with(make, followed, system, sources, options, context);
}

Result check_nothing(const ir::Unsupported& why, const SourceSet& sources) {
  Result result;
  result.stats.complete = false;
  if (!why.beginning) {
    result.unsupported = Unsupported{why.message, why.range};
    return result;
  }
  const ir::FailedBeginning& beginning = *why.beginning;
  LimitMonitor limits;
  ir::Event event;
  event.kind = beginning.kind;
  event.range = why.range;
  event.limit = beginning.limit;
  limits.event(event);
  if (limits.internal_error()) result.internal_error = "the initial state contradicts itself";
  for (const auto& [limit, where] : limits.limits()) {
    result.stats.limits_hit.emplace_back(limit);
    result.limits.push_back({std::string(limit), "", where.range});
  }
  if (beginning.kind == ir::FaultKind::Limit || limits.internal_error()) return result;
  Violation violation;
  violation.kind = violation_kind(beginning.kind);
  violation.location = why.range;
  violation.object = beginning.declaration;
  const SourceFile& file = sources.file(beginning.declared.file);
  std::string detail(title(violation.kind));
  if (violation.kind == ViolationKind::Assertion)
    detail = beginning.text.empty() ? "the assertion does not hold" : beginning.text;
  if (violation.kind == ViolationKind::Divergence) detail = "it never comes to an end";
  violation.message =
      fmt::format("in the initial value of {} ({}:{}): {}", beginning.declaration, file.name(),
                  file.line_column(beginning.declared.begin).line, detail);
  result.violations.push_back(std::move(violation));
  result.verdict = Verdict::Violated;
  result.stats.complete = true;
  return result;
}

}  // namespace cml::checker
