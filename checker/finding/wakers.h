// Why a blocked thread does not go on: who else could ever do what it waits for, and why none of
// them does it any more: "only Producer sends to c; it has ended".
//
// Who could is known from the code (ir/analysis/accesses.h): a thread that has the operation
// somewhere, and one that can still come to it. That is an over-approximation, so what is said of a
// thread is what it does now: that it has ended, waits itself, or has come past its last operation
// of this kind.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "checker/finding/text_context.h"
#include "checker/result.h"
#include "ir/analysis/accesses.h"
#include "ir/exec/interpreter.h"

namespace cml::checker {

/// A step of a trace that is about a wait set.
struct WaitStep {
  std::size_t step = 0;  // from 0
  ir::ThreadId thread;
  ir::ObjectId set;
  bool notifies = false;  // else it waits
  bool is_all = false;    // notifies all
};

class Wakers {
 public:
  Wakers(const TextContext& context, const ir::Accesses& accesses, ir::Interpreter& interpreter,
         const std::uint8_t* state, const std::vector<WaitStep>& waits,
         const std::vector<TraceStep>& steps)
      : context_(context),
        accesses_(accesses),
        interpreter_(interpreter),
        state_(state),
        waits_(waits),
        steps_(steps) {}

  /// Fills in the status of a blocked thread: the wakers, the notes, and whom it waits for.
  void tell(ir::ThreadId thread, ThreadStatus& status);

 private:
  void tell_object(ir::ThreadId thread, ir::ObjectUse by, ThreadStatus& status);
  void tell_notifies(ir::ThreadId thread, ir::ObjectId set, ThreadStatus& status) const;
  [[nodiscard]] bool could(ir::ThreadId thread, ir::ObjectUse use) const;
  [[nodiscard]] bool has_begun(ir::ThreadId thread) const;
  [[nodiscard]] std::string why_not(ir::ThreadId thread, ir::ObjectUse use) const;

  const TextContext& context_;
  const ir::Accesses& accesses_;
  ir::Interpreter& interpreter_;
  const std::uint8_t* state_;
  const std::vector<WaitStep>& waits_;
  const std::vector<TraceStep>& steps_;
};

}  // namespace cml::checker
