#include "tests/differential/differential.h"

#include <algorithm>
#include <fmt/format.h>
#include <map>

#include "checker/check.h"
#include "frontend/check.h"
#include "ir/lower.h"
#include "tests/brute/brute_force.h"

namespace cml::differential {
namespace {

using ThreadSet = std::set<std::string>;

/// Findings in a form that every search can be brought to.
struct Facts {
  std::set<std::string> violations;
  std::set<ThreadSet> deadlocks;
  std::set<ThreadSet> partial;  // partial deadlocks: the brute force does not look for them
  std::set<std::string> covered;
  std::map<std::string, std::string> locks;  // by object: the locks that are left
  std::uint64_t states = 0;
};

template <class Set>
std::string joined(const Set& set) {
  std::string out;
  for (const auto& item : set)
    out += (out.empty() ? "" : ", ") + item;
  return out;
}

void differ(const char* what, const std::set<std::string>& a, const std::set<std::string>& b,
            std::string& report) {
  for (const std::string& item : a)
    if (!b.contains(item)) report += fmt::format("  {}: only the first: {}\n", what, item);
  for (const std::string& item : b)
    if (!a.contains(item)) report += fmt::format("  {}: only the second: {}\n", what, item);
}

/// "range A1[0]" becomes "range A1": a violation is told once for all threads of a family.
std::string without_index(std::string key) {
  const std::size_t begin = key.find('[', key.rfind(" A"));
  if (key.find(" A") == std::string::npos || begin == std::string::npos) return key;
  return key.erase(begin, key.find(']', begin) - begin + 1);
}

/// A stuck vector is told once, for the most threads: so a deadlock of the one search may be part
/// of a larger stuck vector of the other.
void differ_stuck(const Facts& a, const Facts& b, const char* which, std::string& report) {
  for (const ThreadSet& mine : a.deadlocks) {
    const auto within = [&mine](const ThreadSet& theirs) {
      return std::includes(theirs.begin(), theirs.end(), mine.begin(), mine.end());
    };
    if (std::any_of(b.deadlocks.begin(), b.deadlocks.end(), within)) continue;
    if (std::any_of(b.partial.begin(), b.partial.end(), within)) continue;
    report += fmt::format("  stuck: only the {}: {}\n", which, joined(mine));
  }
}

std::string difference(const Facts& a, const Facts& b, bool with_locks) {
  std::string report;
  differ("violation", a.violations, b.violations, report);
  differ_stuck(a, b, "first", report);
  differ_stuck(b, a, "second", report);
  differ("cover", a.covered, b.covered, report);
  if (with_locks && a.locks != b.locks) {
    for (const auto& [object, locks] : a.locks) {
      const auto other = b.locks.find(object);
      if (other == b.locks.end() || other->second != locks)
        report += fmt::format("  locks of {}: {} against {}\n", object, locks,
                              other == b.locks.end() ? "nothing" : other->second);
    }
  }
  return report;
}

Facts facts_of(const checker::Result& result) {
  Facts facts;
  facts.states = result.stats.states;
  for (const checker::Violation& violation : result.violations) {
    using checker::ViolationKind;
    switch (violation.kind) {
      case ViolationKind::PartialDeadlock:
      case ViolationKind::Deadlock: {
        std::set<std::string> threads;
        for (const checker::ThreadStatus& thread : violation.threads)
          if (thread.state == "blocked") threads.insert(thread.thread);
        auto& into = violation.kind == ViolationKind::Deadlock ? facts.deadlocks : facts.partial;
        into.insert(threads);
        continue;
      }
      case ViolationKind::LockDiscipline:
        continue;  // compared through the locks that are left
      default:
        break;
    }
    std::string key(checker::name(violation.kind));
    const bool names_object = violation.kind == ViolationKind::IllegalMonitor ||
                              violation.kind == ViolationKind::SemaphoreMax ||
                              violation.kind == ViolationKind::Guard ||
                              violation.kind == ViolationKind::InitOrder;
    if (names_object && violation.object) key += " " + *violation.object;
    // The same mistake at the same place is told once, whichever thread of a family makes it.
    if (violation.thread && !names_object) key += " " + *violation.thread;
    if (violation.kind == ViolationKind::Assertion)
      key += fmt::format(" @{}", violation.location.begin);
    facts.violations.insert(without_index(key));
  }
  for (const checker::CoverEntry& entry : result.cover)
    if (entry.reached) facts.covered.insert(entry.label);
  return facts;
}

Facts facts_of(const brute::Findings& findings) {
  Facts facts;
  facts.states = findings.states;
  for (const std::string& violation : findings.violations) {
    // "guard x0 A1" becomes "guard x0".
    const std::string kind = violation.substr(0, violation.find(' '));
    const bool names_object = kind == "illegal-monitor" || kind == "semaphore-max" ||
                              kind == "guard" || kind == "init-order";
    facts.violations.insert(names_object ? violation.substr(0, violation.rfind(' '))
                                         : without_index(violation));
  }
  facts.covered = findings.covered;
  for (const std::string& vector : findings.deadlocks) {
    std::set<std::string> threads;  // "A0:m0.acquire A1:…"
    std::size_t begin = 0;
    while (begin < vector.size()) {
      const std::size_t colon = vector.find(':', begin);
      const std::size_t end = std::min(vector.find(' ', colon), vector.size());
      threads.insert(vector.substr(begin, colon - begin));
      begin = end + 1;
    }
    facts.deadlocks.insert(threads);
  }
  return facts;
}

}  // namespace

Comparison compare(const std::string& text, std::uint64_t max_states) {
  Comparison out;
  SourceSet sources;
  const FileId file = sources.add("random.cml", text);
  Diagnostics diagnostics;
  const model::Model model = load_model(sources, file, {}, diagnostics);
  if (diagnostics.has_errors()) {
    out.outcome = Outcome::Refused;
    for (const Diagnostic& diagnostic : diagnostics.all())
      if (info(diagnostic.code).severity == Severity::Error) out.report = diagnostic.message;
    return out;
  }
  const auto system = ir::lower(model, sources);
  if (!system) {
    out.outcome = Outcome::Refused;
    out.report = system.error().message;
    return out;
  }

  checker::Options options;
  options.all = true;
  options.limits.max_states = max_states;
  const checker::Result depth_first = checker::check(*system, sources, options);
  out.states = depth_first.stats.states;
  if (depth_first.internal_error) {
    out.outcome = Outcome::Differ;
    out.report = "internal error: " + *depth_first.internal_error;
    return out;
  }
  if (!depth_first.stats.complete) {
    out.outcome = Outcome::Discarded;
    return out;
  }
  for (const checker::Violation& violation : depth_first.violations)
    out.kinds.insert(std::string(checker::name(violation.kind)));

  options.order = checker::Order::BreadthFirst;
  const checker::Result breadth_first = checker::check(*system, sources, options);
  const Facts truth = facts_of(depth_first);
  if (breadth_first.internal_error) {
    out.report += "internal error: " + *breadth_first.internal_error + "\n";
  }
  if (std::string report = difference(truth, facts_of(breadth_first), true); !report.empty())
    out.report += "depth-first against breadth-first:\n" + report;
  if (depth_first.stats.states != breadth_first.stats.states)
    out.report += fmt::format("states: depth-first {}, breadth-first {}\n",
                              depth_first.stats.states, breadth_first.stats.states);

  const brute::Findings findings = brute::explore(model, {max_states * 2});
  if (findings.unsupported) {
    out.outcome = Outcome::Unsupported;
  } else if (!findings.complete) {
    out.report += "the brute force finds more than twice the states\n";
  } else {
    // Whether an object that one thread alone accesses counts as unshared is a static question, and
    // such an object has no guard or init-order violations.
    const auto comparable = [&findings](Facts facts) {
      std::erase_if(facts.violations, [&findings](const std::string& violation) {
        const bool asks = violation.starts_with("guard ") || violation.starts_with("init-order ");
        return asks && !findings.shared.contains(violation.substr(violation.find(' ') + 1));
      });
      return facts;
    };
    if (std::string report = difference(comparable(truth), comparable(facts_of(findings)), false);
        !report.empty())
      out.report += "search against brute force:\n" + report;
    std::set<std::string> broken;
    for (const checker::Violation& violation : depth_first.violations)
      if (violation.kind == checker::ViolationKind::LockDiscipline &&
          findings.candidates.contains(*violation.object))
        broken.insert(*violation.object);
    std::string report;
    differ("lock-discipline", broken, findings.broken, report);
    if (!report.empty()) out.report += "search against brute force:\n" + report;
    if (findings.states != out.states)
      out.report += fmt::format("states: search {}, brute force {}\n", out.states, findings.states);
  }
  if (!out.report.empty()) out.outcome = Outcome::Differ;
  return out;
}

}  // namespace cml::differential
