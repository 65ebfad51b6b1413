// Text for a terminal: what it is safe to print there, how wide it is, and in which colours.
//
// Whatever comes from a model (source lines, names, file names) is untrusted bytes: `printable`
// replaces what is not UTF-8, control characters and bidirectional overrides, so that a model
// cannot steer the terminal or show code other than it is. Widths are columns as utf8proc counts
// them: 2 for East Asian wide characters, 0 for combining ones; joined emoji are counted apart, as
// most terminals do.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace cml::report {

enum class Paint : std::uint8_t { Plain, Strong, Error, Warning, Note, Help, Faint, Code };

/// Wraps text in colour codes, or leaves it alone.
class Colours {
 public:
  constexpr Colours() = default;
  constexpr explicit Colours(bool on) : on_(on) {}

  [[nodiscard]] constexpr bool on() const { return on_; }
  [[nodiscard]] std::string operator()(Paint paint, std::string_view text) const;

 private:
  bool on_ = false;
};

/// How a report is laid out.
struct TextStyle {
  Colours colours = {};
  int width = 100;  // columns
  /// Rows of tables are broken so that they fit: on a terminal. In files and pipes a row is a line.
  bool fits_tables = false;
  /// Violations that differ in indices alone are told each; else one of them, with a count.
  bool lists_alike = false;
};

/// One printable character at the beginning of a text.
struct Glyph {
  std::string_view text;    // what to print; U+FFFD for what must not be printed
  std::uint32_t bytes = 0;  // how many bytes of the input it stands for
  int width = 0;            // columns; a tab has width 0 here, its `text` is "\t"
};
[[nodiscard]] Glyph first_glyph(std::string_view text);

/// The text with everything replaced that must not be printed. Line breaks and tabs stay.
[[nodiscard]] std::string printable(std::string_view text);

/// Columns of a text without line breaks and tabs.
[[nodiscard]] int display_width(std::string_view text);

/// With spaces behind it, so that it has so many columns at least.
[[nodiscard]] std::string padded(std::string text, int width);

/// The beginning of a text, with an ellipsis if it is longer than the columns there are.
[[nodiscard]] std::string cut(std::string_view text, int width);

/// Breaks paragraphs of words at `width` columns; each line but the first starts with `indent`
/// spaces. Words that are too long stay whole.
[[nodiscard]] std::string wrapped(std::string_view text, int width, int indent = 0,
                                  int first_column = 0);

}  // namespace cml::report
