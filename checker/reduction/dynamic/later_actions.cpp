#include "checker/reduction/dynamic/later_actions.h"

#include <algorithm>
#include <iterator>
#include <utility>
#include <xxhash.h>

namespace cml::checker {

LaterActions::LaterActions(ConflictTable& conflicts, const MemoryBudget& budget,
                           std::size_t threads)
    : conflicts_(conflicts), budget_(budget), threads_(threads), row_(threads) {
  const Set empty = intern_set();
  std::fill(row_.begin(), row_.end(), empty);
  (void)intern_row();
}

LaterActions::Set LaterActions::intern_set() {
  const std::uint64_t hash = XXH3_64bits(scratch_.data(), scratch_.size() * sizeof(SummaryId));
  const auto [first, last] = by_members_.equal_range(hash);
  for (auto it = first; it != last; ++it)
    if (std::ranges::equal(members(it->second), scratch_)) return it->second;
  const auto begin = static_cast<std::uint32_t>(members_.size());
  budget_.make_room(members_, scratch_.size());
  members_.insert(members_.end(), scratch_.begin(), scratch_.end());
  const Set set = sets_.push({begin, static_cast<std::uint32_t>(members_.size())});
  by_members_.emplace(hash, set);
  return set;
}

LaterActions::Row LaterActions::intern_row() {
  const std::uint64_t hash = XXH3_64bits(row_.data(), row_.size() * sizeof(Set));
  const auto [first, last] = by_sets_.equal_range(hash);
  for (auto it = first; it != last; ++it)
    if (std::ranges::equal(sets(it->second), row_)) return it->second;
  budget_.make_room(rows_, threads_);
  rows_.insert(rows_.end(), row_.begin(), row_.end());
  const Row row(static_cast<std::uint32_t>(row_count_++));
  by_sets_.emplace(hash, row);
  return row;
}

LaterActions::Set LaterActions::with(Set set, SummaryId summary) {
  if (const std::uint32_t* known = more_sets_.find(set.index, summary.index)) return Set(*known);
  const std::span<const SummaryId> all = members(set);
  scratch_.assign(all.begin(), all.end());
  const auto at = std::lower_bound(scratch_.begin(), scratch_.end(), summary);
  if (at == scratch_.end() || *at != summary) scratch_.insert(at, summary);
  return Set(more_sets_.keep(set.index, summary.index, intern_set().index));
}

LaterActions::Set LaterActions::united(Set a, Set b) {
  if (a == b) return a;
  if (b < a) std::swap(a, b);
  if (const std::uint32_t* known = united_sets_.find(a.index, b.index)) return Set(*known);
  scratch_.clear();
  std::ranges::set_union(members(a), members(b), std::back_inserter(scratch_));
  return Set(united_sets_.keep(a.index, b.index, intern_set().index));
}

LaterActions::Row LaterActions::with(Row row, ir::ThreadId thread, SummaryId summary) {
  const std::span<const Set> before = sets(row);
  const Set more = with(before[thread.index], summary);
  if (more == before[thread.index]) return row;
  row_.assign(before.begin(), before.end());
  row_[thread.index] = more;
  return intern_row();
}

LaterActions::Row LaterActions::united(Row a, Row b) {
  if (a == b || b == none()) return a;
  if (a == none()) return b;
  if (b < a) std::swap(a, b);
  if (const std::uint32_t* known = united_rows_.find(a.index, b.index)) return Row(*known);
  row_.resize(threads_);
  for (std::size_t i = 0; i < threads_; ++i)
    row_[i] = united(sets(a)[i], sets(b)[i]);
  return Row(united_rows_.keep(a.index, b.index, intern_row().index));
}

bool LaterActions::conflicts(SummaryId summary, Set set) {
  if (const std::uint32_t* known = known_conflicts_.find(summary.index, set.index))
    return *known != 0;
  const std::span<const SummaryId> all = members(set);
  const bool any = std::any_of(
      all.begin(), all.end(), [&](SummaryId later) { return conflicts_.conflict(summary, later); });
  return known_conflicts_.keep(summary.index, set.index, any ? 1 : 0) != 0;
}

ThreadMask LaterActions::in_conflict(Row row, ir::ThreadId thread, SummaryId summary) {
  ThreadMask result = 0;
  const std::span<const Set> all = sets(row);
  for (std::size_t i = 0; i < all.size(); ++i)
    if (i != thread.index && conflicts(summary, all[i])) result |= ThreadMask{1} << i;
  return result;
}

std::uint64_t LaterActions::memory() const {
  constexpr std::uint64_t kOfHash = 48;  // bytes of an entry
  return members_.capacity() * sizeof(SummaryId) + sets_.size() * (sizeof(Range) + kOfHash) +
         rows_.capacity() * sizeof(Set) + row_count_ * kOfHash + more_sets_.memory() +
         united_sets_.memory() + united_rows_.memory() + known_conflicts_.memory();
}

}  // namespace cml::checker
