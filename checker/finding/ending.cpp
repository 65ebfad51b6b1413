// A small search of its own.
#include "checker/finding/ending.h"

#include <algorithm>
#include <deque>
#include <vector>

#include "checker/monitor/stuck.h"
#include "checker/store/state_set.h"

namespace cml::checker {
namespace {

constexpr std::uint64_t kMostStates = 100'000;
constexpr std::uint64_t kMostBytes = 32 << 20;
constexpr std::uint64_t kMostBreadthFirst = 10'000;
constexpr std::uint64_t kStatesBetweenLooks = 256;  // at whether somebody has asked to stop

class Ending {
 public:
  Ending(ir::Step& step, const ir::Analyses& analyses, const Options& options,
         const StopToken& stop)
      : step_(step),
        stuck_(step, analyses, options),
        stop_(stop),
        most_states_(std::min<std::uint64_t>(
            kMostStates, kMostBytes / std::max<std::size_t>(step.layout().size(), 1))),
        budget_(options.limits.max_memory),
        store_(step.layout().size(), budget_),
        state_(ir::stride(step.layout().size())),
        next_(state_.size()) {}

  std::optional<Finding> find(const Finding& partial) {
    step_.initial(state_.data(), record_);
    for (const ir::Action action : partial.path) {
      record_.clear();
      step_.execute(state_.data(), action, record_);
    }
    add(state_.data(), {});
    while (!waiting_.empty()) {
      if (store_.size() > most_states_ || is_stopped()) return std::nullopt;
      const StateNumber number = take();
      if (auto deadlock = expand(number)) {
        deadlock->path = partial.path;
        append_path(number, deadlock->path);
        return deadlock;
      }
    }
    return std::nullopt;
  }

 private:
  struct Predecessor {
    StateNumber state = 0;
    ir::Action action;
  };

  void add(const std::uint8_t* state, Predecessor by) {
    const StateSet::Inserted inserted = store_.find_or_put(state);
    if (!inserted.is_new) return;
    predecessors_.push_back(by);
    waiting_.push_back(inserted.number);
  }

  StateNumber take() {
    const bool is_breadth_first = store_.size() <= kMostBreadthFirst;
    const StateNumber number = is_breadth_first ? waiting_.front() : waiting_.back();
    if (is_breadth_first) {
      waiting_.pop_front();
    } else {
      waiting_.pop_back();
    }
    return number;
  }

  /// The deadlock in this state, or none, and its successors wait.
  std::optional<Finding> expand(StateNumber number) {
    store_.copy(number, state_.data());
    actions_.clear();
    step_.all_enabled(state_.data(), actions_);
    const auto* const end =
        std::remove_if(actions_.begin(), actions_.end(), [this](const ir::Action& action) {
          return stuck_.is_spurious(state_.data(), action.thread);
        });
    actions_.set_size(static_cast<std::size_t>(end - actions_.begin()));
    if (actions_.empty())
      return stuck_.look(state_.data(), ThreadSet(step_.system().threads.size()));
    for (const ir::Action action : actions_) {
      next_ = state_;
      record_.clear();
      step_.execute(next_.data(), action, record_);
      add(next_.data(), {number, action});
    }
    return std::nullopt;
  }

  void append_path(StateNumber number, Path& path) const {
    const std::size_t end = path.size();
    for (; number != 0; number = predecessors_[number].state)
      path.push_back(predecessors_[number].action);
    std::reverse(path.begin() + static_cast<std::ptrdiff_t>(end), path.end());
  }

  [[nodiscard]] bool is_stopped() {
    return ++looks_ % kStatesBetweenLooks == 0 && stop_.is_asked();
  }

  ir::Step& step_;
  StuckMonitor stuck_;
  const StopToken& stop_;
  std::uint64_t most_states_;
  MemoryBudget budget_;
  StateSet store_;
  std::vector<Predecessor> predecessors_;
  std::deque<StateNumber> waiting_;
  std::uint64_t looks_ = 0;
  std::vector<std::uint8_t> state_;
  std::vector<std::uint8_t> next_;
  Buffer<ir::Action> actions_;
  ir::Record record_;
};

}  // namespace

std::optional<Finding> deadlock_behind(const Finding& partial, ir::Step& step,
                                       const ir::Analyses& analyses, const Options& options,
                                       const StopToken& stop) {
  return Ending(step, analyses, options, stop).find(partial);
}

}  // namespace cml::checker
