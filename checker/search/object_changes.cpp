#include "checker/search/object_changes.h"

#include <algorithm>

#include "support/mutation.h"

namespace cml::checker {
namespace {

enum class Change : std::uint8_t {
  Never,
  Always,
  OfValue,  // if the object's value is another one afterwards
};

Change change_of(const ir::Touch& touch) {
  switch (touch.effect) {
    case ir::Effect::Take:
    case ir::Effect::Deepen:
    case ir::Effect::Give:
    case ir::Effect::Lessen:
      return CML_MUTATED("locks-in-passing-change-nothing", Change::Always, Change::Never);
    case ir::Effect::EnterWait:
    case ir::Effect::LeaveWait:
    case ir::Effect::Spawn:
    case ir::Effect::Close:
      return Change::Always;
    case ir::Effect::Notify:
      return touch.before > 0 || CML_MUTATION("notify-to-nobody-is-a-change") ? Change::Always
                                                                              : Change::Never;
    case ir::Effect::Write:
    case ir::Effect::Update:
      return CML_MUTATED("what-is-written-changes", Change::OfValue, Change::Always);
    case ir::Effect::Up:
    case ir::Effect::Down:
    case ir::Effect::Send:
    case ir::Effect::Receive:
      return Change::OfValue;
    case ir::Effect::Look:
    case ir::Effect::DownFailed:
    case ir::Effect::SendFailed:
    case ir::Effect::ReceiveFailed:
      return CML_MUTATED("what-fails-is-a-change", Change::Never, Change::Always);
    case ir::Effect::Read:
    case ir::Effect::New:
    case ir::Effect::Held:
    case ir::Effect::Size:
    case ir::Effect::Closed:
    case ir::Effect::Begin:
    case ir::Effect::Finish:
    case ir::Effect::Join:
    case ir::Effect::Ready:
    case ir::Effect::Arrive:
    case ir::Effect::Construct:
    // What is recorded of calls, for properties, is no object of the model.
    case ir::Effect::Invoke:
    case ir::Effect::Respond:
      break;
  }
  return Change::Never;
}

}  // namespace

bool ObjectChanges::differs(ir::ObjectId object, const std::uint8_t* a,
                            const std::uint8_t* b) const {
  const std::vector<ir::Field>& fields = step_.layout().object(object).fields;
  return std::any_of(fields.begin(), fields.end(),
                     [&](const ir::Field& field) { return field.load(a) != field.load(b); });
}

bool ObjectChanges::any(const std::uint8_t* before, const ir::Record& record,
                        const std::uint8_t* after) {
  // What is passed on at a rendezvous is in no object.
  if (ir::partner_part(record) < record.micros.size() && !CML_MUTATION("a-meeting-changes-nothing"))
    return true;
  // Both collect what is garbage.
  const bool may_collect =
      std::any_of(record.touches.begin(), record.touches.end(), [](const ir::Touch& touch) {
        return touch.effect == ir::Effect::New || touch.effect == ir::Effect::Spawn;
      });
  std::size_t values = 0;
  bool any_may_be_gone = false;
  for (const ir::Touch& touch : record.touches) {
    const Change change = change_of(touch);
    if (change == Change::Always) return true;
    if (change != Change::OfValue) continue;
    if (differs(touch.object, before, after)) return true;
    ++values;
    any_may_be_gone =
        any_may_be_gone || (may_collect && step_.system().objects[touch.object].owner.valid());
  }
  // What is changed and changed back in two micro-transitions has changed.
  const bool is_one = record.micros.size() == 1 || values < 2;
  return (!is_one || any_may_be_gone) && any_by_micros(before, record);
}

bool ObjectChanges::was_changed(ir::ObjectId object) const {
  const auto& all = watch_.changes;
  return std::any_of(all.begin(), all.end(), [&](const ir::Watch::Change& first) {
    if (first.object != object) return false;
    const auto is_same = [&first](const ir::Watch::Change& other) {
      return other.object == first.object && other.word == first.word;
    };
    const auto last = std::find_if(all.rbegin(), all.rend(), is_same);
    return std::find_if(all.begin(), all.end(), is_same)->before != last->after;
  });
}

bool ObjectChanges::any_by_micros(const std::uint8_t* before, const ir::Record& record) {
  after_.assign(before, before + step_.layout().size());
  watch_.only_changes = true;
  for (const ir::Micro& micro : record.micros) {
    before_ = after_;
    record_.clear();
    watch_.changes.clear();
    step_.watch(&watch_);
    step_.micro(after_.data(), micro.action, record_);
    step_.watch(nullptr);
    for (const ir::Touch& touch : record_.touches)
      if (change_of(touch) == Change::OfValue &&
          (differs(touch.object, before_.data(), after_.data()) ||
           (was_changed(touch.object) && !CML_MUTATION("what-was-dropped-has-not-changed"))))
        return true;
  }
  return false;
}

}  // namespace cml::checker
