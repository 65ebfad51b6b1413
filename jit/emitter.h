// Generates the LLVM IR of one thread instance: up to three functions, which LLVM keeps under the
// thread's name.
//
//   "Philosopher[0]"            the step function (runtime.h: StepFunction)
//   "Philosopher[0]:choices"    how many actions a location has where that depends on the state
//   "Philosopher[0]:visible"    whether its operation is visible where that depends on the state
//
//        switch on the location
//      ┌────────┬──────────┬─────────┐
//      ▼        ▼          ▼         │ Stop::Visible: the next operation is invisible
//   operation  operation  …          │
//      │ check, then touch, then store to the state
//      ▼                             │
//   local instructions ──▶ arrival at a location: store it ──▶ return
//      │ fault                        (one block for each location)
//      ▼
//   cml_resume: the interpreter executes this instruction
//
// There is no frame: a local is its slot in the state, loaded and stored where the instruction says
// so; the optimiser keeps them in registers. Where a guard is only evaluated (choices), the slots
// are a copy. There is one block for each instruction that control can reach, so that the
// operations of a thread share the local code behind them.
//
// Every instruction checks before its first effect and leaves by `fault()`, so the interpreter can
// execute it again from the beginning (runtime.h). What Ranges and HeldLocks prove is not checked.
#pragma once

#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/Module.h>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "ir/analysis/analyses.h"
#include "ir/describe.h"
#include "ir/exec/observations.h"
#include "ir/exec/step.h"
#include "jit/plan.h"
#include "jit/ranges.h"
#include "jit/runtime.h"

namespace cml::jit {

/// What the code of all threads is generated from.
struct EmitterInput {
  const ir::Analyses& analyses;
  const ir::Layout& layout;
  const ir::StepConfig& config;
  const Plan& plan;
  const ir::Observations* observations = nullptr;  // program.h: CompileOptions
  const std::vector<std::uint8_t>* recorded = nullptr;
};

class Emitter {
 public:
  Emitter(llvm::Module& module, const EmitterInput& input, ir::ThreadId thread);

  void step();
  /// False: no location needs it.
  bool choices();
  bool visible();

 private:
  enum class Function : std::uint8_t { Step, Choices, Visible };

  /// A field of the state at a place that may be computed.
  struct Cell {
    llvm::Value* address = nullptr;
    ir::Field field;
  };
  /// An object: a place, with the value of its index if it has one.
  struct Target {
    const ir::Place* place = nullptr;
    llvm::Value* index = nullptr;
  };
  /// A word of the frame, with the value of its index if it has one.
  struct Local {
    const ir::LocalPlace* place = nullptr;
    llvm::Value* index = nullptr;
  };

  // emitter.cpp: functions, blocks, local instructions
  void begin(Function function);
  template <class Wanted>
  llvm::SwitchInst* switch_on_location(Wanted wanted);
  void copy_slots();
  void bodies();
  void body(ir::Pc pc);
  void arrival(ir::Location location);
  /// The block of an instruction; the block where a thread arrives at a location.
  llvm::BasicBlock* block_of(ir::Pc pc);
  llvm::BasicBlock* arrival_at(ir::Location location);
  /// The block through which control gets to `target`: `edge_to` from a local instruction or within
  /// an atomic block, `edge_out` from behind an operation or an atomic block, where a run begins.
  llvm::BasicBlock* edge_to(ir::Pc target);
  llvm::BasicBlock* edge_out(ir::Pc target);
  llvm::BasicBlock* loop_edge(ir::Pc target);
  llvm::BasicBlock* bail();
  void go(ir::Pc target) { builder_.CreateBr(edge_to(target)); }
  void leave_operation(ir::Pc target) { builder_.CreateBr(edge_out(target)); }
  llvm::BasicBlock* new_block(const llvm::Twine& name);
  void at(llvm::BasicBlock* block) { builder_.SetInsertPoint(block); }
  void end(std::uint32_t ended) { builder_.CreateRet(number(ended)); }
  /// Goes on where `holds` is true, else leaves by fault().
  void check(llvm::Value* holds);
  llvm::BasicBlock* fault();
  llvm::Value* call(const char* name, llvm::Type* result, llvm::ArrayRef<llvm::Value*> arguments);
  [[nodiscard]] bool closes_windows(ir::Pc pc) const;
  void close_windows();

