// Expressions over the locals of a frame (docs/reference.md, "Expressions"): 32-bit arithmetic in
// which overflow, division by zero and an index outside its array are faults, never a silent wrap.
#pragma once

#include <cstdint>
#include <optional>

#include "ir/system.h"

namespace cml::ir {

/// What can go wrong when a thread runs; the names are those of docs/reference.md, "Violations".
enum class FaultKind : std::uint8_t {
  Assertion,
  IllegalMonitor,
  Range,
  Overflow,
  DivisionByZero,
  Index,
  Null,
  SemaphoreMax,
  ClosedChannel,
  StackOverflow,
  Unshared,
  Linearizability,  // does not stop the thread
  Divergence,
  InitOrder,  // does not stop the thread
  Limit,      // a limit of the tool: what follows is unknown, and the verdict inconclusive
  Internal,   // the System contradicts itself
};

/// What an Assert stops the thread with.
[[nodiscard]] FaultKind fault_kind(const Instruction& assertion);

struct EvaluationFault {
  FaultKind kind = FaultKind::Overflow;
  ExprId where;
};

/// The number in 0..last that is equal to `value` modulo last + 1.
[[nodiscard]] std::int32_t modulo(std::int64_t value, std::int32_t last);

/// The element of a set at this position, in ascending order; 0 if it has fewer.
[[nodiscard]] std::int32_t element_at(std::int32_t set, std::uint32_t position);

/// The value of `expr` in the frame `slots`; or no value, and `fault` says why.
[[nodiscard]] std::optional<std::int32_t> evaluate(const System& system, ExprId expr,
                                                   const std::int32_t* slots,
                                                   EvaluationFault& fault);

}  // namespace cml::ir
