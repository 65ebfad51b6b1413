// Diagnostics for people: message, excerpt, related places, cure; then a summary.
#include "report/diagnostics_text.h"

#include <algorithm>
#include <fmt/core.h>
#include <string_view>

#include "report/counted.h"
#include "report/source_excerpt.h"

namespace cml::report {
namespace {

// "2 errors, 1 warning"; errors that were not kept are counted and said to be hidden.
std::string summary(const Diagnostics& diagnostics) {
  const auto shown_warnings = static_cast<std::size_t>(
      std::ranges::count_if(diagnostics.all(), [](const Diagnostic& diagnostic) {
        return info(diagnostic.code).severity == Severity::Warning;
      }));
  const std::size_t shown_errors = diagnostics.all().size() - shown_warnings;
  const std::size_t errors = shown_errors + diagnostics.suppressed();
  std::string text;
  if (errors > 0) text = counted(errors, "error");
  if (diagnostics.suppressed() > 0) {
    text += fmt::format(" (the first {} are shown)", shown_errors);
  }
  if (shown_warnings > 0) {
    text += (text.empty() ? "" : ", ") + counted(shown_warnings, "warning");
  }
  return text;
}

// The code whose page is recommended: the first error's, else the first warning's.
const Diagnostic& first_to_explain(const Diagnostics& diagnostics) {
  const auto error = std::ranges::find_if(diagnostics.all(), [](const Diagnostic& diagnostic) {
    return info(diagnostic.code).severity == Severity::Error;
  });
  return error != diagnostics.all().end() ? *error : diagnostics.all().front();
}

}  // namespace

std::string diagnostic_text(const SourceSet& sources, const Diagnostic& diagnostic,
                            const TextStyle& style) {
  const Colours& colours = style.colours;
  const bool is_error = info(diagnostic.code).severity == Severity::Error;
  const Paint paint = is_error ? Paint::Error : Paint::Warning;

  std::string text = colours(Paint::Strong, place_text(sources, diagnostic.where) + ":") + " ";
  text += colours(
      paint, fmt::format("{}[{}]:", is_error ? "error" : "warning", code_text(diagnostic.code)));
  text += " " + colours(Paint::Strong, printable(diagnostic.message)) + "\n";
  text += source_excerpt(sources, diagnostic.where, paint, style);
  for (const Related& related : diagnostic.related) {
    text += colours(Paint::Strong, place_text(sources, related.where) + ":") + " ";
    text += colours(Paint::Note, "note:") + " " + printable(related.message) + "\n";
    text += source_excerpt(sources, related.where, Paint::Note, style);
  }
  if (!diagnostic.hint.empty()) {
    text += colours(Paint::Help, "help:") + " " + printable(diagnostic.hint) + "\n";
  }
  return text;
}

std::string diagnostics_text(const SourceSet& sources, const Diagnostics& diagnostics,
                             const TextStyle& style) {
  if (diagnostics.all().empty()) return {};
  std::string text;
  for (const Diagnostic& diagnostic : diagnostics.all()) {
    text += diagnostic_text(sources, diagnostic, style) + "\n";
  }
  text += style.colours(Paint::Strong, summary(diagnostics)) + "\n";
  text +=
      fmt::format("`cml explain {}` tells more\n", code_text(first_to_explain(diagnostics).code));
  return text;
}

}  // namespace cml::report
