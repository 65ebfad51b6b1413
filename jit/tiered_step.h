// Step that begins in the interpreter and goes on in native code when the search lasts.
//
//   transitions   0 ─────── native_after ────────┬──────────── optimise_after ────────┬──────────▶
//   executes      interpreter                    │ unoptimised code                   │ optimised
//   background              └── compiles quickly ┘              └── compiles better ──┘
//
// What counts for the optimiser are the transitions that the code has executed: cached ones
// (transition_cache.h) gain nothing. A state has the same bytes for all three, so a switch between
// two transitions changes nothing but the speed. A short search never starts LLVM; a long one never
// waits for it. The compiler runs in a thread of its own, which is asked to stop, and is joined,
// when the search ends.
//
// Where there is no native code, the interpreter continues, and `report` says why: the system
// forbids it, or there is no thread for the compiler, or no memory.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>

#include "ir/exec/interpreter.h"
#include "ir/exec/observations.h"
#include "ir/exec/step.h"
#include "jit/compiler_thread.h"
#include "jit/native_step.h"
#include "jit/program.h"

namespace cml::jit {

struct TierOptions {
  bool is_enabled = true;  // false: the interpreter alone
  /// After how many transitions to compile. 0: before the first, and wait for the compiler.
  std::uint64_t native_after = 4'000;
  /// After how many transitions executed by native code to compile again.
  std::uint64_t optimise_after = 3'000'000;
  bool perf_map = false;
};

/// Which engine has executed the transitions.
struct EngineReport {
  bool is_native = false;         // in the end
  double seconds = 0;             // the compiler's, in the background or not
  std::uint64_t interpreted = 0;  // transitions before the first native one
  std::string failure;            // why there is no native code; empty: no reason
};

class TieredStep final : public ir::Step {
 public:
  /// `analyses` and `layout` must outlive it.
  TieredStep(const ir::Analyses& analyses, const ir::Layout& layout, const ir::StepConfig& config,
             const TierOptions& options);
  ~TieredStep() override;

  [[nodiscard]] const ir::System& system() const override { return interpreter_.system(); }
  [[nodiscard]] const ir::Layout& layout() const override { return interpreter_.layout(); }
  void initial(std::uint8_t* state, ir::Record& record) override {
    current_->initial(state, record);
  }
  void enabled(const std::uint8_t* state, ir::ThreadId thread,
               std::vector<ir::Action>& out) override {
    current_->enabled(state, thread, out);
  }
  void all_enabled(const std::uint8_t* state, Buffer<ir::Action>& out) override {
    current_->all_enabled(state, out);
  }
  void execute(std::uint8_t* state, ir::Action action, ir::Record& record) override {
    count();
    current_->execute(state, action, record);
  }
  std::size_t successors(const std::uint8_t* state, std::size_t stride,
                         std::span<const ir::Action> actions, std::uint8_t* out,
                         ir::Record& record) override {
    count();
    const std::size_t done = current_->successors(state, stride, actions, out, record);
    transitions_ += done - 1;
    return done;
  }
  void run_invisible(std::uint8_t* state, ir::ThreadId thread, ir::Record& record) override {
    current_->run_invisible(state, thread, record);
  }
  void pending(const std::uint8_t* state, ir::ThreadId thread, ir::Record& record) override {
    current_->pending(state, thread, record);
  }
  [[nodiscard]] bool visible(const std::uint8_t* state, ir::ThreadId thread) override {
    return current_->visible(state, thread);
  }

  /// Native code compiled from now on leaves out of its records what was recorded.
  void leave_out(std::shared_ptr<const ir::Observations> observations) {
    observations_ = std::move(observations);
  }

  [[nodiscard]] EngineReport report() const;

 private:
  enum class Tier : std::uint8_t { Interpreter, Quick, Optimised };
  /// What the compiler's thread returns.
  struct Compilation {
    Effort effort = Effort::Quick;
    Expected<std::shared_ptr<const Program>, std::string> program;
    double seconds = 0;
  };

  void count() {
    if (++transitions_ >= next_look_) [[unlikely]]
      look();
  }
  void look();
  /// After how many executed transitions it can be time to optimise.
  [[nodiscard]] std::uint64_t time_to_optimise() const;
  void compile(Effort effort, bool in_background);
  void take();
  /// There is no native code, or none that is better.
  void go_on_without(std::string reason);

  const ir::Analyses& analyses_;
  const ir::StepConfig config_;
  const TierOptions options_;
  ir::Interpreter interpreter_;
  std::shared_ptr<const ir::Observations> observations_;
  std::unique_ptr<NativeStep> native_;
  ir::Step* current_;
  Tier tier_ = Tier::Interpreter;
  std::uint64_t transitions_ = 0;
  std::uint64_t next_look_;
  EngineReport report_;
  std::atomic<bool> cancel_ = false;
  std::shared_ptr<Compilation> compilation_;  // kept alive by the compiler if it never ends
  CompilerThread compiler_;
  bool is_compiler_lost_ = false;  // it was stopped: LLVM is not used any more
};

}  // namespace cml::jit
