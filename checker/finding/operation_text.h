// Operations, choices and threads as people read them: "fork[1].acquire()", "meals = 3", "wakes
// Consumer[1]".
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "frontend/source.h"
#include "ir/exec/state_layout.h"
#include "ir/exec/step.h"

namespace cml::checker {

struct TextContext {
  const ir::System& system;
  const ir::Layout& layout;
  const SourceSet& sources;
};

/// The pending operation of a thread, with the values that its operands have in this state.
[[nodiscard]] std::string operation_text(const TextContext& context, const std::uint8_t* state,
                                         ir::ThreadId thread);
/// What a choice means there; empty where there is nothing to choose.
[[nodiscard]] std::string choice_text(const TextContext& context, const std::uint8_t* state,
                                      ir::Action action);
/// The object of a thread's pending operation: invalid for blocks and choices.
[[nodiscard]] ir::ObjectId operation_object(const TextContext& context, const std::uint8_t* state,
                                            ir::ThreadId thread);
/// "`a`, `b` and `c`", without the quotes.
[[nodiscard]] std::string join(const std::vector<std::string>& items);

}  // namespace cml::checker
