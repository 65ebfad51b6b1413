#include "checker/monitor/recorder.h"

#include <utility>

#include "support/mutation.h"

namespace cml::checker {

Recorder::Recorder(const ir::System& system, const ir::Layout& layout,
                   std::shared_ptr<ir::Observations> observations)
    : system_(system),
      layout_(layout),
      observations_(std::move(observations)),
      held_(layout.lock_set_words(), 0) {
  for (const ir::PointId point : system.reached)
    reached(point);
}

// Where neither the touch nor the instruction determines which locks the thread owns, they are
// followed through the transition: it may take a lock and release it inside.
const std::uint64_t* Recorder::owned_at(const std::uint8_t* before, const ir::Record& record,
                                        std::size_t touch) {
  if (record.touches[touch].counted) return record.held.data() + record.touches[touch].held;
  layout_.held(before, record.micros[0].action.thread, held_.data());
  for (std::size_t i = 0; i < touch; ++i) {
    if (CML_MUTATION("locks-are-not-followed-through-a-transition")) break;
    const ir::Effect effect = record.touches[i].effect;
    if (effect != ir::Effect::Take && effect != ir::Effect::Give) continue;
    const std::uint32_t lock = layout_.lock_number(record.touches[i].object);
    const std::uint64_t bit = std::uint64_t{1} << (lock % 64);
    if (effect == ir::Effect::Take) held_[lock / 64] |= bit;
    if (effect == ir::Effect::Give) held_[lock / 64] &= ~bit;
  }
  return held_.data();
}

template <class Use>
void Recorder::for_each_number(const std::uint8_t* before, const ir::Record& record,
                               std::size_t touch, Use use) {
  const ir::ThreadId thread = record.micros[0].action.thread;
  const ir::Touch& touched = record.touches[touch];
  const ir::Observations::Touches& observations = observations_->touches(thread, touched.pc);
  if (!observations.are_numbered()) return;
  owned_.clear();
  if (!observations.choices.empty()) layout_.add_locks(owned_at(before, record, touch), owned_);
  observations.for_each_number(touched.object, owned_, use);
}

bool Recorder::is_recorded(const std::uint8_t* before, const ir::Record& record,
                           std::size_t touch) {
  bool result = false;
  for_each_number(before, record, touch, [&](ir::Observations::Number number) {
    result = result || observations_->is_recorded(number);
  });
  return result;
}

void Recorder::transition(const Transition& transition) {
  for (std::size_t i = 0; i < transition.record.touches.size(); ++i)
    for_each_number(transition.before, transition.record, i,
                    [&](ir::Observations::Number number) { observations_->record(number); });
}

void Recorder::arrived(const std::uint8_t* state, ir::ThreadId thread, ir::Location at,
                       ir::ObjectId lock, bool is_final) {
  const ir::Observations::Touches& observations = observations_->arrival(thread, at);
  if (!observations.are_numbered()) return;
  if (lock.valid()) {
    owned_.clear();
    if (!observations.choices.empty()) {
      layout_.held(state, thread, held_.data());
      layout_.add_locks(held_.data(), owned_);
    }
    observations.for_each_number(
        lock, owned_, [&](ir::Observations::Number number) { observations_->record(number); });
  } else if (is_final) {
    observations_->record(observations.first);
  }
}

void Recorder::failed(const ir::Event& event) {
  const ir::Observations::Number number = observations_->of(system_, event);
  if (number != ir::Observations::Touches::kAlways) observations_->record(number);
}

void Recorder::join(const Recorder& other) {
  const std::vector<std::uint8_t>& recorded = other.observations_->recorded();
  for (ir::Observations::Number number = 0; number < recorded.size(); ++number)
    if (recorded[number] != 0) observations_->record(number);
}

}  // namespace cml::checker
