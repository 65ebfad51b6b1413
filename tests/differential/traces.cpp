#include "tests/differential/traces.h"

#include <algorithm>
#include <fmt/format.h>
#include <set>

#include "tests/differential/follower.h"
#include "tests/differential/heap_names.h"
#include "tests/differential/plain_names.h"

namespace cml::differential {
namespace {

using brute::Walker;
using checker::ViolationKind;

std::multiset<std::string> classes_of(const std::vector<std::string>& names) {
  std::multiset<std::string> result;
  for (const std::string& name : names)
    result.insert(without_numbers(name));
  return result;
}

/// What one violation says, against what is so at the end of its trace.
class Judge {
 public:
  Judge(const model::Model& model, const checker::Violation& violation)
      : model_(model), follower_(model), violation_(violation), kind_(name(violation.kind)) {}

  std::optional<std::string> run() {
    for (const checker::AccessSide& side : violation_.accesses)
      if (auto problem = access(side)) return "a side of it: " + *problem;
    if (auto problem = follower_.follow(violation_.trace)) return problem;
    if (auto problem = threads()) return problem;
    switch (violation_.kind) {
      case ViolationKind::Deadlock:
      case ViolationKind::PartialDeadlock:
        return stuck();
      case ViolationKind::LockDiscipline:
      case ViolationKind::Guard:
        return std::nullopt;  // its sides say all
      case ViolationKind::InitOrder:
        return is_in(soft(violation_.thread.value_or("")), violation_.object)
                   ? std::nullopt
                   : std::optional<std::string>("nothing is used too early");
      case ViolationKind::Livelock:
        return livelock();
      case ViolationKind::Liveness:
        return liveness();
      case ViolationKind::Linearizability:
        if (!violation_.thread) return property();
        return is_in(soft(*violation_.thread), violation_.object)
                   ? std::nullopt
                   : std::optional<std::string>("the calls can be explained");
      case ViolationKind::Divergence:
        return violation_.thread ? divergence() : property();
      default:
        return violation_.thread ? fault() : property();
    }
  }

 private:
  [[nodiscard]] Walker* walker(const std::string& name) {
    const std::optional<int> number = follower_.thread(name);
    if (!number) return nullptr;
    return follower_.run().walkers[static_cast<std::size_t>(*number)].get();
  }

  /// Violations that stop nobody: of the last step, and of what the thread looks at while waiting.
  std::vector<brute::Stop> soft(const std::string& thread) {
    std::vector<brute::Stop> out = follower_.run().world.soft;
    if (const auto number = follower_.thread(thread)) {
      const auto waiting = follower_.waiting(*number);
      out.insert(out.end(), waiting->world.soft.begin(), waiting->world.soft.end());
    }
    return out;
  }

  [[nodiscard]] bool is_in(const std::vector<brute::Stop>& stops,
                           const std::optional<std::string>& object) const {
    return std::any_of(stops.begin(), stops.end(), [&](const brute::Stop& stop) {
      const bool is_other = object && !stop.object.empty() &&
                            without_numbers(stop.object) != follower_.plain(*object, false) &&
                            without_numbers(stop.object) != follower_.plain(*object, true);
      if (stop.kind != kind_ || is_other) return false;
      return stop.kind != "assertion" || stop.place == violation_.location.begin;
    });
  }

  /// What is held for reading does not count for a write.
  [[nodiscard]] std::multiset<std::string> told_classes(const std::vector<std::string>& names,
                                                        bool writes = false) const {
    constexpr std::string_view kForReading = " (read)";
    std::multiset<std::string> result;
    for (std::string name : names) {
      const bool is_for_reading = name.ends_with(kForReading);
      if (is_for_reading) name.resize(name.size() - kForReading.size());
      if (!is_for_reading || !writes) result.insert(follower_.plain(name, true));
    }
    return result;
  }

  std::optional<std::string> access(const checker::AccessSide& side) {
    if (auto problem = follower_.follow(side.trace)) return problem;
    const auto number = follower_.thread(side.thread);
    if (!number) return "there is no such thread";
    const auto is_told = [&](const brute::Access& access) {
      const brute::World& world = follower_.run().world;
      std::vector<std::string> locks;
      for (const brute::Leaf& lock : access.held)
        locks.push_back(world.name(lock));
      const std::string operation = (access.write ? "write " : "read ") + world.name(access.leaf);
      return access.thread == *number && access.counted &&
             follower_.plain(side.operation, false) == without_numbers(operation) &&
             classes_of(locks) == told_classes(side.locks, access.write);
    };
    const auto& executed = follower_.run().world.accesses;
    if (std::any_of(executed.begin(), executed.end(), is_told)) return std::nullopt;
    const auto waiting = follower_.waiting(*number);
    const auto& pending = waiting->world.accesses;
    if (std::any_of(pending.begin(), pending.end(), is_told)) return std::nullopt;
    return fmt::format("{} does not {} there", side.thread, side.operation);
  }

