// Puts the parts together: step, monitors, search; then replays what was found.
#include "checker/check.h"

#include <algorithm>
#include <chrono>
#include <memory>
#include <new>
#include <optional>
#include <utility>

#include "checker/explain_finding.h"
#include "checker/monitors.h"
#include "checker/search.h"
#include "ir/interpreter.h"
#include "jit/tiered_step.h"

namespace cml::checker {
namespace {

ir::StepConfig step_config(const Options& options) {
  ir::StepConfig config;
  config.spurious_wakeups = options.spurious_wakeups;
  config.max_invisible = options.limits.max_invisible;
  config.stop = options.composes() ? ir::Stop::Visible : ir::Stop::Micro;
  return config;
}

jit::TierOptions tier_options(const Options& options) {
  jit::TierOptions tiers;
  tiers.is_enabled = options.engine == Engine::Jit;
  tiers.native_after = options.jit_after;
  tiers.perf_map = options.perf_map;
  return tiers;
}

Violation told(const Finding& finding, Replayer& replayer, const Options& options,
               std::optional<std::string>& error) {
  try {
    if (finding.is_path_lost) return explain_without_trace(replayer, finding);
    auto violation = explain(replayer, finding, options.discipline == Discipline::PerExecution,
                             options.spurious_wakeups);
    if (violation) return std::move(*violation);
    error = violation.error();
    return {};
  } catch (const std::bad_alloc&) {
    return explain_without_trace(replayer, finding);
  }
}

void tell(const Findings& findings, Replayer& replayer, const Options& options, Result& result) {
  for (const Finding& finding : findings.report()) {
    Violation violation = told(finding, replayer, options, result.internal_error);
    if (result.internal_error) return;
    result.violations.push_back(std::move(violation));
  }
}

void explore(const ir::System& system, const SourceSet& sources, const Options& options,
             const Context& context, Result& result) {
  const ir::StepConfig config = step_config(options);
  const ir::StaticFacts facts(system);
  const ir::Layout layout(system, options.static_analyses ? &facts.held : nullptr);
  jit::TieredStep step(system, layout, config, tier_options(options));
  ir::Interpreter free_code(system, layout, config);
  Monitors monitors(step, free_code, facts, options);
  // Sleep sets want to know what each transition did.
  if (!options.reduction.sleep) step.leave_out(monitors.news());
  std::unique_ptr<Search> search = make_search(step, facts, monitors, options, context);
  try {
    search->run();
  } catch (const std::bad_alloc&) {
    search->run_out_of_memory();
  }
  if (!monitors.findings().empty()) result.verdict = Verdict::Violated;
  result.stats = search->statistics();
  search.reset();  // what it has is needed for the explanations
  const jit::EngineReport engine = step.report();
  result.stats.is_native = engine.is_native;
  result.stats.jit_failure = engine.failure;
  result.stats.seconds_jit = engine.seconds;
  for (const std::string& limit : monitors.limits())
    if (std::find(result.stats.limits_hit.begin(), result.stats.limits_hit.end(), limit) ==
        result.stats.limits_hit.end())
      result.stats.limits_hit.push_back(limit);
  result.stats.complete = result.stats.complete && monitors.limits().empty();
  // At granularity `sync` everything but the discipline itself rests on it.
  result.assumption_broken = config.stop == ir::Stop::Visible && monitors.discipline().is_broken();
  const bool is_all = result.stats.complete && !result.assumption_broken;
  result.cover = monitors.cover();
  result.discipline = monitors.discipline().table(is_all);
  result.warnings = monitors.warnings(is_all);

  Replayer replayer(system, layout, sources, step, config);
  if (monitors.internal_error()) {
    result.internal_error = "the transition system contradicts itself";
  } else {
    tell(monitors.findings(), replayer, options, result);
  }
  if (result.violations.empty())
    result.verdict = result.stats.complete ? Verdict::Verified : Verdict::Inconclusive;
}

}  // namespace

// Where memory runs out outside the search, what is known by then is told: perhaps only that.
Result check(const ir::System& system, const SourceSet& sources, const Options& options,
             const Context& context) {
  const auto started = std::chrono::steady_clock::now();
  Result result;
  result.stats.complete = false;
  try {
    explore(system, sources, options, context, result);
  } catch (const std::bad_alloc&) {
    result.run_out_of_memory();
  }
  result.stats.seconds_total =
      std::chrono::duration<double>(std::chrono::steady_clock::now() - started).count();
  return result;
}

}  // namespace cml::checker
