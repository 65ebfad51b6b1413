// The objects of the heap that a violation concerns, as they are in its end: their fields, and the
// paths that lead to them.
#pragma once

#include <cstdint>
#include <vector>

#include "checker/finding/text_context.h"
#include "checker/result.h"

namespace cml::checker {

/// The object that a field or a monitor belongs to, added to `objects` unless it is there.
void add_owner(const ir::System& system, ir::ObjectId id, std::vector<HeapPlace>& objects);
/// The objects that the locals of a thread refer to.
void add_referred(const TextContext& context, const std::uint8_t* state, ir::ThreadId thread,
                  std::vector<HeapPlace>& objects);

/// Of these, and of a few that they refer to.
[[nodiscard]] std::vector<HeapObject> heap_objects(const TextContext& context,
                                                   const std::uint8_t* state,
                                                   std::vector<HeapPlace> concerned);

}  // namespace cml::checker
