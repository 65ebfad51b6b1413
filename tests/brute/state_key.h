// What distinguishes the states of a run. Which number an object of the heap got says nothing, nor
// do objects that nobody can reach: so objects are called by the order in which a walk from the
// variables, the messages and the threads meets them. An object whose lock somebody owns, or waits
// for, counts even if nobody can reach it.
//
// The order is canonical but for owned objects out of reach that look alike and hang together:
// there, states that are the same could count as several.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "tests/brute/kinds.h"

namespace cml::brute {

struct Leaf;
class Run;

/// The names of the objects that a walk has met.
class Names {
 public:
  /// Of a reference, from 1 on; a new one if it has none. Null is 0.
  std::int64_t of(std::int64_t reference);
  [[nodiscard]] bool knows(std::int64_t reference) const { return numbers_.contains(reference); }
  /// The next object that was named and not asked for yet.
  std::optional<std::int32_t> next();

 private:
  std::map<std::int64_t, std::int64_t> numbers_;
  std::vector<std::int32_t> order_;
  std::size_t next_ = 0;
};

/// Appends numbers to a text.
class KeyText {
 public:
  explicit KeyText(Names& names) : names_(&names) {}
  void put(std::int64_t value) { text += std::to_string(value) + ","; }
  void put(WordKind kind, std::int64_t word) {
    put(kind == WordKind::Reference ? names_->of(word) : word);
  }
  void put_entry(std::int64_t one) { put(entry(one).kind, entry(one).word); }
  void put(const Leaf& leaf);

  std::string text;

 private:
  Names* names_;
};

/// The key of the state, and the names of all objects in it.
struct StateKey {
  std::string text;
  Names names;
};
/// `asks_candidates`: what the lock discipline keeps with objects belongs to the state.
[[nodiscard]] StateKey key_of(const Run& run, bool asks_candidates = true);

}  // namespace cml::brute
