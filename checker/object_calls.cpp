#include "checker/object_calls.h"

#include <algorithm>
#include <fmt/format.h>
#include <limits>

#include "checker/violation_kind.h"
#include "ir/describe.h"
#include "ir/value_text.h"

namespace cml::checker {
namespace {

constexpr std::int32_t kPlace = 1;
/// A word with at most so many values is not sampled, if that can be avoided.
constexpr std::size_t kFewValues = 8;
constexpr std::int64_t kUncountable = std::int64_t{1} << 32;

bool is_plain_int(const ir::WordType& type) {
  return type.kind == ir::WordType::Kind::Int &&
         type.lo == std::numeric_limits<std::int32_t>::min() &&
         type.hi == std::numeric_limits<std::int32_t>::max();
}

/// Objects and threads are as many as the model has room for: a sample stands for them.
bool is_sampled(const ir::WordType& type) {
  return type.kind == ir::WordType::Kind::Reference || type.kind == ir::WordType::Kind::Thread;
}

std::int64_t number_of_values(const ir::WordType& type) {
  return is_sampled(type) ? kUncountable : std::int64_t{type.hi} - type.lo + 1;
}

}  // namespace

ObjectCalls::ObjectCalls(const ir::System& system, const ir::Layout& layout,
                         const ir::CommutingClass& of, const StopToken& stop)
    : system_(system), class_(of), calls_(system, layout, of.of, &stop) {
  for (const ir::CallCode& method : of.methods)
    arguments_.push_back(make_arguments(method));
  construct();
  explore();
}

void ObjectCalls::leave_out(std::string_view why) {
  if (left_out_.empty()) left_out_ = why;
}

// ---- arguments ---------------------------------------------------------------------------------

bool ObjectCalls::looks_into(ir::ClassId other) const {
  const auto looks = [&](const ir::CallCode& call) {
    bool found = false;
    for (const ir::Instruction& instruction : call.code.instructions)
      ir::for_each_place(instruction, [&](const ir::Place& place, ir::Effects) {
        found = found || system_.objects[place.base].owner == other;
      });
    return found;
  };
  return looks(class_.constructor) || std::ranges::any_of(class_.methods, looks);
}

std::vector<std::int32_t> ObjectCalls::all_values(const ir::WordType& type) const {
  std::vector<std::int32_t> values;
  for (std::int64_t value = type.lo; value <= type.hi; ++value)
    values.push_back(static_cast<std::int32_t>(value));
  return values;
}

// The small ones first: what is found first is reported. Of a plain `int` the ends of its range are
// left out: additions that overflow there hardly ever say something about the class.
std::vector<std::int32_t> ObjectCalls::sample(const ir::WordType& type) const {
  std::vector<std::int32_t> values;
  const auto add = [&](std::int32_t value) {
    if (type.lo <= value && value <= type.hi && std::ranges::count(values, value) == 0)
      values.push_back(value);
  };
  if (is_sampled(type)) {
    add(0);
    // Two others of another class can be told apart, which is all that a method may do with them.
    const bool is_other = type.of.valid() && type.of != class_.of;
    if (is_other && !looks_into(type.of)) {
      add(1);
      add(2);
    }
    return values;
  }
  for (const std::int32_t value : {0, 1, 2, 3, -1, -2})
    add(value);
  if (is_plain_int(type)) return values;
  add(type.lo);
  add(type.hi);
  return values;
}

std::vector<ObjectCalls::Arguments> ObjectCalls::make_arguments(const ir::CallCode& call) {
  if (call.takes_lock) {
    leave_out("a method takes a lock, a semaphore or a channel");
    return {};
  }
  std::vector<ir::WordType> types;
  for (const ir::CallCode::Value& argument : call.arguments)
    types.insert(types.end(), argument.words.begin(), argument.words.end());
  std::vector<std::vector<std::int32_t>> choices;
  for (const ir::WordType& type : types) {
    const bool can_be_all = number_of_values(type) <= static_cast<std::int64_t>(kMostArguments);
    choices.push_back(can_be_all ? all_values(type) : sample(type));
    if (!can_be_all) leave_out("an argument has too many values to try them all");
  }
  const auto product = [&choices] {
    std::uint64_t result = 1;
    for (const auto& values : choices)
      result = std::min(result * values.size(), kMostArguments + 1);
    return result;
  };
  while (product() > kMostArguments) {
    const auto largest = std::ranges::max_element(
        choices, {}, [](const std::vector<std::int32_t>& values) { return values.size(); });
    if (largest->size() <= kFewValues) break;
    *largest = sample(types[static_cast<std::size_t>(largest - choices.begin())]);
    leave_out("there are too many arguments to try them all");
  }
  if (product() > kMostArguments) leave_out("there are too many arguments to try them all");
  std::vector<Arguments> result;
  if (product() == 0) return result;
  std::vector<std::size_t> at(choices.size(), 0);
  for (;;) {
    Arguments& arguments = result.emplace_back();
    for (std::size_t i = 0; i < choices.size(); ++i)
      arguments.push_back(choices[i][at[i]]);
    std::size_t i = choices.size();
    while (i > 0 && ++at[i - 1] == choices[i - 1].size())
      at[--i] = 0;
    if (i == 0 || result.size() == kMostArguments) return result;
  }
}

// ---- values ------------------------------------------------------------------------------------

ObjectCalls::Values ObjectCalls::number(std::vector<std::int32_t> values) {
  const auto [known, is_new] = numbers_.try_emplace(values, static_cast<Values>(values_.size()));
  if (is_new) {
    values_.push_back(std::move(values));
    outcomes_.emplace_back(class_.methods.size());
  }
  return known->second;
}

void ObjectCalls::construct() {
  const std::vector<std::int32_t> values = calls_.initial_values();
  for (const Arguments& arguments : make_arguments(class_.constructor)) {
    const Outcomes outcomes = run(class_.constructor, values, arguments);
    if (outcomes.is_unknown) leave_out("a call reaches a limit");
  }
}

void ObjectCalls::explore() {
  std::uint64_t calls = 0;
  for (; explored_ < values_.size(); ++explored_) {
    for (std::uint32_t method = 0; method < class_.methods.size(); ++method) {
      calls += arguments_[method].size();
      for (std::size_t i = 0; i < arguments_[method].size(); ++i)
        (void)call(explored_, method, i);
    }
    if (calls < kMostCalls || explored_ + 1 == values_.size()) continue;
    leave_out("the object can have too many values to try them all");
    ++explored_;
    return;
  }
}

// ---- calls -------------------------------------------------------------------------------------

const ObjectCalls::Outcomes& ObjectCalls::call(Values values, std::uint32_t method,
                                               std::size_t arguments) {
  const auto& known = outcomes_[values][method];
  if (const auto found = known.find(arguments); found != known.end()) return found->second;
  const std::vector<std::int32_t> before = values_[values];
  Outcomes outcomes = run(class_.methods[method], before, arguments_[method][arguments]);
  if (outcomes.is_unknown) leave_out("a call reaches a limit");
  // The run may have met new values.
  return outcomes_[values][method].emplace(arguments, std::move(outcomes)).first->second;
}

ObjectCalls::Outcomes ObjectCalls::run(const ir::CallCode& call,
                                       const std::vector<std::int32_t>& values,
                                       const Arguments& arguments) {
  ir::FreeCalls::Outcomes ended = calls_.run(call, values, arguments);
  Outcomes outcomes;
  if (ended.limit) {
    lacks_stack_ = lacks_stack_ || ended.limit == ir::LimitKind::Stack;
    outcomes.is_unknown = true;
    return outcomes;
  }
  for (ir::FreeCalls::Outcome& outcome : ended.all) {
    // Nobody gets to see what was not constructed.
    if (&call == &class_.constructor && outcome.result.kind != Result::Kind::Returns) continue;
    outcomes.all.push_back(
        {std::move(outcome.result), number(std::move(outcome.after)), std::move(outcome.marks)});
  }
  return outcomes;
}

bool ObjectCalls::holds(const ir::CallCode& when, Values values, const Arguments& first,
                        const Arguments& second) {
  return calls_.value(when, values_[values], first, second).value_or(0) != 0;
}

// ---- for people --------------------------------------------------------------------------------

std::string ObjectCalls::value_text(const ir::CallCode::Value& value,
                                    const std::int32_t* words) const {
  std::vector<std::string> texts;
  for (std::size_t i = 0; i < value.words.size(); ++i)
    texts.push_back(ir::word_text(system_, value.words[i], words[i]));
  return ir::fill_pattern(value.pattern, texts);
}

std::vector<std::pair<std::string, std::string>> ObjectCalls::text(Values values) const {
  const ir::Class& decl = system_.classes[class_.of];
  const std::size_t prefix = fmt::format("{}#{}.", decl.name, kPlace).size();
  std::vector<std::pair<std::string, std::string>> result;
  const std::int32_t* words = values_[values].data();
  for (const ir::GroupId id : decl.fields) {
    const ir::Group& group = system_.groups[id];
    const std::uint32_t units = group.count / decl.places;
    for (std::uint32_t unit = 0; unit < units; ++unit) {
      const ir::Object& object =
          system_.objects[ir::ObjectId(group.first.index + kPlace * units + unit)];
      const ir::CallCode::Value value{object.words, ir::pattern_of(system_, object)};
      result.emplace_back(object.name.substr(prefix), value_text(value, words));
      words += object.words.size();
    }
  }
  return result;
}

std::string ObjectCalls::text(std::uint32_t method, const Arguments& arguments) const {
  const ir::CallCode& call = class_.methods[method];
  std::string result;
  const std::int32_t* words = arguments.data();
  for (const ir::CallCode::Value& argument : call.arguments) {
    if (!result.empty()) result += ", ";
    result += value_text(argument, words);
    words += argument.words.size();
  }
  return fmt::format("{}({})", call.name, result);
}

std::string ObjectCalls::text(std::uint32_t method, const Result& result) const {
  switch (result.kind) {
    case Result::Kind::Fails:
      return fmt::format("fails ({})", name(violation_kind(result.fault)));
    case Result::Kind::AssumedAway:
      return "is assumed away";
    case Result::Kind::Returns:
      break;
  }
  const ir::CallCode::Value& value = class_.methods[method].result;
  if (value.words.empty()) return "";
  return "= " + value_text(value, result.words.data());
}

}  // namespace cml::checker
