// What the opcodes do that record the calls of an object for the property that it is linearizable
// (ir/exec/histories.h).
#include <memory>

#include "ir/exec/execution.h"
#include "ir/exec/free_calls.h"
#include "ir/exec/histories.h"

namespace cml::ir {

bool Execution::words_of(const std::vector<ExprId>& values) {
  words_.clear();
  for (const ExprId expr : values) {
    const auto word = value(expr);
    if (!word) return false;
    words_.push_back(*word);
  }
  return true;
}

bool Execution::has_specification(std::uint32_t specification, std::uint32_t method) const {
  return system_.histories != nullptr && specification < system_.specifications.size() &&
         method < system_.specifications[specification].methods.size();
}

void Execution::record_call(ObjectId history, std::uint32_t specification, std::uint32_t method,
                            bool is_response) {
  if (!record_->wants_locals) return;
  CallEvent event;
  event.thread = thread_;
  event.history = history;
  event.pc = pc_;
  event.specification = specification;
  event.method = method;
  event.is_response = is_response;
  event.before = layout_.object(history).fields[0].load(state_);
  event.first = static_cast<std::uint32_t>(record_->call_words.size());
  event.count = static_cast<std::uint32_t>(words_.size());
  record_->calls.push_back(event);
  for (const std::int32_t word : words_)
    record_->call_words.push_back(word);
}

SpecificationCalls& Execution::specification_calls() {
  if (!specification_calls_)
    specification_calls_ = std::make_unique<SpecificationCalls>(system_, config_.stop_token);
  return *specification_calls_;
}

Outcome Execution::execute(const Construct& node) {
  const ObjectId object = resolve(node.history);
  if (gone_ || !words_of(node.arguments)) return Outcome::Gone;
  if (!has_specification(node.specification, 0)) return stop(FaultKind::Internal, current().range);
  const auto after = system_.histories->construct(specification_calls().of(node.specification),
                                                  system_, node.specification, words_);
  if (!after) {
    limit(system_.histories->limit());
    return Outcome::Gone;
  }
  layout_.object(object).fields[0].store(state_, *after);
  return next();
}

Outcome Execution::execute(const Enter&) { return next(); }

Outcome Execution::execute(const Invoke& node) {
  const ObjectId object = resolve(node.history);
  if (gone_ || !words_of(node.arguments)) return Outcome::Gone;
  if (!has_specification(node.specification, node.method))
    return stop(FaultKind::Internal, current().range);
  const Field& history = layout_.object(object).fields[0];
  touch(object, Effect::Invoke);
  record_call(object, node.specification, node.method, false);
  const auto after =
      system_.histories->invoke(specification_calls().of(node.specification), system_,
                                history.load(state_), caller(), node.method, words_);
  if (!after) {
    limit(system_.histories->limit());
    return Outcome::Gone;
  }
  history.store(state_, *after);
  return next();
}

Outcome Execution::execute(const Respond& node) {
  const ObjectId object = resolve(node.history);
  if (gone_ || !words_of(node.results)) return Outcome::Gone;
  if (!has_specification(node.specification, node.method))
    return stop(FaultKind::Internal, current().range);
  const Field& history = layout_.object(object).fields[0];
  touch(object, Effect::Respond);
  record_call(object, node.specification, node.method, true);
  const History before = history.load(state_);
  const History after = system_.histories->respond(before, caller(), words_);
  if (after == kNotLinearizable && before != kNotLinearizable)
    record_->events.push_back(
        {FaultKind::Linearizability, thread_, pc_, current().range, {}, object, {}});
  history.store(state_, after);
  return next();
}

}  // namespace cml::ir
