#include "tests/differential/covering.h"

#include <numeric>
#include <random>
#include <utility>

namespace cml::differential {
namespace {

/// Every two values of two dimensions have a number.
class Pairs {
 public:
  explicit Pairs(const std::vector<unsigned>& sizes) : first_(sizes.size()) {
    std::partial_sum(sizes.begin(), sizes.end() - 1, first_.begin() + 1);
    values_ = first_.back() + sizes.back();
    is_missing_.resize(std::size_t{values_} * values_);
  }

  [[nodiscard]] unsigned missing(const Row& row) const {
    unsigned count = 0;
    each(row, [&](std::size_t pair) { count += is_missing_[pair] ? 1 : 0; });
    return count;
  }
  void demand(const Row& row) {
    each(row, [&](std::size_t pair) { is_missing_[pair] = true; });
  }
  void cover(const Row& row) {
    each(row, [&](std::size_t pair) { is_missing_[pair] = false; });
  }

 private:
  template <class F>
  void each(const Row& row, const F& visit) const {
    for (std::size_t a = 0; a < row.size(); ++a)
      for (std::size_t b = a + 1; b < row.size(); ++b)
        visit(std::size_t{first_[a] + row[a]} * values_ + first_[b] + row[b]);
  }

  std::vector<unsigned> first_;  // the number of a dimension's first value
  unsigned values_ = 0;
  std::vector<bool> is_missing_;
};

}  // namespace

std::vector<Row> allowed_rows(const std::vector<unsigned>& sizes,
                              const std::function<bool(const Row&)>& allows) {
  std::vector<Row> rows;
  Row row(sizes.size(), 0);
  for (std::size_t at = 0; at < sizes.size();) {
    if (allows(row)) rows.push_back(row);
    for (at = 0; at < sizes.size() && ++row[at] == sizes[at]; ++at)
      row[at] = 0;
  }
  return rows;
}

std::vector<Row> covering_array(const std::vector<unsigned>& sizes, const std::vector<Row>& allowed,
                                const std::function<unsigned(const Row&)>& cost,
                                std::uint64_t seed) {
  Pairs pairs(sizes);
  std::vector<const Row*> order;
  std::vector<unsigned> costs;
  for (const Row& row : allowed) {
    pairs.demand(row);
    order.push_back(&row);
  }
  std::mt19937_64 random(seed);
  for (std::size_t i = order.size(); i > 1; --i)
    std::swap(order[i - 1], order[random() % i]);
  for (const Row* row : order)
    costs.push_back(cost(*row));
  std::vector<Row> result;
  for (;;) {
    unsigned most = 0;
    std::size_t best = 0;
    for (std::size_t i = 0; i < order.size(); ++i) {
      const unsigned missing = pairs.missing(*order[i]);
      // Compares missing / cost.
      if (missing == 0 || (most != 0 && missing * costs[best] <= most * costs[i])) continue;
      most = missing;
      best = i;
    }
    if (most == 0) return result;
    pairs.cover(*order[best]);
    result.push_back(*order[best]);
  }
}

}  // namespace cml::differential
