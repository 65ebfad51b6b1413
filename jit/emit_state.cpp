// Fields of the state, objects, locals, and appending to the record.
#include <algorithm>
#include <cstddef>
#include <llvm/IR/MDBuilder.h>

#include "jit/emitter.h"

namespace cml::jit {

using ir::Effect;
using ir::Field;
using ir::InitStatus;
using ir::LocalPlace;
using ir::Micro;
using ir::Place;
using ir::Record;
using ir::Slot;
using ir::Touch;

// Generated code writes these structs; a change of ir/exec/step.h must be followed here.
static_assert(sizeof(Touch) == 20 && offsetof(Touch, object) == 0 && offsetof(Touch, effect) == 4 &&
              offsetof(Touch, counted) == 5 && offsetof(Touch, before) == 8 &&
              offsetof(Touch, pc) == 12 && offsetof(Touch, held) == 16);
static_assert(sizeof(Micro) == 24 && offsetof(Micro, action) == 0 && offsetof(Micro, pc) == 8 &&
              offsetof(Micro, touches) == 12 && offsetof(Micro, events) == 16 &&
              offsetof(Micro, locals) == 20);
static_assert(sizeof(ir::Action) == 8 && offsetof(ir::Action, thread) == 0 &&
              offsetof(ir::Action, choice) == 4);

llvm::Value* Emitter::offset(llvm::Value* base, std::int64_t bytes) {
  // Byte 0 of the state is addressed explicitly, too: then the first thread's code has the same
  // instructions as the others' (families.h).
  return bytes == 0 && base != state_
             ? base
             : builder_.CreateInBoundsGEP(builder_.getInt8Ty(), base,
                                          builder_.getInt64(static_cast<std::uint64_t>(bytes)));
}

// ---- objects -----------------------------------------------------------------------------------

Emitter::Target Emitter::target(const Place& place) {
  if (!place.index) return {&place, nullptr};
  llvm::Value* index = value(*place.index);
  if (!ranges_.of(*place.index).within(0, std::int64_t{place.count} - 1))
    check(builder_.CreateICmpULT(index, number(place.count)));
  return {&place, index};
}

Emitter::Cell Emitter::cell(const Target& target, std::size_t field) {
  const Cells all = *cells(layout_, *target.place, field);
  llvm::Value* address = offset(state_, all.first.offset);
  if (target.index == nullptr) return {address, all.first};
  llvm::Value* wide = builder_.CreateZExt(target.index, builder_.getInt64Ty());
  llvm::Value* bytes =
      builder_.CreateMul(wide, builder_.getInt64(static_cast<std::uint64_t>(all.stride)));
  return {builder_.CreateInBoundsGEP(builder_.getInt8Ty(), address, bytes), all.first};
}

// The status of an `init by` object, and the window of a field, lie behind its words.
Emitter::Cell Emitter::behind(const Target& target, const Field& field) {
  const ir::ObjectFields& fields = layout_.object(target.place->base);
  Cell result = cell(target, 0);
  result.address = offset(result.address, std::int64_t{field.offset} - fields.fields[0].offset);
  result.field = field;
  return result;
}
Emitter::Cell Emitter::init_cell(const Target& target) {
  return behind(target, *layout_.object(target.place->base).init);
}

llvm::Value* Emitter::id(const Target& target) {
  llvm::Value* base = number(target.place->base.index);
  if (target.index == nullptr) return base;
  return builder_.CreateAdd(base, builder_.CreateMul(target.index, number(target.place->stride)));
}

// ---- fields ------------------------------------------------------------------------------------

llvm::Value* Emitter::load(const Cell& cell) {
  if (cell.field.width == 0) return number(cell.field.lo);
  llvm::Type* type = builder_.getIntNTy(cell.field.width * 8U);
  llvm::Value* raw = builder_.CreateAlignedLoad(type, cell.address, llvm::Align(1));
  raw = builder_.CreateZExt(raw, builder_.getInt32Ty());
  return cell.field.lo == 0 ? raw : builder_.CreateAdd(raw, number(cell.field.lo));
}

void Emitter::store(const Cell& cell, llvm::Value* value) {
  if (cell.field.width == 0) return;
  if (cell.field.lo != 0) value = builder_.CreateSub(value, number(cell.field.lo));
  value = builder_.CreateTrunc(value, builder_.getIntNTy(cell.field.width * 8U));
  builder_.CreateAlignedStore(value, cell.address, llvm::Align(1));
}

void Emitter::check_fits(const Field& field, llvm::Value* value, const Interval& interval) {
  if (interval.within(field.lo, field.hi)) return;
  llvm::Value* distance = builder_.CreateSub(value, number(field.lo));
  check(builder_.CreateICmpULE(distance, number(std::int64_t{field.hi} - field.lo)));
}

// ---- locals ------------------------------------------------------------------------------------

Emitter::Local Emitter::local(const LocalPlace& place) {
  if (!place.index) return {&place, nullptr};
  llvm::Value* index = value(*place.index);
  const auto count = std::min<std::int64_t>(
      place.count, static_cast<std::int64_t>(fields_.slots.size()) - place.slot);
  if (!ranges_.of(*place.index).within(0, count - 1))
    check(builder_.CreateICmpULT(index, number(count)));
  return {&place, index};
}

bool Emitter::is_regular(Slot slot, std::uint32_t count) const {
  const std::vector<Field>& slots = fields_.slots;
  const Field& first = slots[slot];
  for (std::uint32_t i = 1; i < count && slot + i < slots.size(); ++i) {
    const Field& other = slots[slot + i];
    const bool same = other.width == first.width && other.lo == first.lo && other.hi == first.hi &&
                      other.offset == first.offset + i * first.width;
    if (!same) return false;
  }
  return true;
}

Emitter::Cell Emitter::slot_cell(Slot slot, llvm::Value* index) {
  Cell result{offset(slots_, std::int64_t{fields_.slots[slot].offset} - slots_from_),
              fields_.slots[slot]};
  if (index == nullptr) return result;
  llvm::Value* wide = builder_.CreateZExt(index, builder_.getInt64Ty());
  result.address =
      builder_.CreateInBoundsGEP(builder_.getInt8Ty(), result.address,
                                 builder_.CreateMul(wide, builder_.getInt64(result.field.width)));
  return result;
}

void Emitter::check_fits(const Local& local, llvm::Value* value, const Interval& interval) {
  const Slot slot = local.place->slot;
  if (local.index == nullptr) return check_fits(fields_.slots[slot], value, interval);
  const std::uint32_t count = local.place->count;
  if (is_regular(slot, count)) return check_fits(fields_.slots[slot], value, interval);
  for (std::uint32_t i = 0; i < count && slot + i < fields_.slots.size(); ++i) {
    const Field& field = fields_.slots[slot + i];
    if (interval.within(field.lo, field.hi)) continue;
    llvm::Value* distance = builder_.CreateSub(value, number(field.lo));
    llvm::Value* fits = builder_.CreateICmpULE(distance, number(std::int64_t{field.hi} - field.lo));
    check(builder_.CreateOr(fits, builder_.CreateICmpNE(local.index, number(i))));
  }
}

void Emitter::assign(const Local& local, llvm::Value* value) {
  const Slot slot = local.place->slot;
  const std::uint32_t count = local.index == nullptr ? 1 : local.place->count;
  if (is_regular(slot, count)) return store(slot_cell(slot, local.index), value);
  llvm::BasicBlock* join = new_block("assigned");
  llvm::SwitchInst* choose = builder_.CreateSwitch(local.index, join, count);
  for (std::uint32_t i = 0; i < count && slot + i < fields_.slots.size(); ++i) {
    llvm::BasicBlock* one = new_block("slot");
    choose->addCase(number(i), one);
    at(one);
    store(slot_cell(slot + i), value);
    builder_.CreateBr(join);
  }
  at(join);
}

// ---- the record --------------------------------------------------------------------------------

llvm::Value* Emitter::record_field(std::size_t bytes) {
  return offset(record_, static_cast<std::int64_t>(bytes));
}

// The address of a new element of a buffer, which has room for it.
llvm::Value* Emitter::append(std::size_t buffer, std::size_t element) {
  using Any = Buffer<Touch>;
  llvm::Value* size_at = record_field(buffer + Any::kSizeOffset);
  llvm::Value* size = builder_.CreateLoad(builder_.getInt32Ty(), size_at);
  llvm::Value* data =
      builder_.CreateLoad(builder_.getPtrTy(), record_field(buffer + Any::kDataOffset));
  builder_.CreateStore(builder_.CreateAdd(size, number(1)), size_at);
  llvm::Value* wide = builder_.CreateZExt(size, builder_.getInt64Ty());
  return builder_.CreateInBoundsGEP(builder_.getInt8Ty(), data,
                                    builder_.CreateMul(wide, builder_.getInt64(element)));
}

// Inside an atomic block, whether anything is appended depends on why the block is executed (a
// step, or a trial), so the flags are tested there at run time.
template <class Append>
void Emitter::unless_recorded(const ir::Observations::Touches& observations, const Target* object,
                              Append append) {
  if (kind_ != Function::Step) return;  // a guard is only evaluated
  if (observations_ == nullptr || !observations.are_numbered()) return append();
  const bool is_computed =
      observations.stride != 0 && object != nullptr && object->index != nullptr;
  if (!in_region() && recorded_ != nullptr && !recorded_->empty()) {
    const std::uint32_t count = is_computed || !observations.choices.empty() ? observations.all : 1;
    const auto first = recorded_->begin() + observations.first;
    if (std::all_of(first, first + count, [](std::uint8_t flag) { return flag != 0; })) return;
  }
  llvm::Value* number_behind_first = is_computed ? object->index : nullptr;
  for (const ir::Observations::Touches::Choice& choice : observations.choices) {
    // The slot is a valid index of the lock, because the lock was taken by it.
    llvm::Value* chosen =
        builder_.CreateMul(load(slot_cell(choice.lock.slot)), number(choice.factor));
    number_behind_first =
        number_behind_first == nullptr ? chosen : builder_.CreateAdd(number_behind_first, chosen);
  }
  llvm::Value* flag_at = offset(recorded_at_, observations.first);
  if (number_behind_first != nullptr)
    flag_at =
        builder_.CreateInBoundsGEP(builder_.getInt8Ty(), flag_at,
                                   builder_.CreateZExt(number_behind_first, builder_.getInt64Ty()));
  llvm::Value* flag = builder_.CreateLoad(builder_.getInt8Ty(), flag_at);
  llvm::BasicBlock* is_new = new_block("observations");
  llvm::BasicBlock* behind = new_block("recorded");
  builder_.CreateCondBr(builder_.CreateICmpEQ(flag, builder_.getInt8(0)), is_new, behind,
                        llvm::MDBuilder(module_.getContext()).createUnlikelyBranchWeights());
  at(is_new);
  append();
  builder_.CreateBr(behind);
  at(behind);
}

void Emitter::touch(const Target& object, Effect effect, llvm::Value* before) {
  const ir::Observations::Touches observations = touches_of_pc();
  unless_recorded(observations, &object, [&] { append_touch(id(object), effect, before); });
}

void Emitter::append_touch(llvm::Value* object, Effect effect, llvm::Value* before,
                           llvm::Value* counted, llvm::Value* held) {
  llvm::Type* wide = builder_.getInt64Ty();
  llvm::Value* at = append(offsetof(Record, touches), sizeof(Touch));
  llvm::Value* head =
      builder_.CreateOr(builder_.CreateZExt(object, wide),
                        builder_.getInt64(static_cast<std::uint64_t>(effect) << 32));
  if (counted != nullptr)
    head = builder_.CreateOr(
        head, builder_.CreateShl(builder_.CreateZExt(counted, wide), std::uint64_t{40}));
  builder_.CreateAlignedStore(head, at, llvm::Align(4));
  llvm::Value* tail = builder_.getInt64(std::uint64_t{pc_} << 32);
  if (before != nullptr) tail = builder_.CreateOr(tail, builder_.CreateZExt(before, wide));
  builder_.CreateAlignedStore(tail, offset(at, offsetof(Touch, before)), llvm::Align(4));
  if (held == nullptr) held = number(0);
  builder_.CreateAlignedStore(held, offset(at, offsetof(Touch, held)), llvm::Align(4));
}

// Appends the locks that the thread holds to the record's lock sets: those that HeldLocks has
// proved are a constant. Returns where they begin.
llvm::Value* Emitter::append_held() {
  llvm::Value* size_at = record_field(offsetof(Record, held) + Buffer<std::uint64_t>::kSizeOffset);
  llvm::Value* begin = builder_.CreateLoad(builder_.getInt32Ty(), size_at);
  for (std::size_t word = 0; word < layout_.lock_set_words(); ++word) {
    std::uint64_t certain = 0;
    llvm::Value* perhaps = nullptr;
    for (std::size_t bit = 0; bit < 64 && word * 64 + bit < layout_.locks().size(); ++bit) {
      const ir::ObjectId lock = layout_.locks()[word * 64 + bit];
      const ir::LockDepth depth = held_.depth(thread_, pc_, lock);
      if (depth.least > 0) certain |= std::uint64_t{1} << bit;
      if (depth.least > 0 || depth.greatest == 0) continue;
      llvm::Value* owner = load(cell(layout_.object(lock).fields[0]));
      llvm::Value* mine = builder_.CreateZExt(
          builder_.CreateICmpEQ(owner, number(thread_.index + 1)), builder_.getInt64Ty());
      mine = builder_.CreateShl(mine, bit);
      perhaps = perhaps == nullptr ? mine : builder_.CreateOr(perhaps, mine);
    }
    llvm::Value* set = builder_.getInt64(certain);
    if (perhaps != nullptr) set = builder_.CreateOr(set, perhaps);
    builder_.CreateStore(set, append(offsetof(Record, held), sizeof(std::uint64_t)));
  }
  return begin;
}

// Execution::access: the touch, the initialisation window, the locks held.
void Emitter::access(const Target& object, bool is_write) {
  const ir::Object& base = system_.objects[object.place->base];
  const Effect effect = is_write ? Effect::Write : Effect::Read;
  if (base.kind != ir::ObjectKind::Shared) return touch(object, effect);
  if (const auto& window = layout_.object(object.place->base).window) {
    if (kind_ != Function::Step) return;  // a guard is only evaluated
    llvm::Value* mine = number(std::int64_t{thread_.index} + 1);
    llvm::Value* counted = builder_.CreateICmpNE(load(behind(object, *window)), mine);
    llvm::BasicBlock* counts = new_block("counted");
    llvm::BasicBlock* uncounted = new_block("window");
    llvm::BasicBlock* join = new_block("accessed");
    builder_.CreateCondBr(counted, counts, uncounted);
    at(counts);
    const ir::Observations::Touches observations = touches_of_pc();
    unless_recorded(observations, &object, [&] {
      llvm::Value* held = append_held();
      append_touch(id(object), effect, nullptr, builder_.getTrue(), held);
    });
    builder_.CreateBr(join);
    at(uncounted);
    append_touch(id(object), effect);
    builder_.CreateBr(join);
    at(join);
    return;
  }
  if (!layout_.object(object.place->base).init) {
    const ir::Observations::Touches observations = touches_of_pc();
    return unless_recorded(observations, &object, [&] {
      llvm::Value* held = append_held();
      append_touch(id(object), effect, nullptr, builder_.getTrue(), held);
    });
  }
  llvm::Value* object_id = id(object);
  const Cell status_cell = init_cell(object);
  llvm::Value* status = load(status_cell);
  llvm::Value* virgin = builder_.CreateICmpEQ(status, number(static_cast<int>(InitStatus::Virgin)));
  const bool is_initialiser = base.init_by == thread_;
  llvm::Value* counted =
      is_initialiser
          ? builder_.CreateICmpEQ(status, number(static_cast<int>(InitStatus::Initialised)))
          : builder_.CreateNot(virgin);
  const InitStatus next = is_initialiser ? InitStatus::Open : InitStatus::Initialised;
  store(status_cell, builder_.CreateSelect(virgin, number(static_cast<int>(next)), status));
  llvm::BasicBlock* counts = new_block("counted");
  llvm::BasicBlock* window = new_block("window");
  llvm::BasicBlock* join = new_block("accessed");
  builder_.CreateCondBr(counted, counts, window);
  at(counts);
  append_touch(object_id, effect, nullptr, builder_.getTrue(), append_held());
  builder_.CreateBr(join);
  at(window);
  append_touch(object_id, effect);
  if (!is_initialiser)
    call("cml_init_order", builder_.getVoidTy(),
         {context_, number(thread_.index), number(pc_), object_id});
  builder_.CreateBr(join);
  at(join);
}

void Emitter::append_mark(ir::PointId point) {
  ir::Observations::Touches observations;
  if (observations_ != nullptr) observations.first = observations_->of(point);
  unless_recorded(observations, nullptr, [&] {
    builder_.CreateStore(number(point.index), append(offsetof(Record, marks), sizeof point));
  });
}

void Emitter::arrive(ir::Location location) {
  const ir::Observations::Touches observations = observations_ == nullptr
                                                     ? ir::Observations::Touches()
                                                     : observations_->arrival(thread_, location);
  Target lock;
  if (observations.are_numbered() && observations.count > 1) {
    // The operation will check its index; until then an invalid one does no harm.
    lock.place = &std::get<ir::Acquire>(current().node).lock;
    llvm::Value* index = value(*lock.place->index);
    lock.index = builder_.CreateSelect(builder_.CreateICmpULT(index, number(observations.count)),
                                       index, number(0));
  }
  unless_recorded(observations, &lock, [&] {
    builder_.CreateStore(number(1), record_field(offsetof(Record, arrives)));
  });
}

// A micro-transition that is joined to the previous one: it has no choice.
void Emitter::append_micro(ir::Pc pc) {
  const auto size_of = [this](std::size_t buffer) {
    llvm::Value* size = builder_.CreateLoad(builder_.getInt32Ty(),
                                            record_field(buffer + Buffer<Touch>::kSizeOffset));
    return builder_.CreateZExt(size, builder_.getInt64Ty());
  };
  llvm::Value* touches = size_of(offsetof(Record, touches));
  llvm::Value* events = size_of(offsetof(Record, events));
  llvm::Value* locals = size_of(offsetof(Record, locals));
  llvm::Value* at = append(offsetof(Record, micros), sizeof(Micro));
  builder_.CreateAlignedStore(builder_.getInt64(thread_.index), at, llvm::Align(4));
  llvm::Value* middle =
      builder_.CreateOr(builder_.CreateShl(touches, std::uint64_t{32}), builder_.getInt64(pc));
  builder_.CreateAlignedStore(middle, offset(at, offsetof(Micro, pc)), llvm::Align(4));
  llvm::Value* tail = builder_.CreateOr(builder_.CreateShl(locals, std::uint64_t{32}), events);
  builder_.CreateAlignedStore(tail, offset(at, offsetof(Micro, events)), llvm::Align(4));
}

}  // namespace cml::jit
