// How values of several words are written for people: "(Grant, (3, true))", "[1, 2]".
//
// Each type has a pattern. `#` stands for a word, in order; a field of a struct is preceded by its
// name, which is not shown, but names a part of the value:
//
//     struct Msg { kind: Kind; at: Pos; }    "(kind: #, at: (x: #, ok: #))"
//     int[2]                                 "[#, #]"
//     int                                    "#"
//
// Patterns are made by the lowering. One that does not fit its value shows a part of it only, and
// is no error.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>

namespace cml::ir {

/// How many words it stands for.
[[nodiscard]] std::size_t words_of_pattern(std::string_view pattern);

/// The value, with these words in the place of `#`.
[[nodiscard]] std::string fill_pattern(std::string_view pattern,
                                       std::span<const std::string> words);

/// A part of a value: ".at.x" is a word, ".at" is a struct, "" is the whole.
struct ValuePart {
  std::string path;
  std::string_view pattern;
};
/// The largest part that consists of these words; where no field or element is just that, the part
/// has no path, and its pattern is empty.
[[nodiscard]] ValuePart part_of_pattern(std::string_view pattern, std::size_t first,
                                        std::size_t count);

}  // namespace cml::ir
