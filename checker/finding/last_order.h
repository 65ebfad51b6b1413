// The last point of an execution at which something ordered two threads: what one of them had done
// by then comes before what the other does from then on. Behind it, nothing they do is ordered that
// way any more, which is where to look for the cure of a data race.
//
//     A   x = 1   up(s)                    y = 1
//     B                   down(s)  y = 2          here nothing orders y = 1 and y = 2
//                 └───────►
//
// Before each step of the two stands a point, and happens-before says who knows of it
// (checker/monitor/happens_before.h). Cost: a set for each step, and each synchronisation looks at
// all of them, so a long execution is not looked at.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <vector>

#include "checker/monitor/happens_before.h"
#include "ir/exec/state_layout.h"
#include "ir/exec/step.h"
#include "ir/system.h"

namespace cml::checker {

class LastOrderOfTwo {
 public:
  struct Steps {
    std::size_t before = 0;  // of one thread
    std::size_t after = 0;   // of the other, or the same
  };

  /// `steps`: at most so many will be seen. The system and the layout must outlive it.
  LastOrderOfTwo(const ir::System& system, const ir::Layout& layout,
                 std::array<ir::ThreadId, 2> threads, std::size_t steps);

  /// The next step, between two states.
  void see(const std::uint8_t* before, const ir::Record& record, const std::uint8_t* after);

  /// Of the first thread before the second, if there is one; else the other way round, if that is
  /// before `step`, which the first thread takes.
  [[nodiscard]] std::optional<Steps> last(std::size_t step) const {
    if (sides_[0].last) return sides_[0].last;
    const auto& back = sides_[1].last;
    return back && back->after < step ? back : std::nullopt;
  }

 private:
  static constexpr std::size_t kMostSteps = 2000;

  struct Side {
    ir::ThreadId thread;
    std::vector<std::size_t> steps;    // of this thread: its points
    std::optional<std::size_t> known;  // of them, the last one that the other knows
    std::optional<Steps> last;         // that one, and where the other has learned it
  };

  bool is_too_long_;
  HappensBefore order_;
  std::vector<std::uint8_t> sets_;
  std::array<Side, 2> sides_;
  std::size_t steps_ = 0;
};

}  // namespace cml::checker
