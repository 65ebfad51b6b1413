// Step by native code: the same bytes, actions and records as the interpreter's.
//
// The loop over micro-transitions exists twice: in generated code, which joins invisible
// transitions to the visible one before them without returning, and here, for long runs in which
// divergence must be detected. The `locals` of records are made by the interpreter.
//
// Not thread-safe: it has scratch memory. One per worker; they share the Program.
#pragma once

#include <cstdint>
#include <exception>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "ir/exec/execution.h"
#include "ir/exec/interpreter.h"
#include "ir/exec/observations.h"
#include "ir/exec/rendezvous.h"
#include "ir/exec/step.h"
#include "jit/meetings.h"
#include "jit/program.h"
#include "jit/runtime.h"
#include "jit/transition_cache.h"

namespace cml::jit {

class NativeStep final : public ir::Step {
 public:
  /// `analyses` and `layout` must outlive it, and so must `observations`, with which the program
  /// was compiled.
  NativeStep(const ir::Analyses& analyses, const ir::Layout& layout, const ir::StepConfig& config,
             std::shared_ptr<const Program> program,
             const ir::Observations* observations = nullptr);

  [[nodiscard]] const ir::System& system() const override { return system_; }
  [[nodiscard]] const ir::Layout& layout() const override { return layout_; }
  void initial(std::uint8_t* state, ir::Record& record) override;
  void enabled(const std::uint8_t* state, ir::ThreadId thread,
               std::vector<ir::Action>& out) override;
  void all_enabled(const std::uint8_t* state, Buffer<ir::Action>& out) override;
  void execute(std::uint8_t* state, ir::Action action, ir::Record& record) override;
  std::size_t successors(const std::uint8_t* state, std::size_t stride,
                         std::span<const ir::Action> actions, std::uint8_t* out,
                         ir::Record& record) override;
  void run_invisible(std::uint8_t* state, ir::ThreadId thread, ir::Record& record) override;
  void pending(const std::uint8_t* state, ir::ThreadId thread, ir::Record& record) override;
  [[nodiscard]] bool visible(const std::uint8_t* state, ir::ThreadId thread) override;

  /// How many transitions its code has executed; the others came from the cache.
  [[nodiscard]] std::uint64_t executed() const { return executed_; }
  /// How many cached effects there are (transition_cache.h).
  [[nodiscard]] std::size_t cached_effects() const { return cache_ ? cache_->size() : 0; }

  // What generated code calls (runtime.cpp).
  std::uint32_t resume(std::uint8_t* state, ir::ThreadId thread, ir::Pc pc, std::uint32_t choice);
  std::uint32_t too_many_choices(std::uint8_t* state, ir::ThreadId thread, ir::Pc pc);
  void enter(const std::uint8_t* state, ir::ThreadId thread, ir::Pc pc, bool is_region);
  std::uint32_t loop();
  std::uint32_t bail(std::uint8_t* state, ir::ThreadId thread);
  void close_windows(std::uint8_t* state, ir::ThreadId thread);
  std::uint32_t decide(std::uint32_t options);
  std::uint32_t waiters(const std::uint8_t* state, ir::ObjectId set);
  /// Whether the thread is gone.
  std::uint32_t record_event(std::uint8_t* state, ir::ThreadId thread, ir::Pc pc);
  void notify(std::uint8_t* state, ir::ThreadId thread, ir::Pc pc, ir::ObjectId set,
              std::uint32_t flags, std::uint32_t choice);
  /// There is room for one action of every thread, before and afterwards.
  void append_enabled(const std::uint8_t* state, ir::ThreadId thread, Buffer<ir::Action>& out);
  /// Called where a callback has no memory left, or is asked to stop.
  void fail(std::exception_ptr why) {
    failure_ = std::move(why);
    context_.loops = 0;
  }

 private:
  /// Called after generated code has returned. Throws std::bad_alloc or Stopped.
  void check_failure() {
    if (!failure_) [[likely]]
      return;
    std::rethrow_exception(std::exchange(failure_, nullptr));
  }
  /// The room that a record needs for what generated code may append.
  struct Room {
    std::uint32_t micros = 0, touches = 0, held = 0, marks = 0;

