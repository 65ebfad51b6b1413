#include "checker/liveness/graph.h"

#include <algorithm>

#include "checker/stopped.h"
#include "checker/waiting.h"
#include "support/mutation.h"

namespace cml::checker {
namespace {

constexpr std::size_t kStatesBetweenLooks = 256;  // at the memory

}  // namespace

LivenessGraph::LivenessGraph(ir::Step& step, const Options& options, const StopToken& stop)
    : step_(step),
      options_(options),
      stop_(stop),
      budget_(options.limits.max_memory),
      set_(step.layout().size(), budget_),
      stored_(step.layout().size()),
      state_(ir::stride(step.layout().size())),
      next_(state_.size()) {
  if (!step.system().classes.empty())
    codec_.emplace(step.system(), step.layout(), step.layout().size(), KeptSets(), false);
}

StateNumber LivenessGraph::number(const std::uint8_t* state) {
  return set_.find_or_put(codec_ ? codec_->encode(state, stored_.data()) : state).number;
}

void LivenessGraph::load(StateNumber state, std::uint8_t* working) {
  if (codec_)
    codec_->decode(set_[state], working);
  else
    set_.copy(state, working);
}

bool LivenessGraph::explore(LivenessLimits& limits) {
  if (step_.system().threads.size() >= kSpurious) {
    limits.note("max-threads");
    return false;
  }
  step_.initial(state_.data(), record_);
  for (const ir::Event& event : record_.events)
    limits.places.event(event);
  (void)number(state_.data());
  const std::uint64_t most = std::min(options_.limits.max_states, options_.limits.most_numbers - 1);
  for (StateNumber state = 0; state < size(); ++state) {
    stop_.poll(step_.layout().size());
    if (size() > most) {
      limits.note("max-states");
      return false;
    }
    if (state % kStatesBetweenLooks == 0 && budget_.is_over()) {
      limits.note("max-memory");
      return false;
    }
    first_.push_back(edges());
    expand(state, limits);
  }
  first_.push_back(edges());
  return !limits.any();
}

/// The enabled ones of the state, in their order.
void LivenessGraph::find_actions(const std::uint8_t* state) {
  actions_.clear();
  step_.all_enabled(state, actions_);
}

void LivenessGraph::expand(StateNumber state, LivenessLimits& limits) {
  load(state, state_.data());
  const auto ids = step_.system().threads.ids();
  if (std::any_of(ids.begin(), ids.end(),
                  [this](ir::ThreadId id) {
                    return is_stopped(location(step_.layout(), state_.data(), id));
                  }) &&
      !CML_MUTATION("executions-with-a-false-assume"))
    return;
  find_actions(state_.data());
  bool can_move = false;
  for (const ir::Action action : actions_) {
    std::copy(state_.begin(), state_.end(), next_.begin());
    record_.clear();
    step_.execute(next_.data(), action, record_);
    for (const ir::Event& event : record_.events)
      limits.places.event(event);
    const bool is_spurious = options_.spurious_wakeups && is_waiting(step_.system(), step_.layout(),
                                                                     state_.data(), action.thread);
    can_move = can_move || !is_spurious;
    targets_.push_back(number(next_.data()));
    threads_.push_back(
        static_cast<std::uint16_t>(action.thread.index | (is_spurious ? kSpurious : 0)));
  }
  if (can_move || CML_MUTATION("executions-that-end-do-not-count")) return;
  targets_.push_back(state);
  threads_.push_back(kNobody);
}

Path LivenessGraph::path_to(StateNumber state) {
  // A state was found by the first edge that leads to it.
  std::vector<StateNumber> before(size(), 0);
  std::vector<bool> is_known(size(), false);
  for (StateNumber from = 0; from < size(); ++from)
    for_each_edge(from, [&](const Edge& edge) {
      if (!is_known[edge.to]) before[edge.to] = from;
      is_known[edge.to] = true;
      return false;
    });
  Path result;  // backwards
  for (; state != 0; state = before[state])
    for_each_edge(before[state], [&](const Edge& edge) {
      if (edge.to != state) return false;
      result.push_back(*action(before[state], edge));
      return true;
    });
  std::reverse(result.begin(), result.end());
  return result;
}

std::optional<ir::Action> LivenessGraph::action(StateNumber state, const Edge& edge) {
  if (!edge.thread.valid()) return std::nullopt;
  load(state, state_.data());
  find_actions(state_.data());
  return actions_[edge.number];
}

}  // namespace cml::checker
