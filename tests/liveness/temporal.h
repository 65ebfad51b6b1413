// Whether a property holds in all fair executions of a graph, by the definitions.
//
// Each node is taken once for every way in which the temporal parts of the formula may be true or
// false there (Lichtenstein and Pnueli, "Checking that finite state concurrent programs satisfy
// their linear specification", POPL 1985). Edges join what is consistent from one state to the
// next. An execution of the formula is a path that does not put off for ever what it promises. A
// component is what can be reached from each other; whether some fair execution stays in it for
// ever is asked for each set of threads that take steps in it again and again.
//
// Small graphs, few threads, few temporal operators.
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "frontend/model.h"

namespace cml::brute {

struct Executions {
  struct Edge {
    std::size_t from = 0, to = 0;
    int thread = -1;  // -1: nobody moves any more
  };
  std::vector<Edge> edges;
  std::vector<std::vector<bool>> enabled;  // by node, by thread
  std::size_t threads = 0;
};

/// By node and part of the formula: whether it holds; of conditions, `ended` and `at`.
using AtomValues = std::vector<std::vector<bool>>;

/// Nothing: too large. Node 0 is the initial one.
[[nodiscard]] std::optional<bool> holds(const Executions& graph, const model::Property& property,
                                        const AtomValues& atoms, Fairness fairness);
/// Whether each of these threads ends again and again in every fair execution.
[[nodiscard]] bool all_end(const Executions& graph, const std::vector<std::vector<bool>>& ended,
                           const std::vector<bool>& counts, Fairness fairness);

}  // namespace cml::brute
