// What a piece of a model names, by its place in the text: enough for the static questions of the
// brute force, and far from how the IR answers them.
#pragma once

#include <set>

#include "frontend/model.h"
#include "tests/brute/world.h"

namespace cml::brute {

/// Declarations that the piece names; if it calls a function, those that any function names, too.
[[nodiscard]] std::set<std::uint32_t> objects_named(const model::Model& model, SourceRange piece);

/// Variables that the piece reads: elements where the index is a literal, else whole declarations.
struct Variables {
  std::set<std::uint32_t> whole;
  std::set<std::pair<std::uint32_t, std::uint32_t>> elements;  // declaration, offset

  [[nodiscard]] bool contains(const Leaf& leaf) const {
    return whole.contains(leaf.object) || elements.contains({leaf.object, leaf.offset});
  }
};
void add_variables_named(const model::Model& model, SourceRange piece, Variables& out);

}  // namespace cml::brute
