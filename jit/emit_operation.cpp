// What each operation does, in the order of ir/system.h; ir/exec/execute_values.cpp and its
// neighbours do the same for the interpreter. Locks are in emit_locks.cpp, choices and selects in
// emit_choices.cpp.
#include <algorithm>

#include "jit/emitter.h"

namespace cml::jit {

using ir::Effect;

// ---- variables ---------------------------------------------------------------------------------

void Emitter::read(const ir::Read& node, bool is_access) {
  const Target object = target(node.place);
  std::vector<Local> targets;
  std::vector<llvm::Value*> words;
  for (std::size_t i = 0; i < node.targets.size(); ++i) {
    const Cell word = cell(object, node.word + i);
    words.push_back(load(word));
    targets.push_back(local(node.targets[i]));
    check_fits(targets[i], words[i], interval_of(word.field));
  }
  if (is_access) access(object, false);
  for (std::size_t i = 0; i < words.size(); ++i)
    assign(targets[i], words[i]);
}

void Emitter::write(const ir::Write& node, bool is_access) {
  const Target object = target(node.place);
  std::vector<llvm::Value*> words;
  for (std::size_t i = 0; i < node.values.size(); ++i) {
    words.push_back(value(node.values[i]));
    check_fits(cell(object, node.word + i).field, words[i], ranges_.of(node.values[i]));
  }
  if (is_access) access(object, true);
  for (std::size_t i = 0; i < words.size(); ++i)
    store(cell(object, node.word + i), words[i]);
}

void Emitter::emit(const ir::Read& node) {
  read(node, true);
  leave_operation(pc_ + 1);
}

void Emitter::emit(const ir::Write& node) {
  write(node, true);
  leave_operation(pc_ + 1);
}

// What cannot be executed natively is the interpreter's, as after a fault.
void Emitter::emit(const ir::ReadConstant& node) {
  if (!plan_.is_regular[pc_]) {
    builder_.CreateBr(fault());
    return;
  }
  read(node, false);
  go(pc_ + 1);
}

void Emitter::emit(const ir::WriteConstant& node) {
  if (!plan_.is_regular[pc_]) {
    builder_.CreateBr(fault());
    return;
  }
  write(node, false);
  go(pc_ + 1);
}

void Emitter::emit(const ir::Update& node) {
  const Target object = target(node.place);
  const bool is_cas = node.kind == ir::Update::Kind::Cas;
  std::vector<Local> targets;
  for (const ir::LocalPlace& place : node.targets)
    targets.push_back(local(place));
  if (is_cas) {
    if (!targets.empty()) check_fits(targets[0], number(1), kBoolean);
    llvm::Value* equal = builder_.getTrue();
    for (std::size_t i = 0; i < node.expected.size(); ++i) {
      llvm::Value* expected = value(node.expected[i]);
      equal = builder_.CreateAnd(
          equal, builder_.CreateICmpEQ(load(cell(object, node.word + i)), expected));
    }
    llvm::BasicBlock* stores = new_block("equal");
    llvm::BasicBlock* fails = new_block("different");
    builder_.CreateCondBr(equal, stores, fails);
    at(fails);
    touch(object, Effect::Read);
    if (!targets.empty()) assign(targets[0], number(0));
    leave_operation(pc_ + 1);
    at(stores);
  }
  std::vector<llvm::Value*> old;
  std::vector<llvm::Value*> words;
  for (std::size_t i = 0; i < node.values.size(); ++i) {
    const Cell word = cell(object, node.word + i);
    llvm::Value* operand = value(node.values[i]);
    Interval range = ranges_.of(node.values[i]);
    old.push_back(load(word));
    if (node.kind == ir::Update::Kind::Add && node.wraps) {
      llvm::Type* wide = builder_.getInt64Ty();
      operand = builder_.CreateNSWAdd(builder_.CreateSExt(operand, wide),
                                      builder_.CreateSExt(old[i], wide));
      operand = modulo(operand, range.lo + word.field.lo < 0, node.bounds.hi);
      range = {0, node.bounds.hi, false};
    } else if (node.kind == ir::Update::Kind::Add) {
      range = {range.lo + word.field.lo, range.hi + word.field.hi, false};
      const bool is_safe = range.within(INT32_MIN, INT32_MAX);
      operand = is_safe ? builder_.CreateNSWAdd(operand, old[i])
                        : checked(llvm::Intrinsic::sadd_with_overflow, operand, old[i]);
    }
    ir::Field stored = word.field;  // what both the bounds and the field allow
    stored.lo = std::max(stored.lo, node.bounds.lo);
    stored.hi = std::min(stored.hi, node.bounds.hi);
    if (stored.lo > stored.hi) check(builder_.getFalse());
    check_fits(stored, operand, range);
    words.push_back(operand);
    if (i < targets.size() && !is_cas) check_fits(targets[i], old[i], interval_of(word.field));
  }
  touch(object, Effect::Update);
  for (std::size_t i = 0; i < words.size(); ++i)
    store(cell(object, node.word + i), words[i]);
  for (std::size_t i = 0; i < targets.size(); ++i)
    assign(targets[i], is_cas ? number(1) : old[i]);
  leave_operation(pc_ + 1);
}

// ---- histories ---------------------------------------------------------------------------------

// What is remembered of a history is a table, which the interpreter has.
void Emitter::record_event(const ir::Place& history, Effect effect) {
  touch(target(history), effect);
  llvm::Value* gone = call("cml_record", builder_.getInt32Ty(),
                           {context_, state_, number(thread_.index), number(pc_)});
  llvm::BasicBlock* ended = new_block("limit");
  llvm::BasicBlock* goes_on = new_block("recorded_event");
  builder_.CreateCondBr(builder_.CreateICmpEQ(gone, number(0)), goes_on, ended);
  at(ended);
  end(kGoOn);
  at(goes_on);
}

// Always behind a New, which the interpreter executes with the rest of the run.
void Emitter::emit(const ir::Construct&) {
  builder_.CreateBr(plan_.may_loop_from[pc_] ? bail() : fault());
}

void Emitter::emit(const ir::Enter&) { leave_operation(pc_ + 1); }

void Emitter::emit(const ir::Invoke& node) {
  record_event(node.history, Effect::Invoke);
  go(pc_ + 1);
}

void Emitter::emit(const ir::Respond& node) {
  record_event(node.history, Effect::Respond);
  go(pc_ + 1);
}

// ---- semaphores and channels -------------------------------------------------------------------

void Emitter::emit(const ir::Up& node) {
  const Target semaphore = target(node.semaphore);
  const Cell amount = cell(semaphore, 0);
  llvm::Value* before = load(amount);
  check(builder_.CreateICmpNE(before, number(amount.field.hi)));
  touch(semaphore, Effect::Up, before);
  store(amount, builder_.CreateAdd(before, number(1)));
  leave_operation(pc_ + 1);
}

std::optional<Emitter::Local> Emitter::success_of(bool is_try,
                                                  const std::optional<ir::LocalPlace>& place) {
  if (!is_try || !place) return std::nullopt;
  const Local success = local(*place);
  check_fits(success, number(1), kBoolean);
  return success;
}

void Emitter::fails(const Target& object, Effect effect, llvm::Value* before,
                    const std::optional<Local>& success) {
  touch(object, effect, before);
  if (success) assign(*success, number(0));
  leave_operation(pc_ + 1);
}

void Emitter::block_or_fail(llvm::Value* is_enabled, bool is_try, const Target& object,
                            Effect failure, llvm::Value* before,
                            const std::optional<Local>& success) {
  llvm::BasicBlock* enabled = new_block("enabled");
  llvm::BasicBlock* disabled = new_block("disabled");
  builder_.CreateCondBr(is_enabled, enabled, disabled);
  at(disabled);
  if (is_try)
    fails(object, failure, before, success);
  else
    blocked();
  at(enabled);
}

void Emitter::emit(const ir::Down& node) {
  const Target semaphore = target(node.semaphore);
  const Cell amount = cell(semaphore, 0);
  const std::optional<Local> success = success_of(node.try_only, node.success);
  llvm::Value* before = load(amount);
  block_or_fail(builder_.CreateICmpNE(before, number(0)), node.try_only, semaphore,
                Effect::DownFailed, nullptr, success);
  touch(semaphore, Effect::Down, before);
  store(amount, builder_.CreateSub(before, number(1)));
  if (success) assign(*success, number(1));
  leave_operation(pc_ + 1);
}

std::int64_t Emitter::element_bytes(const Target& channel) const {
  const std::vector<ir::Field>& fields = layout_.object(channel.place->base).fields;
  std::int64_t bytes = 0;
  const std::size_t words = system_.objects[channel.place->base].words.size();
  for (std::size_t i = 0; i < words && 1 + i < fields.size(); ++i)
    bytes += fields[1 + i].width;
  return bytes;
}

// Elements are alike, one behind the other.
Emitter::Cell Emitter::element_cell(const Target& channel, llvm::Value* position,
                                    std::size_t word) {
  Cell result = cell(channel, 1 + word);
  llvm::Value* wide = builder_.CreateZExt(position, builder_.getInt64Ty());
  result.address = builder_.CreateInBoundsGEP(
      builder_.getInt8Ty(), result.address,
      builder_.CreateMul(wide,
                         builder_.getInt64(static_cast<std::uint64_t>(element_bytes(channel)))));
  return result;
}

std::vector<llvm::Value*> Emitter::checked_values(const Target& channel,
                                                  const std::vector<ir::ExprId>& values) {
  std::vector<llvm::Value*> words;
  const std::vector<ir::Field>& fields = layout_.object(channel.place->base).fields;
  for (std::size_t i = 0; i < values.size(); ++i) {
    words.push_back(value(values[i]));
    check_fits(fields[1 + i], words[i], ranges_.of(values[i]));
  }
  return words;
}

void Emitter::push(const Target& channel, llvm::Value* count,
                   const std::vector<llvm::Value*>& values) {
  for (std::size_t i = 0; i < values.size(); ++i)
    store(element_cell(channel, count, i), values[i]);
  store(cell(channel, 0), builder_.CreateAdd(count, number(1)));
}

std::vector<Emitter::Local> Emitter::checked_targets(const Target& channel,
                                                     const std::vector<ir::LocalPlace>& targets) {
  std::vector<Local> result;
  for (std::size_t i = 0; i < targets.size(); ++i) {
    const Cell word = cell(channel, 1 + i);
    result.push_back(local(targets[i]));
    check_fits(result[i], load(word), interval_of(word.field));
  }
  return result;
}

void Emitter::pop(const Target& channel, llvm::Value* count, const std::vector<Local>& targets) {
  for (std::size_t i = 0; i < targets.size(); ++i)
    assign(targets[i], load(cell(channel, 1 + i)));
  const std::int64_t by = element_bytes(channel);
  if (by == 0) {  // a channel without values
    store(cell(channel, 0), builder_.CreateSub(count, number(1)));
    return;
  }
  const std::int64_t bytes = by * system_.objects[channel.place->base].capacity;
  const Cell first = cell(channel, 1);
  if (bytes == by && by <= 8) {  // one element
    for (std::int64_t i = 0; i < by; ++i)
      builder_.CreateStore(builder_.getInt8(0), offset(first.address, i));
  } else {
    call("cml_shift", builder_.getVoidTy(), {first.address, number(bytes), number(by)});
  }
  store(cell(channel, 0), builder_.CreateSub(count, number(1)));
}

void Emitter::emit(const ir::Send& node) {
  if (node.meets) {
    hand_over(node.values);
    return send_half(target(node.channel), pc_ + 1);
  }
  const Target channel = target(node.channel);
  const Cell amount = cell(channel, 0);
  const std::optional<Local> success = success_of(node.try_only, node.success);
  llvm::Value* before = load(amount);
  block_or_fail(builder_.CreateICmpNE(before, number(capacity(channel))), node.try_only, channel,
                Effect::SendFailed, before, success);
  check_open(channel, before);
  if (capacity(channel) == 0) {  // a channel without capacity: never sent to
    builder_.CreateUnreachable();
    return;
  }
  const std::vector<llvm::Value*> words = checked_values(channel, node.values);
  touch(channel, Effect::Send, before);
  push(channel, before, words);
  if (success) assign(*success, number(1));
  leave_operation(pc_ + 1);
}

void Emitter::emit(const ir::Receive& node) {
  if (node.meets) return receive_half(target(node.channel), node.targets, pc_ + 1);
  const Target channel = target(node.channel);
  const Cell amount = cell(channel, 0);
  const std::optional<Local> success = success_of(true, node.success);
  llvm::Value* before = load(amount);
  block_or_fail(builder_.CreateICmpNE(before, number(0)), node.try_only, channel,
                Effect::ReceiveFailed, nullptr, success);
  if (llvm::BasicBlock* comes = comes_from(channel, before)) {
    const std::vector<ir::LocalPlace> none;
    receive_nothing(channel, node.try_only || node.success ? none : node.targets);
    if (success) assign(*success, number(0));
    leave_operation(pc_ + 1);
    at(comes);
  }
  if (capacity(channel) == 0) {
    builder_.CreateUnreachable();
    return;
  }
  const std::vector<Local> targets = checked_targets(channel, node.targets);
  touch(channel, Effect::Receive, before);
  pop(channel, before, targets);
  if (success) assign(*success, number(1));
  leave_operation(pc_ + 1);
}

void Emitter::emit(const ir::Size& node) {
  const Target channel = target(node.channel);
  const Cell amount = cell(channel, 0);
  llvm::Value* before = load(amount);
  llvm::Value* count = before;
  if (may_be_closed(channel))
    count =
        builder_.CreateSelect(is_closed(channel, before),
                              builder_.CreateSub(before, number(capacity(channel) + 1)), before);
  const Local place = local(node.target);
  const bool is_channel = system_.objects[channel.place->base].kind == ir::ObjectKind::Channel;
  check_fits(place, count, {0, is_channel ? capacity(channel) : amount.field.hi, false});
  touch(channel, Effect::Size, before);
  assign(place, count);
  leave_operation(pc_ + 1);
}

// ---- closed channels ---------------------------------------------------------------------------

bool Emitter::may_be_closed(const Target& channel) const {
  return system_.objects[channel.place->base].may_be_closed;
}

std::int64_t Emitter::capacity(const Target& channel) const {
  return system_.objects[channel.place->base].capacity;
}

llvm::Value* Emitter::is_closed(const Target& channel, llvm::Value* amount) {
  return builder_.CreateICmpSGT(amount, number(capacity(channel)));
}

void Emitter::check_open(const Target& channel, llvm::Value* amount) {
  if (may_be_closed(channel)) check(builder_.CreateNot(is_closed(channel, amount)));
}

llvm::BasicBlock* Emitter::comes_from(const Target& channel, llvm::Value* amount) {
  if (!may_be_closed(channel)) return nullptr;
  llvm::BasicBlock* nothing = new_block("closed_and_empty");
  llvm::BasicBlock* comes = new_block("comes");
  builder_.CreateCondBr(builder_.CreateICmpEQ(amount, number(capacity(channel) + 1)), nothing,
                        comes);
  at(nothing);
  return comes;
}

void Emitter::receive_nothing(const Target& channel, const std::vector<ir::LocalPlace>& targets) {
  const std::vector<std::int32_t>& words = system_.objects[channel.place->base].initial;
  std::vector<Local> places;
  for (std::size_t i = 0; i < targets.size() && i < words.size(); ++i) {
    places.push_back(local(targets[i]));
    check_fits(places[i], number(words[i]), {words[i], words[i], false});
  }
  touch(channel, Effect::Closed);
  for (std::size_t i = 0; i < places.size(); ++i)
    assign(places[i], number(words[i]));
}

void Emitter::emit(const ir::Close& node) {
  const Target channel = target(node.channel);
  const Cell amount = cell(channel, 0);
  llvm::Value* before = load(amount);
  check_open(channel, before);
  touch(channel, Effect::Close, before);
  store(amount, builder_.CreateAdd(before, number(capacity(channel) + 1)));
  leave_operation(pc_ + 1);
}

void Emitter::emit(const ir::Closed& node) {
  const Target channel = target(node.channel);
  llvm::Value* result = builder_.getInt32(0);
  if (may_be_closed(channel))
    result = builder_.CreateZExt(is_closed(channel, load(cell(channel, 0))), builder_.getInt32Ty());
  const Local place = local(node.target);
  check_fits(place, result, kBoolean);
  touch(channel, Effect::Closed);
  assign(place, result);
  leave_operation(pc_ + 1);
}

// ---- threads -----------------------------------------------------------------------------------

// One that certainly can be spawned; of others the interpreter chooses (jit/plan.cpp).
void Emitter::emit(const ir::Spawn& node) {
  const Target thread = target(node.thread);
  const ir::ThreadId id = system_.objects[node.thread.base].thread;  // the others are behind it
  const std::int64_t first = std::int64_t{id.index} + 1;
  llvm::Value* chosen = number(first);
  if (thread.index != nullptr) chosen = builder_.CreateAdd(chosen, thread.index);
  std::optional<Local> handle;
  if (node.target) {
    const std::int64_t count = node.thread.index ? node.thread.count : 1;
    handle = local(*node.target);
    check_fits(*handle, chosen, {first, first + count - 1, false});
  }
  std::vector<llvm::Value*> words;
  for (std::size_t i = 0; i < node.values.size(); ++i) {
    words.push_back(value(node.values[i]));
    check_fits(cell(thread, 1 + i).field, words[i], ranges_.of(node.values[i]));
  }
  touch(thread, Effect::Spawn);
  store(cell(thread, 0), number(system_.threads[id].code.pc_location[0]));
  for (std::size_t i = 0; i < words.size(); ++i)
    store(cell(thread, 1 + i), words[i]);
  if (handle) assign(*handle, chosen);
  leave_operation(pc_ + 1);
}

void Emitter::emit(const ir::Begin& node) {
  const Target thread = target(node.thread);
  const std::size_t words = system_.objects[node.thread.base].words.size();
  std::vector<Local> targets;
  std::vector<llvm::Value*> values;
  for (std::size_t i = 0; i < node.targets.size(); ++i) {
    const Cell word = cell(thread, 1 + i);
    values.push_back(load(word));
    targets.push_back(local(node.targets[i]));
    check_fits(targets[i], values[i], interval_of(word.field));
  }
  touch(thread, Effect::Begin);
  for (std::size_t i = 0; i < values.size(); ++i)
    assign(targets[i], values[i]);
  for (std::size_t i = 0; i < words; ++i)
    store(cell(thread, 1 + i), number(0));
  leave_operation(pc_ + 1);
}

void Emitter::emit(const ir::Finish& node) {
  touch(target(node.thread), Effect::Finish);
  leave_operation(pc_ + 1);
}

void Emitter::emit(const ir::Join& node) {
  const Target thread = target(node.thread);
  llvm::BasicBlock* ended = new_block("ended");
  llvm::BasicBlock* alive = new_block("alive");
  builder_.CreateCondBr(has(thread, ir::Awaited::End), ended, alive);
  at(alive);
  blocked();
  at(ended);
  touch(thread, Effect::Join);
  leave_operation(pc_ + 1);
}

}  // namespace cml::jit
