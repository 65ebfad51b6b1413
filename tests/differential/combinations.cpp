#include "tests/differential/combinations.h"

#include <algorithm>
#include <cstdlib>
#include <fmt/format.h>
#include <map>
#include <set>
#include <sstream>

#include "checker/check.h"
#include "frontend/load_model.h"
#include "ir/lower/lower.h"

namespace cml::differential {
namespace {

using checker::Composition;
using checker::Granularity;
using checker::Options;
using checker::Order;
using checker::Sets;
using checker::Store;
using checker::Undo;
using checker::ViolationKind;

constexpr std::uint64_t kMaxSteps = 4'000;  // of a stateless search
constexpr std::uint64_t kMaxDepth = 200;

std::vector<Combination> make_combinations() {
  std::vector<Combination> result;
  const auto add = [&result](const std::string& name, const Options& options) {
    result.push_back({name, options});
    result.back().options.all = true;
    // Native code has a comparison of its own, step by step (tests/jit); here it is what the
    // monitors make of its records.
    const bool is_native = name.ends_with("native");
    result.back().options.engine = is_native ? checker::Engine::Jit : checker::Engine::Interpreter;
    result.back().options.jit_after = 0;
  };
  struct Transitions {
    const char* name;
    Granularity granularity;
    Composition composition;
  };
  const Transitions transitions[] = {
      {"access", Granularity::Access, Composition::None},
      {"sync/none", Granularity::Sync, Composition::None},
      {"sync/invisible-first", Granularity::Sync, Composition::InvisibleFirst},
      {"sync/composed", Granularity::Sync, Composition::Composed}};
  struct Reduction {
    const char* name;
    checker::ReductionOptions options;
  };
  const Reduction reductions[] = {{"none", {Sets::None, false}},
                                  {"sleep", {Sets::None, true}},
                                  {"persistent", {Sets::Persistent, false}},
                                  {"persistent+sleep", {Sets::Persistent, true}},
                                  {"stubborn", {Sets::Stubborn, false}},
                                  {"stubborn+sleep", {Sets::Stubborn, true}}};
  for (const Transitions& t : transitions) {
    for (const Reduction& r : reductions) {
      Options options;
      options.granularity = t.granularity;
      options.composition = t.composition;
      options.reduction = r.options;
      for (const Order order : {Order::DepthFirst, Order::BreadthFirst}) {
        options.order = order;
        const bool is_truth = t.granularity == Granularity::Access && !r.options.any();
        if (is_truth && order == Order::DepthFirst) continue;
        add(fmt::format("{} {} {}", t.name, r.name, order == Order::DepthFirst ? "dfs" : "bfs"),
            options);
      }
      options.order = Order::DepthFirst;
      options.store = Store::Stateless;
      options.limits.max_depth = kMaxDepth;
      options.limits.max_states = kMaxSteps;
      const auto undo = static_cast<Undo>(result.size() % 3);
      options.undo = undo;
      add(fmt::format("{} {} stateless, {}", t.name, r.name,
                      undo == Undo::Checkpoint ? "checkpoint"
                      : undo == Undo::Replay   ? "replay"
                                               : "reverse"),
          options);
    }
  }
  for (const Transitions& t : transitions) {
    for (const Reduction& r : reductions) {
      if (r.options.sets == Sets::Persistent) continue;
      Options options;
      options.granularity = t.granularity;
      options.composition = t.composition;
      options.reduction = r.options;
      options.order = Order::BreadthFirst;
      add(fmt::format("{} {} bfs, native", t.name, r.name), options);
      // Sets are given up and tried again all the time.
      if (r.options.sets == Sets::None || r.options.sleep || !options.composes()) continue;
      options.reduction.give_up_after = 2;
      add(fmt::format("{} {} bfs, given up", t.name, r.name), options);
      add(fmt::format("{} {} bfs, given up, native", t.name, r.name), options);
    }
  }
  return result;
}

/// CML_COMBINATIONS="sleep -stateless": of those that would run, only those whose names contain the
/// first and not the second.
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
struct Facts {
  std::set<std::string> violations;  // but divergence and stuck threads
  std::set<std::string> divergent;
  std::set<std::string> stuck;
  std::set<std::string> covered;
  std::set<std::string> unreached;
  std::set<std::string> table;
  bool breaks_discipline = false;
};

/// "x[0..1]" is x[0] and x[1]: which elements share an entry depends on how it was established.
std::vector<std::string> elements(const std::string& object) {
  const std::size_t dots = object.find("..");
  if (dots == std::string::npos) return {object};
  const std::size_t begin = object.rfind('[', dots);
  const std::size_t end = object.find(']', dots);
  std::vector<std::string> result;
  const int last = std::stoi(object.substr(dots + 2, end - dots - 2));
  for (int i = std::stoi(object.substr(begin + 1, dots - begin - 1)); i <= last; ++i)
    for (const std::string& rest :
         elements(object.substr(0, begin) + fmt::format("[{}]", i) + object.substr(end + 1)))
      result.push_back(rest);
  return result;
}

/// What a thread waits at, operation and object, not its place in the text (language.md §9):
/// neither the variable that receives nor the values that are sent, and two blocks that wait for
/// the same objects are one operation, whatever they say.
std::string operation_of(const checker::ThreadStatus& thread) {
  std::string text = thread.blocked_on.value_or("?");
  if (text.starts_with("await") || text.starts_with("atomic")) return "block";
  if (const std::size_t target = text.find(" = "); target != std::string::npos)
    text.erase(0, target + 3);
  return text.substr(0, text.find('('));
}

std::string stuck_text(const checker::Violation& violation) {
  std::string text(checker::name(violation.kind));
  for (const checker::ThreadStatus& thread : violation.threads)
    if (thread.is_stuck) text += fmt::format(" {}:{}", thread.thread, operation_of(thread));
  return text;
}

/// Told once for an object; all others once for a place in the text.
bool is_of_object(ViolationKind kind) {
  return kind == ViolationKind::LockDiscipline || kind == ViolationKind::Guard ||
         kind == ViolationKind::InitOrder;
}

Facts facts_of(const checker::Result& result) {
  Facts facts;
  for (const checker::Violation& v : result.violations) {
    switch (v.kind) {
      case ViolationKind::Deadlock:
      case ViolationKind::PartialDeadlock:
        facts.stuck.insert(stuck_text(v));
        break;
      case ViolationKind::Divergence:
        facts.divergent.insert(v.thread.value_or(v.message));  // a property is named there
        break;
      default:
        facts.violations.insert(fmt::format(
            "{} {}", checker::name(v.kind),
            is_of_object(v.kind) ? v.object.value_or("") : fmt::format("@{}", v.location.begin)));
    }
    if (v.kind == ViolationKind::LockDiscipline || v.kind == ViolationKind::InitOrder)
      facts.breaks_discipline = true;
  }
  for (const checker::CoverEntry& entry : result.cover)
    if (entry.reached) facts.covered.insert(entry.label);
  for (const checker::Warning& warning : result.warnings)
    facts.unreached.insert(fmt::format("{} @{}", warning.kind, warning.location.begin));
  for (const checker::DisciplineEntry& entry : result.discipline) {
    std::string row = " " + entry.status;
    for (const std::string& lock : entry.locks)
      row += " " + lock;
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

std::string compare(const Facts& truth, const checker::Result& result,
                    const Combination& combination, bool& truncated) {
  const Facts facts = facts_of(result);
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
  if (!truncated) differ("stuck threads", truth.stuck, facts.stuck, false, report);
  differ("cover", truth.covered, facts.covered, truncated, report);
  if (truncated) return report;
  differ("warning", truth.unreached, facts.unreached, false, report);
  differ("discipline", truth.table, facts.table, false, report);
  return report;
}

}  // namespace

const std::vector<Combination>& combinations() {
  static const std::vector<Combination> kAll = make_combinations();
  return kAll;
}

Report compare_combinations(const std::string& text, std::uint64_t max_states, std::size_t first,
                            std::size_t stride, checker::Discipline discipline, bool spurious) {
  Report out;
  SourceSet sources;
  const FileId file = sources.add("random.cml", text);
  Diagnostics diagnostics;
  const model::Model model = load_model(sources, file, {}, diagnostics);
  const auto system = ir::lower(model, sources);
  if (diagnostics.has_errors() || !system) {
    out.kind = Report::Kind::Refused;
    return out;
  }
  Options options;
  options.all = true;
  options.discipline = discipline;
  options.spurious_wakeups = spurious;
  options.limits.max_states = max_states;
  options.static_analyses = false;
  options.engine = checker::Engine::Interpreter;
  const checker::Result full = checker::check(*system, sources, options);
  if (!full.stats.complete) {
    out.kind = Report::Kind::Discarded;
    return out;
  }
  if (full.internal_error) out.text += "truth: internal error: " + *full.internal_error + "\n";
  const Facts truth = facts_of(full);
  for (std::size_t i = first; i < combinations().size(); i += stride) {
    Combination combination = combinations()[i];
    if (!is_wanted(combination)) continue;
    combination.options.discipline = discipline;
    combination.options.spurious_wakeups = spurious;
    const checker::Result result = checker::check(*system, sources, combination.options);
    bool truncated = false;
    const std::string difference = compare(truth, result, combination, truncated);
    ++(truncated ? out.truncated : out.compared);
    if (difference.empty()) continue;
    out.kind = Report::Kind::Differ;
    out.text += fmt::format("  {}:\n{}", combination.name, difference);
  }
  return out;
}

}  // namespace cml::differential
