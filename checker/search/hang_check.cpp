#include "checker/search/hang_check.h"

#include <algorithm>
#include <deque>
#include <functional>
#include <unordered_map>
#include <utility>

#include "checker/search/lost_findings.h"
#include "checker/search/still_lost.h"
#include "checker/stopped.h"
#include "support/mutation.h"

namespace cml::checker {
namespace {

/// That are explored forward for a warning.
constexpr std::uint64_t kMostForWarnings = 100'000;

/// Calls `look` for the known states that can be reached from one, the nearest first, until it
/// returns false; each is looked at once. The path is that from the first state.
class Walk {
 public:
  using Look = std::function<bool(StateNumber state, const LostFindings::MakePath& path)>;
  explicit Walk(Futures& futures) : futures_(futures) {}

  /// False: `look` has ended it.
  bool run(StateNumber from, const Look& look) {
    if (!reached_by_.try_emplace(from).second) return true;
    std::deque<StateNumber> waiting{from};
    while (!waiting.empty()) {
      const StateNumber at = waiting.front();
      waiting.pop_front();
      if (!look(at, [this, from, at] { return path(from, at); })) return false;
      const std::vector<Futures::Successor> successors = futures_.successors(at);
      for (const Futures::Successor& to : successors)
        if (to.state != Futures::kNone && futures_.is_known(to.state) &&
            reached_by_.try_emplace(to.state, at, to.action).second)
          waiting.push_back(to.state);
    }
    return true;
  }

 private:
  [[nodiscard]] Path path(StateNumber from, StateNumber to) const {
    Path result;
    for (; to != from; to = reached_by_.at(to).first)
      result.push_back(reached_by_.at(to).second);
    std::reverse(result.begin(), result.end());
    return result;
  }