  // emit_state.cpp: fields, objects, locals, the record
  [[nodiscard]] llvm::ConstantInt* number(std::int64_t value) {
    return builder_.getInt32(static_cast<std::uint32_t>(value));
  }
  [[nodiscard]] llvm::Value* offset(llvm::Value* base, std::int64_t bytes);
  [[nodiscard]] Cell cell(const ir::Field& field) { return {offset(state_, field.offset), field}; }
  [[nodiscard]] Target target(const ir::Place& place);
  [[nodiscard]] Cell cell(const Target& target, std::size_t field);
  [[nodiscard]] Cell behind(const Target& target, const ir::Field& field);
  [[nodiscard]] Cell init_cell(const Target& target);
  [[nodiscard]] llvm::Value* id(const Target& target);
  [[nodiscard]] Local local(const ir::LocalPlace& place);
  [[nodiscard]] bool is_regular(ir::Slot slot, std::uint32_t count) const;
  [[nodiscard]] Cell slot_cell(ir::Slot slot, llvm::Value* index = nullptr);
  [[nodiscard]] llvm::Value* load(const Cell& cell);
  void store(const Cell& cell, llvm::Value* value);
  void check_fits(const ir::Field& field, llvm::Value* value, const Interval& interval);
  void check_fits(const Local& local, llvm::Value* value, const Interval& interval);
  void assign(const Local& local, llvm::Value* value);
  [[nodiscard]] llvm::Value* record_field(std::size_t bytes);
  [[nodiscard]] llvm::Value* append(std::size_t buffer, std::size_t element);
  void append_touch(llvm::Value* object, ir::Effect effect, llvm::Value* before = nullptr,
                    llvm::Value* counted = nullptr, llvm::Value* held = nullptr);
  void touch(const Target& object, ir::Effect effect, llvm::Value* before = nullptr);
  /// Emits `append`, which appends to the record, so that it is executed only if this observation
  /// was not recorded: not at all if it is recorded already, else behind a test of its flag.
  template <class Append>
  void unless_recorded(const ir::Observations::Touches& observations, const Target* object,
                       Append append);
  /// The observations that this instruction can make.
  [[nodiscard]] ir::Observations::Touches touches_of_pc() const {
    return observations_ == nullptr ? ir::Observations::Touches()
                                    : observations_->touches(thread_, pc_);
  }
  /// Where an operation that may fail stores whether it succeeded; checked to fit. None if the
  /// result is not used.
  std::optional<Local> success_of(bool is_try, const std::optional<ir::LocalPlace>& place);
  /// The operation was tried, and has failed.
  void fails(const Target& object, ir::Effect effect, llvm::Value* before,
             const std::optional<Local>& success);
  /// Continues where the operation is enabled; elsewhere it blocks or, if it is a try, fails.
  void block_or_fail(llvm::Value* is_enabled, bool is_try, const Target& object, ir::Effect failure,
                     llvm::Value* before, const std::optional<Local>& success);
  [[nodiscard]] llvm::Value* append_held();
  void access(const Target& object, bool is_write);
  void append_mark(ir::PointId point);
  /// Records that the thread has arrived there.
  void arrive(ir::Location location);
  void append_micro(ir::Pc pc);

  // emit_expression.cpp
  [[nodiscard]] llvm::Value* value(ir::ExprId id);
  [[nodiscard]] llvm::Value* condition(ir::ExprId id);
  [[nodiscard]] llvm::Value* arithmetic(ir::ExprId id, const ir::Expr& expr);
  [[nodiscard]] llvm::Value* bits(ir::ExprId id, const ir::Expr& expr);
  [[nodiscard]] llvm::Value* division(ir::ExprId id, const ir::Expr& expr);
  [[nodiscard]] llvm::Value* modulo(const ir::Expr& expr);
  [[nodiscard]] llvm::Value* modulo(llvm::Value* wide, bool can_be_negative, std::int32_t last);
  [[nodiscard]] llvm::Value* checked(llvm::Intrinsic::ID operation, llvm::Value* a, llvm::Value* b);
  [[nodiscard]] llvm::Value* lazy(llvm::Value* condition, const std::optional<ir::ExprId>& if_true,
                                  llvm::Value* true_value,
                                  const std::optional<ir::ExprId>& if_false,
                                  llvm::Value* false_value);
  [[nodiscard]] llvm::Value* local_at(const ir::Expr& expr);

  // emit_operation.cpp, emit_choices.cpp, emitter.cpp (local ones and regions): one for each kind
  // of instruction, at the program counter
#define CML_OPCODE(name, mnemonic, is_operation) void emit(const ir::name& node);
  CML_OPCODES(CML_OPCODE)
#undef CML_OPCODE
  /// `is_access`: it is an operation.
  void read(const ir::Read& node, bool is_access);
  void write(const ir::Write& node, bool is_access);
  /// Of a history.
  void record_event(const ir::Place& history, ir::Effect effect);
  [[nodiscard]] llvm::Value* is_free(const Target& lock);
  [[nodiscard]] llvm::Value* owns(const Target& lock);
  void check_owns(const Target& lock);
  void take(const Target& lock, llvm::BasicBlock* taken, llvm::BasicBlock* not_taken);
  void set_free(const Target& lock);
  void blocked() { end(kind_ == Function::Step ? kBlocked : 0); }
  [[nodiscard]] ir::LockDepth depth_of(const Target& lock) const;
  [[nodiscard]] Cell element_cell(const Target& channel, llvm::Value* position, std::size_t word);
  [[nodiscard]] std::int64_t element_bytes(const Target& channel) const;
  [[nodiscard]] std::vector<llvm::Value*> checked_values(const Target& channel,
                                                         const std::vector<ir::ExprId>& values);
  void push(const Target& channel, llvm::Value* count, const std::vector<llvm::Value*>& values);
  [[nodiscard]] std::vector<Local> checked_targets(const Target& channel,
                                                   const std::vector<ir::LocalPlace>& targets);
  void pop(const Target& channel, llvm::Value* count, const std::vector<Local>& targets);
  [[nodiscard]] bool may_be_closed(const Target& channel) const;
  [[nodiscard]] std::int64_t capacity(const Target& channel) const;
  /// `amount`: the first field of the channel.
  [[nodiscard]] llvm::Value* is_closed(const Target& channel, llvm::Value* amount);
  void check_open(const Target& channel, llvm::Value* amount);
  /// Continues where the channel is closed and empty; elsewhere at the block that is returned, if
  /// there is one.
  [[nodiscard]] llvm::BasicBlock* comes_from(const Target& channel, llvm::Value* amount);
  /// There.
  void receive_nothing(const Target& channel, const std::vector<ir::LocalPlace>& targets);

