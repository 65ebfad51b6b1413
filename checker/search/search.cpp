// What all searches share: firing, divergence, limits, progress.
#include "checker/search/search.h"

#include <algorithm>

#include "checker/search/breadth_first.h"
#include "checker/search/depth_first.h"
#include "checker/search/divergence.h"
#include "checker/search/stateless.h"

namespace cml::checker {
namespace {

constexpr std::uint64_t kMostTicksBetweenLooks = 256;  // between looks at the clock
constexpr double kSecondsBetweenLooks = 0.01;
constexpr std::uint64_t kMaxBatch = 64;  // states that are stored between two looks at the limits
constexpr std::size_t kMostLimits = 8;
constexpr double kSecondsBetweenMeasurements = 0.004;  // of memory: they are system calls
constexpr double kSecondsBetweenProgress = 0.2;

double seconds_since(std::chrono::steady_clock::time_point start) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

}  // namespace

std::unique_ptr<Search> make_search(ir::Step& step, const ir::Analyses& analyses,
                                    Monitors& monitors, const Options& options,
                                    const Context& context) {
  if (options.store == Store::Stateless)
    return std::make_unique<Stateless>(step, analyses, monitors, options, context);
  if (options.order == Order::BreadthFirst || options.shortest)
    return std::make_unique<BreadthFirst>(step, analyses, monitors, options, context);
  return std::make_unique<DepthFirst>(step, analyses, monitors, options, context);
}

Search::Search(ir::Step& step, const ir::Analyses& analyses, Monitors& monitors,
               const Options& options, const Context& context)
    : step_(step),
      monitors_(monitors),
      options_(options),
      context_(context),
      budget_(options.limits.max_memory),
      reducer_(step, analyses, options, budget_,
               options.discipline == Discipline::Off ? nullptr : &monitors.discipline()),
      step_bytes_(step.layout().size()),
      bytes_(step_bytes_ + monitors.extra_bytes()),
      sees_cycles_(options.store == Store::Stateful && !options.reduction.any()),
      before_(ir::stride(bytes_)),
      work_(ir::stride(bytes_)),
      may_diverge_(step.system()),
      most_states_(options.store == Store::Stateful ? options.limits.most_numbers : UINT64_MAX),
      started_(std::chrono::steady_clock::now()),
      told_(started_) {
  limits_.reserve(kMostLimits);     // one of them is told when there is no memory left
  if (options_.composes()) return;  // executing a transition finds it
  for (const ir::ThreadId thread : step.system().threads.ids()) {
    const std::vector<bool> turns =
        may_diverge_invisibly(step.system(), analyses.accesses(), thread);
    for (ir::Location at = ir::kFirstLocation; at < turns.size(); ++at)
      may_diverge_.at(thread, at) = turns[at] ? 1 : 0;
    any_may_diverge_ =
        any_may_diverge_ || std::find(turns.begin(), turns.end(), true) != turns.end();
  }
}

void Search::start() {
  step_.layout().initial(step_.system(), before_.data());
  record_.clear();
  step_.initial(work_.data(), record_);
  monitors_.initial(before_.data(), record_, work_.data(), work_.data() + step_bytes_, *this);
}

void Search::expand() {
  all_.clear();
  step_.all_enabled(before_.data(), all_);
}

void Search::expand_new(ir::ThreadId moved) {
  expand();
  monitors_.state(before_.data(), all_, moved, *this);
}

void Search::fire(ir::Action action) {
  ir::copy_stride(before_.data(), stride(), work_.data());
  record_.clear();
  step_.execute(work_.data(), action, record_);
  ++transitions_;
  monitors_.transition(before_.data(), record_, work_.data(), work_.data() + step_bytes_, *this);
}

Search::Fired Search::explore(ir::Action action, SleepId sleep, std::span<const Sleeper> explored) {
  fire(action);
  Fired result;
  result.stops = reducer_.stops(work_.data(), action.thread);
  if (reducer_.sleeps()) {
    result.executed = reducer_.summary(record_, before_.data(), work_.data(), result.stops);
    result.sleep = reducer_.child(sleep, explored, action, result.executed, before_.data());
  }
  if (!sees_cycles_) check_divergence(work_.data(), action.thread);
  return result;
}

ir::ThreadId Search::pass_through(ir::ThreadId moved, std::vector<ir::Action>& chain) {
  if (!passes_through()) return moved;
  for (std::size_t length = 0; length < kMaxChain; ++length) {
    if (stopped() || known()) return moved;
    before_.swap(work_);
    expand_new(moved);
    single_.clear();
    const bool leaves_some =
        reducer_.choose(before_.data(), all_, SleepSets::empty(), single_).leaves_some;
    if (single_.size() != 1) {
      before_.swap(work_);
      return moved;
    }
    const ir::Action action = single_[0];
    chain.push_back(action);
    fire(action);
    if (leaves_some && reducer_.stops(work_.data(), action.thread)) {
      // The state must be expanded fully, so it is one to store.
      chain.pop_back();
      before_.swap(work_);
      return moved;
    }
    moved = action.thread;
    check_divergence(work_.data(), moved);
  }
  return moved;
}

void Search::run_alone(const std::uint8_t* state, ir::ThreadId thread) {
  if (monitors_.diverged(thread) || step_.visible(state, thread)) return;
  alone_.assign(state, state + step_bytes_);
  record_.clear();
  step_.run_invisible(alone_.data(), thread, record_);
  monitors_.invisible_run(record_, *this);
}

// ---- limits ------------------------------------------------------------------------------------

void Search::limit(const char* name) {
  if (std::find(limits_.begin(), limits_.end(), name) == limits_.end()) limits_.emplace_back(name);
}

void Search::full() {
  limit("max-states");
  ended_early_ = true;
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
  if (states() + kMaxBatch >= most_states_) return end("max-states");
  if (++ticks_ < next_look_) return false;
  if (context_.stop != nullptr && context_.stop->load(std::memory_order_relaxed))
    return end("interrupted");
  const std::uint64_t most_numbers = options_.limits.most_numbers;
  if (reducer_.numbers() > most_numbers - most_numbers / 64) return end("sleep-sets");
  const double seconds = seconds_since(started_);
  if (has_too_much_memory(seconds)) return end("max-memory");
  // Seldom, but often enough where a tick takes long.
  const double since = seconds - looked_;
  looked_ = seconds;
  ticks_between_looks_ = since < kSecondsBetweenLooks
                             ? std::min(ticks_between_looks_ * 2, kMostTicksBetweenLooks)
                             : std::max<std::uint64_t>(ticks_between_looks_ / 4, 1);
  next_look_ = ticks_ + ticks_between_looks_;
  if (options_.limits.max_seconds > 0 && seconds > options_.limits.max_seconds)
    return end("max-time");
  if (context_.progress && seconds_since(told_) > kSecondsBetweenProgress) tell_progress();
  return false;
}

// Where the system does not say what the process has, what is known to grow is counted.
bool Search::has_too_much_memory(double seconds) {
  if (seconds < measured_ + kSecondsBetweenMeasurements) return false;
  measured_ = seconds;
  return budget_.is_over() || memory() > options_.limits.max_memory;
}

void Search::tell_progress() {
  told_ = std::chrono::steady_clock::now();
  context_.progress({states(), transitions_, depth_, waiting(),
                     std::max(memory(), resident_memory()), seconds_since(started_)});
}

Statistics Search::statistics() const {
  Statistics result;
  result.complete = complete();
  result.states = options_.store == Store::Stateful ? states() : 0;
  result.transitions = transitions_;
  result.executions = executions_;
  result.blocked_executions = blocked_executions_;
  result.max_depth = max_depth_;
  result.limits_hit = limits_;
  result.is_cyclic = is_cyclic_;
  result.state_bytes = static_cast<double>(bytes_);
  result.peak_memory_bytes = memory();
  result.seconds_search = seconds_since(started_);
  result.reduction = reducer_.statistics();
  return result;
}

}  // namespace cml::checker
