// What generated code shares with the C++ around it: the context, through which a step function
// gets its record, and the functions that it calls for what is rare or large. Independent of LLVM.
//
// A step function has the signature of StepFunction; the last argument of all functions of a thread
// is the table of its constants, by which it differs from the instances that share its code
// (families.h). It executes the operation at `location` and the local instructions behind it in
// place, appends to the record, and returns how it ended.
//
//   generated code ──fault, limit───▶ cml_resume: the interpreter executes that instruction again
//                  ──a run loops────▶ cml_enter … cml_loop … cml_bail: beyond some iterations the
//                                     interpreter repeats the whole run and detects divergence
//                  ──choice─────────▶ cml_decide: the script of an atomic block
//                  ──notify─────────▶ cml_waiters, cml_notify
//
// So what is hard to get right (the order of events, where a loop is detected) exists once, in the
// interpreter; generated code returns before its instruction has had any effect.
#pragma once

#include <cstdint>
#include <span>

#include "ir/exec/step.h"

namespace cml::jit {

class NativeStep;

/// How far a step function goes.
enum class Mode : std::uint32_t {
  Execute,
  Trial,    // an atomic block only, on a copy: is it blocked?
  Pending,  // an atomic block up to its last guard, on a copy
  Hand,     // what the half of a meeting sends is handed over; nothing else
};

struct Context {
  ir::Record* record = nullptr;
  std::uint32_t* choices =
      nullptr;  // where lists of choices go; as long as there are threads and cases
  Mode mode = Mode::Execute;
  std::uint32_t fuel = 0;   // invisible micro-transitions that may still be joined
  std::uint32_t loops = 0;  // backward jumps that may still be made
  NativeStep* step = nullptr;
  // Of a meeting: what is sent, and the number of the other thread.
  std::int32_t* handed = nullptr;
  std::uint32_t other = 0;
  /// By number of ir::Observations: those that need no entry in the record.
  const std::uint8_t* recorded = nullptr;
};

// How a step function ended: at a visible operation (or after one micro-transition), or the thread
// has ended; at another invisible operation, if the caller must look; an atomic block is blocked.
// go.
inline constexpr std::uint32_t kDone = 0;
inline constexpr std::uint32_t kGoOn = 1;
inline constexpr std::uint32_t kBlocked = 2;

/// There are more choices than fit in a list: the caller asks the interpreter.
inline constexpr std::uint32_t kAskInterpreter = UINT32_MAX;

using StepFunction = std::uint32_t (*)(Context*, std::uint8_t* state, std::uint32_t location,
                                       std::uint32_t choice, const std::int64_t* constants);
using ChoicesFunction = std::uint32_t (*)(Context*, const std::uint8_t* state,
                                          std::uint32_t location, const std::int64_t* constants);
using VisibleFunction = std::uint32_t (*)(Context*, const std::uint8_t* state,
                                          std::uint32_t location, const std::int64_t* constants);

/// Appends; there is room for an action of each thread. `rows`: emit_enabled.h.
using EnabledFunction = void (*)(Context*, const std::uint8_t* rows, const std::uint8_t* state,
                                 Buffer<ir::Action>* out);

/// What generated code calls, by name.
struct RuntimeFunction {
  const char* name;
  const void* address;
};
[[nodiscard]] std::span<const RuntimeFunction> runtime_functions();

}  // namespace cml::jit
