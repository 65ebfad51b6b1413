// Tells the braces of a set literal, `s == {1, 3}`, from those of blocks, before the parser runs.
//
// A `{` begins a set where a value is expected: behind an operator, a comma, an opening bracket,
// `in`, `if`, `return` and the like, and behind the `:` of `c ? a : b` or within brackets. A `;` in
// it means that it was a block after all. One pass over the tokens, with a stack of open brackets.
#pragma once

#include <cstddef>
#include <vector>

#include "frontend/syntax/tokens.h"

namespace cml::syntax {

class SetBraces {
 public:
  /// What the next token is: its own type, SET_OPEN or SET_CLOSE. `before`: those in front of it.
  [[nodiscard]] std::size_t next(const std::vector<TokenPtr>& before, std::size_t type);

 private:
  struct Open {
    std::size_t type;
    std::size_t at;  // in the list
    std::size_t questions = 0;
    bool is_choice = false;  // the last `:` belongs to a `?`
  };
  [[nodiscard]] bool expects_value(const std::vector<TokenPtr>& before) const;

  std::vector<Open> open_{{0, 0}};
};

}  // namespace cml::syntax
