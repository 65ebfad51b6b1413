#include "app/walker.h"

#include <utility>

#include "ir/lower/lower.h"

namespace cml::app {

Walker::Walker(const LoadedModel& input, const checker::Options& options)
    : input_(input), options_(options), room_(options.limits) {}

Expected<void, ir::Unsupported> Walker::begin() {
  auto system = ir::lower(input_.model, input_.sources, room_.lowering());
  if (!system) return Unexpected(std::move(system).error());
  walk_.reset();
  system_ = std::make_unique<ir::System>(*std::move(system));
  options_.limits.can_have_more_room = room_.can_grow();
  walk_ = std::make_unique<checker::Walk>(*system_, input_.sources, options_);
  return {};
}

std::optional<ir::Action> Walker::action(const NamedStep& step) {
  const std::vector<ir::Action> actions = walk_->actions_of(step.thread);
  if (!step.choice) return actions.size() == 1 ? std::optional(actions[0]) : std::nullopt;
  for (const ir::Action one : actions)
    if (one.choice == *step.choice) return one;
  return std::nullopt;
}

checker::Walk::Found Walker::found() {
  for (;;) {
    checker::Walk::Found found = walk_->found();
    if (!room_.grow(found.limits_hit)) return found;
    ++rounds_;
    std::vector<NamedStep> steps;
    for (const ir::Action one : walk_->path())
      steps.push_back({system_->threads[one.thread].name, one.choice});
    if (!begin()) return found;
    for (const NamedStep& step : steps) {
      const auto next = action(step);
      if (!next) break;
      walk_->take(*next);
    }
  }
}

}  // namespace cml::app
