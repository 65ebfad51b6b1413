// A thread's frame in a state, and what its pending operation uses and stores, evaluated there.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "checker/finding/text_context.h"
#include "ir/exec/step.h"

namespace cml::checker {

/// The operation at which a thread stands that has not ended.
[[nodiscard]] const ir::Instruction& pending(const TextContext& context, const std::uint8_t* state,
                                             ir::ThreadId thread);

class Operands {
 public:
  Operands(const TextContext& context, const std::uint8_t* state, ir::ThreadId thread);
  Operands(const TextContext& context, std::vector<std::int32_t> frame)
      : context_(context), slots_(std::move(frame)) {}

  [[nodiscard]] std::int32_t value(ir::ExprId expr) const;
  [[nodiscard]] ir::ObjectId object(const ir::Place& place) const;
  [[nodiscard]] std::string name(const ir::Place& place) const {
    return context_.name(object(place));
  }
  /// Some words of an object: "best", "best.at", "best.at.x".
  [[nodiscard]] std::string part(const ir::Place& place, std::uint32_t word,
                                 std::size_t count) const;
  /// Values for the words of an object, from `word` on: "3" or "(1, red)".
  [[nodiscard]] std::string values(const ir::Place& place, std::uint32_t word,
                                   const std::vector<ir::ExprId>& exprs) const;
  /// The local that an operation stores into; empty if it is a temporary.
  [[nodiscard]] std::string local(const std::vector<ir::LocalPlace>& targets) const;

 private:
  const TextContext& context_;
  std::vector<std::int32_t> slots_;
};

}  // namespace cml::checker
