// A walk by hand: shows what can happen, and does what is asked, a line at a time; from a terminal
// or a pipe.
//
//   step 2: Philosopher[1]: fork[1].acquire(); fork[1] = Philosopher[1]
//     1  Philosopher[0]  18  fork[1].acquire()
//   >
//
// A saved trace can be followed so: then an empty line takes its next step.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <random>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "app/console.h"
#include "app/exit_status.h"
#include "app/walker.h"

namespace cml::app {

class Stepper {
 public:
  /// `seed`: of what is chosen where a walk runs to a line. All must outlive it.
  Stepper(const LoadedModel& input, Walker& walker, Console& console, std::uint64_t seed)
      : input_(input), walker_(walker), console_(console), numbers_(seed) {}

  /// The steps that an empty line takes.
  void follow(std::vector<NamedStep> trace) { trace_ = std::move(trace); }

  /// Until `quit`, or the end of the input. Violated, if it has met a violation.
  [[nodiscard]] ExitStatus run();

 private:
  void show();
  void tell_step();
  void tell_found();
  /// False: the end is asked for.
  [[nodiscard]] bool obey(std::string_view line);
  void take(ir::Action action);
  void take_number(std::string_view word);
  void take_next();
  void back(std::string_view word);
  void run_to(std::string_view word);
  void show_trace();
  [[nodiscard]] std::optional<std::size_t> next_of_trace(
      const std::vector<checker::Move>& moves) const;
  void say(std::string_view text);

  const LoadedModel& input_;
  Walker& walker_;
  Console& console_;
  std::mt19937_64 numbers_;
  std::vector<NamedStep> trace_;
  bool is_on_trace_ = true;  // all steps so far are those of the trace
  std::vector<checker::Move> moves_;
  std::set<std::string> told_;  // violations
  bool is_violated_ = false;
};

}  // namespace cml::app
