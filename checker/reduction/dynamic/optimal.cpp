#include "checker/reduction/dynamic/optimal.h"

#include <algorithm>

#include "support/mutation.h"

namespace cml::checker {

using Trees = WakeupTrees::Trees;

// ---- exploring the tree ------------------------------------------------------------------------

void Optimal::open(Depth depth) {
  budget_.make_room(trees_, 1);
  budget_.make_room(begun_, words_);
  begun_.resize((depth + 1) * words_, 0);
  trees_.push_back(below_);
  below_ = {};
}

void Optimal::close(Depth depth) {
  nodes_.clear(trees_[depth]);
  trees_.pop_back();
  begun_.resize(depth * words_);
}

SummaryId Optimal::as_sleeping(SummaryId executed) { return step_.value_or(executed); }

Optimal::Item* Optimal::find(Depth depth, const WakeupTrees::Step& step) {
  for (Item& item : items(depth))
    if (item.state == Item::State::Left && item.action.thread == step.action.thread &&
        (step.any_choice || item.action == step.action))
      return &item;
  return nullptr;
}

std::optional<ir::Action> Optimal::next(Depth depth) {
  nodes_.clear(below_);  // of a state that was not entered
  const auto take = [&](Item& item) {
    item.state = Item::State::Taken;
    insert(begun_, depth, item.action.thread.index);
    return item.action;
  };
  while (trees_[depth].first != 0) {
    auto [step, below] = nodes_.take_first(trees_[depth]);
    if (Item* const item = find(depth, step)) {
      below_ = below;
      step_ = step.summary;
      return take(*item);
    }
    nodes_.clear(below);
  }
  step_.reset();
  const std::span<Item> all = items(depth);
  if (all.size() < 2 && (all.empty() || all[0].state != Item::State::Left)) return std::nullopt;
  const bool any_taken = std::any_of(
      all.begin(), all.end(), [](const Item& item) { return item.state == Item::State::Taken; });
  for (Item& item : all)
    if (item.state == Item::State::Left &&
        (!any_taken || has(begun_, depth, item.action.thread.index)))
      return take(item);
  return std::nullopt;
}

void Optimal::expand(Depth depth) {
  for (const Item& item : items(depth)) {
    if (item.state != Item::State::Left || has(begun_, depth, item.action.thread.index)) continue;
    bool is_there = false;
    for (auto node = trees_[depth].first; node != 0; node = nodes_.next(node))
      is_there = is_there || nodes_.step(node).action.thread == item.action.thread;
    // What it does is not known, so it commutes with nothing.
    if (!is_there) nodes_.append(trees_[depth], {item.action, true, false, SummaryId()});
  }
}

// ---- inserting into it -------------------------------------------------------------------------

void Optimal::reverse(EventNumber event, const Operation& operation) {
  collect(event, operation);
  if (!is_redundant(event)) insert_sequence(trees_[event]);
}

void Optimal::collect(EventNumber event, const Operation& operation) {
  v_.clear();
  for (EventNumber later = event + 1; later < order_.size(); ++later)
    if (!order_.happens_before(event, later))
      v_.push_back({{order_[later].action, false, has_one(later, order_[later].action.thread),
                     order_[later].summary},
                    later,
                    true});
  v_.push_back({{{operation.thread, 0}, true, false, operation.summary}, kOperation, true});
}

bool Optimal::has_one(Depth depth, ir::ThreadId thread) {
  const std::span<const Item> all = items(depth);
  return std::count_if(all.begin(), all.end(),
                       [thread](const Item& item) { return item.action.thread == thread; }) == 1;
}

bool Optimal::is_redundant(Depth depth) {
  const ir::ThreadId thread = v_.back().step.action.thread;
  const bool is_begun = has(begun_, depth, thread.index);
  for (const Sleeper& sleeper : sleepers(depth)) {
    Element* const element = first_of(sleeper.action.thread);
    // What commutes with v is no beginning of it where the thread can choose something else.
    if (element == nullptr ? (has_one(depth, sleeper.action.thread) ||
                              CML_MUTATION("other-choices-sleep-besides")) &&
                                 commutes(sleeper.summary)
                           : !element->step.any_choice && element->step.action == sleeper.action &&
                                 is_first(*element))
      return true;
  }
  const Element* const last = first_of(thread);
  if (last->event != kOperation || !is_first(*last)) return false;
  const std::span<const Item> all = items(depth);
  return is_begun || std::none_of(all.begin(), all.end(), [thread](const Item& item) {
           return item.action.thread == thread && item.state == Item::State::Left;
         });
}

void Optimal::insert_sequence(Trees& trees) {
  Trees* at = &trees;
  for (WakeupTrees::Node node = at->first; node != 0;) {
    Element* element = nullptr;
    if (!can_begin(nodes_.step(node), element)) {
      node = nodes_.next(node);
      continue;
    }
    if (element != nullptr) element->is_left = false;
    if (nodes_.is_leaf(node)) return;
    at = &nodes_.below(node);
    node = at->first;
  }
  for (const Element& element : v_)
    if (element.is_left) at = &nodes_.below(nodes_.append(*at, element.step));
}

bool Optimal::can_begin(const WakeupTrees::Step& step, Element*& element) {
  element = first_of(step.action.thread);
  if (element == nullptr)
    return (step.is_only || step.any_choice) && step.summary.valid() && commutes(step.summary);
  return (step.any_choice || element->step.any_choice || element->step.action == step.action) &&
         is_first(*element);
}

Optimal::Element* Optimal::first_of(ir::ThreadId thread) {
  const auto found = std::find_if(v_.begin(), v_.end(), [thread](const Element& element) {
    return element.is_left && element.step.action.thread == thread;
  });
  return found == v_.end() ? nullptr : &*found;
}

bool Optimal::is_first(const Element& element) {
  for (const Element& other : v_) {
    if (&other == &element) return true;
    if (!other.is_left) continue;
    if (element.event != kOperation ? order_.happens_before(other.event, element.event)
                                    : conflicts_.conflict(other.step.summary, element.step.summary))
      return false;
  }
  return true;
}

bool Optimal::commutes(SummaryId summary) {
  return std::none_of(v_.begin(), v_.end(), [&](const Element& element) {
    return element.is_left && conflicts_.conflict(summary, element.step.summary);
  });
}

}  // namespace cml::checker
