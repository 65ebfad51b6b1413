#include "checker/reduction/dynamic/backtracking.h"

#include "support/mutation.h"

namespace cml::checker {

void Backtracking::open(Depth depth) {
  budget_.make_room(backtrack_, words_);
  backtrack_.resize((depth + 1) * words_, 0);
  for (const Item& item : items(depth))
    if (item.state == Item::State::Left) return insert(backtrack_, depth, item.action.thread.index);
}

std::optional<ir::Action> Backtracking::next(Depth depth) {
  for (Item& item : items(depth)) {
    if (item.state != Item::State::Left || !has(backtrack_, depth, item.action.thread.index))
      continue;
    item.state = Item::State::Taken;
    return item.action;
  }
  return std::nullopt;
}

void Backtracking::reverse(EventNumber event, const Operation& operation) {
  const std::uint32_t thread = operation.thread.index;
  if (only_last_) {
    if (has(enabled_, event, thread)) return insert(backtrack_, event, thread);
    if (!CML_MUTATION("a-thread-that-was-not-enabled-is-left-out")) expand(event);
    return;
  }
  // One whose actions sleep there is added, too: what begins with it has been explored.
  std::optional<std::uint32_t> chosen;
  bool sleeps = false;
  const auto is_there = [&](std::uint32_t candidate) {
    if (has(backtrack_, event, candidate)) return true;
    if (!chosen || (!sleeps && is_asleep(event, candidate))) {
      chosen = candidate;
      sleeps = is_asleep(event, candidate);
    }
    return false;
  };
  if (for_each_initial(event, [&](EventNumber one) { return is_there(order_.thread(one)); }))
    return;
  if (is_initial(event, operation) && is_there(thread)) return;
  if (chosen) insert(backtrack_, event, *chosen);
}

void Backtracking::expand(Depth depth) {
  for (std::size_t word = depth * words_; word < (depth + 1) * words_; ++word)
    backtrack_[word] |= enabled_[word];
}

bool Backtracking::is_asleep(Depth depth, std::uint32_t thread) {
  bool result = false;
  for (const Item& item : items(depth)) {
    if (item.action.thread.index != thread) continue;
    if (item.state != Item::State::Asleep) return false;
    result = true;
  }
  return result;
}

}  // namespace cml::checker
