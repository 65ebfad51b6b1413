// Depth-first and breadth-first search, limits and progress.
#include "checker/search.h"

#include <algorithm>

#include "checker/control_flow.h"

namespace cml::checker {
namespace {

constexpr std::uint64_t kTicksBetweenLooks = 256;  // transitions between looks at the clock
constexpr double kSecondsBetweenProgress = 0.2;

double seconds_since(std::chrono::steady_clock::time_point start) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

}  // namespace

Search::Search(ir::Step& step, Monitors& monitors, const Options& options, const Context& context)
    : step_(step),
      monitors_(monitors),
      options_(options),
      context_(context),
      step_bytes_(step.layout().size()),
      store_(step_bytes_ + monitors.extra_bytes()),
      before_(step_bytes_ + monitors.extra_bytes()),
      work_(step_bytes_ + monitors.extra_bytes()),
      enabled_(step.system().threads.size()),
      started_(std::chrono::steady_clock::now()),
      told_(started_) {
  for (const ir::Thread& thread : step.system().threads)
    may_turn_.push_back(may_turn_invisibly(step.system(), thread.code));
}

void Search::run() {
  StateNumber first = 0;
  if (!start(first)) return;
  if (options_.order == Order::BreadthFirst || options_.shortest) {
    breadth_first(first);
  } else {
    depth_first(first);
  }
}

bool Search::start(StateNumber& first) {
  step_.layout().initial(step_.system(), before_.data());
  record_.clear();
  step_.initial(work_.data(), record_);
  monitors_.initial(before_.data(), record_, work_.data(), work_.data() + step_bytes_, *this);
  first = store_.insert(work_.data()).number;
  return !stopped();
}

void Search::expand(StateNumber number) {
  std::copy_n(store_[number], before_.size(), before_.begin());
  for (const ir::ThreadId thread : step_.system().threads.ids()) {
    const std::size_t begin = entries_.size();
    step_.entries(before_.data(), thread, entries_);
    enabled_[thread.index] = entries_.size() > begin;
  }
  monitors_.state(before_.data(), enabled_, *this);
}

StateStore::Inserted Search::fire(StateNumber from, ir::Entry entry) {
  std::copy_n(store_[from], before_.size(), before_.begin());
  work_ = before_;
  record_.clear();
  step_.execute(work_.data(), entry, record_);
  ++transitions_;
  monitors_.transition(before_.data(), record_, work_.data(), work_.data() + step_bytes_, *this);
  const StateStore::Inserted inserted = store_.insert(work_.data());
  const bool by_micros =
      options_.granularity == Granularity::Access || options_.composition == Composition::None;
  if (!inserted.is_new && by_micros) check_divergence(entry.thread);
  return inserted;
}

// work_ was visited before, and `thread` has just gone there from before_.
void Search::check_divergence(ir::ThreadId thread) {
  const ir::Location from = location(step_.layout(), before_.data(), thread);
  const ir::Location to = location(step_.layout(), work_.data(), thread);
  if (to < ir::kFirstLocation || !may_turn_[thread.index][from] || !may_turn_[thread.index][to])
    return;
  if (monitors_.diverged(thread)) return;
  if (step_.visible(before_.data(), thread) || step_.visible(work_.data(), thread)) return;
  alone_.assign(work_.begin(), work_.begin() + static_cast<std::ptrdiff_t>(step_bytes_));
  record_.clear();
  step_.run_invisible(alone_.data(), thread, record_);
  for (const ir::Event& event : record_.events) {
    if (event.kind == ir::FaultKind::Divergence) monitors_.diverges(thread, event, *this);
    if (event.kind == ir::FaultKind::Limit) limit("max-invisible");
  }
}

void Search::depth_first(StateNumber first) {
  const auto push = [this](StateNumber number) {
    Frame frame{number, entries_.size(), entries_.size(), 0};
    frames_.push_back(frame);
    expand(number);
    frames_.back().end = entries_.size();
    depth_ = frames_.size() - 1;
    max_depth_ = std::max(max_depth_, depth_);
  };
  push(first);
  while (!frames_.empty() && !stopped()) {
    Frame& top = frames_.back();
    if (top.next == top.end) {
      entries_.resize(top.begin);
      frames_.pop_back();
      continue;
    }
    const StateNumber from = top.state;
    const ir::Entry entry = entries_[top.next++];
    const StateStore::Inserted reached = fire(from, entry);
    if (!reached.is_new) continue;
    if (frames_.size() > options_.limits.max_depth) {
      limit("max-depth");
      continue;
    }
    push(reached.number);
  }
}

void Search::breadth_first(StateNumber first) {
  predecessors_.assign(1, {first, {}});
  std::uint64_t level_end = 1;  // states of the present depth end before this number
  std::vector<ir::Entry> entries;
  for (current_ = first; current_ < store_.size() && !stopped(); ++current_) {
    if (current_ == level_end) {
      level_end = store_.size();
      max_depth_ = ++depth_;
      if (depth_ >= options_.limits.max_depth) return limit("max-depth");
    }
    entries_.clear();
    expand(current_);
    entries.swap(entries_);
    for (const ir::Entry entry : entries) {
      entry_ = entry;
      firing_ = true;
      const StateStore::Inserted reached = fire(current_, entry);
      firing_ = false;
      if (reached.is_new) predecessors_.push_back({current_, entry});
      if (stopped()) return;
    }
  }
}

Path Search::path() const {
  Path result;
  for (const Frame& frame : frames_)
    if (frame.next > frame.begin) result.push_back(entries_[frame.next - 1]);
  if (predecessors_.empty()) return result;
  if (firing_) result.push_back(entry_);
  for (StateNumber at = current_; at != 0; at = predecessors_[at].state)
    result.push_back(predecessors_[at].entry);
  std::reverse(result.begin(), result.end());
  return result;
}

// ---- limits ------------------------------------------------------------------------------------

void Search::limit(const char* name) {
  if (std::find(limits_.begin(), limits_.end(), name) == limits_.end()) limits_.emplace_back(name);
}

std::uint64_t Search::memory() const {
  return store_.memory() + frames_.capacity() * sizeof(Frame) +
         entries_.capacity() * sizeof(ir::Entry) + predecessors_.capacity() * sizeof(Predecessor);
}

bool Search::stopped() {
  if (ended_early_) return true;
  if (monitors_.enough()) {
    ended_early_ = true;
    return true;
  }
  const auto end = [this](const char* name) {
    limit(name);
    ended_early_ = true;
    return true;
  };
  if (store_.size() > options_.limits.max_states || store_.size() >= UINT32_MAX - 1)
    return end("max-states");
  if (++ticks_ % kTicksBetweenLooks != 0) return false;
  if (context_.stop != nullptr && context_.stop->load(std::memory_order_relaxed))
    return end("interrupted");
  if (memory() > options_.limits.max_memory) return end("max-memory");
  const double seconds = seconds_since(started_);
  if (options_.limits.max_seconds > 0 && seconds > options_.limits.max_seconds)
    return end("max-time");
  if (context_.progress && seconds_since(told_) > kSecondsBetweenProgress) tell_progress();
  return false;
}

void Search::tell_progress() {
  told_ = std::chrono::steady_clock::now();
  const bool breadth = !predecessors_.empty();
  const std::uint64_t waiting = breadth ? store_.size() - current_ : frames_.size();
  context_.progress(
      {store_.size(), transitions_, depth_, waiting, memory(), seconds_since(started_)});
}

Statistics Search::statistics() const {
  Statistics result;
  result.complete = complete();
  result.states = store_.size();
  result.transitions = transitions_;
  result.max_depth = max_depth_;
  result.limits_hit = limits_;
  result.state_bytes = static_cast<double>(before_.size());
  result.peak_memory_bytes = memory();
  result.seconds_search = seconds_since(started_);
  return result;
}

}  // namespace cml::checker
