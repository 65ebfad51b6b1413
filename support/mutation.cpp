#include "support/mutation.h"

#ifdef CML_MUTATIONS

#include <cstdlib>
#include <string_view>

namespace cml {

bool is_chosen_mutation(const char* name) {
  const char* const chosen = std::getenv("CML_MUTATION");  // NOLINT(concurrency-mt-unsafe)
  return chosen != nullptr && std::string_view(chosen) == name;
}

}  // namespace cml

#endif
