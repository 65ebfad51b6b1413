// The JIT against the interpreter, state by state: random models, all examples, all test models;
// for both stop predicates, with and without spurious wakeups, unoptimised and optimised code.
// Every state that can be reached is looked at, but for models with very many.
//
// CML_SEEDS=first:last runs a campaign over random models instead of the standard seeds, each in
// all eight configurations.
#include "tests/jit/equality.h"

#include <algorithm>
#include <bit>
#include <doctest/doctest.h>
#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "ir/exec/interpreter.h"
#include "jit/native_step.h"
#include "jit/program.h"
#include "tests/harness/parts.h"
#include "tests/harness/sanitized.h"
#include "tests/harness/seeds.h"
#include "tests/ir/lowered.h"
#include "tests/random/generator.h"
#include "tests/random/heap.h"

namespace {

using namespace cml;
namespace fs = std::filesystem;

constexpr std::uint64_t kModels = test::kSanitized ? 12 : 144;
constexpr std::uint64_t kRotating = test::kSanitized ? 0 : 24;
constexpr std::uint64_t kConfigurations = 8;
// Larger models are reported in the message of Total.
constexpr std::uint64_t kStates = test::kSanitized ? 150 : 1'000'000;

/// What has been compared.
struct Total {
  std::uint64_t models = 0;
  std::uint64_t searches = 0;
  std::uint64_t states = 0;
  std::uint64_t transitions = 0;
  std::uint64_t incomplete = 0;  // searches
  std::uint64_t cached = 0;

