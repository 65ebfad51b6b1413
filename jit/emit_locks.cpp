// What the operations on locks do, in the order of ir/system.h: those that take and free them, and
// those of their wait sets.
#include "jit/emitter.h"

namespace cml::jit {

using ir::Effect;
using ir::WaitStatus;

ir::LockDepth Emitter::depth_of(const Target& lock) const {
  return held_.depth(thread_, pc_, *lock.place);
}

llvm::Value* Emitter::is_free(const Target& lock) {
  return builder_.CreateICmpEQ(load(cell(lock, 0)), number(0));
}

llvm::Value* Emitter::owns(const Target& lock) {
  return builder_.CreateICmpEQ(load(cell(lock, 0)), number(thread_.index + 1));
}

void Emitter::check_owns(const Target& lock) {
  if (depth_of(lock).least == 0) check(owns(lock));
}

void Emitter::set_free(const Target& lock) {
  store(cell(lock, 0), number(0));
  store(cell(lock, 1), number(0));
}

// Takes a lock, or one more level of it, and goes on at `taken`; at `not_taken` if another thread
// owns it.
void Emitter::take(const Target& lock, llvm::BasicBlock* taken, llvm::BasicBlock* not_taken) {
  const ir::LockDepth depth = depth_of(lock);
  const auto take_free = [&] {
    touch(lock, Effect::Take);
    store(cell(lock, 0), number(thread_.index + 1));
    store(cell(lock, 1), number(1));
    builder_.CreateBr(taken);
  };
  const auto deepen = [&] {
    llvm::Value* level = load(cell(lock, 1));
    check(builder_.CreateICmpNE(level, number(cell(lock, 1).field.hi)));
    touch(lock, Effect::Deepen);
    store(cell(lock, 1), builder_.CreateAdd(level, number(1)));
    builder_.CreateBr(taken);
  };
  if (is_mutex(*lock.place)) {
    llvm::BasicBlock* free = new_block("free");
    builder_.CreateCondBr(is_free(lock), free, not_taken);
    at(free);
    return take_free();
  }
  if (depth.least > 0) return deepen();
  llvm::BasicBlock* free = new_block("free");
  llvm::BasicBlock* owned = depth.greatest == 0 ? not_taken : new_block("owned");
  builder_.CreateCondBr(is_free(lock), free, owned);
  at(free);
  take_free();
  if (depth.greatest == 0) return;
  llvm::BasicBlock* mine = new_block("mine");
  at(owned);
  builder_.CreateCondBr(owns(lock), mine, not_taken);
  at(mine);
  deepen();
}

void Emitter::emit(const ir::Acquire& node) {
  const Target lock = target(node.lock);
  llvm::BasicBlock* taken = new_block("taken");
  llvm::BasicBlock* not_taken = new_block("blocked");
  take(lock, taken, not_taken);
  at(not_taken);
  blocked();
  at(taken);
  leave_operation(pc_ + 1);
}

void Emitter::emit(const ir::TryAcquire& node) {
  const Target lock = target(node.lock);
  const std::optional<Local> success = success_of(true, node.target);
  llvm::BasicBlock* taken = new_block("taken");
  llvm::BasicBlock* not_taken = new_block("not_taken");
  take(lock, taken, not_taken);
  at(not_taken);
  fails(lock, Effect::Look, nullptr, success);
  at(taken);
  if (success) assign(*success, number(1));
  leave_operation(pc_ + 1);
}

void Emitter::emit(const ir::Release& node) {
  const Target lock = target(node.lock);
  check_owns(lock);
  const auto give = [&] {
    touch(lock, Effect::Give);
    set_free(lock);
    leave_operation(pc_ + 1);
  };
  const ir::LockDepth depth = depth_of(lock);
  if (depth.least == 1 && depth.greatest == 1) return give();
  llvm::Value* level = load(cell(lock, 1));
  llvm::BasicBlock* outermost = new_block("outermost");
  llvm::BasicBlock* inner = new_block("inner");
  builder_.CreateCondBr(builder_.CreateICmpEQ(level, number(1)), outermost, inner);
  at(inner);
  touch(lock, Effect::Lessen);
  store(cell(lock, 1), builder_.CreateSub(level, number(1)));
  leave_operation(pc_ + 1);
  at(outermost);
  give();
}

void Emitter::emit(const ir::Wait& node) {
  const Target lock = target(node.lock);
  check_owns(lock);
  touch(node.condition ? target(*node.condition) : lock, Effect::EnterWait);
  touch(lock, Effect::Give);
  store(cell(*fields_.wait), number(static_cast<int>(WaitStatus::Waiting)));
  store(cell(*fields_.depth), load(cell(lock, 1)));
  set_free(lock);
  leave_operation(pc_ + 1);
}

void Emitter::emit(const ir::TimeOut& node) {
  const Target set = target(node.condition ? *node.condition : node.lock);
  llvm::Value* status = load(cell(*fields_.wait));
  llvm::Value* is_notified =
      builder_.CreateICmpEQ(status, number(static_cast<int>(WaitStatus::Notified)));
  llvm::Value* result = builder_.CreateZExt(is_notified, builder_.getInt32Ty());
  std::optional<Local> place;
  if (node.target) {
    place = local(*node.target);
    check_fits(*place, result, kBoolean);
  }
  llvm::BasicBlock* is_up = new_block("time_is_up");
  llvm::BasicBlock* goes_on = new_block("goes_on");
  builder_.CreateCondBr(is_notified, goes_on, is_up);
  at(is_up);
  touch(set, Effect::LeaveWait);
  store(cell(*fields_.wait), number(static_cast<int>(WaitStatus::Notified)));
  builder_.CreateBr(goes_on);
  at(goes_on);
  if (place) assign(*place, result);
  leave_operation(pc_ + 1);
}

// The action is enabled: the lock is free, and the thread was notified.
void Emitter::emit(const ir::Rewait& node) {
  const Target lock = target(node.lock);
  if (config_.spurious_wakeups) {
    llvm::Value* status = load(cell(*fields_.wait));
    llvm::BasicBlock* leaves = new_block("spurious");
    llvm::BasicBlock* takes = new_block("takes");
    builder_.CreateCondBr(
        builder_.CreateICmpEQ(status, number(static_cast<int>(WaitStatus::Waiting))), leaves,
        takes);
    at(leaves);
    touch(node.condition ? target(*node.condition) : lock, Effect::LeaveWait);
    builder_.CreateBr(takes);
    at(takes);
  }
  touch(lock, Effect::Take);
  store(cell(lock, 0), number(thread_.index + 1));
  store(cell(lock, 1), load(cell(*fields_.depth)));
  store(cell(*fields_.wait), number(static_cast<int>(WaitStatus::None)));
  store(cell(*fields_.depth), number(0));
  leave_operation(pc_ + 1);
}

void Emitter::emit(const ir::Notify& node) {
  const Target set = target(node.set);
  if (!node.of_condition) check_owns(set);
  const unsigned flags = (node.all ? 1U : 0U) | (in_region() ? 2U : 0U);
  call("cml_notify", builder_.getVoidTy(),
       {context_, state_, number(thread_.index), number(pc_), id(set), number(flags), choice_});
  leave_operation(pc_ + 1);
}

void Emitter::emit(const ir::Held& node) {
  const Target lock = target(node.lock);
  llvm::Value* result = builder_.CreateZExt(owns(lock), builder_.getInt32Ty());
  if (!node.target) {
    touch(lock, Effect::Held);
    return leave_operation(pc_ + 1);
  }
  const Local place = local(*node.target);
  check_fits(place, result, kBoolean);
  touch(lock, Effect::Held);
  assign(place, result);
  leave_operation(pc_ + 1);
}

void Emitter::emit(const ir::Owner& node) {
  const Target lock = target(node.lock);
  const Cell owner = cell(lock, 0);
  llvm::Value* number = load(owner);
  const Local place = local(node.target);
  check_fits(place, number, interval_of(owner.field));
  touch(lock, Effect::Look);
  assign(place, number);
  leave_operation(pc_ + 1);
}

}  // namespace cml::jit
