// The distance between names and the choice among them (see suggest.h). Three rows of the usual
// table are enough, as a swap looks back two rows only.
#include "support/suggest.h"

#include <algorithm>
#include <numeric>
#include <utility>
#include <vector>

namespace cml {

namespace {

constexpr std::size_t kLongestName = 256;

char lower(char letter) {
  return letter >= 'A' && letter <= 'Z' ? static_cast<char>(letter - 'A' + 'a') : letter;
}

bool same_letters(std::string_view left, std::string_view right) {
  return std::ranges::equal(left, right, {}, lower, lower);
}

}  // namespace

std::size_t edit_distance(std::string_view left, std::string_view right) {
  const std::size_t width = right.size() + 1;
  std::vector<std::size_t> two_up(width);
  std::vector<std::size_t> up(width);
  std::vector<std::size_t> row(width);
  std::iota(up.begin(), up.end(), std::size_t{0});

  for (std::size_t i = 1; i <= left.size(); ++i) {
    row[0] = i;
    for (std::size_t j = 1; j < width; ++j) {
      const std::size_t substitution = up[j - 1] + (left[i - 1] == right[j - 1] ? 0 : 1);
      row[j] = std::min({up[j] + 1, row[j - 1] + 1, substitution});
      const bool swapped =
          i > 1 && j > 1 && left[i - 1] == right[j - 2] && left[i - 2] == right[j - 1];
      if (swapped) row[j] = std::min(row[j], two_up[j - 2] + 1);
    }
    std::swap(two_up, up);
    std::swap(up, row);
  }
  return up[right.size()];
}

void Suggestion::consider(std::string_view candidate) {
  if (candidate == wrong_ || candidate.empty() || candidate.size() > kLongestName ||
      wrong_.size() > kLongestName) {
    return;
  }
  const std::size_t longer = std::max(wrong_.size(), candidate.size());
  const std::size_t shorter = std::min(wrong_.size(), candidate.size());
  const std::size_t allowed = std::max<std::size_t>(longer / 3, 1);
  if (longer - shorter > allowed) return;

  std::size_t distance = 0;
  if (!same_letters(wrong_, candidate)) {
    distance = edit_distance(wrong_, candidate);
    if (distance > allowed || distance >= longer) return;
  }
  if (best_ && best_distance_ <= distance) return;
  best_ = std::string(candidate);
  best_distance_ = distance;
}

std::optional<std::string> suggest(std::string_view wrong,
                                   std::span<const std::string_view> candidates) {
  Suggestion suggestion(wrong);
  for (const std::string_view candidate : candidates)
    suggestion.consider(candidate);
  return suggestion.best();
}

}  // namespace cml
