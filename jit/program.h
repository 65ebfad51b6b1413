// The native code of a model: made once, by LLVM, and shared by all workers. No type of LLVM leaves
// this folder.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <string>

#include "ir/analysis/analyses.h"
#include "ir/exec/observations.h"
#include "ir/exec/state_layout.h"
#include "ir/exec/step.h"
#include "ir/system.h"
#include "jit/families.h"
#include "jit/location_dependencies.h"
#include "jit/plan.h"
#include "jit/runtime.h"
#include "support/expected.h"

namespace cml::jit {

/// How much time the compiler may take.
enum class Effort : std::uint8_t {
  Quick,      // no IR passes, the fastest code generation
  Optimised,  // a short pipeline, and the code generator's optimisations
};

struct CompileOptions {
  Effort effort = Effort::Quick;
  /// Thread instances whose code differs in numbers only share it (families.h).
  bool share = true;
  /// Set by another thread when the code is not needed any more.
  const std::atomic<bool>* cancel = nullptr;
  /// Observations that need no entry in the record once they were recorded; null: records are
  /// complete. Must outlive the program.
  const ir::Observations* observations = nullptr;
  /// A copy of the flags of `observations`: what was recorded by then is left out of the code.
  std::vector<std::uint8_t> recorded;
  /// Appends where the code lies to /tmp/perf-PID.map, for `perf report`.
  bool perf_map = false;
};

/// The functions of a thread instance, perhaps shared with other instances.
struct ThreadFunctions {
  const std::int64_t* constants = nullptr;  // the last argument of all of them
  StepFunction step = nullptr;
  ChoicesFunction choices = nullptr;  // null: no location needs it
  VisibleFunction visible = nullptr;  // null: no location needs it
};

class Program {
 public:
  /// `analyses` and `layout` must outlive it. Fails where the machine does not let the program make
  /// code (the reason is for people), or where the model's limits leave no room for it.
  [[nodiscard]] static Expected<std::shared_ptr<const Program>, std::string> compile(
      const ir::Analyses& analyses, const ir::Layout& layout, const ir::StepConfig& config,
      const CompileOptions& options = {});

  ~Program();
  Program(const Program&) = delete;
  Program& operator=(const Program&) = delete;

  [[nodiscard]] const Plan& plan() const { return plan_; }
  [[nodiscard]] EnabledFunction enabled() const { return enabled_; }
  /// The second argument of that function.
  [[nodiscard]] const std::uint8_t* enabled_rows() const { return enabled_rows_.data(); }
  /// By thread and location; empty where records are complete, or transitions are composed.
  [[nodiscard]] const IdVector<ir::ThreadId, std::vector<LocationDependencies>>&
  location_dependencies() const {
    return dependencies_;
  }
  [[nodiscard]] const ThreadFunctions& functions(ir::ThreadId thread) const {
    return functions_[thread];
  }

 private:
  struct Code;  // LLVM's side
  Program(Plan plan, std::unique_ptr<Code> code);

  Plan plan_;
  IdVector<ir::ThreadId, ThreadFunctions> functions_;
  IdVector<ir::ThreadId, Constants> constants_;
  std::vector<std::uint8_t> enabled_rows_;
  IdVector<ir::ThreadId, std::vector<LocationDependencies>> dependencies_;
  EnabledFunction enabled_ = nullptr;
  std::unique_ptr<Code> code_;
};

/// The generated code as text, in LLVM's language, before or after optimisation.
[[nodiscard]] std::string llvm_text(const ir::Analyses& analyses, const ir::Layout& layout,
                                    const ir::StepConfig& config, Effort effort);

}  // namespace cml::jit
