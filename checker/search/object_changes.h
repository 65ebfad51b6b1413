// Whether a transition changes an object: anything but its thread's own location and locals
// (docs/liveness.md, "Lost threads").
//
// That is asked of each of its micro-transitions, so that it is the same at every granularity. The
// value of a variable, semaphore or channel is compared, so a `swap(true)` on what is true changes
// nothing; nor does what fails or only looks. Where an object may be garbage afterwards, and its
// place another one's, what was written is compared. To take a lock is a change, also where the
// same transition gives it back; so are entering a wait set, a notify that wakes, and a spawn.
#pragma once

#include <cstdint>
#include <vector>

#include "ir/exec/interpreter.h"
#include "ir/exec/watch.h"

namespace cml::checker {

class ObjectChanges {
 public:
  explicit ObjectChanges(ir::Interpreter& step) : step_(step) {}

  /// `record`: all that the transition did.
  [[nodiscard]] bool any(const std::uint8_t* before, const ir::Record& record,
                         const std::uint8_t* after);

 private:
  [[nodiscard]] bool any_by_micros(const std::uint8_t* before, const ir::Record& record);
  [[nodiscard]] bool differs(ir::ObjectId object, const std::uint8_t* a,
                             const std::uint8_t* b) const;

  /// Whether the last micro-transition, executed under watch_, has left it with another value.
  [[nodiscard]] bool was_changed(ir::ObjectId object) const;

  ir::Interpreter& step_;
  ir::Watch watch_;
  std::vector<std::uint8_t> before_;
  std::vector<std::uint8_t> after_;
  ir::Record record_;
};

}  // namespace cml::checker
