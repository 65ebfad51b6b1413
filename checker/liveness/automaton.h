// From a temporal formula to an automaton that accepts the executions which violate it: the tableau
// of Gerth, Peled, Vardi and Wolper ("Simple on-the-fly automatic verification of linear temporal
// logic", PSTV 1995), with generalised acceptance and labels on states.
//
//   !(always (a implies eventually b)),  that is  true until (a && (false release !b))
//
//     ──▶ (0) ───a, !b──▶ (1) ◀┐       a state has literals that hold where it is entered, and the
//         ◀┘           !b └────┘       eventualities that are fulfilled or not asked for there
//
// An obligation is a set of formulas that must hold from a state on. To expand it is to say in
// which ways it can be met: by which literals now, and by which obligation from the next state on.
// So a state of the automaton is (literals, fulfilled, next obligation), and its successors depend
// on the last alone. An execution is accepted if it passes, for each `until`, again and again
// through states in which that is fulfilled or not asked for.
//
// Of two ways of meeting an obligation, one that asks for more, now and later, is left out. Cost:
// in the worst case exponential in the number of temporal operators; beyond kMostStates there is no
// automaton.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "ir/system.h"
#include "support/stop_token.h"

namespace cml::checker {

/// A set of small numbers.
using AtomSet = std::vector<std::uint64_t>;
[[nodiscard]] inline bool has_atom(const AtomSet& set, std::size_t bit) {
  return bit / 64 < set.size() && (set[bit / 64] >> (bit % 64) & 1) != 0;
}
inline void add_atom(AtomSet& set, std::size_t bit) {
  if (set.size() <= bit / 64) set.resize(bit / 64 + 1);
  set[bit / 64] |= std::uint64_t{1} << (bit % 64);
}

struct Automaton {
  static constexpr std::size_t kMostStates = 4096;
  static constexpr std::size_t kMostConditions = 64;  // acceptance conditions

  struct State {
    AtomSet holds;                 // atoms that hold where it is entered
    AtomSet fails;                 // and that do not
    std::uint64_t accepts = 0;     // of the acceptance conditions, a bit each
    std::uint32_t successors = 0;  // of `sets`
  };
  std::vector<State> states;
  std::vector<std::vector<std::uint32_t>> sets;  // of states
  std::uint32_t initial = 0;                     // of `sets`
  std::uint32_t conditions = 0;                  // how many: all must be met again and again

  [[nodiscard]] std::uint64_t all() const {
    return conditions == 64 ? UINT64_MAX : (std::uint64_t{1} << conditions) - 1;
  }
};

/// The automaton of the negation of a formula. Its atoms are numbered in the order of the parts
/// that are conditions, `ended` or `at`. Nothing: the formula is too large. The token is polled.
[[nodiscard]] std::optional<Automaton> automaton_of_negation(const std::vector<ir::Formula>& parts,
                                                             const StopToken& stop = {});

/// Whether the part is one of the atoms.
[[nodiscard]] constexpr bool is_atom(FormulaKind kind) {
  return kind == FormulaKind::Condition || kind == FormulaKind::Ended || kind == FormulaKind::At;
}

}  // namespace cml::checker
