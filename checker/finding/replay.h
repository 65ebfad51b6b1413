// Replays a path in the reference interpreter, micro-transition by micro-transition, and makes a
// trace of it. A transition that is not enabled there, or does not do what the search saw, is an
// internal error, never a result. A replay that is asked to end early throws Stopped.
#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "checker/finding/operation_text.h"
#include "checker/finding/wakers.h"
#include "checker/path.h"
#include "checker/result.h"
#include "ir/exec/interpreter.h"
#include "ir/exec/step.h"
#include "ir/exec/watch.h"

namespace cml::checker {

struct Replay {
  bool ok = false;           // every transition was enabled
  std::size_t executed = 0;  // of them
  std::vector<TraceStep> steps;
  std::vector<std::uint8_t> state;  // at the end
  ir::Record record;                // of the last micro-transition, or of the beginnings
  // Of one that makes steps:
  std::vector<std::uint8_t> first;  // the state in the beginning
  std::vector<WaitStep> waits;      // what was done to wait sets
};

class Replayer {
 public:
  /// How much memory the steps of all traces may take, until they are written as text or JSON; a
  /// replay that needs more throws std::bad_alloc.
  void limit_memory(std::uint64_t bytes) { memory_left_ = bytes; }
  [[nodiscard]] std::uint64_t memory_left() const { return memory_left_; }

  /// How many transitions may still be executed to shorten the traces of all violations together.
  [[nodiscard]] std::uint64_t work_left() const { return work_left_; }
  void work_done(std::uint64_t transitions) { work_left_ -= std::min(work_left_, transitions); }

  /// `search_step` is the one whose paths are replayed.
  Replayer(const ir::Analyses& analyses, const ir::Layout& layout, const SourceSet& sources,
           ir::Step& search_step, const ir::StepConfig& config, const StopToken& stop = {});

  /// The micro-transitions of a path of the search, the beginnings of the threads included.
  [[nodiscard]] Path micros(const Path& path);
  /// The same for a thread that diverges after `path`, up to where its loop can begin.
  [[nodiscard]] Path micros_before_loop(const Path& path, ir::ThreadId thread);
  /// With one iteration of the thread's loop behind it.
  [[nodiscard]] Path with_loop(Path micros, ir::ThreadId thread);

  /// `look` is called for the beginnings and for each micro-transition; the replay ends where it
  /// returns true.
  using Look = std::function<bool(const ir::Record&, const std::uint8_t* state)>;
  /// Whether a replay makes the steps of a trace.
  enum class Steps : std::uint8_t { Made, None };
  [[nodiscard]] Replay replay(const Path& micros, const Look& look = {}, Steps steps = Steps::Made);

  /// The status of all threads at its end.
  [[nodiscard]] std::vector<ThreadStatus> status(const Replay& replay);
  /// The objects, but not those of the heap, that are not as they were in the beginning.
  [[nodiscard]] std::vector<NamedValue> changed_objects(const Replay& replay) const;
  /// What the last replay that made steps stored in locals.
  [[nodiscard]] const ir::Watch& watch() const { return watch_; }

  [[nodiscard]] ir::Interpreter& interpreter() { return interpreter_; }
  [[nodiscard]] const TextContext& context() const { return context_; }

 private:
  /// Called for each micro-transition that is replayed.
  void poll() const { stop_.poll(layout_.size()); }
  /// The number of invisible transitions of the thread until a state is repeated, or the run ends.
  [[nodiscard]] std::uint64_t steps_to_a_repetition(const std::vector<std::uint8_t>& from,
                                                    ir::ThreadId thread);
  /// Of one that waits for a reader-writer lock: who has it.
  void tell_holders(const std::uint8_t* state, ir::ThreadId thread, ThreadStatus& status);
  /// Adds what the last micro-transition did to wait sets.
  void note_waits(ir::ThreadId thread, Replay& replay) const;
  void charge(const TraceStep& step);
  /// The named locals of a thread that are in use at the end of the last replay that made steps.
  [[nodiscard]] std::vector<NamedValue> locals(ir::ThreadId thread) const;
  [[nodiscard]] TraceStep describe(const std::uint8_t* before, ir::Action action, bool is_choice);
  void changes(const std::uint8_t* before, const std::uint8_t* after, const ir::Record& record,
               TraceStep& step) const;

  const ir::System& system_;
  const ir::Layout& layout_;
  const ir::Accesses& accesses_;
  ObjectNames names_;  // along the last replay that made steps
  TextContext context_;
  ir::Step& search_step_;
  bool search_composes_;
  ir::Interpreter interpreter_;  // every micro-transition is a transition
  std::vector<ir::Action> actions_;
  /// Where the bytes of each object begin.
  std::vector<std::uint32_t> begins_;
  std::vector<ir::ObjectId> lives_;  // of spawned threads
  ir::Watch watch_;
  StopToken stop_;
  std::uint64_t memory_left_ = UINT64_MAX;
  std::uint64_t work_left_ = 2'000'000;
};

}  // namespace cml::checker
