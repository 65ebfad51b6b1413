#include "checker/search/random_walks.h"

#include <algorithm>
#include <limits>
#include <utility>

namespace cml::checker {
namespace {

// A thread that waits in a loop for others would go for ever, if it is before them.
constexpr std::uint64_t kMostInARow = 100;

}  // namespace

RandomWalks::RandomWalks(const SearchInput& input, const WalkOptions& walks, WalkStatistics& told)
    : Search(input),
      walks_(walks),
      told_(told),
      met_(input.step.system(), input.step.layout(), budget_),
      priorities_(input.step.system().threads.size()) {
  told_ = {};
}

void RandomWalks::run() {
  explorer_.start();
  initial_.assign(explorer_.reached(), explorer_.reached() + explorer_.stride());
  told_.shortest = std::numeric_limits<std::uint64_t>::max();
  const Findings& findings = explorer_.monitors().findings();
  for (std::uint64_t i = 0; i < walks_.runs && !limits_.stopped(); ++i) {
    walk(walks_.seed + i);
    if (!told_.first_violated && !findings.empty()) told_.first_violated = walks_.seed + i;
  }
  if (told_.runs == 0) told_.shortest = 0;
  count_statements();
}

void RandomWalks::walk(std::uint64_t seed) {
  RandomNumbers numbers(seed);
  path_.clear();
  std::copy(initial_.begin(), initial_.end(), explorer_.state());
  if (walks_.scheduler == Scheduler::Pct) draw_priorities(numbers);
  ir::ThreadId moved;
  while (!limits_.stopped()) {
    const std::span<const ir::Action> enabled = explorer_.enabled();
    if (met_.find_or_put(explorer_.state()).is_new)
      explorer_.show_state(explorer_.state(), enabled, moved);
    const bool is_cut = !enabled.empty() && path_.size() == walks_.steps;
    if (enabled.empty() || is_cut) return count(is_cut ? told_.cut : kind_of_end());
    if (states() >= options_.limits.max_states) return limits_.end_at_states();
    const std::span<const ir::Action> choices = of_a_thread(enabled, numbers);
    const ir::Action action = choices[numbers.below(choices.size())];
    budget_.make_room(path_, 1);
    path_.push_back(action);
    limits_.reached_depth(path_.size());
    explorer_.fire(action);
    explorer_.check_divergence(explorer_.reached(), action);
    explorer_.swap();
    moved = action.thread;
  }
  if (explorer_.monitors().findings().enough()) count(told_.found);
}

std::span<const ir::Action> RandomWalks::of_a_thread(std::span<const ir::Action> enabled,
                                                     RandomNumbers& numbers) {
  // Actions are in the order of their threads.
  const auto actions_of = [enabled](ir::ThreadId thread) {
    const auto begin = std::find_if(enabled.begin(), enabled.end(), [thread](ir::Action action) {
      return action.thread == thread;
    });
    const auto end = std::find_if(begin, enabled.end(),
                                  [thread](ir::Action action) { return action.thread != thread; });
    return enabled.subspan(static_cast<std::size_t>(begin - enabled.begin()),
                           static_cast<std::size_t>(end - begin));
  };
  std::vector<ir::ThreadId> threads;
  for (const ir::Action action : enabled)
    if (threads.empty() || threads.back() != action.thread) threads.push_back(action.thread);
  if (walks_.scheduler == Scheduler::Uniform)
    return actions_of(threads[numbers.below(threads.size())]);

  const auto first = [&] {
    return *std::max_element(
        threads.begin(), threads.end(),
        [this](ir::ThreadId a, ir::ThreadId b) { return priorities_[a] < priorities_[b]; });
  };
  ir::ThreadId thread = first();
  const bool changes = std::find(changes_.begin(), changes_.end(), path_.size()) != changes_.end();
  if (changes || (thread == last_ && in_a_row_ >= kMostInARow)) {
    priorities_[thread] = lowest_--;
    thread = first();
  }
  in_a_row_ = thread == last_ ? in_a_row_ + 1 : 1;
  last_ = thread;
  return actions_of(thread);
}

// How long the walk will be is not known, and must not depend on other walks: then one of them
// could not be repeated alone. So the points lie in its first 2, 4, 8, … steps, as likely each.
void RandomWalks::draw_priorities(RandomNumbers& numbers) {
  const std::uint64_t threads = priorities_.size();
  lowest_ = std::numeric_limits<std::uint64_t>::max() / 2;
  last_ = {};
  in_a_row_ = 0;
  std::vector<std::uint64_t> order(threads);
  for (std::uint64_t i = 0; i < threads; ++i)
    order[i] = lowest_ + 1 + i;
  for (std::uint64_t i = threads; i > 1; --i)
    std::swap(order[i - 1], order[numbers.below(i)]);
  for (std::uint64_t i = 0; i < threads; ++i)
    priorities_[ir::ThreadId::of(i)] = order[i];
  std::uint64_t powers = 1;
  while (powers < 63 && (std::uint64_t{1} << powers) < walks_.steps)
    ++powers;
  const std::uint64_t length = std::uint64_t{1} << (1 + numbers.below(powers));
  changes_.clear();
  for (std::uint64_t i = 1; i < walks_.depth; ++i)
    changes_.push_back(numbers.below(length));
}

std::uint64_t& RandomWalks::kind_of_end() {
  const ir::System& system = explorer_.step().system();
  bool all_ended = true;
  bool any_stopped = false;
  for (const ir::ThreadId id : system.threads.ids()) {
    const ir::Location at = location(explorer_.step().layout(), explorer_.state(), id);
    all_ended = all_ended && (system.threads[id].is_daemon || at == ir::kEnded);
    any_stopped = any_stopped || (at != ir::kEnded && at < ir::kFirstLocation);
  }
  if (any_stopped) return told_.stopped;
  return all_ended ? told_.ended : told_.deadlocked;
}

void RandomWalks::count(std::uint64_t& kind) {
  ++told_.runs;
  ++kind;
  told_.shortest = std::min<std::uint64_t>(told_.shortest, path_.size());
  told_.longest = std::max<std::uint64_t>(told_.longest, path_.size());
}

void RandomWalks::count_statements() {
  const ir::System& system = explorer_.step().system();
  for (const ir::PointId point : system.points.ids()) {
    if (system.points[point].label) continue;
    ++told_.statements;
    if (explorer_.monitors().is_reached(point)) ++told_.reached;
  }
}

std::uint64_t RandomWalks::memory() const {
  return met_.memory() + path_.capacity() * sizeof(ir::Action);
}

Statistics RandomWalks::statistics() const {
  Statistics result = Search::statistics();
  result.complete = false;  // it never is
  result.executions = told_.runs;
  return result;
}

}  // namespace cml::checker
