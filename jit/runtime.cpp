// The functions that generated code calls: each calls the worker's NativeStep. Generated code has
// no tables for unwinding, so no exception may pass through it: where there is no memory left, or
// the search is asked to stop, they return a value that makes the code return soon, and NativeStep
// throws then.
#include "jit/runtime.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <exception>

#include "jit/native_step.h"

namespace cml::jit {
namespace {

using ir::ObjectId;
using ir::ThreadId;

template <class Result, class Function>
Result guarded(Context* context, Result otherwise, Function function) noexcept {
  try {
    return function(*context->step);
  } catch (...) {
    context->step->fail(std::current_exception());
    return otherwise;
  }
}

extern "C" {

std::uint32_t cml_resume(Context* context, std::uint8_t* state, std::uint32_t thread,
                         std::uint32_t pc, std::uint32_t choice) noexcept {
  return guarded(context, kGoOn, [&](NativeStep& step) {
    return step.resume(state, ThreadId(thread), pc, choice);
  });
}
std::uint32_t cml_too_many_choices(Context* context, std::uint8_t* state, std::uint32_t thread,
                                   std::uint32_t pc) noexcept {
  return guarded(context, kGoOn, [&](NativeStep& step) {
    return step.too_many_choices(state, ThreadId(thread), pc);
  });
}
void cml_enter(Context* context, const std::uint8_t* state, std::uint32_t thread, std::uint32_t pc,
               std::uint32_t is_region) noexcept {
  (void)guarded(context, false, [&](NativeStep& step) {
    step.enter(state, ThreadId(thread), pc, is_region != 0);
    return true;
  });
}
std::uint32_t cml_loop(Context* context) noexcept {
  return guarded(context, 1U, [](NativeStep& step) { return step.loop(); });
}
std::uint32_t cml_bail(Context* context, std::uint8_t* state, std::uint32_t thread) noexcept {
  return guarded(context, kGoOn,
                 [&](NativeStep& step) { return step.bail(state, ThreadId(thread)); });
}
std::uint32_t cml_decide(Context* context, std::uint32_t options) noexcept {
  return guarded(context, 0U, [&](NativeStep& step) { return step.decide(options); });
}
std::uint32_t cml_waiters(Context* context, const std::uint8_t* state,
                          std::uint32_t lock) noexcept {
  return guarded(context, 0U,
                 [&](NativeStep& step) { return step.waiters(state, ObjectId(lock)); });
}
void cml_notify(Context* context, std::uint8_t* state, std::uint32_t thread, std::uint32_t pc,
                std::uint32_t lock, std::uint32_t flags, std::uint32_t choice) noexcept {
  (void)guarded(context, false, [&](NativeStep& step) {
    step.notify(state, ThreadId(thread), pc, ObjectId(lock), flags, choice);
    return true;
  });
}
void cml_init_order(Context* context, std::uint32_t thread, std::uint32_t pc,
                    std::uint32_t object) noexcept {
  ir::Event event;
  event.kind = ir::FaultKind::InitOrder;
  event.thread = ThreadId(thread);
  event.pc = pc;
  event.range = context->step->system().threads[event.thread].code.instructions[pc].range;
  event.object = ObjectId(object);
  (void)guarded(context, false, [&](NativeStep&) {
    context->record->events.push_back(event);
    return true;
  });
}
void cml_close_windows(Context* context, std::uint8_t* state, std::uint32_t thread) noexcept {
  (void)guarded(context, false, [&](NativeStep& step) {
    step.close_windows(state, ThreadId(thread));
    return true;
  });
}
/// Executes an event of a history; 1: that was a limit, and the thread is gone.
std::uint32_t cml_record(Context* context, std::uint8_t* state, std::uint32_t thread,
                         std::uint32_t pc) noexcept {
  return guarded(context, 1U,
                 [&](NativeStep& step) { return step.record_event(state, ThreadId(thread), pc); });
}
/// Removes a channel's oldest element: the others move down, zero bytes follow them.
void cml_shift(std::uint8_t* at, std::uint32_t bytes, std::uint32_t by) noexcept {
  std::memmove(at, at + by, bytes - by);
  std::memset(at + bytes - by, 0, by);
}

/// Appends the actions of a thread whose test is slow, behind `end`; returns the new end.
ir::Action* cml_enabled(Context* context, const std::uint8_t* state, std::uint32_t thread,
                        Buffer<ir::Action>* actions, ir::Action* end) noexcept {
  return guarded(context, end, [&](NativeStep& step) {
    actions->set_size(static_cast<std::size_t>(end - actions->begin()));
    step.append_enabled(state, ThreadId(thread), *actions);
    return actions->end();
  });
}

}  // extern "C"

template <class Function>
const void* address(Function* function) {
  return reinterpret_cast<const void*>(function);
}

}  // namespace

std::span<const RuntimeFunction> runtime_functions() {
  static const std::array kFunctions = {
      RuntimeFunction{"cml_resume", address(cml_resume)},
      RuntimeFunction{"cml_too_many_choices", address(cml_too_many_choices)},
      RuntimeFunction{"cml_enter", address(cml_enter)},
      RuntimeFunction{"cml_loop", address(cml_loop)},
      RuntimeFunction{"cml_bail", address(cml_bail)},
      RuntimeFunction{"cml_decide", address(cml_decide)},
      RuntimeFunction{"cml_waiters", address(cml_waiters)},
      RuntimeFunction{"cml_notify", address(cml_notify)},
      RuntimeFunction{"cml_init_order", address(cml_init_order)},
      RuntimeFunction{"cml_close_windows", address(cml_close_windows)},
      RuntimeFunction{"cml_record", address(cml_record)},
      RuntimeFunction{"cml_shift", address(cml_shift)},
      RuntimeFunction{"cml_enabled", address(cml_enabled)},
  };
  return kFunctions;
}

}  // namespace cml::jit
