// A transition as monitors and reductions see it, after it was executed.
#pragma once

#include <cstdint>

#include "ir/exec/step.h"

namespace cml::checker {

/// A transition that was executed, or the beginnings of all threads.
struct Transition {
  const std::uint8_t* before;
  const ir::Record& record;
  const std::uint8_t* after;
  std::uint8_t* extra;  // what the discipline stores behind `after`; monitors update it
};

}  // namespace cml::checker
