// StillLost: whether threads that a HangCheck has found to be lost are so in another state, too, to
// which a shorter trace leads. Explores what can be reached from there, within a limit: then the
// answer is no, and the trace is not shortened so.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "checker/monitor/finding.h"
#include "checker/search/futures.h"
#include "ir/exec/interpreter.h"
#include "support/stop_token.h"

namespace cml::checker {

class StillLost {
 public:
  /// `step` has the transitions of the search. All must outlive it.
  StillLost(ir::Interpreter& step, const ir::Analyses& analyses, const Options& options,
            const StopToken& stop)
      : step_(step), analyses_(analyses), options_(options), stop_(stop) {}

  /// That they are blocked there as before, or spin in the same loop, is for others to see.
  [[nodiscard]] bool operator()(const std::uint8_t* state, const Finding& finding);

 private:
  ir::Interpreter& step_;
  const ir::Analyses& analyses_;
  const Options& options_;
  const StopToken& stop_;
  std::optional<Futures> futures_;
  bool is_exhausted_ = false;
  std::vector<std::uint8_t> alone_;
};

/// Whether a thread has stopped there, or will before anything else happens: nothing else is
/// reported then. `alone` is room for a state.
[[nodiscard]] bool is_about_to_stop(ir::Interpreter& step, const std::uint8_t* state,
                                    std::vector<std::uint8_t>& alone);
[[nodiscard]] bool has_stopped(const ir::Step& step, const std::uint8_t* state);

}  // namespace cml::checker
