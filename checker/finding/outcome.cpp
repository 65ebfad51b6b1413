// By the kind of the operation.
#include "checker/finding/outcome.h"

#include <algorithm>
#include <set>
#include <variant>

#include "checker/finding/operands.h"
#include "checker/finding/values.h"
#include "ir/cases.h"
#include "ir/exec/rendezvous.h"

namespace cml::checker {
namespace {

bool is_named(const std::vector<ir::LocalPlace>& targets) {
  return !targets.empty() && targets.front().name.valid();
}

class Outcome {
 public:
  Outcome(const TextContext& context, const std::uint8_t* before, const std::uint8_t* after,
          ir::Action action, TraceStep& step)
      : context_(context),
        before_(before),
        after_(after),
        action_(action),
        operands_(context, before, action.thread),
        step_(step) {}

  void operator()(const ir::Read& node) {
    answers(part(node.place, node.word, node.targets.size()), !is_named(node.targets));
  }
  void operator()(const ir::Update& node) {
    const Value old = part(node.place, node.word, node.values.size());
    if (node.kind != ir::Update::Kind::Cas) return answers(old, !node.targets.empty());
    const ir::ObjectId object = operands_.object(node.place);
    const std::vector<ir::Field>& fields = context_.layout.object(object).fields;
    bool is_equal = true;
    for (std::size_t i = 0; i < node.expected.size(); ++i)
      is_equal =
          is_equal && fields[node.word + i].load(before_) == operands_.value(node.expected[i]);
    answers(truth(is_equal), true);
    if (!is_equal) step_.was = old;
  }
  void operator()(const ir::TryAcquire& node) {
    const ir::ObjectId lock = operands_.object(node.lock);
    const bool is_own = context_.layout.owner(before_, lock) == action_.thread;
    answers(truth(context_.layout.owner(after_, lock) == action_.thread &&
                  !(is_own && context_.system.objects[lock].is_mutex)),
            true);
  }
  void operator()(const ir::Held& node) {
    answers(truth(context_.layout.owner(before_, operands_.object(node.lock)) == action_.thread),
            true);
  }
  void operator()(const ir::TimeOut& node) {
    const bool is_notified =
        context_.layout.wait_status(before_, action_.thread) == ir::WaitStatus::Notified;
    if (node.target) answers(truth(is_notified), !node.target->name.valid());
  }
  void operator()(const ir::Rewait&) {
    step_.is_spurious =
        context_.layout.wait_status(before_, action_.thread) == ir::WaitStatus::Waiting;
  }
  void operator()(const ir::Notify&) {
    const auto is_waiting = [this](const std::uint8_t* state, ir::ThreadId thread) {
      return context_.layout.wait_status(state, thread) == ir::WaitStatus::Waiting;
    };
    step_.woken.emplace();
    for (const ir::ThreadId thread : context_.system.threads.ids())
      if (is_waiting(before_, thread) && !is_waiting(after_, thread))
        step_.woken->push_back(context_.system.threads[thread].name);
  }
  void operator()(const ir::Down& node) {
    if (node.try_only) answers(truth(amount(node.semaphore) > 0), true);
  }
  void operator()(const ir::Send& node) {
    if (node.try_only && ir::is_meeting(action_.choice)) return answers(truth(true), true);
    const ir::ObjectId channel = operands_.object(node.channel);
    const auto room = static_cast<std::int32_t>(context_.system.objects[channel].capacity);
    if (node.try_only) answers(truth(amount(node.channel) < room), true);
  }
  void operator()(const ir::Receive& node) {
    if (ir::is_meeting(action_.choice)) return answers(truth(true), true);
    if (node.try_only || node.success) return answers(truth(content(node.channel).count > 0), true);
    if (has_words(node.channel)) answers(element(node.channel), !is_named(node.targets));
  }
  void operator()(const ir::Closed& node) { answers(truth(content(node.channel).is_closed), true); }
  void operator()(const ir::Size& node) { answers(number(content(node.channel).count), true); }
  void operator()(const ir::Choose& node) {
    const std::int64_t chosen = node.among
                                    ? ir::element_at(operands_.value(*node.among), action_.choice)
                                    : std::int64_t{operands_.value(node.lo)} + action_.choice;
    answers(number(static_cast<std::int32_t>(chosen)), !node.target.name.valid());
  }
  void operator()(const ir::Select& node) {
    if (ir::is_meeting(action_.choice)) return meets(node);
    if (action_.choice >= node.cases.size()) return;
    const ir::Select::Case& chosen = node.cases[action_.choice];
    if (chosen.kind == ir::Select::Kind::Receive && has_words(chosen.place))
      answers(element(chosen.place), !is_named(chosen.targets));
  }
  template <class Other>
  void operator()(const Other&) {}  // does not answer

