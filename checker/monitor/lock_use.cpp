#include "checker/monitor/lock_use.h"

#include <algorithm>
#include <bit>
#include <utility>

#include "support/mutation.h"

namespace cml::checker {

LockUse::LockUse(const ir::System& system, const ir::Layout& layout, const ir::Analyses& analyses)
    : system_(system), layout_(layout), analyses_(analyses), used_(layout.lock_set_words(), 0) {
  for (const ir::ThreadId thread : system.threads.ids()) {
    std::vector<At> at(system.threads[thread].code.instructions.size());
    for (ir::Pc pc = 0; pc < at.size(); ++pc)
      at[pc] =
          analyses.held().is_exact(thread, pc) || CML_MUTATION("locks-at-unknown-places-are-known")
              ? At::Known
              : At::Followed;
    at_.push(std::move(at));
  }
}

void LockUse::look(const Transition& transition, Recorder& recorder) {
  const ir::Record& record = transition.record;
  const ir::ThreadId thread = record.micros[0].action.thread;
  std::vector<At>& at = at_[thread];
  bool is_new = false;
  const auto use = [&](const std::uint64_t* locks) {
    for (std::size_t w = 0; w < used_.size(); ++w) {
      is_new = is_new || (locks[w] & ~used_[w]) != 0;
      used_[w] |= locks[w];
    }
  };
  const auto use_one = [&](ir::ObjectId lock) {
    is_new = true;
    const std::uint32_t number = layout_.lock_number(lock);
    used_[number / 64] |= std::uint64_t{1} << (number % 64);
  };
  for (std::size_t i = 0; i < record.touches.size(); ++i) {
    const ir::Touch& touch = record.touches[i];
    if (recorder.is_recorded(transition.before, record, i)) continue;
    if (system_.objects[touch.object].kind == ir::ObjectKind::Lock) {
      if (touch.effect == ir::Effect::EnterWait || touch.effect == ir::Effect::Notify)
        use_one(touch.object);
    } else if (touch.effect == ir::Effect::LeaveWait) {
      continue;  // of a condition; the thread has owned the lock before
    } else if (at[touch.pc] == At::Followed) {
      use(recorder.owned_at(transition.before, record, i));
    } else if (at[touch.pc] == At::Known) {
      for (const ir::ObjectId lock : analyses_.held().certainly(thread, touch.pc))
        use_one(lock);
      at[touch.pc] = At::Counted;
    }
  }
  if (is_new) count();
}

void LockUse::count() {
  std::size_t used = 0;
  for (const std::uint64_t word : used_)
    used += static_cast<std::size_t>(std::popcount(word));
  are_all_used_ = used == layout_.locks().size();
}

void LockUse::join(const LockUse& other) {
  for (std::size_t w = 0; w < used_.size(); ++w)
    used_[w] |= other.used_[w];
  for (const ir::ThreadId thread : at_.ids())
    for (std::size_t pc = 0; pc < at_[thread].size(); ++pc)
      at_[thread][pc] = std::max(at_[thread][pc], other.at_[thread][pc]);
  count();
}

}  // namespace cml::checker
