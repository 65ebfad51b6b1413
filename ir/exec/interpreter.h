// The reference interpreter: Step by walking the IR, as simple as possible. It is the truth that
// everything faster is tested against.
//
// An atomic region is tried on a copy of the state, once for every leaf of its tree of decisions;
// the leaves that are not blocked are its choices. So it costs twice what the tree costs. A block
// that never completes diverges and leaves the objects as they were before it.
//
// Not thread-safe: it keeps scratch memory. One per worker.
#pragma once

#include <cstdint>
#include <vector>

#include "ir/analysis/analyses.h"
#include "ir/exec/execution.h"
#include "ir/exec/script_cache.h"
#include "ir/exec/step.h"

namespace cml::ir {

class Interpreter final : public Step {
 public:
  /// `analyses` and `layout` must outlive it.
  Interpreter(const Analyses& analyses, const Layout& layout, const StepConfig& config);

  [[nodiscard]] const System& system() const override { return system_; }
  [[nodiscard]] const Layout& layout() const override { return layout_; }
  void initial(std::uint8_t* state, Record& record) override;
  void enabled(const std::uint8_t* state, ThreadId thread, std::vector<Action>& out) override;
  void all_enabled(const std::uint8_t* state, Buffer<Action>& out) override;
  void execute(std::uint8_t* state, Action action, Record& record) override;
  void run_invisible(std::uint8_t* state, ThreadId thread, Record& record) override;
  void pending(const std::uint8_t* state, ThreadId thread, Record& record) override;
  [[nodiscard]] bool visible(const std::uint8_t* state, ThreadId thread) override;

  /// Executes one micro-transition, whatever the stop predicate. Of a meeting the partner's half as
  /// well: what that did is in met_record().
  void micro(std::uint8_t* state, Action action, Record& record);
  [[nodiscard]] Record& met_record() { return met_record_; }

  /// Fills it in with what is executed from now on; null: nobody watches.
  void watch(Watch* watch) { (void)execution_.watch(watch); }

  /// Evaluates an invariant or a `finally` in a state, which is not changed. A failure is an event.
  void run_free(const std::uint8_t* state, const Code& code, Record& record);

 private:
  [[nodiscard]] bool is_gone(const std::uint8_t* state, ThreadId thread) const {
    return location(layout_, state, thread) < kFirstLocation;
  }
  /// Both halves of a meeting (rendezvous.h).
  void meet(std::uint8_t* state, Action action, Record& record);
  void half(std::uint8_t* state, Action action, const Execution::Handed& handed, Record& record);
  Pc begin_micro(const std::uint8_t* state, Action action, Record& record) const;
  void enabled_in_region(const std::uint8_t* state, ThreadId thread, std::vector<Action>& out);
  /// Finds the script of leaf number `choice` of the region that the thread is at.
  void find_script(const std::uint8_t* state, Action action);
  Outcome try_region(const std::uint8_t* state, ThreadId thread, Record& record);
  [[nodiscard]] bool region_visible(const std::uint8_t* state, ThreadId thread, Pc pc);
  [[nodiscard]] bool access_visible(const std::uint8_t* state, ObjectId object,
                                    bool is_write) const;

  const System& system_;
  const Layout& layout_;
  StepConfig config_;
  const Visibility& visibility_;
  Execution execution_;
  LoopDetector loop_;
  std::vector<std::uint8_t> scratch_;
  Record trial_;
  Record met_record_;
  Script script_;
  ScriptCache ways_;
  std::vector<Action> actions_;
};

}  // namespace cml::ir
