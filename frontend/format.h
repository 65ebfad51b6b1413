// The formatter behind `cml fmt`: one canonical layout for every model.
//
// The layout depends on the tokens and the comments alone, except that three decisions of the
// writer are kept: a block (or the statements of a `case`) that was written on one line stays there
// while it fits, blank lines between things stay (at most one), and comments stay where they are,
// on a line of their own or at the end of one. Lines are at most 100 columns wide where that is
// possible, two spaces are a level, four continue a line. The rules are in docs/formatting.md.
//
// Formatting neither adds, drops nor reorders a token or a comment, and formatting twice is
// formatting once. Left out on purpose: configuration, sorting, adding or removing parentheses,
// rewrapping comments. Cost: linear in the length of the text, besides parsing it.
#pragma once

#include <cstdint>
#include <string>

#include "frontend/diagnostic.h"
#include "frontend/source.h"
#include "support/expected.h"

namespace cml {

enum class FormatError : std::uint8_t {
  Syntax,    // the file does not parse: the diagnostics say why
  Internal,  // the result would differ in more than layout: a bug; the file is left as it is
};

/// The text of `file` in canonical layout: LF line ends, a final newline, no byte order mark.
[[nodiscard]] Expected<std::string, FormatError> format(const SourceSet& sources, FileId file,
                                                        Diagnostics& diagnostics);

}  // namespace cml
