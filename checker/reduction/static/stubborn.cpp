// The depth-first walk through the graph, and its edges.
#include "checker/reduction/static/stubborn.h"

#include <algorithm>
#include <span>

#include "support/mutation.h"

namespace cml::checker {

using ir::ThreadId;

Stubborn::Stubborn(ir::Step& step, const ir::Analyses& analyses, Scope scope, bool spurious_wakeups,
                   const CandidateLocks* candidates, const MethodCalls& calls, bool keeps_order)
    : SetAlgorithm(step, analyses, scope, candidates, calls, keeps_order),
      step_(step),
      spurious_wakeups_(spurious_wakeups),
      threads_(static_cast<Node>(step.system().threads.size())),
      visits_(threads_ + sets_.atoms()) {}

void Stubborn::select(const std::uint8_t* state, const std::vector<std::uint32_t>& actions,
                      std::vector<bool>& chosen) {
  state_ = state;
  actions_ = &actions;
  least_ = UINT64_MAX;
  first_order_ = order_ + 1;
  for (const ThreadId seed : step_.system().threads.ids()) {
    // No set is smaller, or has a smaller first thread.
    if (least_ == 1 && seed_ < node_of(seed)) break;
    if (actions[seed.index] != 0 && visits_[node_of(seed)].order < first_order_)
      walk(node_of(seed));
  }
  chosen.assign(actions.size(), false);
  for (const Node thread : smallest_)
    chosen[thread] = true;
}

void Stubborn::visit(Node node) {
  ++order_;
  visits_[node] = {order_, order_, true, false};
  open_.push_back(node);
  frames_.push_back({node, edges_.size(), edges_.size()});
  add_edges(node);
}

void Stubborn::walk(Node from) {
  visit(from);
  while (!frames_.empty()) {
    Frame& frame = frames_.back();
    Visit& here = visits_[frame.node];
    if (frame.next < edges_.size()) {
      const Node to = edges_[frame.next++];
      const Visit& there = visits_[to];
      if (there.order < first_order_) {
        visit(to);
      } else if (there.is_open) {
        here.low = std::min(here.low, there.order);
      } else {
        here.reaches_closed = here.reaches_closed || there.reaches_closed;
      }
      continue;
    }
    edges_.resize(frame.begin);
    const Node done = frame.node;
    frames_.pop_back();
    if (here.low == here.order) close_component(done);
    if (frames_.empty()) return;
    Visit& before = visits_[frames_.back().node];
    if (here.is_open) {
      before.low = std::min(before.low, here.low);
    } else {
      before.reaches_closed = before.reaches_closed || here.reaches_closed;
    }
  }
}

void Stubborn::close_component(Node node) {
  std::size_t first = open_.size();
  std::uint64_t size = 0;
  bool reaches = false;  // an enabled thread in another component
  Node seed = threads_;
  do {
    const Node member = open_[--first];
    reaches = reaches || visits_[member].reaches_closed;
    if (member >= threads_ || (*actions_)[member] == 0) continue;
    size += (*actions_)[member];
    seed = std::min(seed, member);
  } while (open_[first] != node);
  for (std::size_t i = first; i < open_.size(); ++i) {
    visits_[open_[i]].is_open = false;
    visits_[open_[i]].reaches_closed = reaches || size > 0;
  }
  if (size > 0 && (!reaches || CML_MUTATION("smallest-component-though-it-reaches-others")) &&
      (size < least_ || (size == least_ && seed < seed_))) {
    least_ = size;
    seed_ = seed;
    smallest_.clear();
    for (std::size_t i = first; i < open_.size(); ++i)
      if (open_[i] < threads_) smallest_.push_back(open_[i]);
  }
  open_.resize(first);
}

void Stubborn::add_edges(Node node) {
  if (node >= threads_) {
    sets_.for_each_that_may(state_, node - threads_,
                            [this](ThreadId thread) { edges_.push_back(node_of(thread)); });
    return;
  }
  const ThreadId thread(node);
  if ((*actions_)[node] == 0) {
    if (!CML_MUTATION("blocked-operations-ignored-stubborn")) add_enabling(thread);
    // It may be moved by whom it meets: then what it does goes with that.
    if (!sets_.may_be_met(state_, thread)) return;
    sets_.conflicts(state_, thread, false, conflicts_);
    add_conflicts();
    return;
  }
  sets_.conflicts(state_, thread, true, conflicts_);
  add_conflicts();
}

void Stubborn::add_conflicts() {
  for (const AtomNumber atom : conflicts_.atoms)
    edges_.push_back(node_of(atom));
  for (const ThreadId thread : conflicts_.threads)
    edges_.push_back(node_of(thread));
}

/// What enables a blocked operation is left out (support/mutation.h).
static bool is_forgotten_by_mistake(Use use) {
  return (use == Use::Read && CML_MUTATION("blocked-await-without-writes")) ||
         (use == Use::Down && CML_MUTATION("blocked-down-without-ups")) ||
         (use == Use::Send && CML_MUTATION("blocked-send-without-receives")) ||
         (use == Use::Receive && CML_MUTATION("blocked-receive-without-sends"));
}

/// In which the thread that waits to take this lock waits to be notified.
static ir::ObjectId set_of(std::span<const ir::Touch> touches, ir::ObjectId lock) {
  for (const ir::Touch& touch : touches)
    if (touch.effect == ir::Effect::LeaveWait &&
        !CML_MUTATION("a-condition-is-notified-at-its-lock"))
      return touch.object;
  return lock;
}

void Stubborn::add_enabling(ThreadId blocked) {
  record_.clear();
  step_.pending(state_, blocked, record_);
  const auto& touches = record_.touches;
  const ir::Layout& layout = step_.layout();
  conflicts_.atoms.clear();
  conflicts_.threads.clear();
  const auto add = [this, blocked](KeyUse use) {
    sets_.add_enabling(state_, blocked, use, conflicts_);
  };
  const bool waits = layout.wait_status(state_, blocked) == ir::WaitStatus::Waiting;
  for (const ir::Touch& touch : touches) {
    if (&touch != &touches[0] && CML_MUTATION("first-case-of-a-blocked-select-only")) break;
    ir::uses(touch.effect).for_each([&](Use use) {
      switch (ir::of(use)) {
        case ir::UseOf::Lock: {  // which only its owner frees
          const ThreadId owner = layout.owner(state_, touch.object);
          if (owner.valid() && owner != blocked) {
            if (location(layout, state_, owner) >= ir::kFirstLocation &&
                !CML_MUTATION("blocked-acquire-without-owner"))
              edges_.push_back(node_of(owner));
          } else if (waits && !spurious_wakeups_) {
            if (!CML_MUTATION("waiters-without-notifiers"))
              add(sets_.wait_set(set_of(touches, touch.object), Use::Notify));
          }
          return;
        }
        case ir::UseOf::WaitSet:  // it waits for the lock besides, above
        case ir::UseOf::History:  // nobody waits for one
        case ir::UseOf::Thread:
          return;
        case ir::UseOf::Variable:
        case ir::UseOf::Amount:
        case ir::UseOf::Life:
          if (is_forgotten_by_mistake(use)) return;
          ir::enabling(use).for_each([&](Use by) { add(sets_.key(touch.object, by)); });
          return;
      }
    });
  }
  add_conflicts();
}

}  // namespace cml::checker
