// Several searches of one model, each with its own options: what each has found out, and whether
// they agree. Reductions, stores and engines change how much is explored and not what is found; so
// two complete searches that ask for the same and answer otherwise show a mistake of the checker.
//
//   refused      the options cannot be combined (combinations.def): nothing was searched
//   incomplete   the search ended at a limit, or relied on a lock discipline that the model breaks
//   sound        neither: what it says is so
//
// What asks for something else is not compared: another form of the lock discipline, spurious
// wakeups, another limit of the stack. Nor is what one of two searches does not look for: threads
// that are lost in the graph of all states, which a search without a store does not have.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "checker/combinations.h"
#include "checker/options.h"
#include "checker/result.h"

namespace cml::checker {

enum class Standing : std::uint8_t { Sound, Incomplete, Refused };

/// "sound"
[[nodiscard]] std::string_view name(Standing standing);

struct Compared {
  std::string words;  // as on the command line: "--granularity access --reduction none"
  Options options;
  const Refusal* refusal = nullptr;  // not null: there is no result
  Result result;

  [[nodiscard]] Standing standing() const;
};

/// "access none", "sync stubborn+sleep stateless": the options that make the difference.
[[nodiscard]] std::string short_name(const Options& options);

/// Two of them that cannot both be right.
[[nodiscard]] std::optional<std::pair<std::size_t, std::size_t>> disagreement(
    std::span<const Compared> all);

}  // namespace cml::checker
