#include "checker/reduction/stubborn.h"

#include <algorithm>
#include <cstdint>

namespace cml::checker {

using ir::Effect;
using ir::ThreadId;

void Stubborn::select(const std::uint8_t* state, const std::vector<std::uint32_t>& entries,
                      std::vector<bool>& chosen) {
  rows_.resize(entries.size());
  has_row_.assign(entries.size(), false);
  std::uint64_t least = UINT64_MAX;
  for (const ThreadId seed : step_.system().threads.ids()) {
    if (entries[seed.index] == 0) continue;
    close(state, seed, entries);
    std::uint64_t size = 0;
    for (std::size_t i = 0; i < entries.size(); ++i)
      if (set_[i]) size += entries[i];
    if (size >= least) continue;
    least = size;
    chosen = set_;
    if (least == 1) return;
  }
}

void Stubborn::add(const std::uint8_t* state, ThreadId thread) {
  if (set_[thread.index] || location(step_.layout(), state, thread) < ir::kFirstLocation) return;
  set_[thread.index] = true;
  work_.push_back(thread);
}

void Stubborn::add_all_that_may(const std::uint8_t* state, KeyUse use) {
  for (const ThreadId thread : step_.system().threads.ids())
    if (!set_[thread.index] && sets_.may(state, thread, use)) add(state, thread);
}

const Row& Stubborn::row(const std::uint8_t* state, ThreadId thread) {
  if (!has_row_[thread.index]) {
    sets_.conflicts(state, thread, true, rows_[thread.index]);
    has_row_[thread.index] = true;
  }
  return rows_[thread.index];
}

void Stubborn::close(const std::uint8_t* state, ThreadId seed,
                     const std::vector<std::uint32_t>& entries) {
  set_.assign(entries.size(), false);
  work_.clear();
  add(state, seed);
  while (!work_.empty()) {
    const ThreadId thread = work_.back();
    work_.pop_back();
    if (entries[thread.index] == 0) {
      add_enabling(state, thread);
      continue;
    }
    const Row& conflicts = row(state, thread);
    for (const ThreadId other : step_.system().threads.ids())
      if (!set_[other.index] && sets_.meets(state, other, conflicts)) add(state, other);
  }
}

void Stubborn::add_enabling(const std::uint8_t* state, ThreadId blocked) {
  record_.clear();
  step_.pending(state, blocked, record_);
  const auto& touches = record_.touches;
  const ir::Layout& layout = step_.layout();
  const auto on = [&](const ir::Touch& touch, Use use) {
    add_all_that_may(state, sets_.key(touch.object, use));
  };
  const bool waits = layout.wait_status(state, blocked) == ir::WaitStatus::Waiting;
  for (const ir::Touch& touch : touches) {
    switch (touch.effect) {
      case Effect::Take: {
        const ThreadId owner = layout.owner(state, touch.object);
        if (owner.valid() && owner != blocked) {
          add(state, owner);
        } else if (waits && !spurious_wakeups_) {
          add_all_that_may(state, sets_.wait_set(touch.object, Use::Notify));
        }
        break;
      }
      case Effect::Read:
        on(touch, Use::Write);
        break;
      case Effect::Down:
        on(touch, Use::Up);
        break;
      case Effect::Send:
        on(touch, Use::Receive);
        break;
      case Effect::Receive:
        on(touch, Use::Send);
        break;
      case Effect::Size:
        on(touch, Use::Send);
        on(touch, Use::Receive);
        break;
      default:
        break;
    }
  }
}

}  // namespace cml::checker
