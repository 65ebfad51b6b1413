// The exact store against a map, for states of many sizes, over several growths of its table.
#include <cstdint>
#include <doctest/doctest.h>
#include <map>
#include <random>
#include <vector>

#include "checker/store/state_set.h"

namespace cml::checker {
namespace {

using State = std::vector<std::uint8_t>;

void compare_sets(std::size_t size, std::size_t states, unsigned values) {
  CAPTURE(size);
  const MemoryBudget budget;
  StateSet store(size, budget);
  std::map<State, StateNumber> truth;
  std::mt19937 random(static_cast<unsigned>(size));
  State state(size);
  bool same = true;
  std::size_t known_states = 0;
  std::size_t candidates = 0;
  for (std::size_t i = 0; i < states; ++i) {
    for (std::size_t at = 0; at < size; at += 1 + size / 64)  // not all bytes of a long one
      state[at] = static_cast<std::uint8_t>(random() % values);
    const auto [known, is_new] = truth.try_emplace(state, static_cast<StateNumber>(truth.size()));
    same = same && store.contains(state.data()) == !is_new;
    const StateSet::Hash hash = store.hash(state.data());
    store.fetch(hash);
    const std::uint8_t* const candidate = store.candidate(hash);
    const bool is_candidate = candidate != nullptr && store.is_equal(candidate, state.data());
    same = same && !(is_new && is_candidate);
    known_states += is_new ? 0 : 1;
    candidates += is_candidate ? 1 : 0;
    const StateSet::Inserted inserted = store.find_or_put(state.data(), hash);
    same = same && inserted.is_new == is_new && inserted.number == known->second;
    same = same && store.contains(state.data());
  }
  CHECK(same);
  CHECK(candidates * 10 >= known_states * 9);  // the others are not in the bucket of their hash
  CHECK(store.size() == truth.size());
  bool kept = true;
  State copy(size);
  for (const auto& [key, number] : truth) {
    kept = kept && std::equal(key.begin(), key.end(), store[number]);
    store.copy(number, copy.data());
    kept = kept && copy == key && store.find_or_put(key.data()).number == number;
  }
  CHECK(kept);
}

}  // namespace

TEST_CASE("the store finds what was inserted, at every size of a state") {
  for (const std::size_t size : {1, 2, 3, 4, 7, 8, 9, 15, 16, 17, 31, 44, 100, 255})
    compare_sets(size, 40'000, size < 3 ? 256 : 6);
}

TEST_CASE("the store keeps many states in several chunks, and long states too") {
  compare_sets(32, 200'000, 256);
  compare_sets((std::size_t{1} << 20) - 1, 5, 256);
  compare_sets((std::size_t{1} << 21) + 3, 5, 256);
}

TEST_CASE(
    "the store tells apart states whose difference is in the last byte, and counts its memory") {
  const MemoryBudget budget;
  StateSet store(13, budget);
  State state(13, 1);
  (void)store.find_or_put(state.data());
  state.back() = 2;
  CHECK(store.find_or_put(state.data()).is_new);
  CHECK(store.memory() >= 26);
}

}  // namespace cml::checker
