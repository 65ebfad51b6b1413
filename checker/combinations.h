// Which combinations of options there are: sound, incomplete by design, or refused with the reason
// (checker.md §2). One list, for the command line, the documentation and the differential test.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "checker/options.h"

namespace cml::checker {

/// Why these options cannot be combined, and what to do; nothing if they can.
struct Refusal {
  std::string reason;
  std::string help;
};
[[nodiscard]] std::optional<Refusal> refused(const Options& options);

/// "stubborn+sleep", "none".
[[nodiscard]] std::string name(const ReductionOptions& reduction);
[[nodiscard]] std::string_view name(Composition composition);
[[nodiscard]] std::string_view name(Undo undo);

}  // namespace cml::checker
