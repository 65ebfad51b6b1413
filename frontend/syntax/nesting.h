// Bounds on depth, decided token by token before anything recurses.
//
// Counted as one level each: an open bracket of any kind, a `?` of the same expression, a prefix
// operator of the same operand, an open list of type arguments, and a header (`if x while y …`)
// that waits for its body. Operators and postfixes of one expression nest to the left in the tree
// and are counted apart. The counts are upper bounds of the true depth; a person never comes near.
#pragma once

#include <cstdint>
#include <vector>

namespace cml::syntax {

inline constexpr std::uint32_t kMaxNesting = 256;
inline constexpr std::uint32_t kMaxOperators = 1000;

class NestingMeter {
 public:
  enum class Verdict : std::uint8_t { Fine, TooDeep, TooLong };

  /// Counts the next token.
  [[nodiscard]] Verdict next(std::size_t type);

 private:
  struct Level {
    std::uint32_t base = 0;        // levels outside the innermost bracket
    std::uint32_t conditions = 0;  // `?` so far in this expression
    std::uint32_t angles = 0;      // type argument lists that are open
    std::uint32_t headers = 0;     // statement headers without their bodies yet
    std::uint32_t operators = 0;   // in this expression, with those around the bracket
    std::uint32_t outer_operators = 0;
  };
  [[nodiscard]] std::uint32_t depth() const {
    return level_.base + level_.conditions + level_.angles + level_.headers + prefixes_;
  }
  void end_of_statement();

  Level level_;
  std::vector<Level> open_;
  std::uint32_t prefixes_ = 0;
  std::uint32_t ended_headers_ = 0;  // of the statement before: an `else` goes on with them
  std::size_t previous_ = 0;
};

}  // namespace cml::syntax