    [[gnu::always_inline]] void make(ir::Record& record) const {
      record.micros.make_room(micros);
      record.touches.make_room(touches);
      record.held.make_room(held);
      record.marks.make_room(marks);
    }
  };
  /// What the hot loop needs of a thread, in one place.
  struct Hot {
    StepFunction step = nullptr;
    const std::int64_t* constants = nullptr;
    const LocationPlan* locations = nullptr;
    ir::Field location;
    Room room;
    /// By location: how often a composed transition from there has not come into the cache whole.
    std::vector<std::uint8_t> misses;

    [[nodiscard]] ir::Location at(const std::uint8_t* state) const {
      if (location.width == 1) return state[location.offset];
      return static_cast<ir::Location>(location.load(state));
    }
  };

  [[nodiscard]] ir::Location at(const std::uint8_t* state, ir::ThreadId thread) const {
    return hot_[thread].at(state);
  }
  /// Whether observations that were recorded are left out of records: while transitions are
  /// executed, yes; while touches are asked for, no.
  void leave_out_recorded(bool leave_out) {
    if (observations_ != nullptr)
      context_.recorded = leave_out ? observations_->recorded().data() : nothing_recorded_.data();
  }
  /// Whether the action needs the interpreter or a script.
  [[nodiscard]] static bool is_rare(const Hot& thread, ir::Action action, ir::Location from) {
    return thread.locations[from].is_rare || action.choice == ir::kTooManyChoices;
  }
  /// One micro-transition or, with fuel, those joined to it.
  std::uint32_t micro(std::uint8_t* state, ir::Action action, std::uint32_t fuel,
                      ir::Record& record);
  /// The same for an action that `is_rare`.
  std::uint32_t rare_micro(std::uint8_t* state, ir::Action action, ir::Location from,
                           std::uint32_t fuel, ir::Record& record);
  // `kBlocks`: how many blocks a state has; 0: more than a cached effect has patches. kNoCache:
  // there is no cache.
  static constexpr std::size_t kNoCache = SIZE_MAX;
  /// Of micro-transitions behind the first one, in a composed transition that comes from the cache.
  static constexpr std::uint32_t kMostJoined = 64;
  /// After so many composed transitions from a location of which a part cannot be cached, they are
  /// executed without a look at their parts.
  static constexpr std::uint8_t kMostMisses = 64;
  /// Executes as many of the actions as are in the cache; returns how many.
  template <std::size_t kBlocks, ir::Stop kStop>
  std::size_t apply_cached(const std::uint8_t* state, std::size_t stride,
                           std::span<const ir::Action> actions, std::uint8_t* out);
  /// Goes on from `out`, where a thread has come by a cached micro-transition, as long as it stands
  /// at invisible operations. False: one of those that follow is not cached.
  template <std::size_t kBlocks>
  bool apply_invisible(ir::ThreadId thread, std::size_t stride, std::uint8_t* out);
  template <std::size_t kBlocks, ir::Stop kStop>
  std::size_t successors_from_cache(const std::uint8_t* state, std::size_t stride,
                                    std::span<const ir::Action> actions, std::uint8_t* out,
                                    ir::Record& record);
  template <std::size_t kBlocks, ir::Stop kStop>
  std::size_t execute_some(const std::uint8_t* state, std::size_t stride,
                           std::span<const ir::Action> actions, std::size_t done, std::uint8_t* out,
                           ir::Record& record);
  /// For any number of blocks, with or without a cache.
  std::size_t successors_anyhow(const std::uint8_t* state, std::size_t stride,
                                std::span<const ir::Action> actions, std::uint8_t* out,
                                ir::Record& record);
  /// Executes an action that is not in the cache. False: it needs the interpreter or a script, and
  /// is not the first of the batch.
  bool make_successor(const std::uint8_t* state, std::size_t stride, ir::Action action,
                      bool is_first, std::uint8_t* out, ir::Record& record);
  /// The same for a composed transition.
  bool make_composed(const std::uint8_t* state, std::size_t stride, ir::Action action,
                     bool is_first, std::uint8_t* out, ir::Record& record);
  /// Inserts the micro-transitions of a composed one that has no observations. False: one of them
  /// cannot be cached.
  bool insert_all(const std::uint8_t* state, std::size_t stride, ir::Action action);
  void prepare_cache(std::size_t stride);
  /// If all that a record contains are violations that were recorded, marks it as empty.
  void leave_out_recorded_events(ir::Record& record) const;
  void insert(const std::uint8_t* state, std::size_t stride, ir::Action action, ir::Location from,
              const std::uint8_t* after, ir::Record& record);
  /// There is room in the record.
  std::uint32_t call(const Hot& thread, std::uint8_t* state, ir::Action action, ir::Location from,
                     std::uint32_t fuel, ir::Record& record);
  void go_on(std::uint8_t* state, ir::ThreadId thread, std::uint64_t steps, ir::Record& record);
  /// The first micro-transition of two threads.
  void meet(std::uint8_t* state, ir::Action action, ir::Record& record);
  void half(std::uint8_t* state, ir::Action action, ir::ThreadId other, std::uint32_t its_case,
            ir::Record& record);
  void end_meeting(std::uint8_t* state, ir::Action action, ir::Record& record);
  [[nodiscard]] bool pending_acquire(const std::uint8_t* state, ir::ThreadId thread,
                                     ir::Location from, ir::Record& record) const;
  std::uint32_t try_region(const std::uint8_t* state, ir::ThreadId thread, ir::Location location);
  void enabled_in_region(const std::uint8_t* state, ir::ThreadId thread, ir::Location location,
                         std::vector<ir::Action>& out);
  void find_script(const std::uint8_t* state, ir::Action action, ir::Location location);
  [[nodiscard]] ir::ObjectId waits_for(const std::uint8_t* state, ir::ThreadId thread);

