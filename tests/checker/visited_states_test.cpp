// What is stored through a codec comes back as it was, and is found again; packed states are those
// that plain ones are, in fewer bytes.
#include "checker/store/visited_states.h"

#include <algorithm>
#include <cstdint>
#include <doctest/doctest.h>
#include <filesystem>
#include <map>
#include <random>
#include <vector>

#include "checker/store/packing_codec.h"
#include "ir/analysis/analyses.h"
#include "ir/exec/interpreter.h"
#include "tests/checker/check_text.h"
#include "tests/ir/lowered.h"

namespace {

using namespace cml;
using checker::IdentityCodec;
using checker::MemoryBudget;
using checker::PackingCodec;
using checker::StateNumber;
using checker::VisitedStates;

constexpr std::size_t kExtra = 3;  // bytes behind a state, as monitors keep them

/// States of random walks, each with some bytes behind it.
std::vector<std::vector<std::uint8_t>> walk(const ir::Analyses& analyses,
                                            const ir::Layout& layout) {
  ir::Interpreter step(analyses, layout, {});
  std::mt19937 random(1);
  ir::Record record;
  Buffer<ir::Action> actions;
  std::vector<std::vector<std::uint8_t>> result;
  std::vector<std::uint8_t> state;
  for (std::size_t i = 0; i < 300; ++i) {
    actions.clear();
    if (!state.empty()) step.all_enabled(state.data(), actions);
    if (actions.empty()) {
      state.assign(ir::stride(layout.size() + kExtra), 0);
      layout.initial(analyses.system(), state.data());
      step.initial(state.data(), record);
    } else {
      record.clear();
      step.execute(state.data(), actions[random() % actions.size()], record);
    }
    for (std::size_t byte = 0; byte < kExtra; ++byte)
      state[layout.size() + byte] = static_cast<std::uint8_t>(random() % 2 == 0 ? 0 : random());
    // What is behind those does not count.
    std::fill(state.begin() + static_cast<std::ptrdiff_t>(layout.size() + kExtra), state.end(),
              static_cast<std::uint8_t>(random()));
    result.push_back(state);
  }
  return result;
}

void compare_codecs(const ir::System& system, bool is_portable) {
  const ir::Analyses analyses(system);
  const ir::Layout layout(analyses);
  const std::size_t bytes = layout.size() + kExtra;
  PackingCodec codec(system, layout, bytes);
  if (is_portable) codec.use_portable_code();
  CHECK(codec.size() <= std::max<std::size_t>(bytes, 1));
  const MemoryBudget budget;
  constexpr std::size_t kSlots = 4;
  VisitedStates<PackingCodec> packed(codec, kSlots, budget);
  VisitedStates<IdentityCodec> plain(IdentityCodec(bytes), kSlots, budget);
  const auto states = walk(analyses, layout);
  bool same = true;
  std::vector<std::uint8_t> again(ir::stride(bytes));
  for (std::size_t i = 0; i < states.size(); ++i) {
    const std::uint8_t* const state = states[i].data();
    const std::size_t slot = i % kSlots;
    const auto hash = packed.prepare(slot, state);
    const bool is_known = packed.find(slot, state, hash).has_value();
    same = same && is_known == plain.contains(state);
    same = same && (is_known || !packed.is_state(packed.likely(hash), slot, state));
    const auto put = packed.find_or_put(slot, state, hash);
    const auto expected = plain.find_or_put(state);
    same = same && put.number == expected.number && put.is_new == expected.is_new;
    packed.load(put.number, again.data());
    same = same && std::equal(state, state + bytes, again.data());
    plain.load(put.number, again.data());
    same = same && std::equal(state, state + bytes, again.data());
  }
  CHECK(same);
  CHECK(packed.size() == plain.size());
}

TEST_CASE("packed states are those that were put in, in all models") {
  std::size_t models = 0;
  for (const char* const folder : {"models", "../examples"}) {
    const std::filesystem::path path = std::filesystem::path(CML_SOURCE_DIR "/tests") / folder;
    for (const auto& entry : std::filesystem::directory_iterator(path)) {
      if (entry.path().extension() != ".cml") continue;
      CAPTURE(entry.path().string());
      const auto system = test::lowered(
          test::project_text(std::string(folder) + "/" + entry.path().filename().string()),
          entry.path().string());
      if (!system) continue;
      compare_codecs(*system, models % 2 == 0);
      ++models;
    }
  }
  CHECK(models > 100);
}

TEST_CASE("words of 64 bits, and fields across words, are packed and come back") {
  for (const bool is_portable : {false, true}) {
    compare_codecs(test::system_of(R"(
atomic a: int; atomic b: int; atomic c: int(0..1000); atomic d: int(0..1); atomic e: int;
thread T { a = -1; b = 2147483647; c = 999; d = 1; e = -2147483648; loop { a = b - c; b = e - a; } }
thread U { loop { c = (c + 37) % 1001; d = 1 - d; } }
)"),
                   is_portable);
  }
}

TEST_CASE("a search whose states are packed finds the same, with fewer bytes") {
  const char* const model = R"(
lock m; shared n: int(0..3); atomic turn: int(0..2);
thread A[i in 0..<3] { loop { await turn == i; with m { n = (n + 1) % 4; } turn = (turn + 1) % 3; } }
)";
  for (const checker::Order order : {checker::Order::BreadthFirst, checker::Order::DepthFirst}) {
    for (const auto discipline : {checker::Discipline::Global, checker::Discipline::PerExecution}) {
      checker::Options options;
      options.all = true;
      options.order = order;
      options.discipline = discipline;
      const checker::Result plain = test::check_text(model, options);
      options.state_form = checker::StateForm::Bits;
      const checker::Result packed = test::check_text(model, options);
      CHECK(plain.stats.states == packed.stats.states);
      CHECK(plain.stats.transitions == packed.stats.transitions);
      CHECK(plain.verdict == packed.verdict);
      CHECK(packed.stats.state_bytes < plain.stats.state_bytes);
    }
  }
}

}  // namespace
