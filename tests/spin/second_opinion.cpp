#include "tests/spin/second_opinion.h"

#include <algorithm>
#include <fmt/format.h>
#include <set>
#include <sstream>

#include "ir/promela/promela.h"
#include "tests/differential/subject.h"
#include "tests/harness/process.h"

namespace cml::spin {
namespace {

struct Facts {
  std::set<std::string> violations;
  bool deadlock = false;
  bool partial_deadlock = false;  // SPIN does not look for them
  std::uint64_t states = 0;
};

/// What SPIN can tell.
bool is_told(checker::ViolationKind kind) {
  using checker::ViolationKind;
  switch (kind) {
    case ViolationKind::LockDiscipline:
    case ViolationKind::DataRace:
    case ViolationKind::Guard:
    case ViolationKind::InitOrder:
    case ViolationKind::Divergence:
    case ViolationKind::Linearizability:
    case ViolationKind::Livelock:
    case ViolationKind::Liveness:
    case ViolationKind::Deadlock:
    case ViolationKind::PartialDeadlock:
      return false;
    case ViolationKind::Assertion:
    case ViolationKind::IllegalMonitor:
    case ViolationKind::Range:
    case ViolationKind::Overflow:
    case ViolationKind::DivisionByZero:
    case ViolationKind::Index:
    case ViolationKind::Null:
    case ViolationKind::SemaphoreMax:
    case ViolationKind::ClosedChannel:
    case ViolationKind::StackOverflow:
    case ViolationKind::Unshared:
    case ViolationKind::FalseCommute:
      return true;
  }
  return true;
}

Facts facts_of(const checker::Result& result, const SourceSet& sources) {
  Facts facts;
  facts.states = result.stats.states;
  for (const checker::Violation& violation : result.violations) {
    facts.deadlock = facts.deadlock || violation.kind == checker::ViolationKind::Deadlock;
    facts.partial_deadlock =
        facts.partial_deadlock || violation.kind == checker::ViolationKind::PartialDeadlock;
    if (is_told(violation.kind))
      facts.violations.insert(
          ir::promela_name(checker::name(violation.kind), violation.location, sources));
  }
  return facts;
}

/// The numbers and names in what pan prints; a mistake of ours if it is not complete.
std::string read_pan(const std::string& out, Facts& facts) {
  std::istringstream lines(out);
  bool has_states = false;
  for (std::string line; std::getline(lines, line);) {
    const std::size_t colon = line.find(": ");
    const bool is_error = line.starts_with("pan:") && colon != std::string::npos;
    const std::string what = is_error ? line.substr(colon + 2) : "";
    constexpr std::string_view kAssertion = "assertion violated ";
    if (line.find("max search depth") != std::string::npos ||
        line.find("Search not completed") != std::string::npos)
      return "SPIN did not complete its search:\n" + out;
    if (what.starts_with("invalid end state")) facts.deadlock = true;
    if (what.starts_with(kAssertion))
      facts.violations.insert(
          what.substr(kAssertion.size(), what.find(" (at depth") - kAssertion.size()));
    if (line.ends_with(" states, stored")) {
      facts.states = std::stoull(line);
      has_states = true;
    }
  }
  return has_states ? "" : "SPIN says nothing about states:\n" + out;
}

std::string run_spin(const std::string& promela, Facts& facts) {
  const test::TemporaryFolder folder;
  test::ProcessOptions options;
  options.folder = folder.path();
  folder.write("model.pml", promela);
  // -o2 keeps variables that are only written, and their states. clang takes half the time of gcc
  // for this, and has nothing to optimise.
  const std::vector<std::vector<std::string>> steps{
      {"spin", "-o2", "-a", "model.pml"},
      {"clang", "-w", "-O0", "-DSAFETY", "-DNOREDUCE", "-DNOCLAIM", "-DVECTORSZ=8192", "-o", "pan",
       "pan.c"},
      {"./pan", "-c0", "-w18", "-m1000000"}};
  for (const auto& step : steps) {
    const test::ProcessResult result = test::run(step, options);
    const bool is_pan = &step == &steps.back();
    if (is_pan) return read_pan(result.out, facts);
    if (result.status != 0)
      return fmt::format("{} fails:\n{}{}", step.front(), result.out, result.err);
  }
  return {};
}

void differ(const std::set<std::string>& a, const std::set<std::string>& b, const char* which,
            std::string& report) {
  for (const std::string& item : a)
    if (!b.contains(item)) report += fmt::format("  only {}: {}\n", which, item);
}

}  // namespace

Opinion second_opinion(const std::string& path, const std::string& text, std::uint64_t max_states,
                       const std::function<void(std::string&)>& spoil) {
  const auto end = [](Outcome outcome, std::string report) {
    Opinion out;
    out.outcome = outcome;
    out.report = std::move(report);
    return out;
  };
  differential::Subject& subject = differential::Subject::of(text, path);
  if (!subject.has_model()) return end(Outcome::Wrong, subject.refused());
  if (!subject.refused().empty()) return end(Outcome::Unsupported, subject.refused());
  const SourceSet& sources = subject.sources();
  auto promela = ir::to_promela(subject.system(), sources, "cml export", "model.pml");
  if (!promela) return end(Outcome::Unsupported, promela.error().message);
  if (spoil) spoil(promela->text);

  const checker::Result* result = subject.truth(max_states, checker::Discipline::Global);
  if (result == nullptr) return end(Outcome::Discarded, "a limit was hit");
  if (result->internal_error) return end(Outcome::Differ, *result->internal_error);
  const Facts ours = facts_of(*result, sources);
  Facts theirs;
  std::string report = run_spin(promela->text, theirs);
  if (!report.empty()) return end(Outcome::Differ, std::move(report));

  differ(ours.violations, theirs.violations, "cml", report);
  differ(theirs.violations, ours.violations, "SPIN", report);
  // A deadlock whose threads are part of a larger stuck set is told as that partial deadlock.
  const bool deadlock_is_told = ours.deadlock || ours.partial_deadlock;
  if (ours.deadlock && !theirs.deadlock) report += "  only cml: a deadlock\n";
  if (theirs.deadlock && !deadlock_is_told) report += "  only SPIN: a deadlock\n";
  if (promela->states_agree && ours.states != theirs.states)
    report += fmt::format("  states: cml {}, SPIN {}\n", ours.states, theirs.states);
  // Decided before the report is moved from.
  const Outcome outcome = report.empty() ? Outcome::Agree : Outcome::Differ;
  Opinion out = end(outcome, std::move(report));
  out.states = ours.states;
  out.states_compared = promela->states_agree;
  return out;
}

}  // namespace cml::spin
