// Operations as people read them: "fork[1].acquire()", "meals = 3", "select: c.recv()".
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "checker/finding/text_context.h"
#include "ir/exec/step.h"

namespace cml::checker {

/// The pending operation of a thread, with the values that its operands have in this state.
[[nodiscard]] std::string operation_text(const TextContext& context, const std::uint8_t* state,
                                         ir::ThreadId thread);
/// What is executed of it: of a `select` the case, of an `either` the branch.
[[nodiscard]] std::string action_text(const TextContext& context, const std::uint8_t* state,
                                      ir::Action action);
/// The object of a thread's pending operation: invalid for blocks and choices.
[[nodiscard]] ir::ObjectId operation_object(const TextContext& context, const std::uint8_t* state,
                                            ir::ThreadId thread);
/// Of a thread that waits to be notified: `m.wait() until …`.
[[nodiscard]] std::string waiting_text(const TextContext& context, const std::uint8_t* state,
                                       ir::ThreadId thread);
/// The condition of `m.wait() until …` with the word before it; empty if there is none.
[[nodiscard]] std::string until_text(const TextContext& context, const SourceRange& statement);
/// "`a`, `b` and `c`", without the quotes.
[[nodiscard]] std::string join(const std::vector<std::string>& items);

}  // namespace cml::checker
