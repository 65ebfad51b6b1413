#include "tests/differential/combinations.h"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <fmt/format.h>
#include <map>
#include <set>
#include <sstream>
#include <tuple>
#include <utility>

#include "checker/check.h"
#include "checker/combinations.h"
#include "tests/differential/covering.h"
#include "tests/differential/elements.h"
#include "tests/differential/plain_names.h"
#include "tests/differential/spawned_names.h"
#include "tests/differential/subject.h"

namespace cml::differential {
namespace {

using checker::Composition;
using checker::Discipline;
using checker::Granularity;
using checker::Options;
using checker::Order;
using checker::ReductionOptions;
using checker::Sets;
using checker::Store;
using checker::Undo;
using checker::ViolationKind;

constexpr std::uint64_t kMaxSteps = 4'000;  // of a stateless search
constexpr std::uint64_t kMaxDepth = 200;
constexpr std::uint64_t kGiveUpAtOnce = 2;  // sets are given up and tried again all the time
constexpr std::uint32_t kShortChain = 2;    // so that random models come to its end

using Transitions = std::pair<Granularity, Composition>;

/// All that are not refused.
const std::vector<Transitions>& transitions() {
  static const std::vector<Transitions> kAll = [] {
    std::vector<Transitions> result;
    for (const auto& [granularity_word, granularity] : checker::values<Granularity>()) {
      for (const auto& [composition_word, composition] : checker::values<Composition>()) {
        Options options;
        options.granularity = granularity;
        options.composition = composition;
        if (!checker::refused(options)) result.emplace_back(granularity, composition);
      }
    }
    return result;
  }();
  return kAll;
}

std::string name_of(const Options& options) {
  std::string name(checker::name(options.granularity));
  if (options.granularity == Granularity::Sync)
    name += fmt::format("/{}", checker::name(options.composition));
  name += fmt::format(" {}", checker::name(options.reduction));
  if (options.store == Store::Stateless) {
    name += fmt::format(" stateless, {}", checker::name(*options.undo));
  } else {
    name += options.order == Order::BreadthFirst ? " bfs" : " dfs";
  }
  if (options.order == Order::Random) name += ", random";
  if (options.seed != 0) name += fmt::format(", seed {}", options.seed);
  if (options.state_form == checker::StateForm::Bits) name += ", packed";
  if (options.reduction.give_up_after == kGiveUpAtOnce) name += ", given up";
  if (options.engine == checker::Engine::Jit) name += ", native";
  if (options.discipline == Discipline::PerExecution) name += ", per-execution";
  if (options.discipline == Discipline::Races) name += ", races";
  if (options.discipline == Discipline::Off) name += ", no discipline";
  if (options.spurious_wakeups) name += ", spurious wakeups";
  if (!options.static_analyses) name += ", no proofs";
  return name;
}

Options options_of(const Transitions& transitions) {
  Options options;
  options.all = true;
  std::tie(options.granularity, options.composition) = transitions;
  // Native code has a comparison of its own, step by step (tests/jit); here it is what the monitors
  // make of its records.
  options.engine = checker::Engine::Interpreter;
  options.jit_after = 0;
  return options;
}

void search_without_store(Options& options, Undo undo) {
  options.order = Order::DepthFirst;
  options.store = Store::Stateless;
  options.undo = undo;
  options.limits.max_depth = kMaxDepth;
  options.limits.max_states = kMaxSteps;
}

Undo undo_of(std::uint64_t number) {
  const auto all = checker::values<Undo>();
  return all[number % all.size()].second;
}

// ---- the dimensions of a covering array ---------------------------------------------------------

enum Dimension : std::uint8_t {
  OfTransition,
  OfSets,
  OfSleep,
  OfSearch,  // depth-first, breadth-first, without a store
  OfForm,    // of stored states
  OfEngine,
  OfGivingUp,
  OfDiscipline,
  OfSpurious,
  OfProofs,
};
const std::vector<unsigned> kSizes{4, 6, 2, 3, 2, 2, 2, 4, 2, 2};

/// Dynamic reductions without a store take long, so each array has one of them, and one of those
/// that need a store.
ReductionOptions dynamic(bool is_stateful, std::uint64_t number) {
  std::vector<ReductionOptions> all;
  for (const auto& [word, reduction] : checker::values<ReductionOptions>())
    if (reduction.is_dynamic() && reduction.is_stateful() == is_stateful) all.push_back(reduction);
  return all.at(number % all.size());
}

/// `number`: of the array.
Options options_of(const Row& row, std::uint64_t number) {
  Options options = options_of(transitions().at(row[OfTransition]));
  constexpr std::array kStatic{Sets::None, Sets::Persistent, Sets::Stubborn, Sets::SafeSet};
  if (row[OfSets] < kStatic.size()) {
    options.reduction.sets = kStatic.at(row[OfSets]);
    options.reduction.sleep = row[OfSleep] != 0;
  } else {
    options.reduction = dynamic(row[OfSets] > kStatic.size(), number);
  }
  const Undo undo = undo_of(row[OfTransition] + number);
  if (row[OfSearch] == 1) options.order = Order::BreadthFirst;
  if (row[OfSearch] == 2) search_without_store(options, undo);
  if (row[OfSearch] != 1) {
    if (number % 3 == 1) options.order = Order::Random;
    options.seed = number % 3 == 0 ? 0 : 1 + number;
  }
  if (row[OfForm] != 0) {
    options.state_form = checker::StateForm::Bits;
    options.reduction.longest_chain = kShortChain;
  }
  if (row[OfEngine] != 0) options.engine = checker::Engine::Jit;
  if (row[OfGivingUp] != 0) options.reduction.give_up_after = kGiveUpAtOnce;
  options.discipline = checker::values<Discipline>()[row[OfDiscipline]].second;
  options.spurious_wakeups = row[OfSpurious] != 0;
  options.static_analyses = row[OfProofs] == 0;
  return options;
}

bool is_allowed(const Row& row) {
  const Options options = options_of(row, 0);
  const bool is_dynamic = options.reduction.is_dynamic();
  const bool is_idle =
      (row[OfGivingUp] != 0 && (options.reduction.sets == Sets::None || is_dynamic)) ||
      (row[OfSleep] != 0 && is_dynamic);
  const bool sleeps_never = row[OfSleep] != 0 && options.reduction.sets == Sets::SafeSet;
  const bool packs_nothing = row[OfForm] != 0 && options.store == Store::Stateless;
  return !is_idle && !sleeps_never && !packs_nothing && !checker::refused(options);
}

/// In fractions of a millisecond, roughly, for a small model.
unsigned cost(const Row& row) {
  return 1 + (row[OfSearch] == 2 ? 25 : 0) + (row[OfEngine] != 0 ? 8 : 0);
}

std::vector<Combination> make_covering(std::uint64_t number) {
  static const std::vector<Row> kAllowed = allowed_rows(kSizes, is_allowed);
  std::vector<Combination> result;
  for (const Row& row : covering_array(kSizes, kAllowed, cost, number)) {
    const Options options = options_of(row, number);
    result.push_back({name_of(options), options});
  }
  return result;
}

bool is_wanted(const Combination& combination) {
  const char* words =
      std::getenv("CML_COMBINATIONS");  // NOLINT(concurrency-mt-unsafe): not set here
  if (words == nullptr) return true;
  std::istringstream in(words);
  for (std::string word; in >> word;) {
    const bool excludes = word.starts_with('-');
    const bool contains =
        combination.name.find(excludes ? word.substr(1) : word) != std::string::npos;
    if (contains == excludes) return false;
  }
  return true;
}

/// Findings in a form that is the same for every sound combination.
struct CombinedFacts {
  std::set<std::string> violations;  // but divergence and stuck threads
  std::set<std::string> divergent;
  std::set<std::string> spinning;
  std::set<std::string> stuck;
  std::set<std::string> covered;
  std::set<std::string> unreached;
  std::set<std::string> table;
  bool breaks_discipline = false;
};

/// What a thread waits at, operation and object, not its place in the text:
/// neither the variable that receives nor the values that are sent, and two blocks that wait for
/// the same objects are one operation, whatever they say.
std::string operation_of(const checker::ThreadStatus& thread) {
  std::string text = thread.blocked_on.value_or("?");
  if (text.starts_with("await") || text.starts_with("atomic")) return "block";
  if (const std::size_t target = text.find(" = "); target != std::string::npos)
    text.erase(0, target + 3);
  return text.substr(0, text.find('('));
}

std::string stuck_text(const checker::Violation& violation, const PlainNames& plain) {
  std::string text(checker::name(violation.kind));
  std::set<std::string> stuck;
  for (const checker::ThreadStatus& thread : violation.threads)
    if (thread.is_stuck)
      stuck.insert(without_ranks(thread.thread + ":" + plain(operation_of(thread), false)));
  for (const std::string& one : stuck)
    text += " " + one;
  return text;
}

/// Told once for an object; all others once for a place in the text.
bool is_of_object(ViolationKind kind) {
  return kind == ViolationKind::LockDiscipline || kind == ViolationKind::Guard ||
         kind == ViolationKind::InitOrder || kind == ViolationKind::DataRace;
}

CombinedFacts facts_of(const checker::Result& result, const PlainNames& plain) {
  CombinedFacts facts;
  for (const checker::Violation& v : result.violations) {
    switch (v.kind) {
      case ViolationKind::Deadlock:
      case ViolationKind::PartialDeadlock:
        facts.stuck.insert(stuck_text(v, plain));
        break;
      case ViolationKind::Livelock:
        facts.spinning.insert(without_ranks(*v.thread));
        break;
      case ViolationKind::Divergence:
        facts.divergent.insert(
            without_ranks(v.thread.value_or(v.message)));  // a property is named there
        break;
      case ViolationKind::Linearizability:  // told once for a property
        facts.violations.insert(std::string(checker::name(v.kind)));
        break;
      default:
        facts.violations.insert(fmt::format(
            "{} {}", checker::name(v.kind),
            is_of_object(v.kind) ? plain.object_of(v) : fmt::format("@{}", v.location.begin)));
    }
    if (v.kind == ViolationKind::LockDiscipline || v.kind == ViolationKind::InitOrder ||
        v.kind == ViolationKind::DataRace)
      facts.breaks_discipline = true;
  }
  for (const checker::CoverEntry& entry : result.cover)
    if (entry.reached) facts.covered.insert(entry.label);
  for (const checker::Warning& warning : result.warnings)
    facts.unreached.insert(fmt::format("{} @{}", warning.kind, warning.location.begin));
  for (const checker::DisciplineEntry& entry : result.discipline) {
    // That a lock protects an object is known where it is proved, and else that it is ordered.
    if (result.discipline_form() == Discipline::Races) {
      for (const std::string& object : elements(entry.object))
        if (entry.status == "violated") facts.table.insert(object + " races");
      continue;
    }
    std::string row = " " + entry.status;
    for (const std::string& lock : entry.locks)
      row += " " + lock;
    for (const std::string& each : entry.of_each)
      row += fmt::format(" ({})", each);
    for (const std::string& object : elements(entry.object))
      facts.table.insert(object + row);
  }
  return facts;
}

void differ(const char* what, const std::set<std::string>& truth,
            const std::set<std::string>& other, bool only_subset, std::string& report) {
  if (!only_subset)
    for (const std::string& item : truth)
      if (!other.contains(item)) report += fmt::format("    misses {}: {}\n", what, item);
  for (const std::string& item : other)
    if (!truth.contains(item)) report += fmt::format("    invents {}: {}\n", what, item);
}

std::string compare_with_truth(const CombinedFacts& truth, const checker::Result& result,
                               const PlainNames& plain, const Combination& combination,
                               bool& truncated) {
  const CombinedFacts facts = facts_of(result, plain);
  const bool is_sync = combination.options.composes();
  std::string report;
  if (result.internal_error) return "    internal error: " + *result.internal_error + "\n";
  truncated = !result.stats.complete;
  if (truncated && result.verdict == checker::Verdict::Verified)
    report += "    verified, though truncated\n";
  if (truncated && combination.options.store == Store::Stateful) report += "    truncated\n";
  if (is_sync && truth.breaks_discipline) {
    if (!truncated && !facts.breaks_discipline) report += "    misses the broken discipline\n";
    return report;
  }
  differ("violation", truth.violations, facts.violations, truncated, report);
  if (!truth.breaks_discipline)
    differ("divergence", truth.divergent, facts.divergent, truncated, report);
  if (!truncated) differ("livelock", truth.spinning, facts.spinning, false, report);
  if (!truncated) differ("stuck threads", truth.stuck, facts.stuck, false, report);
  differ("cover", truth.covered, facts.covered, truncated, report);
  if (truncated) return report;
  differ("warning", truth.unreached, facts.unreached, false, report);
  differ("discipline", truth.table, facts.table, false, report);
  return report;
}

}  // namespace

std::vector<Combination> combinations(Discipline discipline, bool spurious) {
  std::vector<Combination> result;
  const auto add = [&](Options options) {
    options.discipline = discipline;
    options.spurious_wakeups = spurious;
    result.push_back({name_of(options), options});
  };
  for (const Transitions& transition : transitions()) {
    for (const auto& [reduction_word, reduction] : checker::values<ReductionOptions>()) {
      Options options = options_of(transition);
      options.reduction = reduction;
      const bool is_truth = options.granularity == Granularity::Access && !reduction.any();
      const auto add_allowed = [&] {
        if (!checker::refused(options)) add(options);
      };
      if (!is_truth) add_allowed();
      options.order = Order::BreadthFirst;
      add_allowed();
      search_without_store(options, undo_of(result.size()));
      add_allowed();
    }
  }
  for (const Transitions& transition : transitions()) {
    for (const auto& [reduction_word, reduction] : checker::values<ReductionOptions>()) {
      if (reduction.sets == Sets::Persistent || reduction.is_dynamic()) continue;
      Options options = options_of(transition);
      options.reduction = reduction;
      options.order = Order::BreadthFirst;
      options.engine = checker::Engine::Jit;
      add(options);
      if (reduction.sets == Sets::None || reduction.sleep || !options.composes()) continue;
      options.reduction.give_up_after = kGiveUpAtOnce;
      add(options);
      options.engine = checker::Engine::Interpreter;
      options.reduction.longest_chain = kShortChain;
      add(options);
    }
  }
  return result;
}

const std::vector<Combination>& covering_combinations(std::uint64_t seed) {
  static std::array<std::vector<Combination>, kCoveringArrays> arrays;
  std::vector<Combination>& array = arrays.at(seed % kCoveringArrays);
  if (array.empty()) array = make_covering(seed % kCoveringArrays);
  return array;
}

bool is_cheap(const Combination& combination) {
  return combination.options.store == Store::Stateful &&
         combination.options.engine == checker::Engine::Interpreter;
}

Report compare_combinations(const std::string& text, std::uint64_t max_states,
                            const std::vector<Combination>& combinations) {
  Report out;
  Subject& subject = Subject::of(text);
  if (!subject.refused().empty()) {
    out.kind = Report::Kind::Refused;
    out.text = subject.refused();
    return out;
  }
  std::map<const checker::Result*, CombinedFacts> truths;
  const PlainNames plain(subject.model());
  bool is_too_large = false;
  for (const Combination& combination : combinations) {
    const Options& options = combination.options;
    const checker::Result* full =
        subject.truth(max_states, options.discipline, options.spurious_wakeups);
    is_too_large = is_too_large || full == nullptr;
    if (full == nullptr || !is_wanted(combination)) continue;
    if (full->internal_error) {
      out.kind = Report::Kind::Differ;
      out.text = "  truth:\n    internal error: " + *full->internal_error + "\n";
      return out;
    }
    if (options.store == Store::Stateless && full->checked_hangs && !full->violations.empty())
      full = subject.truth(max_states, options.discipline, options.spurious_wakeups, false);
    auto truth = truths.find(full);
    if (truth == truths.end()) truth = truths.try_emplace(full, facts_of(*full, plain)).first;
    const checker::Result result = checker::check(subject.system(), subject.sources(), options);
    if (result.unsupported) continue;  // dynamic reductions refuse a rendezvous
    bool truncated = false;
    const std::string difference =
        compare_with_truth(truth->second, result, plain, combination, truncated);
    ++(truncated ? out.truncated : out.compared);
    if (difference.empty()) continue;
    out.kind = Report::Kind::Differ;
    out.text += fmt::format("  {}:\n{}", combination.name, difference);
  }
  if (is_too_large && out.compared == 0 && out.truncated == 0) out.kind = Report::Kind::Discarded;
  return out;
}

}  // namespace cml::differential
