// Reduction: which actions a depth-first search takes, with a store or without one. The search
// walks and keeps the states; a reduction decides, and owns what it keeps for each frame of the
// path (backtrack sets, sleep sets, clocks) and for each stored state (sleep sets).
//
//   search                                        reduction
//
//   comes to a state ───────────── entered ─────▶ a new frame
//   takes an action ◀───────────── next ───────── the next action; none: the state is done
//   fires it ───────────────────── executed ────▶ may add actions to this frame and to earlier ones
//     … to a stored state ──────── matched ─────▶ explore it again, for what slept until now?
//     … to a new state: entered, one deeper
//   goes back ──────────────────── left ────────▶ the frame is gone
//
// StaticReduction (static_reduction.h) is the one with persistent and stubborn sets, sleep sets and
// the proviso of depth-first search. docs/adding-a-reduction.md walks through it.
//
// One per worker; not thread-safe.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>

#include "checker/result.h"
#include "checker/store/state_number.h"
#include "checker/transition.h"
#include "ir/exec/step.h"

namespace cml::checker {

/// Of a frame: the initial state has depth 0.
using Depth = std::size_t;

/// A state as a reduction sees it.
struct StateView {
  const std::uint8_t* bytes = nullptr;  // up to ir::stride()
  std::optional<StateNumber> number;    // none: states are not stored
  bool is_again = false;                // matched() has asked for it
};

class Reduction {
 public:
  Reduction() = default;
  Reduction(const Reduction&) = delete;
  Reduction& operator=(const Reduction&) = delete;
  virtual ~Reduction() = default;

  /// The search has come to a state: to a new one, or after matched() has asked for it to one that
  /// is stored. `enabled`: by thread.
  virtual void entered(Depth depth, const StateView& state,
                       std::span<const ir::Action> enabled) = 0;
  /// What to take next from the state at this depth, which is the last.
  [[nodiscard]] virtual std::optional<ir::Action> next(Depth depth) = 0;
  /// What next() has said was taken.
  virtual void executed(Depth depth, ir::Action action, const Transition& transition) = 0;
  /// It led to a state that is new, and stored now; the numbers of such states ascend. It need not
  /// be entered, if it is too deep.
  virtual void stored(StateNumber state) = 0;
  /// It led to a state that was stored before. True: that is to be entered again; nothing has
  /// changed if it is not.
  [[nodiscard]] virtual bool matched(Depth depth, StateNumber state) = 0;
  virtual void left(Depth depth) = 0;

  /// Whether there can be states with one action to take that need not be entered.
  [[nodiscard]] virtual bool passes_through() const = 0;
  /// The one action that has to be taken from a state, where the search need not stop there: it is
  /// passed through, and neither stored nor entered. Asked only between executed() and entered().
  [[nodiscard]] virtual std::optional<ir::Action> only(const StateView& state,
                                                       std::span<const ir::Action> enabled) = 0;
  /// Whether that action, which led to this state, may not be passed over after all.
  [[nodiscard]] virtual bool must_stop(const Transition& transition, ir::Action action) = 0;

  /// At this depth nothing was left to take although something was enabled: all of it sleeps.
  [[nodiscard]] virtual bool is_blocked(Depth depth) const = 0;
  [[nodiscard]] virtual ReductionStatistics statistics() const = 0;
  [[nodiscard]] virtual std::uint64_t memory() const = 0;
  /// Of what has a number of 32 bits, how many there are.
  [[nodiscard]] virtual std::uint64_t numbers() const = 0;
};

}  // namespace cml::checker
