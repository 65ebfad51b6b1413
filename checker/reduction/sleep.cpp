#include "checker/reduction/sleep.h"

#include <algorithm>
#include <xxhash.h>

#include "ir/exec/rendezvous.h"
#include "support/mutation.h"

namespace cml::checker {

SleepSets::SleepSets(const MemoryBudget& budget) : budget_(budget) { sets_.push({}); }

SleepId SleepSets::intern(std::vector<Sleeper>& sleepers) {
  if (sleepers.empty()) return empty();
  std::sort(sleepers.begin(), sleepers.end(),
            [](const Sleeper& a, const Sleeper& b) { return a.action < b.action; });
  static_assert(sizeof(Sleeper) == 12);  // no padding to hash
  const std::uint64_t hash = XXH3_64bits(sleepers.data(), sleepers.size() * sizeof(Sleeper));
  const auto [first, last] = by_hash_.equal_range(hash);
  for (auto it = first; it != last; ++it) {
    const std::span<const Sleeper> known = (*this)[it->second];
    if (std::equal(known.begin(), known.end(), sleepers.begin(), sleepers.end())) return it->second;
  }
  const std::uint64_t begin = pool_.size();
  budget_.make_room(pool_, sleepers.size());
  if (sets_.items().size() == sets_.items().capacity()) budget_.ask(sets_.size() * sizeof(Range));
  const auto buckets = static_cast<float>(by_hash_.bucket_count());
  if (static_cast<float>(by_hash_.size() + 1) > buckets * by_hash_.max_load_factor())
    budget_.ask(2 * by_hash_.bucket_count() * sizeof(void*));
  pool_.insert(pool_.end(), sleepers.begin(), sleepers.end());
  const SleepId id = sets_.push({begin, sleepers.size()});
  by_hash_.emplace(hash, id);
  return id;
}

const Sleeper* SleepSets::find(SleepId id, ir::Action action) const {
  const std::span<const Sleeper> set = (*this)[id];
  const ir::Action from =
      CML_MUTATED("sleeping-actions-by-thread", action, (ir::Action{action.thread, 0}));
  const auto found = std::lower_bound(
      set.begin(), set.end(), from,
      [](const Sleeper& sleeper, const ir::Action& wanted) { return sleeper.action < wanted; });
  if (found == set.end()) return nullptr;
  const bool is_it = CML_MUTATED("sleeping-actions-by-thread", found->action == action,
                                 found->action.thread == action.thread);
  return is_it ? &*found : nullptr;
}

std::uint64_t SleepSets::memory() const {
  return pool_.capacity() * sizeof(Sleeper) + sets_.size() * (sizeof(Range) + 40);
}

void inherit(const Dependency& dependency, std::span<const Sleeper> sleepers, ir::Action action,
             SummaryId executed, const std::uint8_t* state, std::vector<Sleeper>& out) {
  for (const Sleeper& sleeper : sleepers) {
    if (sleeper.action.thread == action.thread && !CML_MUTATION("own-actions-go-on-sleeping"))
      continue;
    const ir::ThreadId partner = ir::partner_of(action);
    const ir::ThreadId other = ir::partner_of(sleeper.action);
    const bool same_threads = (partner.valid() && ir::moves(sleeper.action, partner)) ||
                              (other.valid() && ir::moves(action, other));
    if (same_threads && !CML_MUTATION("actions-of-partners-go-on-sleeping")) continue;
    if (dependency.dependent(sleeper.summary, executed, state)) continue;
    out.push_back(sleeper);
  }
}

}  // namespace cml::checker
