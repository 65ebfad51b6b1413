// What a piece of a model names, by its place in the text: enough for the static questions of the
// brute force, and far from how the IR answers them.
#pragma once

#include <cstdint>
#include <set>
#include <utility>

#include "frontend/model.h"
#include "tests/brute/world.h"

namespace cml::brute {

/// Declarations that the piece names; if it calls a function, those that any function names, too.
[[nodiscard]] std::set<std::uint32_t> objects_named(const model::Model& model, SourceRange piece);

/// Words of variables: declaration, offset.
class Variables {
 public:
  void insert(std::pair<std::uint32_t, std::uint32_t> word) { words_.insert(word); }
  [[nodiscard]] bool contains(const Leaf& leaf) const {
    return words_.contains({leaf.object, leaf.offset});
  }

 private:
  std::set<std::pair<std::uint32_t, std::uint32_t>> words_;
};
/// Those that the piece reads, and the functions that it calls; all elements where an index is
/// computed.
void add_variables_named(const model::Model& model, SourceRange piece, Variables& out);

/// What a block may do, with the functions that it calls.
struct Named {
  bool has_visible = false;  // an operation that is visible whatever the state
  bool releases = false;     // a lock
  Variables variables;       // locks, too
  Variables written;
};
[[nodiscard]] Named named_in(const model::Model& model, SourceRange block);

}  // namespace cml::brute
