// The words of a file with their kinds, for colours and completion in editors: also of text that
// does not parse. The one entrance to the lexer besides frontend/parse.h.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "frontend/source.h"

namespace cml {

enum class WordKind : std::uint8_t {
  Keyword,
  Name,
  Number,
  String,
  Comment,
  Operator,
  Bracket,
};

struct Word {
  SourceRange where;
  WordKind kind;
};

/// In the order of the text. Words that are keywords in some places only (`by`, `until`) are
/// keywords unless they stand where a name is expected: whoever knows the names knows better.
[[nodiscard]] std::vector<Word> words_of(const SourceSet& sources, FileId file);

/// All words that are never names.
[[nodiscard]] const std::vector<std::string>& keywords();

/// Whether it can be a name anywhere.
[[nodiscard]] bool is_identifier(std::string_view word);

}  // namespace cml
