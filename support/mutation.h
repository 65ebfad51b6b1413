// Mistakes on purpose, to see whether the tests notice (docs/testing.md).
//
//   if (CML_MUTATION("stop-does-not-expand-fully") || …)      the condition with a mistake
//   return CML_MUTATED("two-downs-always-commute", value < 2, false);   right, and with a mistake
//
// In all builds that people run the mistakes are not there: a point is the constant `false`. In the
// build `mutations` (CMakePresets.json) the environment chooses one: CML_MUTATION=<name>. Each name
// stands in tests/mutations/results.md, with what notices it.
#pragma once

#include "support/mutation_build.h"

#ifdef CML_MUTATIONS

namespace cml {

/// Whether the environment chooses this mistake.
[[nodiscard]] bool is_chosen_mutation(const char* name);

}  // namespace cml

#define CML_MUTATION(name)                                             \
  ([] {                                                                \
    static const bool cml_is_chosen = ::cml::is_chosen_mutation(name); \
    return cml_is_chosen;                                              \
  }())

#else

namespace cml {

inline constexpr bool kIsMutated = false;

}  // namespace cml

#define CML_MUTATION(name) ::cml::kIsMutated

#endif

#define CML_MUTATED(name, right, mistake) (CML_MUTATION(name) ? (mistake) : (right))
