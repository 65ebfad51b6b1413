#include "checker/liveness/liveness.h"

#include <utility>

#include "checker/liveness/automaton.h"
#include "checker/liveness/fair_cycle.h"
#include "checker/liveness/graph.h"
#include "checker/liveness/valuations.h"

namespace cml::checker {

Fairness fairness_of(const ir::System& system, const ir::Property& property,
                     const Options& options) {
  if (property.fairness) return *property.fairness;
  if (options.fairness) return *options.fairness;
  return system.fairness.value_or(Fairness::Weak);
}

void check_liveness(ir::Step& step, ir::Interpreter& free_code, const Options& options,
                    const StopToken& stop, LivenessOutcome& outcome) {
  const ir::System& system = step.system();
  const MemoryBudget budget(options.limits.max_memory);
  LivenessGraph graph(step, options, stop);
  const bool is_complete = graph.explore(outcome.limits);
  outcome.states = graph.size();
  outcome.transitions = graph.edges();
  if (!is_complete) return;
  for (std::size_t i = 0; i < system.properties.size(); ++i) {
    const ir::Property& property = system.properties[i];
    const Fairness fairness = fairness_of(system, property, options);
    const std::optional<Automaton> automaton = automaton_of_negation(property.parts, stop);
    if (!automaton) {
      outcome.limits.note("property-size");
      continue;
    }
    Finding finding;
    finding.property = static_cast<std::uint32_t>(i);
    Valuations valuations(free_code, property, stop);
    const bool had_limits = outcome.limits.any();
    if (const auto fault = valuations.evaluate(graph, outcome.limits)) {
      finding.kind = violation_kind(fault->event.kind);
      finding.source = Source::Condition;
      finding.condition = fault->condition;
      finding.event = fault->event;
      finding.event.object = representative(system, fault->event.object);
      finding.path = graph.path_to(fault->state);
      outcome.findings.push_back(std::move(finding));
      if (!options.all) return;
      continue;
    }
    if (!had_limits && outcome.limits.any()) return;
    FairCycle cycles(graph, *automaton, valuations, fairness, system.threads.size(), budget, stop);
    if (!cycles.fits()) {
      outcome.limits.note("max-states");
      continue;
    }
    std::optional<Lasso> lasso = cycles.find();
    outcome.checked.push_back({property.name, fairness, !lasso});
    if (!lasso) continue;
    finding.kind = ViolationKind::Liveness;
    finding.source = Source::Property;
    finding.event.range = property.range;
    finding.fairness = fairness;
    finding.path = std::move(lasso->stem);
    finding.loop = std::move(lasso->loop);
    outcome.findings.push_back(std::move(finding));
    if (!options.all) return;
  }
}

}  // namespace cml::checker
