// A table of scripts, by the hash of their state.
#include "ir/exec/script_cache.h"

#include <xxhash.h>

namespace cml::ir {

std::size_t ScriptCache::place(const std::uint8_t* state, ThreadId thread) const {
  return XXH3_64bits_withSeed(state, bytes_, thread.index) % kPlaces;
}

std::uint32_t ScriptCache::find(const std::uint8_t* state, Action action, Script& script) const {
  script.clear();
  if (kept_.empty() || !keeps(action)) return 0;
  const Kept& kept = kept_[place(state, action.thread)];
  const bool is_this = !kept.state.empty() && kept.action.thread == action.thread &&
                       kept.action.choice <= action.choice &&
                       std::memcmp(kept.state.data(), state, bytes_) == 0;
  if (!is_this) return 0;
  script = kept.script;
  return kept.action.choice;
}

void ScriptCache::keep(const std::uint8_t* state, Action action, const Script& script) {
  if (!keeps(action) || bytes_ == 0) return;
  if (kept_.empty()) kept_.resize(kPlaces);
  Kept& kept = kept_[place(state, action.thread)];
  kept.action = action;
  kept.state.assign(state, state + bytes_);
  kept.script = script;
}

}  // namespace cml::ir
