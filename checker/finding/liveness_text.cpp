#include "checker/finding/liveness_text.h"

#include <fmt/format.h>

#include "checker/waiting.h"
#include "ir/exec/rendezvous.h"

namespace cml::checker {

LoopWatch::LoopWatch(Replayer& replayer, const Options& options, std::size_t stem)
    : replayer_(replayer),
      options_(options),
      stem_(stem),
      seen_(replayer.context().system.threads.size()) {}

void LoopWatch::look(const ir::Record& record, const std::uint8_t* state) {
  const std::size_t number = shown_++;
  if (number < stem_) return;
  if (number > stem_ && !record.micros.empty()) {
    const ir::Action action = record.micros[0].action;
    seen_[action.thread.index].moves = true;
    if (const ir::ThreadId partner = ir::partner_of(action); partner.valid())
      seen_[partner.index].is_met = true;
  }
  const ir::Layout& layout = replayer_.context().layout;
  for (const ir::ThreadId id : replayer_.context().system.threads.ids()) {
    Seen& seen = seen_[id.index];
    actions_.clear();
    replayer_.interpreter().enabled(state, id, actions_);
    const bool is_spurious = options_.spurious_wakeups && !actions_.empty() &&
                             is_waiting(replayer_.context().system, layout, state, id);
    const bool is_enabled = !actions_.empty() && !is_spurious;
    seen.is_enabled = seen.is_enabled || is_enabled;
    seen.is_disabled = seen.is_disabled || !is_enabled;
    seen.has_ended = seen.has_ended || location(layout, state, id) == ir::kEnded;
  }
}

std::vector<std::pair<std::string, std::string>> LoopWatch::why_fair(Fairness fairness) const {
  std::vector<std::pair<std::string, std::string>> result;
  for (const ir::ThreadId id : replayer_.context().system.threads.ids()) {
    const Seen& seen = seen_[id.index];
    const bool is_over = seen.has_ended && !seen.moves && !seen.is_enabled;
    if (is_over && replayer_.context().system.threads[id].is_spawned) continue;
    std::string why;
    if (seen.moves)
      why = "takes steps";
    else if (seen.is_met)
      why = "is met, in steps of others";
    else if (is_over)
      why = "has ended";
    else if (!seen.is_enabled)
      why = "can never go on";
    else if (seen.is_disabled)
      why = fairness == Fairness::None ? "could go on now and then, but need not"
                                       : "can go on again and again, but not all the time";
    else
      why = "could go on all the time, but need not";
    result.emplace_back(replayer_.context().system.threads[id].name, std::move(why));
  }
  return result;
}

std::vector<ir::ThreadId> LoopWatch::not_ended() const {
  std::vector<ir::ThreadId> result;
  for (const ir::ThreadId id : replayer_.context().system.threads.ids())
    if (!seen_[id.index].has_ended && !replayer_.context().system.threads[id].is_daemon)
      result.push_back(id);
  return result;
}

std::string liveness_message(const ir::System& system, const Finding& finding,
                             const std::vector<ir::ThreadId>& not_ended) {
  const ir::Property& property = system.properties[finding.property];
  const Fairness fairness = finding.fairness.value_or(Fairness::Weak);
  const std::string how =
      fairness == Fairness::None ? "" : fmt::format(" under {} fairness", spelling(fairness));
  if (!property.is_termination || not_ended.empty())
    return fmt::format("the property {} does not hold{}", property.name, how);
  std::vector<std::string> who;
  for (const ir::ThreadId id : not_ended)
    who.push_back(system.threads[id].name);
  return fmt::format("{} need never end{}", join(who), how);
}

}  // namespace cml::checker
