#include "checker/search/still_lost.h"

#include <algorithm>
#include <new>

#include "checker/stopped.h"
#include "support/mutation.h"

namespace cml::checker {
namespace {

/// That are explored for one finding.
constexpr std::uint64_t kMostStates = 20'000;

}  // namespace

bool StillLost::operator()(const std::uint8_t* state, const Finding& finding) {
  if (is_exhausted_ || is_about_to_stop(step_, state, alone_)) return false;
  if (!futures_)
    futures_.emplace(step_, analyses_, options_, Futures::Goal::Change, nullptr, stop_,
                     [](const std::uint8_t*) { return false; });
  bool is_full = true;
  try {
    is_full = futures_->explore(state, kMostStates);
    is_exhausted_ = futures_->size() > kMostStates;
  } catch (const std::bad_alloc&) {  // the trace is told as it is
    is_exhausted_ = true;
  }
  if (is_exhausted_) futures_.reset();
  if (is_full || is_exhausted_) return CML_MUTATION("always-still-lost");
  const StateNumber at = futures_->number(state);
  if (finding.kind == ViolationKind::Livelock) {
    const ir::ThreadId thread = finding.event.thread;
    return !futures_->reaches(at, thread) && futures_->spins(at, thread);
  }
  return std::all_of(finding.stuck.begin(), finding.stuck.end(), [&](const StuckThread& item) {
    return !futures_->reaches(at, item.thread) && !futures_->moves(at, item.thread);
  });
}

bool has_stopped(const ir::Step& step, const std::uint8_t* state) {
  const auto ids = step.system().threads.ids();
  return std::any_of(ids.begin(), ids.end(), [&](ir::ThreadId id) {
    return is_stopped(location(step.layout(), state, id));
  });
}

bool is_about_to_stop(ir::Interpreter& step, const std::uint8_t* state,
                      std::vector<std::uint8_t>& alone) {
  if (has_stopped(step, state)) return true;
  ir::Record record;
  for (const ir::ThreadId id : step.system().threads.ids()) {
    if (location(step.layout(), state, id) < ir::kFirstLocation || step.visible(state, id))
      continue;
    alone.assign(state, state + step.layout().size());
    record.clear();
    step.run_invisible(alone.data(), id, record);
    if (is_stopped(location(step.layout(), alone.data(), id))) return true;
  }
  return false;
}

}  // namespace cml::checker
