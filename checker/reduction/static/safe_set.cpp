#include "checker/reduction/static/safe_set.h"

namespace cml::checker {

void SafeSet::select(const std::uint8_t* state, const std::vector<std::uint32_t>& actions,
                     std::vector<bool>& chosen) {
  for (std::uint32_t i = 0; i < actions.size(); ++i) {
    const ir::ThreadId thread(i);
    if (actions[i] == 0 || !is_safe_(thread, location(layout_, state, thread))) continue;
    chosen.assign(actions.size(), false);
    chosen[i] = true;
    return;
  }
  chosen.assign(actions.size(), true);
}

}  // namespace cml::checker