 private:
  void answers(Value value, bool shows) {
    step_.result = std::move(value);
    step_.shows_result = shows;
  }
  [[nodiscard]] Value part(const ir::Place& place, std::uint32_t word, std::size_t count) const {
    return part_value(context_, before_, operands_.object(place), word, count);
  }
  [[nodiscard]] std::int32_t amount(const ir::Place& place) const {
    return context_.layout.object(operands_.object(place)).fields[0].load(before_);
  }
  [[nodiscard]] ir::ChannelContent content(const ir::Place& channel) const {
    return ir::channel_content(context_.system.objects[operands_.object(channel)], amount(channel));
  }
  [[nodiscard]] bool has_words(const ir::Place& channel) const {
    return !context_.system.objects[operands_.object(channel)].words.empty();
  }
  /// What a case of a select receives from a thread that waits to send.
  void meets(const ir::Select& node) {
    const ir::Meeting meeting = ir::meeting_of(action_.choice);
    const ir::Select::Case& chosen = node.cases[meeting.own];
    if (chosen.kind != ir::Select::Kind::Receive || !has_words(chosen.place)) return;
    const ir::Instruction& sender = pending(context_, before_, meeting.partner);
    const auto* send = std::get_if<ir::Send>(&sender.node);
    const auto* select = std::get_if<ir::Select>(&sender.node);
    const std::vector<ir::ExprId>& values =
        send != nullptr ? send->values : select->cases[meeting.its].values;
    const Operands theirs(context_, before_, meeting.partner);
    const ir::Object& channel = context_.system.objects[operands_.object(chosen.place)];
    std::vector<Value> words;
    for (std::size_t i = 0; i < values.size(); ++i)
      words.push_back(word_value(context_, channel.words[i], theirs.value(values[i])));
    answers(value_of_words(ir::pattern_of(context_.system, channel), words),
            !is_named(chosen.targets));
  }
  /// Of a channel that is closed and empty, what stands for a value.
  [[nodiscard]] Value element(const ir::Place& place) const {
    const ir::ObjectId channel = operands_.object(place);
    if (const ir::Object& object = context_.system.objects[channel];
        object.may_be_closed && content(place).count == 0) {
      std::vector<Value> words;
      for (std::size_t i = 0; i < object.words.size() && i < object.initial.size(); ++i)
        words.push_back(word_value(context_, object.words[i], object.initial[i]));
      return value_of_words(ir::pattern_of(context_.system, object), words);
    }
    return part_value(context_, before_, channel, 0, context_.system.objects[channel].words.size());
  }

  const TextContext& context_;
  const std::uint8_t* before_;
  const std::uint8_t* after_;
  ir::Action action_;
  Operands operands_;
  TraceStep& step_;
};

/// What a block has read, unless it had written it before.
void add_reads_of_block(const TextContext& context, const std::uint8_t* before,
                        const ir::Record& record, TraceStep& step) {
  std::set<ir::ObjectId> seen;
  for (const ir::Touch& touch : record.touches) {
    const ir::ObjectKind kind = context.system.objects[touch.object].kind;
    const bool is_variable = kind == ir::ObjectKind::Shared || kind == ir::ObjectKind::Atomic;
    if (context.system.objects[touch.object].read_of) continue;
    if (!is_variable || !seen.insert(touch.object).second || touch.effect != ir::Effect::Read)
      continue;
    step.reads.push_back({context.name(touch.object), object_value(context, before, touch.object)});
  }
}

}  // namespace

void add_outcome(const TextContext& context, const std::uint8_t* before, const std::uint8_t* after,
                 ir::Action action, const ir::Record& record, TraceStep& step) {
  const ir::Instruction& at = pending(context, before, action.thread);
  const std::size_t own = ir::partner_part(record);
  const ir::Pc pc = record.micros[own - 1].pc;
  for (const ir::Event& event : record.events)
    if (event.thread == action.thread && event.pc == pc && event.kind != ir::FaultKind::InitOrder)
      return;  // it failed
  std::visit(Outcome(context, before, after, action, step), at.node);
  if (at.opcode() == ir::Opcode::Atomic) add_reads_of_block(context, before, record, step);
}

}  // namespace cml::checker
