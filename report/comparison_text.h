// Several searches of one model side by side, for people: a table with a line for each, then why
// some are incomplete or refused, and which two contradict each other, if any.
#pragma once

#include <span>
#include <string>

#include "checker/comparison.h"
#include "report/terminal_text.h"

namespace cml::report {

/// `model` is the path as the user gave it.
[[nodiscard]] std::string comparison_text(const std::string& model,
                                          std::span<const checker::Compared> all,
                                          const TextStyle& style);

/// "`access none` says verified, `sync stubborn` says violated"
[[nodiscard]] std::string disagreement_text(const checker::Compared& one,
                                            const checker::Compared& other);

/// Why it is incomplete or refused; empty if it is sound.
[[nodiscard]] std::string standing_text(const checker::Compared& one);

}  // namespace cml::report
