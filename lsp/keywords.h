// Which keywords can stand at a cursor: that follows from the words before it, whether the text
// parses or not.
#pragma once

#include <cstddef>
#include <string_view>
#include <vector>

#include "frontend/source.h"

namespace cml::lsp {

/// Where a cursor stands among the words before it.
struct Context {
  std::string_view before;     // the word before the cursor,
  std::string_view second;     // the one before that,
  std::string_view third;      // and so on
  std::string_view head;       // the first word of the unfinished statement or declaration
  std::string_view enclosing;  // the same, of what the innermost open brace belongs to
  std::string_view closed;     // the same, of what has just been closed by the brace before
  std::size_t depth = 0;       // open braces
  bool is_in_text = false;     // of a comment or a string

  /// A new name stands here, which nothing can be offered for.
  [[nodiscard]] bool declares() const;
};

/// At an offset in a file.
[[nodiscard]] Context context_at(const SourceSet& sources, FileId file, std::size_t offset);

/// Where a type is asked for, there are others.
[[nodiscard]] std::vector<std::string_view> keywords_at(const Context& context, bool asks_for_type);

}  // namespace cml::lsp
