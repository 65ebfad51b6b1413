// What the threads do behind a state: for each thread, the set of the summaries of its transitions
// (dependency.h). Where the algorithms of Cirisci, Enea, Farzan and Mutluergil traverse again what
// lies behind a state that they come to a second time, or back to, this is looked up: a state's row
// is the union of those of its successors, and of the transitions that lead there.
//
//   state ──a of A──▶ s1   row of s1: A {c}  B {d}    ┐
//     └─────b of B──▶ s2   row of s2: A {a}  B {d}    ┴▶ row of the state: A {a c}  B {b d}
//
// Sets and rows are interned, since states whose threads are at the same places mostly have the
// same: a row is a number. Unions, and whether a set conflicts with a summary, are remembered.
//
// Cost: a union or a conflict is a look at a table that forgets, and rarely more than that.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <unordered_map>
#include <vector>

#include "checker/memory_budget.h"
#include "checker/reduction/dependency.h"
#include "checker/reduction/dynamic/conflict_table.h"
#include "checker/reduction/static/reachability.h"

namespace cml::checker {

class LaterActions {
 public:
  using Row = Id<struct LaterRowTag>;

  /// All must outlive it.
  LaterActions(ConflictTable& conflicts, const MemoryBudget& budget, std::size_t threads);

  /// The row of nothing.
  [[nodiscard]] static Row none() { return Row(0); }
  [[nodiscard]] Row with(Row row, ir::ThreadId thread, SummaryId summary);
  [[nodiscard]] Row united(Row a, Row b);
  /// The threads, but for this one, that do something in conflict with the summary.
  [[nodiscard]] ThreadMask in_conflict(Row row, ir::ThreadId thread, SummaryId summary);

  [[nodiscard]] std::uint64_t memory() const;
  [[nodiscard]] std::uint64_t numbers() const { return std::max(row_count_, sets_.size()); }

 private:
  using Set = Id<struct SummarySetTag>;
  /// What was computed last for two numbers.
  class Memo {
   public:
    [[nodiscard]] const std::uint32_t* find(std::uint32_t a, std::uint32_t b) const {
      const Entry& entry = entries_[place(a, b)];
      return entry.a == a && entry.b == b ? &entry.result : nullptr;
    }
    std::uint32_t keep(std::uint32_t a, std::uint32_t b, std::uint32_t result) {
      entries_[place(a, b)] = {a, b, result};
      return result;
    }
    [[nodiscard]] std::uint64_t memory() const { return entries_.size() * sizeof(Entry); }

   private:
    struct Entry {
      std::uint32_t a = UINT32_MAX;
      std::uint32_t b = UINT32_MAX;
      std::uint32_t result = 0;
    };
    static constexpr unsigned kBits = 14;
    [[nodiscard]] static std::size_t place(std::uint32_t a, std::uint32_t b) {
      const std::uint64_t both = (std::uint64_t{a} << 32 | b) * 0x9E3779B97F4A7C15U;
      return static_cast<std::size_t>(both >> (64 - kBits));
    }
    std::vector<Entry> entries_ = std::vector<Entry>(std::size_t{1} << kBits);
  };
  struct Range {
    std::uint32_t begin = 0;
    std::uint32_t end = 0;
  };

  [[nodiscard]] std::span<const SummaryId> members(Set set) const {
    const Range range = sets_[set];
    return {members_.data() + range.begin, members_.data() + range.end};
  }
  [[nodiscard]] std::span<const Set> sets(Row row) const {
    return {rows_.data() + std::size_t{row.index} * threads_, threads_};
  }
  [[nodiscard]] Set with(Set set, SummaryId summary);
  [[nodiscard]] Set united(Set a, Set b);
  [[nodiscard]] bool conflicts(SummaryId summary, Set set);
  /// scratch_, sorted.
  [[nodiscard]] Set intern_set();
  /// row_.
  [[nodiscard]] Row intern_row();

  ConflictTable& conflicts_;
  const MemoryBudget& budget_;
  std::size_t threads_;
  IdVector<Set, Range> sets_;
  std::vector<SummaryId> members_;
  std::unordered_multimap<std::uint64_t, Set> by_members_;
  std::vector<Set> rows_;  // threads_ each
  std::uint64_t row_count_ = 0;
  std::unordered_multimap<std::uint64_t, Row> by_sets_;
  Memo more_sets_;        // set, summary: both together
  Memo united_sets_;      // two sets
  Memo united_rows_;      // two rows
  Memo known_conflicts_;  // summary, set
  std::vector<SummaryId> scratch_;
  std::vector<Set> row_;
};

}  // namespace cml::checker
