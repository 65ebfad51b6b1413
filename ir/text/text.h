// The textual form of a System: printed by `cml ir`, written by hand in tests, parsed back.
//
//   system "philosophers"
//   group "fork" [2]
//     o0 lock "fork[0]"
//     o1 lock "fork[1]"
//   thread "Philosopher[0]"
//     s0: int(0..100)
//     0 L4: acquire o0                       ; fork[0]
//     1 L5: read s0 = o2                     ; meals
//     2: set s0 = (s0 + 1) in 0..100
//
// Every line is one item; what follows `;` is a comment. Objects, slots, threads, points and enums
// are called o, s, t, p and e with their number, instructions by their number. Source ranges stand
// behind what they belong to if they are asked for: `from file:begin-end`, in expressions
// `@file:begin-end`, in bytes; or, for people, in lines and columns: `from 3:5-3:20`.
//
// What is declared to commute is left out: it is verified before anything runs.
//
// print(parse(print(s))) == print(s), without ranges and with ranges in bytes.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "frontend/source.h"
#include "ir/system.h"
#include "support/expected.h"

namespace cml::ir {

struct PrintOptions {
  bool ranges = false;
  bool comments = true;                // what an object is called in the model
  const SourceSet* sources = nullptr;  // then ranges are lines and columns
};

[[nodiscard]] std::string print(const System& system, const PrintOptions& options = {});
/// An expression over slots, as in the text form.
[[nodiscard]] std::string print(const System& system, ExprId expr);

struct TextError {
  std::uint32_t line = 0;
  std::string message;
};

/// Reads the textual form. The result is well formed: every number refers to something.
[[nodiscard]] Expected<System, TextError> parse_system(std::string_view text);

}  // namespace cml::ir
