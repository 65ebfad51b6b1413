// What the words of a value are: which of them name an object of the heap, or a thread.
#pragma once

#include <cstdint>
#include <set>
#include <vector>

#include "frontend/model.h"

namespace cml::brute {

using Words = std::vector<std::int32_t>;

enum class WordKind : std::uint8_t { Plain, Reference, Handle };

class Kinds {
 public:
  explicit Kinds(const model::Model& model);

  /// Of all words of a value of this type; a lock, a semaphore or a channel counts as a plain one.
  [[nodiscard]] const std::vector<WordKind>& of(model::TypeId type) const { return all_[type]; }
  [[nodiscard]] std::uint32_t size(model::TypeId type) const {
    return static_cast<std::uint32_t>(all_[type].size());
  }

 private:
  IdVector<model::TypeId, std::vector<WordKind>> all_;
};

/// A word as a part of where a thread stands: a number that no other kind of word has.
[[nodiscard]] std::int64_t entry_of(WordKind kind, std::int32_t word);
struct Entry {
  WordKind kind = WordKind::Plain;
  std::int64_t word = 0;
};
[[nodiscard]] Entry entry(std::int64_t text);

/// What a `mod(N)` holds after so many steps from 0, forwards or backwards.
[[nodiscard]] std::int32_t counted(std::int64_t steps, const model::ModType& type);

/// The elements of a set, and the set that has them.
[[nodiscard]] std::set<std::int32_t> elements(std::int32_t word);
[[nodiscard]] std::int32_t set_of(const std::set<std::int32_t>& elements);

[[nodiscard]] Words default_value(const model::Model& model, model::TypeId type);

}  // namespace cml::brute
