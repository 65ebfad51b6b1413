// Properties of executions: random ones of random models, decided by the checker, and by the
// definitions on the graph of the brute force, which shares no code with it. And what the checker
// shows is looked at: the loop leads back, the formula is false of the execution, and it is fair.
#include <algorithm>
#include <cstdint>
#include <doctest/doctest.h>
#include <map>
#include <string>
#include <vector>

#include "checker/liveness/liveness.h"
#include "checker/stopped.h"
#include "checker/store/heap_codec.h"
#include "frontend/load_model.h"
#include "ir/lower/lower.h"
#include "jit/tiered_step.h"
#include "tests/brute/brute_force.h"
#include "tests/harness/parts.h"
#include "tests/harness/sanitized.h"
#include "tests/harness/seeds.h"
#include "tests/liveness/random_properties.h"
#include "tests/liveness/words.h"
#include "tests/random/generator.h"
#include "tests/random/heap.h"

namespace cml::liveness {
namespace {

constexpr std::uint64_t kMaxStates = 400;

struct Counts {
  std::uint64_t holds = 0;
  std::uint64_t fails = 0;
  std::uint64_t discarded = 0;
};

/// What is wrong with an execution that is said to violate a property; empty: nothing.
class ExecutionCheck {
 public:
  ExecutionCheck(const ir::System& system, const ir::Analyses& analyses, const ir::Layout& layout)
      : system_(system), layout_(layout), step_(analyses, layout, {}) {}

  std::string run(const checker::Finding& finding) {
    const ir::Property& property = system_.properties[finding.property];
    std::vector<std::uint8_t> state(ir::stride(layout_.size()));
    ir::Record record;
    step_.initial(state.data(), record);
    std::vector<std::vector<std::uint8_t>> states{state};
    std::vector<ir::ThreadId> moved;
    for (const checker::Path* path : {&finding.path, &finding.loop}) {
      for (const ir::Action action : *path) {
        std::vector<ir::Action> enabled;
        step_.enabled(state.data(), action.thread, enabled);
        if (std::find(enabled.begin(), enabled.end(), action) == enabled.end())
          return "a step of it is not enabled";
        record.clear();
        step_.execute(state.data(), action, record);
        states.push_back(state);
        moved.push_back(action.thread);
      }
    }
    const std::size_t begin = finding.path.size();
    if (!finding.loop.empty()) {
      if (canonical(states.back()) != canonical(states[begin]))
        return "the loop does not lead back";
      states.pop_back();
    }
    Word word;
    word.loop = begin;
    for (const auto& each : states)
      word.letters.push_back(letter(property, each));
    if (holds(property.parts, word)) return "the formula holds of it";
    for (const ir::ThreadId thread : system_.threads.ids()) {
      bool moves = false;
      bool is_enabled = false;
      bool is_disabled = false;
      for (std::size_t i = begin; i < states.size(); ++i) {
        std::vector<ir::Action> enabled;
        step_.enabled(states[i].data(), thread, enabled);
        (enabled.empty() ? is_disabled : is_enabled) = true;
        moves = moves || (i < moved.size() && moved[i] == thread);
        if (checker::is_stopped(location(layout_, states[i].data(), thread)))
          return "a thread has stopped in it";
      }
      if (finding.loop.empty() && is_enabled) return "it ends where a thread can go on";
      const bool is_unfair = *finding.fairness == Fairness::Strong ? is_enabled : !is_disabled;
      if (*finding.fairness != Fairness::None && !moves && is_unfair)
        return "it is not fair to " + system_.threads[thread].name;
    }
    return {};
  }

 private:
  std::vector<std::uint8_t> canonical(std::vector<std::uint8_t> state) const {
    state.resize(layout_.size());
    if (system_.classes.empty()) return state;
    checker::HeapCodec codec(system_, layout_, layout_.size(), {}, false);
    std::vector<std::uint8_t> stored(codec.room());
    const std::uint8_t* const encoded = codec.encode(state.data(), stored.data());
    return {encoded, encoded + codec.size()};
  }

  std::vector<bool> letter(const ir::Property& property, const std::vector<std::uint8_t>& state) {
    std::vector<bool> result;
    for (const ir::Formula& part : property.parts) {
      if (!checker::is_atom(part.kind)) continue;
      bool is = true;
      if (part.kind == FormulaKind::Condition) {
        ir::Record record;
        step_.run_free(state.data(), property.conditions[part.condition].code, record);
        is = record.events.size() == 0;
      }
      for (const ir::ThreadId thread : part.threads) {
        const ir::Location at = location(layout_, state.data(), thread);
        if (part.kind == FormulaKind::Ended) {
          is = is && at == ir::kEnded;
        } else {
          const ir::Code& code = system_.threads[thread].code;
          is = is && at >= ir::kFirstLocation &&
               std::count(part.pcs.begin(), part.pcs.end(), code.location_pc[at]) == 1;
        }
      }
      result.push_back(is);
    }
    return result;
  }

