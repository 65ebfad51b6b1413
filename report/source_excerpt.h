// A place in a source text as people see it: the line, its number, and carets under the place.
//
//      13 |     forkk[i].acquire();
//         |     ^^^^^
//
// A range of several lines shows its first and its last line. Lines longer than the terminal are
// cut around the place. Tabs become spaces, so that carets stand right whatever the terminal's tab
// stops. Cost: linear in what is shown, not in the length of the line.
#pragma once

#include <string>

#include "frontend/source.h"
#include "report/terminal_text.h"

namespace cml::report {

/// Lines that end in '\n'. `paint` colours the carets.
[[nodiscard]] std::string source_excerpt(const SourceSet& sources, SourceRange where, Paint paint,
                                         const TextStyle& style);

/// "file:line:column", printable.
[[nodiscard]] std::string place_text(const SourceSet& sources, SourceRange where);

/// The line; of other files than the model's, which was read first, behind their names: "17",
/// "barrier:17".
[[nodiscard]] std::string short_place(const SourceSet& sources, SourceRange where);

}  // namespace cml::report
