#include "checker/reduction/static/persistent.h"

#include <algorithm>
#include <utility>

#include "support/mutation.h"

namespace cml::checker {

using ir::ThreadId;

void Persistent::select(const std::uint8_t* state, const std::vector<std::uint32_t>& actions,
                        std::vector<bool>& chosen) {
  chosen.assign(actions.size(), false);
  ++calls_;
  const auto first =
      std::find_if(actions.begin(), actions.end(), [](std::uint32_t count) { return count > 0; });
  const ThreadId seed = ThreadId::of(static_cast<std::size_t>(first - actions.begin()));
  chosen[seed.index] = true;
  work_.assign(1, seed);
  while (!work_.empty()) {
    const ThreadId thread = work_.back();
    work_.pop_back();
    if (actions[thread.index] == 0 && CML_MUTATION("blocked-operations-ignored-persistent"))
      continue;
    sets_.conflicts(state, thread, actions[thread.index] > 0, conflicts_);
    const auto add = [this, &chosen](ThreadId other) {
      if (chosen[other.index]) return;
      chosen[other.index] = true;
      work_.push_back(other);
    };
    for (const AtomNumber atom : conflicts_.atoms) {
      if (std::exchange(looked_at_[atom], calls_) == calls_) continue;
      sets_.for_each_that_may(state, atom, add);
    }
    for (const ThreadId other : conflicts_.threads)
      add(other);
  }
}

}  // namespace cml::checker
