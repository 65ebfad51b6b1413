// How traces show changes of local variables: "x = 3", "r = (3, true)", "a[2].x = 1".
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "checker/finding/text_context.h"
#include "checker/value.h"
#include "ir/exec/step.h"
#include "ir/system.h"

namespace cml::checker {

/// The name of a place (ir::LocalPlace) with this value of its index: "a[2].x".
[[nodiscard]] std::string local_label(const ir::System& system, ir::TextId name,
                                      std::uint32_t index);

/// Where the instruction stores the word of a frame; null: not there.
[[nodiscard]] const ir::LocalPlace* assigned_place(const ir::Instruction& instruction,
                                                   ir::Slot slot);

/// What one of the words of a named local is called, behind its label: ".x"; empty: the whole.
[[nodiscard]] std::string part_of_local(const ir::System& system, ir::TextId name,
                                        std::size_t word);

/// Adds what a micro-transition stored in named locals of a thread, in order; a local that is
/// stored again keeps its place. A value of which a word is missing, because it violates its range,
/// is left out.
void add_local_changes(const TextContext& context, const ir::Code& code,
                       std::span<const ir::LocalChange> locals, std::vector<NamedValue>& changes);

}  // namespace cml::checker
