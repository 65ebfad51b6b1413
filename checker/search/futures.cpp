#include "checker/search/futures.h"

#include <algorithm>
#include <utility>

#include "checker/stopped.h"
#include "checker/waiting.h"
#include "ir/analysis/code_flow.h"
#include "support/mutation.h"

namespace cml::checker {
namespace {

/// Sleep sets do not keep what can be reached from a state, only what can be reached at all.
Options exploring(Options options) {
  options.reduction.sleep = false;
  if (options.spurious_wakeups) options.reduction.sets = Sets::None;
  return options;
}

/// Adds the instructions from which control can get to one of these.
void add_all_before(const ir::Code& code, std::vector<bool>& marked) {
  std::vector<ir::Pc> next;
  for (bool changed = true; changed;) {
    changed = false;
    for (std::size_t pc = code.instructions.size(); pc-- > 0;) {
      if (marked[pc]) continue;
      next.clear();
      ir::successors(code, static_cast<ir::Pc>(pc), next);
      if (std::none_of(next.begin(), next.end(), [&](ir::Pc to) { return marked[to]; })) continue;
      marked[pc] = true;
      changed = true;
    }
  }
}

std::vector<bool> leads_to_end(const ir::Code& code) {
  std::vector<bool> result(code.instructions.size());
  for (std::size_t pc = 0; pc < result.size(); ++pc)
    result[pc] = code.instructions[pc].opcode() == ir::Opcode::End;
  add_all_before(code, result);
  return result;
}

/// Without instructions that lead, after some steps, to none: those that lead to a cycle.
std::vector<bool> leads_to_cycle(const ir::Code& code) {
  std::vector<bool> result(code.instructions.size(), true);
  std::vector<ir::Pc> next;
  for (bool changed = true; changed;) {
    changed = false;
    for (std::size_t pc = result.size(); pc-- > 0;) {
      if (!result[pc]) continue;
      next.clear();
      ir::successors(code, static_cast<ir::Pc>(pc), next);
      if (std::any_of(next.begin(), next.end(), [&](ir::Pc to) { return result[to]; })) continue;
      result[pc] = false;
      changed = true;
    }
  }
  return result;
}

}  // namespace

ir::ByLocation<std::uint8_t> can_end(const ir::System& system) {
  ir::ByLocation<std::uint8_t> result(system);
  for (const ir::ThreadId id : system.threads.ids()) {
    const ir::Code& code = system.threads[id].code;
    const std::vector<bool> ends = leads_to_end(code);
    for (ir::Location at = ir::kFirstLocation; at < code.location_pc.size(); ++at)
      result.at(id, at) = ends[code.location_pc[at]] ? 1 : 0;
  }
  return result;
}

bool may_never_end(const ir::System& system, ir::ThreadId thread) {
  const ir::Code& code = system.threads[thread].code;
  const std::vector<bool> ends = leads_to_end(code);
  const std::vector<bool> cycles = leads_to_cycle(code);
  for (std::size_t pc = 0; pc < ends.size(); ++pc)
    if (ends[pc] && cycles[pc]) return !system.threads[thread].is_daemon;
  return false;
}

Futures::Futures(ir::Interpreter& step, const ir::Analyses& analyses, const Options& options,
                 Goal goal, const CandidateLocks* candidates, const StopToken& stop, IsFull is_full)
    : step_(step),
      options_(exploring(options)),
      goal_(goal),
      stop_(stop),
      is_full_(std::move(is_full)),
      budget_(options.limits.max_memory),
      // Of two calls that commute, which one changes the object may depend on their order.
      reducer_(step, analyses, options_, budget_, candidates, nullptr),
      changes_(step),
      set_(step.layout().size(), budget_),
      stored_(step.layout().size()),
      words_((step.layout().threads() + 63) / 64),
      all_(words_),
      can_end_(can_end(step.system())),
      total_(words_),
      state_(ir::stride(step.layout().size())),
      next_(state_.size()) {
  if (!step.system().classes.empty())
    codec_.emplace(step.system(), step.layout(), step.layout().size(), KeptSets(), false);
  for (const ir::ThreadId id : step.system().threads.ids()) {
    all_[id.index / 64] |= std::uint64_t{1} << (id.index % 64);
    may_never_end_.push_back(may_never_end(step.system(), id));
  }
}

// ---- exploring ---------------------------------------------------------------------------------

bool Futures::explore(const std::uint8_t* state, std::uint64_t most) {
  const StateNumber root = number(state);
  if (nodes_[root].is_full) return true;
  if (nodes_[root].is_known) return false;
  std::fill(total_.begin(), total_.end(), 0);
  enter(root);
  while (!frames_.empty()) {
    if (is_total_full() || size() > most) {
      give_up();
      return true;
    }
    Frame& top = frames_.back();
    if (top.next == top.end) {
      leave();
      continue;
    }
    const StateNumber to = pending_[top.next++].state;
    const Node& child = nodes_[to];
    if (child.order == 0) {
      enter(to);
    } else if (child.is_known) {
      nodes_[top.state].leaves = true;
      unite(top.state, to);
    } else {
      nodes_[top.state].least = std::min(nodes_[top.state].least, child.order);
    }
  }
  return false;
}

void Futures::enter(StateNumber state) {
  Node& node = nodes_[state];
  node = {};
  node.order = node.least = ++order_;
  unfinished_.push_back(state);
  for (std::size_t set = 0; set < kSets; ++set)
    for (std::size_t w = 0; w < words_; ++w)
      word(state, set, w) = 0;
  const std::size_t begin = pending_.size();
  bool is_full = false;
  for (const Successor& successor : successors(state)) {
    insert(state, kMoves, successor.action.thread);
    if (successor.reaches) insert(state, kReaches, successor.action.thread);
    if (const ir::ThreadId partner = ir::partner_of(successor.action); partner.valid()) {
      if (!CML_MUTATION("partners-do-not-move")) insert(state, kMoves, partner);
      if (successor.partner_reaches) insert(state, kReaches, partner);
    }
    is_full = is_full || successor.state == kNone;
    if (successor.state != kNone) pending_.push_back(successor);
  }
  // successors() has loaded the state.
  for (const ir::ThreadId id : step_.system().threads.ids())
    if (needs_nothing(state_.data(), id)) insert(state, kReaches, id);
  for (std::size_t w = 0; w < words_; ++w)
    total_[w] = is_full ? all_[w] : total_[w] | word(state, kReaches, w);
  // First who is still missing. What lies behind a thread that has stopped comes last: that may be
  // much, and say little.
  const auto rank = [this](const Successor& successor) {
    const ir::ThreadId thread = successor.action.thread;
    const bool is_missing = (total_[thread.index / 64] >> (thread.index % 64) & 1) == 0;
    return successor.stops ? 2 : is_missing ? 0 : 1;
  };
  std::stable_sort(pending_.begin() + static_cast<std::ptrdiff_t>(begin), pending_.end(),
                   [&](const Successor& a, const Successor& b) { return rank(a) < rank(b); });
  frames_.push_back({state, begin, pending_.size()});
}

void Futures::unite(StateNumber state, StateNumber with) {
  for (std::size_t set = 0; set < kSets; ++set)
    for (std::size_t w = 0; w < words_; ++w)
      word(state, set, w) |= word(with, set, w);
  for (std::size_t w = 0; w < words_; ++w)
    total_[w] |= word(with, kReaches, w);
}

void Futures::leave() {
  const StateNumber state = frames_.back().state;
  frames_.pop_back();
  pending_.resize(frames_.empty() ? 0 : frames_.back().end);
  if (nodes_[state].least == nodes_[state].order) finish_component(state);
  if (frames_.empty()) return;
  Node& parent = nodes_[frames_.back().state];
  unite(frames_.back().state, state);
  if (nodes_[state].is_known) {
    parent.leaves = true;
  } else {
    parent.least = std::min(parent.least, nodes_[state].least);
  }
}

void Futures::finish_component(StateNumber first) {
  const auto component = static_cast<std::uint32_t>(is_bottom_.size());
  auto begin = unfinished_.end();
  bool is_bottom = true;
  do {
    --begin;
    is_bottom = is_bottom && !nodes_[*begin].leaves;
    if (*begin != first) unite(first, *begin);
  } while (*begin != first);
  if (is_bottom)
    for (std::size_t w = 0; w < words_; ++w)
      word(first, kSpins, w) = word(first, kMoves, w);
  for (auto at = begin; at != unfinished_.end(); ++at) {
    nodes_[*at].component = component;
    nodes_[*at].is_known = true;
    if (*at != first) unite(*at, first);
  }
  unfinished_.erase(begin, unfinished_.end());
  is_bottom_.push_back(is_bottom ? 1 : 0);
}

// The states on the path reach what those behind them do; the others are as if they had not been
// come to, unless their components are complete.
void Futures::give_up() {
  for (const StateNumber state : unfinished_)
    nodes_[state] = {};
  std::vector<std::uint64_t> behind(words_);
  nodes_[frames_.front().state].is_full = true;
  while (!frames_.empty()) {
    const StateNumber state = frames_.back().state;
    for (std::size_t w = 0; w < words_; ++w)
      behind[w] |= word(state, kReaches, w);
    if (behind == all_) nodes_[state].is_full = true;
    frames_.pop_back();
  }
  unfinished_.clear();
  pending_.clear();
}

// ---- transitions -------------------------------------------------------------------------------

StateNumber Futures::number(const std::uint8_t* state) {
  const std::uint8_t* const stored = codec_ ? codec_->encode(state, stored_.data()) : state;
  const StateSet::Inserted inserted = set_.find_or_put(stored);
  if (inserted.is_new) {
    nodes_.push_back({});
    for (std::size_t i = 0; i < kSets * words_; ++i)
      sets_.push_back(0);
  }
  return inserted.number;
}

bool Futures::needs_nothing(const std::uint8_t* state, ir::ThreadId thread) const {
  const ir::Location at = location(step_.layout(), state, thread);
  if (step_.system().threads[thread].is_daemon || at == ir::kEnded || is_stopped(at)) return true;
  if (goal_ == Goal::Change) return false;
  return !may_never_end_[thread.index] || at < ir::kFirstLocation || can_end_.at(thread, at) == 0;
}

bool Futures::is_spurious(ir::Action action) const {
  return options_.spurious_wakeups &&
         is_waiting(step_.system(), step_.layout(), state_.data(), action.thread) &&
         !CML_MUTATION("spurious-wakeups-are-progress");
}

const std::vector<Futures::Successor>& Futures::successors(StateNumber state) {
  stop_.poll(step_.layout().size());
  now_ = state;
  load(state, state_.data());
  actions_.clear();
  step_.all_enabled(state_.data(), actions_);
  if (options_.spurious_wakeups) {
    const auto* const end =
        std::remove_if(actions_.begin(), actions_.end(),
                       [this](ir::Action action) { return is_spurious(action); });
    actions_.set_size(static_cast<std::size_t>(end - actions_.begin()));
  }
  successors_.clear();
  makes_progress_ = stops_ = false;
  taken_.clear();
  const Reducer::Choice choice = reducer_.choose(state_.data(), {actions_.data(), actions_.size()},
                                                 SleepSets::empty(), taken_);
  fire({taken_.data(), taken_.size()});
  const bool is_ignored = !makes_progress_ && !CML_MUTATION("no-proviso-where-threads-may-be-lost");
  if (choice.leaves_some && (is_ignored || stops_)) {
    taken_.clear();
    reducer_.rest(choice.set, {actions_.data(), actions_.size()}, taken_);
    fire({taken_.data(), taken_.size()});
  }
  return successors_;
}

void Futures::fire(std::span<const ir::Action> actions) {
  for (const ir::Action action : actions) {
    next_ = state_;
    record_.clear();
    step_.execute(next_.data(), action, record_);
    Successor successor;
    successor.action = action;
    const ir::Location at = location(step_.layout(), next_.data(), action.thread);
    const bool changes =
        goal_ == Goal::Change && changes_.any(state_.data(), record_, next_.data());
    successor.stops = is_stopped(at);
    successor.reaches = at == ir::kEnded || successor.stops || changes;
    if (const ir::ThreadId partner = ir::partner_of(action); partner.valid()) {
      const ir::Location there = location(step_.layout(), next_.data(), partner);
      successor.partner_reaches = there == ir::kEnded || is_stopped(there) || changes;
      successor.stops = successor.stops || is_stopped(there);
    }
    stops_ = stops_ || reducer_.stops(next_.data(), action);
    if (!is_full_(next_.data())) {
      const StateNumber to = number(next_.data());
      if (!nodes_[to].is_full) successor.state = to;
    }
    makes_progress_ = makes_progress_ || successor.state == kNone || successor.state > now_;
    successors_.push_back(successor);
  }
}

}  // namespace cml::checker