  std::optional<std::string> threads() {
    for (const checker::ThreadStatus& told : violation_.threads) {
      const Walker* is = walker(told.thread);
      if (is == nullptr) return "there is no thread " + told.thread;
      std::string state = is->status == Walker::Status::Ended ? "ended" : "stopped";
      if (is->status == Walker::Status::Pending)
        state = follower_.can_move(is->number) ? "running" : "blocked";
      if (state != told.state)
        return fmt::format("at the end {} is {}, not {}", told.thread, state, told.state);
      std::vector<std::string> locks;
      for (const brute::Leaf& lock : follower_.run().world.held(is->number))
        locks.push_back(follower_.run().world.name(lock));
      if (classes_of(locks) != told_classes(told.holds))
        return fmt::format("{} holds other locks at the end", told.thread);
    }
    return std::nullopt;
  }

  std::optional<std::string> stuck() {
    std::set<int> stuck;
    bool all_daemons = true;
    for (const checker::ThreadStatus& told : violation_.threads) {
      const Walker* is = walker(told.thread);
      if (is->status == Walker::Status::Stopped || is->status == Walker::Status::Diverged)
        return told.thread + " has stopped";
      if (!told.is_stuck) {
        const bool runs = is->status == Walker::Status::Pending && follower_.can_move(is->number);
        if (runs && violation_.kind == ViolationKind::Deadlock) return told.thread + " can move";
        continue;
      }
      if (is->status != Walker::Status::Pending) return told.thread + " does not wait";
      stuck.insert(is->number);
      all_daemons = all_daemons && is->daemon;
    }
    if (stuck.empty() || all_daemons) return "nobody is stuck";
    if (!follower_.are_stuck(stuck)) return "one of them moves again";
    return std::nullopt;
  }

  std::optional<std::string> divergence() {
    const Walker* is = walker(violation_.thread.value_or(""));
    if (is == nullptr) return "there is no such thread";
    if (is->status == Walker::Status::Diverged) return std::nullopt;
    if (!follower_.comes_back(follower_.steps_before_alone(is->number)))
      return "the thread does not come back to where it was by invisible transitions";
    return std::nullopt;
  }

  std::optional<std::string> property() {
    const bool is_final = violation_.message.starts_with("finally");
    const bool all_ended = std::all_of(
        follower_.run().walkers.begin(), follower_.run().walkers.end(), [](const auto& thread) {
          return !thread || thread->daemon || thread->status == Walker::Status::Ended;
        });
    if (is_final && !all_ended) return "not all threads have ended";
    std::set<std::string> covered;
    const auto stops = is_final ? follower_.rules().finals(follower_.run(), covered)
                                : follower_.rules().invariants(follower_.run());
    if (!is_in(stops, violation_.object)) return "the property holds";
    return std::nullopt;
  }

  std::optional<std::string> fault() {
    const Walker* is = walker(*violation_.thread);
    // The thread has moved, perhaps together with one that it met.
    if (!violation_.trace.empty() && violation_.trace.back().thread != *violation_.thread &&
        !violation_.trace.back().operation.ends_with(" by " + *violation_.thread))
      return "the last step is another thread's";
    if (is == nullptr || !is->violation || !is_in({*is->violation}, violation_.object))
      return "the thread does nothing wrong";
    return std::nullopt;
  }

  /// The loop leads back to where it begins, by way of the thread that spins.
  std::optional<std::string> livelock() {
    const auto& trace = violation_.trace;
    const auto begin =
        std::find_if(trace.begin(), trace.end(), [](const auto& step) { return step.begins_loop; });
    if (begin == trace.end()) return "there is no loop";
    if (std::none_of(begin, trace.end(),
                     [&](const auto& step) { return step.thread == *violation_.thread; }))
      return "the thread does not move in the loop";
    return leads_back(begin);
  }

