// What the opcodes do that leave a choice or bound an atomic region; and for all opcodes, whether
// they can be executed and what there is to choose from then.
#include <algorithm>
#include <variant>

#include "ir/describe.h"
#include "ir/exec/execution.h"

namespace cml::ir {

// ---- choices and blocks ------------------------------------------------------------------------

Outcome Execution::execute(const Choose& node) {
  if (script_ == nullptr && choice_ == kTooManyChoices) {
    limit(LimitKind::Choices);
    return Outcome::Gone;
  }
  const auto lo = value(node.lo);
  const auto hi = value(node.hi);
  if (!lo || !hi) return Outcome::Gone;
  const std::int64_t options = std::int64_t{*hi} - *lo + 1;
  if (options < 1) return stop(FaultKind::Range, current().range);
  const std::uint32_t option = decide(static_cast<std::uint64_t>(options));
  const auto set = node.among ? value(*node.among) : std::optional<std::int32_t>(0);
  if (!set) return Outcome::Gone;
  const auto chosen = static_cast<std::int32_t>(std::int64_t{*lo} + option);
  if (!assign(node.target, node.among ? element_at(*set, option) : chosen)) return Outcome::Gone;
  return next();
}

Outcome Execution::execute(const Either& node) {
  return jump(node.targets[decide(node.targets.size())]);
}

bool Execution::ready(const Select::Case& item) {
  if (!may_go(item)) return false;
  if (item.kind == Select::Kind::Await) return true;
  const ObjectId object = resolve(item.place);
  return has(state_, thread_, object, awaited(item));
}

void Execution::ready_cases(const Select& node, std::vector<std::uint32_t>& out) {
  const std::size_t before = out.size();
  for (std::size_t i = 0; i < node.cases.size(); ++i)
    if (ready(node.cases[i])) out.push_back(static_cast<std::uint32_t>(i));
  for (std::uint32_t i = 0; i < node.cases.size(); ++i) {
    const Select::Case& item = node.cases[i];
    const bool sends = item.kind == Select::Kind::Send;
    if (item.meets && (sends || node.otherwise) && may_go(item))
      add_meetings(resolve(item.place), sends, i, out);
  }
  if (out.size() == before && node.otherwise)
    out.push_back(static_cast<std::uint32_t>(node.cases.size()));
}

Outcome Execution::execute(const Select& node) {
  if (handed_ != nullptr) {
    const Select::Case& item = node.cases[own_case()];
    touch_other_cases(node, own_case());
    if (meet(resolve(item.place), item.kind == Select::Kind::Send, item.targets) == Outcome::Gone)
      return Outcome::Gone;
    return jump(item.next);
  }
  options_.clear();
  ready_cases(node, options_);
  if (gone_) return Outcome::Gone;
  if (options_.empty()) return Outcome::Blocked;
  const std::uint32_t chosen = decide_among(options_);
  touch_other_cases(node, chosen);
  if (chosen == node.cases.size()) return jump(*node.otherwise);
  const Select::Case& item = node.cases[chosen];
  if (item.kind == Select::Kind::Await) return jump(item.next);
  const ObjectId object = resolve(item.place);
  const Field& amount = layout_.object(object).fields[0];
  switch (item.kind) {
    case Select::Kind::Receive:
      if (is_closed(object) && content(object).count == 0) {
        if (receive_nothing(object, item.targets) == Outcome::Gone) return Outcome::Gone;
        break;
      }
      touch(object, Effect::Receive, count(object));
      if (pop_element(object, item.targets) == Outcome::Gone) return Outcome::Gone;
      break;
    case Select::Kind::Send:
      if (is_closed(object)) return violate_closed(object);
      touch(object, Effect::Send, count(object));
      push_element(object, item.values);
      if (gone_) return Outcome::Gone;
      break;
    case Select::Kind::Down:
      touch(object, Effect::Down, amount.load(state_));
      store(amount, object, 0, amount.load(state_) - 1);
      break;
    case Select::Kind::Acquire: {
      bool taken = false;
      if (take_or_limit(object, taken) == Outcome::Gone) return Outcome::Gone;
      break;
    }
    case Select::Kind::Await:
      break;
  }
  return jump(item.next);
}

// The choice depends on all of them.
void Execution::touch_other_cases(const Select& node, std::size_t chosen) {
  for (std::size_t i = 0; i < node.cases.size(); ++i) {
    if (i == chosen || node.cases[i].kind == Select::Kind::Await) continue;
    const ObjectId object = resolve(node.cases[i].place);
    if (node.cases[i].kind == Select::Kind::Acquire) {
      touch(object, Effect::Look);
    } else {
      const std::int32_t before = layout_.object(object).fields[0].load(state_);
      touch(object, Effect::Ready, before);
    }
  }
}

Outcome Execution::execute(const Atomic&) { return next(); }

Outcome Execution::execute(const Guard& node) {
  const auto condition = value(node.condition);
  if (!condition) return Outcome::Gone;
  return *condition != 0 ? next() : Outcome::Blocked;
}

Outcome Execution::execute(const AtomicEnd&) { return next(); }

Outcome Execution::execute(const End&) {
  leave(kEnded);
  return Outcome::Gone;
}

// ---- pending operations -------------------------------------------------------------------------

void Execution::pretend() {
  for_each_wait(current(), [this](const Place& place, std::initializer_list<Awaited> all) {
    for (const Awaited awaited : all) {
      const Effect effect = effect_of(awaited);
      const ObjectId object =
          resolve(awaited == Awaited::Wakeup ? *wait_set(current().node) : place);
      const bool is_amount = of(uses(effect).greatest()) == UseOf::Amount;
      touch(object, effect == Effect::Take && owns(object) ? Effect::Deepen : effect,
            is_amount ? count(object) : 0);
    }
  });
}

bool Execution::has(const std::uint8_t* state, ThreadId thread, ObjectId object,
                    Awaited awaited) const {
  switch (awaited) {
    case Awaited::Lock: {
      const ThreadId owner = layout_.owner(state, object);
      return !owner.valid() || (owner == thread && !system_.objects[object].is_mutex);
    }
    case Awaited::Wakeup:
      return config_.spurious_wakeups || layout_.wait_status(state, thread) == WaitStatus::Notified;
    case Awaited::Unit:
    case Awaited::Value:
      return count(state, object) > 0;
    case Awaited::Sender:  // or a partner, which is another kind of choice
    case Awaited::Receiver:
      return count(state, object) > 0;
    case Awaited::End:
      return count(state, object) == std::int32_t{kEnded};
    case Awaited::Room:
      break;
  }
  return count(state, object) != capacity(object);
}

std::optional<bool> Execution::is_enabled(const std::uint8_t* state, ThreadId thread,
                                          Location at) const {
  const LocationWait& wait = waits_[thread][at];
  if (!wait.is_known) return std::nullopt;
  return std::all_of(wait.all.begin(), wait.all.end(),
                     [&](Awaited awaited) { return has(state, thread, wait.object, awaited); });
}

template <class Node>
bool Execution::is_enabled(const Node& node) {
  bool waits = false;
  bool goes = false;
  for_each_wait(node, [&](const Place& place, std::initializer_list<Awaited> all) {
    const ObjectId object = resolve(place);
    waits = true;
    goes = goes || std::all_of(all.begin(), all.end(), [&](Awaited awaited) {
             return has(state_, thread_, object, awaited);
           });
  });
  return goes || !waits;
}

void Execution::choices(std::vector<Action>& out) {
  const auto add = [&](std::uint32_t choice) { out.push_back({thread_, choice}); };
  const auto add_options = [&] { std::for_each(options_.begin(), options_.end(), add); };
  options_.clear();
  std::visit(Cases{[&](const Choose& node) {
                     const auto lo = value(node.lo);
                     const auto hi = value(node.hi);
                     if (!lo || !hi) return;
                     const std::int64_t options = std::int64_t{*hi} - *lo + 1;
                     if (options > kMaxChoices) return add(kTooManyChoices);
                     for (std::int64_t i = 0; i < options; ++i)
                       add(static_cast<std::uint32_t>(i));
                   },
                   [&](const Either& node) {
                     for (std::size_t i = 0; i < node.targets.size(); ++i)
                       add(static_cast<std::uint32_t>(i));
                   },
                   [&](const Select& node) {
                     ready_cases(node, options_);
                     add_options();
                   },
                   [&](const Send& node) {
                     if (is_enabled(node)) options_.push_back(0);
                     if (node.meets) {
                       if (node.try_only && !is_closed(resolve(node.channel))) options_.clear();
                       add_meetings(resolve(node.channel), true, 0, options_);
                       if (node.try_only && options_.empty()) options_.push_back(0);
                     }
                     add_options();
                   },
                   [&](const Receive& node) {
                     if (is_enabled(node)) options_.push_back(0);
                     if (node.meets && node.try_only && !is_closed(resolve(node.channel))) {
                       options_.clear();
                       add_meetings(resolve(node.channel), false, 0, options_);
                       if (options_.empty()) options_.push_back(0);
                     }
                     add_options();
                   },
                   [&](const Notify& node) {
                     const ObjectId set = resolve(node.set);
                     if (!node.all && may_notify(node, set)) waiting_threads(set, options_);
                     if (options_.size() < 2) return add(0);
                     add_options();
                   },
                   [&](const auto& node) {  // nothing to choose
                     if (is_enabled(node)) add(0);
                   }},
             current().node);
}

}  // namespace cml::ir
