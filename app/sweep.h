// `-D N=2..5`: a constant with several values, each of them a check of its own.
//
//   -D N=2..5     2, 3, 4 and 5          -D N=2,4,8    these
//   -D N=2..<5    2, 3 and 4             -D N=3 -D M=false,true    both ways to choose
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "app/arguments.h"

namespace cml::app {

/// One way to choose the values.
struct Chosen {
  std::vector<std::string> definitions;  // all of them: NAME=value
  std::string varied;                    // those that others choose otherwise: "N=2 M=false"
};

/// All ways, in the order in which the values are named; the last constant varies fastest. One, if
/// no constant has several values. A name given twice takes what comes last.
[[nodiscard]] Expected<std::vector<Chosen>, UsageError> sweep(
    const std::vector<std::string>& words);

/// Whether a word names several values, or one value as if there were more: `N=2..2`.
[[nodiscard]] bool is_sweep(std::string_view word);

}  // namespace cml::app