  Futures& futures_;
  std::unordered_map<StateNumber, std::pair<StateNumber, ir::Action>> reached_by_;
};

}  // namespace

HangCheck::HangCheck(const SearchInput& input, StateGraph& graph, ir::Interpreter& step,
                     const StopToken& stop)
    : input_(input),
      graph_(graph),
      step_(step),
      stop_(stop),
      state_(ir::stride(step.layout().size() + input.monitors.extra_bytes())) {}

// The states from which the search has kept no edge: what is known of the others comes from behind.
void HangCheck::mark_where_all_have_ended(BackwardMarks& marks) {
  const StateNumber size = graph_.size();
  StateBits leads_on(size);
  for (StateNumber state = 1; state < size; ++state)
    leads_on.set(graph_.predecessor(state));
  const ir::System& system = step_.system();
  const auto ids = system.threads.ids();
  for (StateNumber state = 0; state < size; ++state) {
    if (leads_on[state] || graph_.successor(state) != kNoState) continue;
    graph_.load_state(state, state_.data());
    if (std::all_of(ids.begin(), ids.end(), [&](ir::ThreadId id) {
          return system.threads[id].is_daemon ||
                 location(step_.layout(), state_.data(), id) == ir::kEnded;
        }))
      marks.mark(state);
  }
}

const BackwardEdges* HangCheck::edges() {
  // A spurious wakeup counts for nothing, and the search has not kept which edges are one.
  if (input_.options.spurious_wakeups) return nullptr;
  if (!edges_) edges_.emplace(graph_, MemoryBudget(input_.options.limits.max_memory));
  return &*edges_;
}

Futures HangCheck::make_futures(Futures::Goal goal, BackwardMarks& marks) {
  // States that are stored with more than Step knows cannot be looked up without it.
  const bool is_plain = input_.monitors.extra_bytes() == 0;
  const auto is_full = [this, &marks, is_plain](const std::uint8_t* state) {
    if (!is_plain) return false;
    const std::optional<StateNumber> known = graph_.find_state(state);
    return known && marks.is_marked(*known);
  };
  return {step_, input_.analyses, input_.options, goal, is_plain ? candidates(input_) : nullptr,
          stop_, is_full};
}

std::optional<std::vector<StateNumber>> HangCheck::resolve(Futures& futures, BackwardMarks& marks,
                                                           std::uint64_t most) {
  mark_where_all_have_ended(marks);
  std::vector<StateNumber> result;
  const auto look = [&](StateNumber state) {
    graph_.load_state(state, state_.data());
    // Nothing is reported there.
    if (has_stopped(step_, state_.data())) return;
    if (futures.explore(state_.data()))
      marks.mark(state);
    else
      result.push_back(state);
  };
  // From both ends, since the last states are in the components that are never left, and the first
  // may be.
  StateNumber low = 0;
  StateNumber high = graph_.size();
  const auto skip_marked = [&] {
    while (low < high && marks.is_marked(low))
      ++low;
    while (low < high && marks.is_marked(high - 1))
      --high;
  };
  for (skip_marked(); low < high; skip_marked()) {
    look(low++);
    if (low < high && !marks.is_marked(high - 1)) look(--high);
    if (futures.size() > most) return std::nullopt;
  }
  std::sort(result.begin(), result.end());
  return result;
}

std::vector<Finding> HangCheck::lost() {
  BackwardMarks marks(graph_, edges());
  Futures futures = make_futures(Futures::Goal::Change, marks);
  const auto roots = resolve(futures, marks, UINT64_MAX);
  StuckMonitor stuck(step_, input_.analyses, input_.options);
  LostFindings findings(futures, stuck, step_);
  Walk walk(futures);
  for (const StateNumber root : *roots) {
    graph_.load_state(root, state_.data());
    const auto look = [&](StateNumber at, const LostFindings::MakePath& path) {
      futures.load(at, state_.data());
      if (is_about_to_stop(step_, state_.data(), alone_) &&
          !CML_MUTATION("lost-beside-a-stopped-thread"))
        return true;
      findings.add(at, state_.data(), [&] {
        Path whole = graph_.path_to(root);
        const Path behind = path();
        whole.insert(whole.end(), behind.begin(), behind.end());
        return whole;
      });
      return input_.options.all || findings.found().empty();
    };
    if (!walk.run(futures.number(state_.data()), look)) break;
  }
  std::vector<Finding> result = findings.found().report();
  if (!input_.options.all && result.size() > 1) {
    // Blocked for ever says more than that another thread spins since.
    if (result.back().kind == ViolationKind::PartialDeadlock)
      std::swap(result.front(), result.back());
    result.resize(1);
  }
  for (Finding& finding : result)
    finding.path = without_detours(finding.path);
  return result;
}

// The states that a search passes through and does not store may come again and again.
Path HangCheck::without_detours(const Path& path) {
  const std::size_t size = step_.layout().size();
  MemoryBudget budget(input_.options.limits.max_memory);
  StateSet seen(size, budget);
  std::vector<std::size_t> position;  // on the path, by the number of a state
  std::vector<StateNumber> on_path;
  std::vector<std::uint8_t> state(size);
  Path result;
  record_.clear();
  step_.initial(state.data(), record_);
  const auto look = [&] {
    const StateSet::Inserted at = seen.find_or_put(state.data());
    if (at.is_new) position.push_back(0);
    const std::size_t known = position[at.number];
    if (!at.is_new && known < on_path.size() && on_path[known] == at.number) {
      on_path.resize(known + 1);
      result.resize(known);
      return;
    }
    position[at.number] = on_path.size();
    on_path.push_back(at.number);
  };
  look();
  for (const ir::Action action : path) {
    record_.clear();
    step_.execute(state.data(), action, record_);
    result.push_back(action);
    look();
  }
  return result;
}

std::vector<ir::ThreadId> HangCheck::never_ending() {
  const ir::System& system = step_.system();
  std::vector<ir::ThreadId> result;
  const auto ids = system.threads.ids();
  if (std::none_of(ids.begin(), ids.end(),
                   [&](ir::ThreadId id) { return may_never_end(system, id); }))
    return result;
  BackwardMarks marks(graph_, edges());
  Futures futures = make_futures(Futures::Goal::End, marks);
  const auto roots = resolve(futures, marks, kMostForWarnings);
  if (!roots) return result;
  Walk walk(futures);
  for (const StateNumber root : *roots) {
    graph_.load_state(root, state_.data());
    (void)walk.run(futures.number(state_.data()), [&](StateNumber at, const auto&) {
      futures.load(at, state_.data());
      if (is_about_to_stop(step_, state_.data(), alone_)) return true;
      for (const ir::ThreadId id : ids)
        if (!futures.reaches(at, id) && futures.spins(at, id) &&
            std::find(result.begin(), result.end(), id) == result.end())
          result.push_back(id);
      return true;
    });
  }
  std::sort(result.begin(), result.end());
  return result;
}

}  // namespace cml::checker