  const ir::System& system_;
  const ir::Layout& layout_;
  ir::Interpreter step_;
};

struct How {
  bool is_analysed = true;  // what is proved before makes states smaller
  bool is_native = false;
};

/// What differs; empty: nothing.
std::string compare(const std::string& text, How how, Counts& counts) {
  SourceSet sources;
  const FileId file = sources.add("random.cml", text);
  Diagnostics diagnostics;
  const model::Model model = load_model(sources, file, {}, diagnostics);
  if (diagnostics.has_errors()) return "the model has errors";
  const auto system = ir::lower(model, sources);
  if (!system) {
    ++counts.discarded;
    return {};
  }
  checker::Options options;
  options.all = true;
  options.limits.max_states = kMaxStates;
  const ir::Analyses analyses(*system, {});
  const ir::Layout layout = how.is_analysed ? ir::Layout(analyses) : ir::Layout(*system);
  ir::Interpreter free_code(analyses, layout, {});
  checker::LivenessOutcome outcome;
  if (how.is_native) {
    jit::TierOptions tiers;
    tiers.native_after = 0;
    jit::TieredStep step(analyses, layout, {}, tiers);
    checker::check_liveness(step, free_code, options, {}, outcome);
  } else {
    ir::Interpreter step(analyses, layout, {});
    checker::check_liveness(step, free_code, options, {}, outcome);
  }
  if (outcome.limits.any()) {
    ++counts.discarded;
    return {};
  }
  ExecutionCheck executions(*system, analyses, layout);
  for (const checker::Finding& finding : outcome.findings) {
    if (finding.source != checker::Source::Property) continue;
    if (const std::string wrong = executions.run(finding); !wrong.empty())
      return "the execution of " + system->properties[finding.property].name + ": " + wrong;
  }
  brute::Limits limits;
  limits.max_states = 10 * kMaxStates;
  const brute::Findings brute = brute::explore(model, limits);
  if (!brute.complete || brute.unsupported || brute.properties.empty()) {
    ++counts.discarded;
    return {};
  }
  std::map<std::string, bool> decided;
  for (const checker::CheckedProperty& checked : outcome.checked)
    decided[checked.name] = checked.holds;
  for (std::size_t i = 0; i < model.properties.size(); ++i) {
    const std::string& name = model.properties[i].name;
    const brute::PropertyVerdict& truth = brute.properties[i];
    if (truth == brute::PropertyVerdict::TooLarge) continue;
    if (!decided.contains(name)) {
      if (truth != brute::PropertyVerdict::Fault) return name + " has not been decided";
      continue;
    }
    if (truth == brute::PropertyVerdict::Fault) return name + " has a condition without a value";
    const bool is_held = truth == brute::PropertyVerdict::Holds;
    ++(is_held ? counts.holds : counts.fails);
    if (decided[name] != is_held)
      return name + (is_held ? " holds, the checker says it does not"
                             : " does not hold, the checker says it does");
  }
  return {};
}

std::string with_properties(const random_models::ModelTree& tree, const std::string& properties) {
  return tree.text() + "\n" + properties;
}

CML_TEST_PARTS("properties of executions are decided as by the definitions on random models") {
  constexpr std::uint64_t kModels = test::kSanitized ? 24 : 720;
  constexpr std::uint64_t kRotating = test::kSanitized ? 12 : 240;
  Counts counts;
  std::uint64_t refused = 0;
  for (const std::uint64_t seed : test::Seeds(kModels, kRotating).of(part)) {
    random_models::Random random(seed + 0x51CE);
    random_models::ModelTree tree = random_models::draw(seed);
    random_models::add_labels(tree, random);
    SourceSet sources;
    const FileId file = sources.add("random.cml", tree.text());
    Diagnostics diagnostics;
    const model::Model model = load_model(sources, file, {}, diagnostics);
    if (diagnostics.has_errors()) {
      ++refused;
      continue;
    }
    const std::string properties = random_properties(model, random);
    const How how{seed % 3 != 0, seed % 16 == 0};
    const std::string wrong = compare(with_properties(tree, properties), how, counts);
    if (wrong.empty()) continue;
    Counts ignored;
    const random_models::ModelTree small = random_models::shrink(
        tree,
        [&](const random_models::ModelTree& candidate) {
          const std::string still = compare(with_properties(candidate, properties), how, ignored);
          return still == wrong;
        },
        300);
    FAIL_CHECK(test::Seeds::name(seed) << ": " << wrong << "\n"
                                       << with_properties(small, properties));
    return;
  }
  CHECK(refused == 0);
  MESSAGE(counts.holds << " hold, " << counts.fails << " do not, " << counts.discarded
                       << " models discarded");
}

}  // namespace
}  // namespace cml::liveness
