// How traces show changes of local variables: "x = 3", "r = (3, true)", "a[2].x = 1".
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "ir/exec/step.h"
#include "ir/system.h"

namespace cml::checker {

/// The name of a place (ir::LocalPlace) with this value of its index: "a[2].x".
[[nodiscard]] std::string local_label(const ir::System& system, ir::TextId name,
                                      std::uint32_t index);

/// Adds what a micro-transition stored in named locals of a thread, in order; a local that is
/// stored again keeps its place. A value of which a word is missing, because it violates its range,
/// is left out.
void add_local_changes(const ir::System& system, const ir::Code& code,
                       std::span<const ir::LocalChange> locals,
                       std::vector<std::pair<std::string, std::string>>& changes);

}  // namespace cml::checker
