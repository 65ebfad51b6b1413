// An execution that violates a property: what it is called, and of each thread why fairness does
// not force it to do something else.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "checker/finding/replay.h"
#include "checker/monitor/finding.h"
#include "checker/options.h"

namespace cml::checker {

/// Looks at the states of a loop while it is replayed.
class LoopWatch {
 public:
  /// The loop begins in the state that is shown after the one with number `stem`, the beginnings
  /// being 0.
  LoopWatch(Replayer& replayer, const Options& options, std::size_t stem);

  void look(const ir::Record& record, const std::uint8_t* state);
  /// Of each thread, why the loop can go on for ever.
  [[nodiscard]] std::vector<std::pair<std::string, std::string>> why_fair(Fairness fairness) const;
  /// Those that are no daemons and have not ended, anywhere in the loop.
  [[nodiscard]] std::vector<ir::ThreadId> not_ended() const;

 private:
  struct Seen {
    bool moves = false;
    bool is_met = false;       // at a rendezvous, in a step of another thread
    bool is_enabled = false;   // somewhere
    bool is_disabled = false;  // somewhere
    bool has_ended = false;    // somewhere
  };

  Replayer& replayer_;
  const Options& options_;
  std::size_t stem_;
  std::size_t shown_ = 0;
  std::vector<Seen> seen_;  // by thread
  std::vector<ir::Action> actions_;
};

[[nodiscard]] std::string liveness_message(const ir::System& system, const Finding& finding,
                                           const std::vector<ir::ThreadId>& not_ended);

}  // namespace cml::checker
