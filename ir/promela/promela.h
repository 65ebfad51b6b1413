// A System as Promela, the language of SPIN (Holzmann, "The SPIN Model Checker", 2003): a second
// opinion on deadlocks and violations from a checker that shares no line with this one.
//
// The text has the model's names and one process for each thread. What is one micro-transition
// here is one there: a `d_step`, or an `atomic` where it makes a choice.
//
//   active proctype Philosopher_0() {
//     byte at = 4;                                     the locations of `cml ir`
//     do
//     :: d_step { at == 4 && available(fork[0]) ->     one operation and
//          acquire(fork[0]);                           the local steps behind it
//          at = 5;
//        }
//     …
//
// A location is a value of `at` and not a Promela label, because SPIN does not end an atomic
// sequence at a jump into another one: between two labels no other process could go. A state of
// the one graph is a state of the other, so even their number is the same; `states_agree` says
// where it is not.
//
// A violation (`range_at_12_5`) is a variable that is always 0: asserting it makes SPIN print its
// name. A stopped thread loops at its location for ever, and so does a process that watches for the
// end of all threads: so SPIN reports every other state without successors as an "invalid end
// state", and those are the deadlocks.
//
// Left out, since it changes no transition: the lock discipline, guards and initialisation windows,
// partial deadlocks, divergence, cover labels. What would be exported wrongly is refused.
#pragma once

#include <string>
#include <string_view>

#include "frontend/source.h"
#include "ir/expression_value.h"
#include "ir/system.h"
#include "ir/unsupported.h"
#include "support/expected.h"

namespace cml::ir {

struct Promela {
  std::string text;
  bool states_agree = true;  // SPIN without reductions stores as many states as `cml check` counts
};

/// `command` is what made the text, `file` what it will be called; both for the comment at its top.
[[nodiscard]] Expected<Promela, Unsupported> to_promela(const System& system,
                                                        const SourceSet& sources,
                                                        std::string_view command,
                                                        std::string_view file);

/// "range_at_12_5": what SPIN calls a violation at this place of the main file.
[[nodiscard]] std::string promela_name(std::string_view kind, SourceRange range,
                                       const SourceSet& sources);
/// "range", "illegal_monitor": as in docs/reference.md, "Violations", but a word.
[[nodiscard]] std::string_view promela_word(FaultKind kind);

}  // namespace cml::ir