  // emit_rendezvous.cpp
  /// Where only what is sent is asked for: hands it over, and returns.
  void hand_over(const std::vector<ir::ExprId>& values);
  void send_half(const Target& channel, ir::Pc next);
  void receive_half(const Target& channel, const std::vector<ir::LocalPlace>& targets, ir::Pc next);
  void meet(const ir::Select& node);
  [[nodiscard]] llvm::Value* other_thread();
  [[nodiscard]] llvm::Value* handed(std::size_t word);

  // emit_choices.cpp
  /// Whether what operations wait for is there.
  [[nodiscard]] llvm::Value* has(const Target& object, ir::Awaited awaited);
  [[nodiscard]] llvm::Value* ready(const ir::Select::Case& item);
  [[nodiscard]] llvm::Value* ready_cases(const ir::Select& node);
  /// How many choices there are; choices other than 0, 1, … are written to the context's list.
  [[nodiscard]] llvm::Value* enabled_of(ir::Pc pc);
  [[nodiscard]] llvm::Value* enabled_of(const ir::Select& node);
  [[nodiscard]] llvm::Value* enabled_of(const ir::Choose& node);
  [[nodiscard]] llvm::Value* element_at(llvm::Value* set, llvm::Value* position);
  [[nodiscard]] llvm::Value* enabled_of(const ir::Notify& node);
  [[nodiscard]] bool is_mutex(const ir::Place& lock) const {
    return system_.objects[lock.base].is_mutex;
  }
  template <class Other>
  [[nodiscard]] llvm::Value* enabled_of(const Other& node);
  [[nodiscard]] llvm::Value* is_visible(ir::Pc pc);
  [[nodiscard]] llvm::Value* any_virgin(const ir::Place& place);
  [[nodiscard]] llvm::Value* any_virgin_inside(ir::Pc pc, ir::Pc end);
  [[nodiscard]] llvm::Value* flag_of(const Target& target, const std::vector<bool>& flags,
                                     const char* name);

  [[nodiscard]] bool in_region() const {
    return plan_.in_region[pc_] && current().opcode() != ir::Opcode::AtomicEnd;
  }
  [[nodiscard]] const ir::Instruction& current() const { return code_.instructions[pc_]; }

  llvm::Module& module_;
  const ir::System& system_;
  const ir::Layout& layout_;
  const ir::StepConfig& config_;
  const Plan& whole_plan_;
  const ir::HeldLocks& held_;
  const ir::Observations* observations_;
  const std::vector<std::uint8_t>* recorded_;
  ir::ThreadId thread_;
  const ir::Code& code_;
  const ThreadPlan& plan_;
  const ir::ThreadFields& fields_;
  std::vector<ir::ObjectId> initialises_;
  Ranges ranges_;
  llvm::IRBuilder<> builder_;

  Function kind_ = Function::Step;
  llvm::Function* function_ = nullptr;
  llvm::Value* context_ = nullptr;
  llvm::Value* state_ = nullptr;
  llvm::Value* slots_ = nullptr;  // where the locals are: the state, or a copy of
  std::uint32_t slots_from_ = 0;  // what begins there
  llvm::Value* choice_ = nullptr;
  llvm::Value* record_ = nullptr;
  llvm::Value* recorded_at_ = nullptr;
  ir::Pc pc_ = 0;
  std::map<ir::Pc, llvm::BasicBlock*> blocks_;
  std::map<ir::Location, llvm::BasicBlock*> arrivals_;
  std::map<ir::Pc, llvm::BasicBlock*> faults_;
  std::map<ir::Pc, llvm::BasicBlock*> runs_;  // that can turn, by where they begin
  std::map<ir::Pc, llvm::BasicBlock*> loop_edges_;
  llvm::BasicBlock* bail_ = nullptr;
  std::vector<ir::Pc> pending_blocks_;
  std::vector<ir::Location> pending_arrivals_;
};

}  // namespace cml::jit
