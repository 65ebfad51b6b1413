// Ways by the hash of their state.
#include "ir/exec/script_cache.h"

#include <xxhash.h>

namespace cml::ir {

std::size_t ScriptCache::place(const std::uint8_t* state, ThreadId thread) const {
  return XXH3_64bits_withSeed(state, bytes_, thread.index) % kWays;
}

std::uint32_t ScriptCache::find(const std::uint8_t* state, Entry entry, Script& script) const {
  script.clear();
  if (ways_.empty() || !keeps(entry)) return 0;
  const Way& way = ways_[place(state, entry.thread)];
  const bool is_this = !way.state.empty() && way.entry.thread == entry.thread &&
                       way.entry.choice <= entry.choice &&
                       std::memcmp(way.state.data(), state, bytes_) == 0;
  if (!is_this) return 0;
  script = way.script;
  return way.entry.choice;
}

void ScriptCache::keep(const std::uint8_t* state, Entry entry, const Script& script) {
  if (!keeps(entry) || bytes_ == 0) return;
  if (ways_.empty()) ways_.resize(kWays);
  Way& way = ways_[place(state, entry.thread)];
  way.entry = entry;
  way.state.assign(state, state + bytes_);
  way.script = script;
}

}  // namespace cml::ir
