#include "ir/exec/free_calls.h"

#include <algorithm>

namespace cml::ir {
namespace {

constexpr std::int32_t kPlace = 1;

}  // namespace

FreeCalls::FreeCalls(const System& system, const Layout& layout, ClassId of, const StopToken* stop)
    : stop_(stop),
      config_{.stop_token = stop},
      execution_(system, layout, config_),
      initial_(layout.size() + 1) {
  layout.initial(system, initial_.data());
  const Class& decl = system.classes[of];
  for (const GroupId id : decl.fields) {
    const Group& group = system.groups[id];
    const std::uint32_t units = group.count / decl.places;
    for (std::uint32_t unit = 0; unit < units; ++unit) {
      const ObjectId initial(group.first.index + unit);
      const ObjectId object(group.first.index + kPlace * units + unit);
      const std::vector<Field>& fields = layout.object(object).fields;
      for (std::size_t word = 0; word < fields.size(); ++word)
        fields_.push_back({fields[word], layout.object(initial).fields[word]});
    }
  }
}

FreeCalls::Words FreeCalls::initial_values() const {
  Words values;
  for (const FieldWord& word : fields_)
    values.push_back(word.initial.load(initial_.data()));
  return values;
}

void FreeCalls::prepare(const Words& values) {
  if (stop_ != nullptr) stop_->poll(100);
  state_ = initial_;
  for (std::size_t i = 0; i < fields_.size(); ++i)
    fields_[i].field.store(state_.data(), values[i]);
}

void FreeCalls::begin(const CallCode& call, const Words& first, const Words& second) {
  Words words{kPlace};
  words.insert(words.end(), first.begin(), first.end());
  words.insert(words.end(), second.begin(), second.end());
  record_.clear();
  execution_.begin_free(state_.data(), call.code, record_, words);
}

FreeCalls::Words FreeCalls::result_words(const CallCode& call) const {
  std::size_t first = 1;
  for (const CallCode::Value& argument : call.arguments)
    first += argument.words.size();
  const auto begin = execution_.frame().begin() + static_cast<std::ptrdiff_t>(first);
  return {begin, begin + static_cast<std::ptrdiff_t>(call.result.words.size())};
}

FreeCalls::Outcomes FreeCalls::run(const CallCode& call, const Words& values,
                                   const Words& arguments) {
  Outcomes outcomes;
  Script script;
  do {
    prepare(values);
    begin(call, arguments, {});
    const ir::Outcome end = execution_.region(script);
    if (end == ir::Outcome::Blocked) continue;
    Outcome outcome;
    if (end == ir::Outcome::Next) {
      execution_.run_free();
      outcome.result.words = result_words(call);
    } else {
      outcome.result.kind = Result::Kind::AssumedAway;
    }
    if (!record_.events.empty()) {
      const Event& event = record_.events[0];
      if (event.kind == FaultKind::Limit || event.kind == FaultKind::Internal) {
        outcomes.limit = event.limit;
        return outcomes;
      }
      outcome.result = {Result::Kind::Fails, {}, event.kind, event.pc};
    }
    for (const FieldWord& word : fields_)
      outcome.after.push_back(word.field.load(state_.data()));
    outcome.marks.assign(record_.marks.begin(), record_.marks.end());
    std::sort(outcome.marks.begin(), outcome.marks.end());
    const auto last = std::unique(outcome.marks.begin(), outcome.marks.end());
    outcome.marks.erase(last, outcome.marks.end());
    outcomes.all.push_back(std::move(outcome));
  } while (next_script(script));
  return outcomes;
}

std::optional<std::int32_t> FreeCalls::value(const CallCode& condition, const Words& values,
                                             const Words& first, const Words& second) {
  prepare(values);
  begin(condition, first, second);
  execution_.run_free();
  if (!record_.events.empty()) return std::nullopt;
  return result_words(condition).front();
}

}  // namespace cml::ir
