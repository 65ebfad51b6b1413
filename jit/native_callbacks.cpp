// What generated code calls back (runtime.cpp): operations that it leaves to the interpreter, loops
// that may not end, and what concerns several threads.
#include <algorithm>
#include <variant>

#include "jit/native_step.h"

namespace cml::jit {

using ir::ObjectId;
using ir::Outcome;
using ir::Pc;
using ir::Record;
using ir::ThreadId;
using ir::WaitStatus;

std::uint32_t NativeStep::resume(std::uint8_t* state, ThreadId thread, Pc pc,
                                 std::uint32_t choice) {
  execution_.begin(state, thread, pc, *context_.record);
  Outcome outcome = execution_.instruction(choice);
  if (outcome == Outcome::Next) outcome = execution_.locals();
  if (outcome == Outcome::Next) execution_.finish();
  context_.record->arrives = 1;
  return kGoOn;
}

std::uint32_t NativeStep::too_many_choices(std::uint8_t* state, ThreadId thread, Pc pc) {
  execution_.begin(state, thread, pc, *context_.record);
  execution_.limit(ir::LimitKind::Choices);
  return kGoOn;
}

void NativeStep::enter(const std::uint8_t* state, ThreadId thread, Pc pc, bool is_region) {
  const Record& record = *context_.record;
  context_.loops = plan_.loops;
  before_.thread = thread;
  before_.pc = pc;
  before_.is_region = is_region;
  before_.touches = record.touches.size();
  before_.held = record.held.size();
  before_.events = record.events.size();
  before_.marks = record.marks.size();
  if (is_region) {
    before_.bytes.assign(state, state + layout_.size());
    return;
  }
  before_.bytes.clear();
  for (const ir::Field& slot : layout_.thread(thread).slots)
    before_.bytes.insert(before_.bytes.end(), state + slot.offset,
                         state + slot.offset + slot.width);
}

std::uint32_t NativeStep::loop() {
  if (context_.loops == 0) return 1;
  --context_.loops;
  // Room for another iteration: generated code does not check capacities.
  hot_[before_.thread].room.make(*context_.record);
  return 0;
}

std::uint32_t NativeStep::bail(std::uint8_t* state, ThreadId thread) {
  Record& record = *context_.record;
  record.touches.resize(before_.touches);
  record.held.resize(before_.held);
  record.events.resize(before_.events);
  record.marks.resize(before_.marks);
  Outcome outcome = Outcome::Next;
  if (before_.is_region) {
    script_.clear();  // a block with a loop has no choices here (plan.h)
    std::copy(before_.bytes.begin(), before_.bytes.end(), state);
    execution_.begin(state, thread, before_.pc, record);
    outcome = execution_.region(script_);
  } else {
    auto from = before_.bytes.begin();
    for (const ir::Field& slot : layout_.thread(thread).slots) {
      std::copy_n(from, slot.width, state + slot.offset);
      from += slot.width;
    }
    execution_.begin(state, thread, before_.pc, record);
  }
  if (outcome == Outcome::Blocked) return kBlocked;
  if (context_.mode != Mode::Execute) return kGoOn;
  record.arrives = 1;
  if (outcome == Outcome::Next) outcome = execution_.locals();
  if (outcome == Outcome::Next) execution_.finish();
  return kGoOn;
}

void NativeStep::close_windows(std::uint8_t* state, ThreadId thread) {
  execution_.close_windows(state, thread);
}

std::uint32_t NativeStep::decide(std::uint32_t options) {
  if (options > ir::kMaxChoices) return kAskInterpreter;
  if (script_position_ == script_.size()) script_.push_back({0, options});
  return script_[script_position_++].option;
}

ObjectId NativeStep::waits_for(const std::uint8_t* state, ThreadId thread) {
  const Pc pc = plan_.threads[thread].locations[at(state, thread)].pc;
  const auto& node = system_.threads[thread].code.instructions[pc].node;
  const ir::Place& place = *ir::wait_set(node);
  if (!place.index) return place.base;
  const std::vector<ir::Field>& slots = layout_.thread(thread).slots;
  frame_.resize(slots.size());
  for (std::size_t i = 0; i < slots.size(); ++i)
    frame_[i] = slots[i].load(state);
  ir::EvaluationFault fault;
  const std::int32_t index = evaluate(system_, *place.index, frame_.data(), fault).value_or(0);
  return ObjectId(place.base.index + place.stride * static_cast<std::uint32_t>(index));
}

std::uint32_t NativeStep::waiters(const std::uint8_t* state, ObjectId set) {
  std::uint32_t count = 0;
  for (const ThreadId id : system_.threads.ids())
    if (layout_.wait_status(state, id) == WaitStatus::Waiting && waits_for(state, id) == set)
      choices_[count++] = id.index;
  return count;
}

void NativeStep::notify(std::uint8_t* state, ThreadId thread, Pc pc, ObjectId set,
                        std::uint32_t flags, std::uint32_t choice) {
  const bool all = (flags & 1) != 0;
  const bool in_region = (flags & 2) != 0;
  const std::uint32_t count = waiters(state, set);
  const ir::Observations::Touches observations =
      observations_ == nullptr ? ir::Observations::Touches() : observations_->touches(thread, pc);
  // Where the locks that are held select the number, it is not known here.
  const bool is_one = observations.are_numbered() && observations.choices.empty();
  if (!is_one || context_.recorded[observations.number(set)] == 0) {
    ir::Touch touch;
    touch.object = set;
    touch.effect = ir::Effect::Notify;
    touch.before = static_cast<std::int32_t>(count);
    touch.pc = pc;
    context_.record->touches.push_back(touch);
  }
  const auto wake = [&](std::uint32_t waiter) {
    layout_.thread(ThreadId(waiter))
        .wait->store(state, static_cast<std::int32_t>(WaitStatus::Notified));
  };
  if (all) {
    std::for_each_n(choices_.begin(), count, wake);
  } else if (count == 1) {
    wake(choices_[0]);
  } else if (count > 1) {
    wake(in_region ? choices_[decide(count)] : choice);
  }
}

// Generated code has appended the touch.
std::uint32_t NativeStep::record_event(std::uint8_t* state, ThreadId thread, Pc pc) {
  Record& record = *context_.record;
  const std::size_t touches = record.touches.size();
  execution_.begin(state, thread, pc, record);
  const Outcome outcome = execution_.instruction(0);
  record.touches.resize(touches);
  if (outcome == Outcome::Next) return 0;
  record.arrives = 1;
  return 1;
}

}  // namespace cml::jit
