// Column<T>: what a search keeps beside its states, by their numbers: how each was first reached,
// what sleeps there, how often it is on the stack.
//
//   StateSet   │ state 0 │ state 1 │ state 2 │ …
//   Column     │ T       │ T       │ T       │ …      one more for each state that is new
//   Column     │ U       │ U       │ U       │ …
//
// Each search has the columns that it needs. They grow by chunks and never move, so a limit of
// memory is not met by an old array beside a new one of twice its size; memory() is for that limit.
// Not thread-safe.
#pragma once

#include <cstdint>

#include "checker/store/state_number.h"
#include "support/log.h"

namespace cml::checker {

template <class T>
class Column {
 public:
  /// Of the next state.
  void add(const T& value) { values_.push_back(value); }
  [[nodiscard]] T& operator[](StateNumber state) { return values_[state]; }
  [[nodiscard]] const T& operator[](StateNumber state) const { return values_[state]; }
  [[nodiscard]] std::uint64_t size() const { return values_.size(); }
  [[nodiscard]] std::uint64_t memory() const { return values_.memory(); }

 private:
  Log<T> values_;
};

}  // namespace cml::checker