  /// What a run is restored to if it loops too often.
  struct Before {
    ir::ThreadId thread;
    ir::Pc pc = 0;
    bool is_region = false;
    std::vector<std::uint8_t> bytes;  // the thread's slots, or the whole state
    std::size_t touches = 0, held = 0, events = 0, marks = 0;
  };

  const ir::System& system_;
  const ir::Layout& layout_;
  ir::StepConfig config_;
  std::shared_ptr<const Program> program_;
  const Plan& plan_;
  EnabledFunction all_enabled_;
  const std::uint8_t* enabled_rows_;
  std::size_t threads_;
  const ir::Observations* observations_;
  std::vector<std::uint8_t> nothing_recorded_;  // by number of observations_
  IdVector<ir::ThreadId, Hot> hot_;
  Room room_;  // for any thread
  Context context_;
  std::exception_ptr failure_;
  ir::Interpreter interpreter_;
  ir::Execution execution_;
  ir::LoopDetector loop_;
  std::vector<std::uint8_t> scratch_;
  std::uint64_t executed_ = 0;
  std::optional<TransitionCache> cache_;  // for states at cache_stride_
  std::size_t cache_stride_ = 0;
  using SuccessorsFunction = std::size_t (NativeStep::*)(const std::uint8_t*, std::size_t,
                                                         std::span<const ir::Action>, std::uint8_t*,
                                                         ir::Record&);
  template <ir::Stop kStop>
  [[nodiscard]] static SuccessorsFunction successors_of(std::size_t blocks);
  SuccessorsFunction successors_ = nullptr;  // for states at cache_stride_
  std::vector<std::uint8_t> other_;          // scratch of insert()
  std::vector<std::uint8_t> other_after_;
  std::vector<std::uint8_t> from_;  // scratch of insert_all()
  std::vector<std::uint8_t> to_;
  std::vector<std::uint32_t> choices_;
  MeetingTable meetings_;
  std::vector<std::int32_t> handed_;  // at a meeting
  std::vector<std::int32_t> frame_;
  ir::Record trial_;
  ir::Record composed_trial_;
  std::vector<ir::Action> actions_;
  ir::Script script_;
  ir::ScriptCache script_cache_;
  std::size_t script_position_ = 0;
  Before before_;
};

}  // namespace cml::jit