  std::optional<std::string> leads_back(std::vector<checker::TraceStep>::const_iterator begin) {
    Follower before(model_);
    if (auto problem = before.follow({violation_.trace.begin(), begin})) return problem;
    if (before.run().key() != follower_.run().key()) return "the loop does not lead back";
    return std::nullopt;
  }

  /// Whether the formula is false of it, and it is fair: tests/liveness/random_test.cpp.
  std::optional<std::string> liveness() {
    if (!violation_.execution) return "the execution is not told";
    const auto& trace = violation_.trace;
    const auto begin =
        std::find_if(trace.begin(), trace.end(), [](const auto& step) { return step.begins_loop; });
    if (violation_.execution->ends != (begin == trace.end())) return "it ends in a loop";
    return violation_.execution->ends ? std::nullopt : leads_back(begin);
  }

  const model::Model& model_;
  Follower follower_;
  const checker::Violation& violation_;
  std::string kind_;
};

/// As brute::Findings calls it; empty: its distance is not known.
std::string distance_key(const checker::Violation& violation, const PlainNames& plain) {
  std::string key(name(violation.kind));
  switch (violation.kind) {
    case ViolationKind::Assertion:
      return fmt::format("{} @{}", key, violation.location.begin);
    case ViolationKind::Divergence:
      return violation.thread ? key + " " + *violation.thread : key;
    case ViolationKind::IllegalMonitor:
    case ViolationKind::SemaphoreMax:
    case ViolationKind::ClosedChannel:
    case ViolationKind::InitOrder:
    case ViolationKind::Guard:
      return key + " " + plain.object_of(violation);
    case ViolationKind::Linearizability:
      return key + " " + without_numbers(violation.object.value_or(""));
    case ViolationKind::Livelock:         // known at the end alone
    case ViolationKind::Liveness:         // the same
    case ViolationKind::LockDiscipline:   // two executions
    case ViolationKind::PartialDeadlock:  // when it is noticed is a static question
      return {};
    default:
      return key;
  }
}

bool is_divergence(const std::string& key) { return key.starts_with("divergence "); }

/// Up to the violation: without the loop that a divergence is told with.
std::size_t transitions_of(const model::Model& model, const checker::Violation& violation) {
  if (violation.kind != ViolationKind::Divergence || !violation.thread)
    return violation.trace.size();
  Follower follower(model);
  if (follower.follow(violation.trace)) return violation.trace.size();
  return follower.steps_before_alone(follower.thread(*violation.thread).value_or(-1));
}

}  // namespace

std::string follow_traces(const model::Model& model, const checker::Result& result) {
  std::string report;
  for (const checker::Violation& violation : result.violations) {
    if (violation.kind == ViolationKind::FalseCommute) continue;  // of no execution
    if (const auto problem = Judge(model, violation).run())
      report += fmt::format("  {}: {}: {}\n", name(violation.kind), violation.message, *problem);
  }
  return report;
}

std::string compare_lengths(const model::Model& model, const checker::Result& result,
                            const brute::Findings& findings, bool all) {
  std::map<std::string, std::size_t> lengths;
  const PlainNames plain(model);
  for (const checker::Violation& violation : result.violations) {
    if (violation.kind == ViolationKind::FalseCommute) continue;
    const std::size_t length = transitions_of(model, violation);
    const auto [entry, fresh] = lengths.try_emplace(distance_key(violation, plain), length);
    entry->second = std::min(entry->second, length);
  }
  std::string report;
  if (all) {
    for (const auto& [key, length] : lengths) {
      // Only the largest sets of stuck threads are told; what a guard reads that is pending counts
      // before its transition does.
      const bool is_unknown = key.empty() || key == "deadlock" || key.starts_with("guard ") ||
                              key.starts_with("init-order ");
      if (is_unknown || (findings.tries_locks && is_divergence(key))) continue;
      const auto found = findings.distances.find(key);
      if (found != findings.distances.end() && found->second != length)
        report += fmt::format("  {}: {} transitions, and {} suffice\n", key, length, found->second);
    }
    return report;
  }
  std::size_t nearest = SIZE_MAX;
  for (const auto& [key, distance] : findings.distances) {
    if (findings.tries_locks && is_divergence(key)) return report;
    if (!key.starts_with("guard ") && !key.starts_with("init-order "))
      nearest = std::min(nearest, distance);
  }
  for (const auto& [key, length] : lengths)
    if (length > nearest || (!key.empty() && length < nearest))
      report += fmt::format("  {}: {} transitions, and {} suffice\n", key, length, nearest);
  return report;
}

}  // namespace cml::differential
