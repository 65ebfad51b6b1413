// Mutants of models that are mostly models again: what is changed are words, statements and
// declarations, not bytes. Mutants of bytes hardly get beyond the parser.
//
//   lock m; thread A { m.acquire(); m.release(); }   finally { skip; }
//   └item─┘ └item: thread A { └statement─┘ └────┘ }   └item──────────┘
//
// The text is cut into items and statements by its brackets and semicolons alone, so it may be
// wrong in itself. Deterministic: the same numbers make the same mutant on every machine.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace cml::fuzz {

/// One to three changes of `text`; `other` is a second model to take statements and items from (may
/// be empty).
[[nodiscard]] std::string mutant(const std::string& text, std::string_view other,
                                 std::uint64_t seed);

}  // namespace cml::fuzz
