// The little Markdown that the explain pages use, for a terminal.
//
// Understood: `#` headings, paragraphs, `-` lists, fenced code, `code` and **strong** within a
// line. Paragraphs are wrapped again; code stays as it is, indented.
#pragma once

#include <string>
#include <string_view>

#include "report/terminal_text.h"

namespace cml::report {

[[nodiscard]] std::string markdown_text(std::string_view markdown, const TextStyle& style);

}  // namespace cml::report
