// "Did you mean": the known name that a mistyped one most probably stands for.
//
// The distance is Damerau-Levenshtein's in its restricted form (optimal string alignment):
// insertions, deletions, substitutions and swaps of neighbours cost one each. A name is close
// enough when at most a third of its letters are wrong (at least one may be), and never when
// nothing of it would remain. A name that differs in upper and lower case only is as good as any.
// Bytes are compared, not characters. Cost: the product of the lengths, with names above 256 bytes
// left alone.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace cml {

[[nodiscard]] std::size_t edit_distance(std::string_view left, std::string_view right);

// Collects candidates from wherever they live, scope by scope; of equally close ones the first
// stays, so inner scopes should come first.
class Suggestion {
 public:
  explicit Suggestion(std::string_view wrong) : wrong_(wrong) {}

  void consider(std::string_view candidate);
  [[nodiscard]] const std::optional<std::string>& best() const { return best_; }

 private:
  std::string wrong_;
  std::optional<std::string> best_;
  std::size_t best_distance_ = 0;
};

[[nodiscard]] std::optional<std::string> suggest(std::string_view wrong,
                                                 std::span<const std::string_view> candidates);

}  // namespace cml
