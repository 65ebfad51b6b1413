// Two threads meet at a channel that has no room: who stands ready, and what each of the halves
// does (rendezvous.h).
#include <variant>

#include "ir/exec/execution.h"
#include "support/mutation.h"

namespace cml::ir {

// ---- who can be met ----------------------------------------------------------------------------

void Execution::add_meetings(ObjectId channel, bool sends, std::uint32_t own,
                             std::vector<std::uint32_t>& out) {
  if (is_closed(channel)) return;
  for (const ThreadId other : system_.threads.ids()) {
    const Location at = location(layout_, state_, other);
    if (other == thread_ || at < kFirstLocation) continue;
    const Code& code = system_.threads[other].code;
    const Operation& node = code.instructions[code.location_pc[at]].node;
    const Meeting meeting{own, other, 0};
    const auto add = [&](const Place& place) {
      if (resolve_for(other, place) == channel) out.push_back(choice_of(meeting));
    };
    if (const auto* send = std::get_if<Send>(&node)) {
      if (!sends && send->meets && !send->try_only) add(send->channel);
    } else if (const auto* receive = std::get_if<Receive>(&node)) {
      if (sends && receive->meets && !receive->try_only) add(receive->channel);
    } else if (const auto* select = std::get_if<Select>(&node)) {
      if (!select->otherwise || CML_MUTATION("a-select-with-a-default-stands-ready"))
        add_cases(*select, other, channel, sends, meeting, out);
    }
  }
}

void Execution::add_cases(const Select& node, ThreadId thread, ObjectId channel, bool sends,
                          Meeting meeting, std::vector<std::uint32_t>& out) {
  const Select::Kind wanted = sends ? Select::Kind::Receive : Select::Kind::Send;
  for (std::uint32_t i = 0; i < node.cases.size(); ++i) {
    const Select::Case& item = node.cases[i];
    if (!item.meets || item.kind != wanted || resolve_for(thread, item.place) != channel) continue;
    if (item.when) {  // locals, which do not change while the thread waits
      load_other_frame(thread);
      EvaluationFault fault;
      if (evaluate(system_, *item.when, other_frame_.data(), fault).value_or(0) == 0 &&
          !CML_MUTATION("partners-are-ready-whatever-their-guards-say"))
        continue;
    }
    meeting.its = i;
    out.push_back(choice_of(meeting));
    if (CML_MUTATION("only-the-first-case-of-a-partner-is-ready")) return;
  }
}

// ---- what they do ------------------------------------------------------------------------------

Execution::Handed Execution::hand_over(std::uint32_t choice) {
  Handed result;
  result.meeting = meeting_of(choice);
  result.active = thread_;
  const auto sent = [](const Operation& node, std::uint32_t at) -> const std::vector<ExprId>* {
    if (const auto* send = std::get_if<Send>(&node)) return &send->values;
    const auto* select = std::get_if<Select>(&node);
    if (select == nullptr || at >= select->cases.size()) return nullptr;
    const Select::Case& item = select->cases[at];
    return item.kind == Select::Kind::Send ? &item.values : nullptr;
  };
  const std::vector<ExprId>* values = sent(current().node, result.meeting.own);
  result.active_sends = values != nullptr;
  const std::int32_t* frame = frame_.data();
  if (!result.active_sends) {
    const ThreadId partner = result.meeting.partner;
    const Code& code = system_.threads[partner].code;
    const Pc pc = code.location_pc[location(layout_, state_, partner)];
    values = sent(code.instructions[pc].node, result.meeting.its);
    load_other_frame(partner);
    frame = other_frame_.data();
  }
  EvaluationFault fault;
  if (values != nullptr)
    for (const ExprId value : *values)  // which does not fail: that was seen to before
      result.words.push_back(evaluate(system_, value, frame, fault).value_or(0));
  return result;
}

Outcome Execution::meet(ObjectId channel, bool sends, const std::vector<LocalPlace>& targets) {
  touch(channel, sends ? Effect::Send : Effect::Receive,
        static_cast<std::int32_t>(other_side().index));
  if (sends) return Outcome::Next;
  for (std::size_t i = 0; i < targets.size() && i < handed_->words.size(); ++i)
    if (!assign(targets[i], handed_->words[i])) return Outcome::Gone;
  return Outcome::Next;
}

void Execution::arrive() {
  meeting_places_.for_each(current(), [this](const Place& place) {
    const ObjectId channel = resolve(place);
    if (meeting_places_.is_looked_at(channel)) touch(channel, Effect::Arrive);
  });
}

}  // namespace cml::ir
