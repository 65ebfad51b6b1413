// A walk through a model, step by step, as somebody chooses: at granularity `access`, the truth to
// which everything else is compared. Executed in the reference interpreter.
//
// Going on costs a step, going back all steps from the beginning; what is asked of the state in
// words, or of what the monitors say of the walk, costs the walk once more.
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include "checker/options.h"
#include "checker/path.h"
#include "checker/result.h"
#include "frontend/source.h"
#include "ir/system.h"

namespace cml::checker {

/// What can happen next.
struct Move {
  ir::Action action;
  std::string thread;
  std::string operation;  // "fork[0].acquire()"
  SourceRange location;
  bool is_choice = false;  // the thread has others
  std::string outcome;     // of a choice: "3", "wakes Worker[1]"; may be empty
};

class Walk {
 public:
  /// At the initial state. Of the options, what concerns the meaning of a model counts. All must
  /// outlive it.
  Walk(const ir::System& system, const SourceSet& sources, const Options& options);
  ~Walk();
  Walk(const Walk&) = delete;
  Walk& operator=(const Walk&) = delete;

  /// In the order of the threads; empty: nobody can go.
  [[nodiscard]] std::vector<Move> moves();
  /// Of the thread with this name.
  [[nodiscard]] std::vector<ir::Action> actions_of(const std::string& thread);
  /// Of all threads, as moves().
  [[nodiscard]] std::vector<ir::Action> actions();
  /// Of the operation in front of which a thread stands; none, if it has come to an end.
  [[nodiscard]] SourceRange location(ir::ThreadId thread) const;
  /// At a violation, a limit, or an assumption that does not hold.
  [[nodiscard]] bool has_stopped(ir::ThreadId thread) const;
  [[nodiscard]] bool has_thread(const std::string& thread) const;
  void take(ir::Action action);
  /// Takes back as many steps as there are, at most.
  void back(std::size_t steps);
  [[nodiscard]] const Path& path() const;
  [[nodiscard]] const std::vector<std::uint8_t>& state() const;

  /// The steps so far, and how it stands at their end.
  [[nodiscard]] std::vector<TraceStep> trace();
  [[nodiscard]] std::vector<ThreadStatus> threads();
  /// The objects that are not as they were in the beginning.
  [[nodiscard]] std::vector<NamedValue> changed();

  /// What the monitors find on this walk, and on others of the same system that are looked at with
  /// it; their traces are as they are. And limits that it ran into.
  struct Found {
    std::vector<Violation> violations;
    std::vector<std::string> limits_hit;
  };
  [[nodiscard]] Found found(const std::vector<Path>& others = {});

 private:
  class Parts;
  std::unique_ptr<Parts> parts_;
};

}  // namespace cml::checker
