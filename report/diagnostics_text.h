// Diagnostics for people.
//
//   philosophers.cml:11:5: error[E0301]: no such name `forkk`
//      11 |     forkk[i].acquire();
//         |     ^^^^^
//   philosophers.cml:6:6: note: `fork` is declared here
//       6 | lock fork[N];
//         |      ^^^^
//   help: did you mean `fork`?
//
//   1 error
//   `cml explain E0301` tells more
#pragma once

#include <string>

#include "frontend/diagnostic.h"
#include "frontend/source.h"
#include "report/terminal_text.h"

namespace cml::report {

/// One diagnostic with its related places and its cure.
[[nodiscard]] std::string diagnostic_text(const SourceSet& sources, const Diagnostic& diagnostic,
                                          const TextStyle& style);

/// All of them, a line that counts them, and where to read more. Empty if there is none.
[[nodiscard]] std::string diagnostics_text(const SourceSet& sources, const Diagnostics& diagnostics,
                                           const TextStyle& style);

}  // namespace cml::report