  void report() const {
    MESSAGE(models, " models, ", searches, " explorations, ", incomplete,
            " of them not to the end, ", states, " states, ", transitions, " transitions, ", cached,
            " cached effects");
    // Of a few random models, some have nothing to cache.
    constexpr std::uint64_t kEnough = 5;
    if (models >= kEnough) CHECK(cached >= 2 * models);
  }
};

ir::StepConfig config_of(std::uint64_t configuration) {
  ir::StepConfig config;
  config.stop = configuration % 2 == 0 ? ir::Stop::Micro : ir::Stop::Visible;
  config.spurious_wakeups = configuration / 2 % 2 == 1;
  return config;
}

/// Everything was recorded, so that every transition that is small enough is cached
/// (jit/transition_cache.h) when it is first executed; or, `late`, nothing was, so that it is
/// cached when its observations have been recorded.
void check_cache(const ir::Analyses& analyses, const ir::Layout& layout,
                 const ir::StepConfig& config, bool late, std::uint64_t max_states, Total& total) {
  const ir::System& system = analyses.system();
  ir::Observations observations(system, analyses.held(),
                                IdVector<ir::ObjectId, bool>(system.objects.size(), false), false);
  for (ir::Observations::Number number = 0; !late && number < observations.recorded().size();
       ++number)
    observations.record(number);
  jit::CompileOptions options;
  options.observations = &observations;
  options.recorded = observations.recorded();
  const auto program = jit::Program::compile(analyses, layout, config, options);
  if (!program) {
    FAIL_CHECK(program.error());
    return;
  }
  ir::Interpreter interpreter(analyses, layout, config);
  jit::NativeStep native(analyses, layout, config, *program, &observations);
  const test::Equality equality =
      test::compare_steps(interpreter, native, max_states, &observations);
  CHECK_MESSAGE(equality.difference.empty(), "with the transition cache: ", equality.difference);
  total.cached += native.cached_effects();
}

/// In one of the eight configurations.
void check_equal(const ir::System& system, std::uint64_t configuration, std::uint64_t max_states,
                 Total& total) {
  CAPTURE(configuration);
  const ir::StepConfig config = config_of(configuration);
  // Half of the configurations with depths of locks that are left out of the state.
  const ir::Analyses analyses(system);
  const ir::Layout layout =
      std::popcount(configuration) % 2 == 0 ? ir::Layout(analyses) : ir::Layout(system);
  jit::CompileOptions options;
  options.effort = configuration / 4 % 2 == 0 ? jit::Effort::Quick : jit::Effort::Optimised;
  const auto program = jit::Program::compile(analyses, layout, config, options);
  if (!program) {
    FAIL_CHECK(program.error());
    return;
  }
  ir::Interpreter interpreter(analyses, layout, config);
  jit::NativeStep native(analyses, layout, config, *program);
  const test::Equality equality = test::compare_steps(interpreter, native, max_states);
  CHECK_MESSAGE(equality.difference.empty(), equality.difference);
  if (config.stop == ir::Stop::Micro && options.effort == jit::Effort::Quick)
    for (const bool late : {false, true})
      check_cache(analyses, layout, config, late, max_states, total);
  ++total.searches;
  total.states += equality.states;
  total.transitions += equality.transitions;
  if (!equality.complete) ++total.incomplete;
}

void check_models(const std::vector<fs::path>& models) {
  Total total;
  for (const fs::path& path : models) {
    CAPTURE(path.string());
    const std::string relative = fs::relative(path, CML_SOURCE_DIR "/tests").string();
    const auto system = test::lowered(test::project_text(relative), path.string());
    if (!system) continue;
    ++total.models;
    const std::uint64_t before = total.incomplete;
    for (std::uint64_t configuration = 0; configuration < kConfigurations; ++configuration)
      if (configuration < 4 || !test::kSanitized)
        check_equal(*system, configuration, kStates, total);
    if (total.incomplete != before)
      MESSAGE(path.filename().string(), ": ", kStates, " states, there are more");
  }
  total.report();
}

CML_TEST_PARTS("jit: the same steps as the interpreter's on random models") {
  const test::Seeds seeds(kModels, kRotating);
  Total total;
  for (const std::uint64_t seed : seeds.of(part)) {
    const random_models::ModelTree tree = random_models::draw(seed);
    CAPTURE(seed);
    const std::string model = tree.text();
    CAPTURE(model);
    const auto system = test::lowered(model);
    if (!system) continue;
    ++total.models;
    // Without a campaign every other seed of a part is compiled quickly, the others are optimised.
    for (std::uint64_t configuration = 0; configuration < kConfigurations; ++configuration)
      if (seeds.is_campaign() || configuration / 4 == seed / test::kParts % 2)
        check_equal(*system, configuration, kStates, total);
  }
  total.report();
}

/// Numbers that mean what others mean, too, since two slots choose: a listener hears all or none.
std::vector<bool> ambiguous(const ir::System& system, const ir::Observations& observations) {
  std::vector<bool> result(observations.recorded().size(), false);
  const auto mark = [&](const ir::Observations::Touches& touches) {
    if (!touches.are_numbered() || touches.choices.size() < 2) return;
    std::fill_n(result.begin() + touches.first, touches.all, true);
  };
  for (const ir::ThreadId thread : system.threads.ids()) {
    const ir::Code& code = system.threads[thread].code;
    for (ir::Pc pc = 0; pc < code.instructions.size(); ++pc)
      mark(observations.touches(thread, pc));
    for (ir::Location at = ir::kFirstLocation; at < code.location_pc.size(); ++at)
      mark(observations.arrival(thread, at));
  }
  return result;
}

// Flags as a search may have set them at some time, some of them before the code was made.
TEST_CASE("jit: what is left out was recorded") {
  std::uint64_t left_out = 0;
  for (std::uint64_t seed = 0; seed < kModels / 2; ++seed) {
    const std::string model = random_models::draw(seed).text();
    CAPTURE(seed);
    CAPTURE(model);
    const auto system = test::lowered(model);
    if (!system) continue;
    const ir::Analyses analyses(*system);
    const ir::Layout layout(analyses);
    IdVector<ir::ObjectId, bool> in_state(system->objects.size(), false);
    for (const ir::ObjectId id : system->objects.ids())
      in_state[id] = seed % 3 == 0 && id.index % 2 == 0;
    ir::Observations observations(*system, analyses.held(), in_state, seed % 2 != 0);
    std::uint64_t random = seed + 1;
    const std::vector<bool> leave = ambiguous(*system, observations);
    const auto record_all = [&] {
      for (ir::Observations::Number number = 0; number < observations.recorded().size(); ++number) {
        if (leave[number]) continue;
        random = random * 6364136223846793005U + 1442695040888963407U;
        if ((random >> 33) % 3 == 0) observations.record(number);
      }
    };
    ir::StepConfig config;
    config.stop = seed % 2 == 0 ? ir::Stop::Micro : ir::Stop::Visible;
    jit::CompileOptions options;
    options.effort = seed / 2 % 2 == 0 ? jit::Effort::Quick : jit::Effort::Optimised;
    options.observations = &observations;
    record_all();
    options.recorded = observations.recorded();
    record_all();
    const auto program = jit::Program::compile(analyses, layout, config, options);
    REQUIRE(program);
    ir::Interpreter interpreter(analyses, layout, config);
    jit::NativeStep native(analyses, layout, config, *program, &observations);
    const test::Equality found =
        test::compare_steps(interpreter, native, kStates / 2, &observations);
    CHECK_MESSAGE(found.difference.empty(), found.difference);
    left_out += found.left_out;
  }
  CHECK(left_out > kModels);
}

CML_TEST_PARTS("jit: the same steps as the interpreter's on the examples") {
  check_models(part.models("examples"));
  check_models(part.models("examples/structures"));
}

CML_TEST_PARTS("jit: the same steps as the interpreter's on the test models") {
  check_models(part.models("tests/models"));
}

}  // namespace
