// The JIT against the interpreter, state by state: random models, all examples, all test models;
// for both stop predicates, with and without spurious wakeups, unoptimised and optimised code.
//
// CML_SEEDS=first:last runs a campaign over random models instead of the standard seeds.
#include "tests/jit/equality.h"

#include <algorithm>
#include <cstdlib>
#include <doctest/doctest.h>
#include <filesystem>
#include <string>
#include <utility>

#include "ir/interpreter.h"
#include "jit/native_step.h"
#include "jit/program.h"
#include "tests/harness/sanitized.h"
#include "tests/ir/lowered.h"
#include "tests/random/generator.h"

namespace {

using namespace cml;
namespace fs = std::filesystem;

constexpr std::uint64_t kModels = test::kSanitized ? 12 : 80;
constexpr std::uint64_t kStates = test::kSanitized ? 150 : 1000;

/// What differs, or nothing.
std::string difference(const ir::System& system, ir::StepConfig config, jit::Effort effort,
                       std::uint64_t max_states) {
  const ir::Layout layout(system);
  jit::CompileOptions options;
  options.effort = effort;
  const auto program = jit::Program::compile(system, layout, config, options);
  if (!program) return program.error();
  ir::Interpreter interpreter(system, layout, config);
  jit::NativeStep native(system, layout, config, *program);
  return test::compare_steps(interpreter, native, max_states).difference;
}

/// In one of the eight ways, or in all of them.
void check_equal(const ir::System& system, std::uint64_t way, std::uint64_t max_states) {
  ir::StepConfig config;
  config.stop = way % 2 == 0 ? ir::Stop::Micro : ir::Stop::Visible;
  config.spurious_wakeups = way / 2 % 2 == 1;
  const jit::Effort effort = way / 4 % 2 == 0 ? jit::Effort::Quick : jit::Effort::Optimised;
  const std::string found = difference(system, config, effort, max_states);
  CHECK_MESSAGE(found.empty(), found);
}

void check_models(const fs::path& folder, std::uint64_t max_states) {
  for (const auto& item : fs::directory_iterator(folder)) {
    if (item.path().extension() != ".cml") continue;
    CAPTURE(item.path().string());
    const std::string relative = fs::relative(item.path(), CML_SOURCE_DIR "/tests").string();
    const auto system = test::lowered(test::project_text(relative), item.path().string());
    if (!system) continue;
    for (std::uint64_t way = 0; way < 8; ++way)
      if (way < 4 || !test::kSanitized) check_equal(*system, way, max_states);
  }
}

TEST_CASE("jit: the same steps as the interpreter's on random models") {
  const char* range = std::getenv("CML_SEEDS");  // NOLINT(concurrency-mt-unsafe): nobody sets it
  const std::string text = range == nullptr ? "" : range;
  const std::uint64_t first = text.empty() ? 0 : std::stoull(text);
  const std::uint64_t last = text.empty() ? kModels : std::stoull(text.substr(text.find(':') + 1));
  for (std::uint64_t seed = first; seed < last; ++seed) {
    const random_models::ModelTree tree = random_models::generate(seed);
    CAPTURE(seed);
    const std::string model = tree.text();
    CAPTURE(model);
    const auto system = test::lowered(model);
    if (!system) continue;
    for (std::uint64_t way = 0; way < 4; ++way)
      check_equal(*system, way + 4 * (seed % 2), kStates);
  }
}

TEST_CASE("jit: the same steps as the interpreter's on the examples") {
  check_models(CML_SOURCE_DIR "/examples", kStates / 2);
}

TEST_CASE("jit: the same steps as the interpreter's on the test models") {
  check_models(CML_SOURCE_DIR "/tests/models", kStates / 2);
}

}  // namespace
