// Verifies what atomic classes declare to commute, before the search: `commutes a(…), b(…) when
// e;`.
//
// For all values that the object can have (object_calls.h) and all arguments for which the
// condition holds, a and then b must come to the same as b and then a: the same results, the same
// failures and the same values afterwards, in the same ways where a method chooses. Where one of
// the two would be blocked at once, nothing is promised; where both could go first, neither may
// block the other.
//
// Reductions use what is proved, without a condition and for everything that an object can have
// (checker/reduction/method_calls.h), where both orders also reach the same statements and `cover`
// labels: else an order that is left out could be the only one that reaches one. Before the search,
// since it would be circular inside it: a declaration that is false can hide the state that shows
// it.
#pragma once

#include <cstdint>
#include <vector>

#include "checker/proved_commutes.h"
#include "checker/result.h"
#include "ir/system.h"
#include "support/stop_token.h"

namespace cml::checker {

/// How many combinations of values and arguments are tried for a declaration.
inline constexpr std::uint64_t kMostCombinations = 200'000;

struct CommutesFindings {
  std::vector<Violation> violations;
  std::vector<Warning> warnings;       // declarations that are tested, not proved
  std::vector<ProvedCommutes> proved;  // without a condition
  bool lacks_stack = false;            // more room could prove more
};

/// `all`: of each declaration; else the first that is false.
[[nodiscard]] CommutesFindings verify_commutes(const ir::System& system, bool all,
                                               const StopToken& stop);

}  // namespace cml::checker
