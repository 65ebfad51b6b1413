// Model to System: specialises the model to its thread instances (docs/reference.md,
// "Transitions"). The one entrance to `ir/lower/`.
#pragma once

#include <cstdint>

#include "frontend/model.h"
#include "ir/system.h"
#include "ir/unsupported.h"
#include "support/expected.h"

namespace cml::ir {

struct LowerOptions {
  /// How many spawned threads may be alive, or referred to, at one time.
  std::uint32_t max_threads = 64;
  /// How many of them may take each other's places, and how often there is room for so many where
  /// nothing else is left.
  std::uint32_t thread_share = 8;
  std::uint32_t common_pools = 8;
  /// For how many objects of each class, where it is not known how many are allocated.
  std::uint32_t max_heap = 64;
  /// How many calls of functions that call themselves a thread may be in, and for how many there is
  /// room: more than that is a limit where it is less.
  std::uint32_t max_stack = 500;
  std::uint32_t stack_room = 500;
};

[[nodiscard]] Expected<System, Unsupported> lower(const model::Model& model,
                                                  const SourceSet& sources,
                                                  const LowerOptions& options = {});

}  // namespace cml::ir
