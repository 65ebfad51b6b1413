// Enough stack, whatever `ulimit -s` says. How deep anything nests is limited (frontend/syntax/,
// ir/lower/), and what these limits let through fits into kEnoughStack; so no model makes the stack
// overflow. Threads that are started later, such as the compiler's, have as much.
#pragma once

#include <cstddef>
#include <functional>

namespace cml::app {

inline constexpr std::size_t kEnoughStack = std::size_t{8} << 20;  // what Linux mostly gives

/// Runs `work`, in this thread if it has that much. Exceptions must not leave `work`.
void with_enough_stack(const std::function<void()>& work);

}  // namespace cml::app
