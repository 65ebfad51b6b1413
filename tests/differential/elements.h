// Which elements of an array share an entry of the table of the lock discipline depends on how it
// was established: so tables are compared element by element.
#pragma once

#include <string>
#include <vector>

namespace cml::differential {

/// "x[0..1]" is x[0] and x[1].
[[nodiscard]] std::vector<std::string> elements(const std::string& object);

}  // namespace cml::differential
