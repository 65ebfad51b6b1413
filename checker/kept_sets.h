// What monitors keep in each state with objects: for some of them, sets of other objects. It is
// part of the state, so what moves objects in a state must know it (store/heap_codec.h).
//
//   behind the state   │ object a: … set │ object b: … set set │ …
//   a set              a bit for each member: a lock; what threads synchronise with; a thread
#pragma once

#include <cstddef>
#include <vector>

#include "ir/system.h"

namespace cml::checker {

struct KeptSets {
  /// What belongs to an object. Of all objects of a class the same is kept.
  struct Part {
    ir::ObjectId object;
    std::size_t begin = 0;
    std::size_t bytes = 0;
  };
  std::vector<Part> parts;
  std::vector<std::size_t> sets;      // where they begin
  std::size_t set_bytes = 0;          // of one
  std::vector<ir::ObjectId> members;  // by bit; invalid: no object, or not all of it
};

}  // namespace cml::checker
