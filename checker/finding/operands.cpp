// Loads the frame once.
#include "checker/finding/operands.h"

#include "checker/finding/local_text.h"
#include "checker/finding/values.h"
#include "ir/expression_value.h"
#include "ir/value_text.h"

namespace cml::checker {

const ir::Instruction& pending(const TextContext& context, const std::uint8_t* state,
                               ir::ThreadId thread) {
  const ir::Code& code = context.system.threads[thread].code;
  return code.instructions[code.location_pc[location(context.layout, state, thread)]];
}

Operands::Operands(const TextContext& context, const std::uint8_t* state, ir::ThreadId thread)
    : context_(context) {
  for (const ir::Field& slot : context.layout.thread(thread).slots)
    slots_.push_back(slot.load(state));
}

std::int32_t Operands::value(ir::ExprId expr) const {
  ir::EvaluationFault fault;
  return ir::evaluate(context_.system, expr, slots_.data(), fault).value_or(0);
}

ir::ObjectId Operands::object(const ir::Place& place) const {
  if (!place.index) return place.base;
  return ir::ObjectId(place.base.index +
                      place.stride * static_cast<std::uint32_t>(value(*place.index)));
}

std::string Operands::part(const ir::Place& place, std::uint32_t word, std::size_t count) const {
  const ir::ObjectId id = object(place);
  const std::string pattern = pattern_of(context_.system, context_.system.objects[id]);
  return context_.name(id) + ir::part_of_pattern(pattern, word, count).path;
}

std::string Operands::values(const ir::Place& place, std::uint32_t word,
                             const std::vector<ir::ExprId>& exprs) const {
  if (exprs.empty()) return {};
  const ir::Object& whole = context_.system.objects[object(place)];
  std::vector<Value> words;
  for (std::size_t i = 0; i < exprs.size(); ++i) {
    const ir::WordType type =
        word + i < whole.words.size() ? whole.words[word + i] : ir::WordType{};
    words.push_back(word_value(context_, type, value(exprs[i])));
  }
  const std::string pattern = pattern_of(context_.system, whole);
  return value_of_words(ir::part_of_pattern(pattern, word, words.size()).pattern, words).text;
}

std::string Operands::local(const std::vector<ir::LocalPlace>& targets) const {
  if (targets.empty() || !targets.front().name.valid()) return {};
  const auto& index = targets.front().index;
  return local_label(context_.system, targets.front().name,
                     index ? static_cast<std::uint32_t>(value(*index)) : 0);
}

}  // namespace cml::checker
