// Ways by the hash of their state.
#include "ir/exec/script_cache.h"

#include <xxhash.h>

namespace cml::ir {

std::size_t ScriptCache::place(const std::uint8_t* state, ThreadId thread) const {
  return XXH3_64bits_withSeed(state, bytes_, thread.index) % kWays;
}

std::uint32_t ScriptCache::find(const std::uint8_t* state, Action action, Script& script) const {
  script.clear();
  if (ways_.empty() || !keeps(action)) return 0;
  const Way& way = ways_[place(state, action.thread)];
  const bool is_this = !way.state.empty() && way.action.thread == action.thread &&
                       way.action.choice <= action.choice &&
                       std::memcmp(way.state.data(), state, bytes_) == 0;
  if (!is_this) return 0;
  script = way.script;
  return way.action.choice;
}

void ScriptCache::keep(const std::uint8_t* state, Action action, const Script& script) {
  if (!keeps(action) || bytes_ == 0) return;
  if (ways_.empty()) ways_.resize(kWays);
  Way& way = ways_[place(state, action.thread)];
  way.action = action;
  way.state.assign(state, state + bytes_);
  way.script = script;
}

}  // namespace cml::ir
