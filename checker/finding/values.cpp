// The patterns are read once for the text and once for the types.
#include "checker/finding/values.h"

#include <fmt/format.h>
#include <string>
#include <utility>

#include "ir/value_text.h"

namespace cml::checker {
namespace {

/// Reads a pattern from left to right.
class Typed {
 public:
  Typed(std::string_view pattern, std::span<const Value> words)
      : pattern_(pattern), words_(words) {}

  TypedValue value() {
    if (takes("(")) {
      TypedValue::Fields fields;
      for (; !pattern_.empty() && !takes(")"); takes(", "))
        fields.push_back(field(fields.size()));
      return {std::move(fields)};
    }
    if (takes("[")) {
      TypedValue::List list;
      while (!pattern_.empty() && !takes("]")) {
        list.push_back(value());
        takes(", ");
      }
      return {std::move(list)};
    }
    if (!pattern_.empty()) pattern_.remove_prefix(1);
    if (words_.empty()) return {};
    TypedValue word = words_.front().typed;
    words_ = words_.subspan(1);
    return word;
  }

 private:
  bool takes(std::string_view text) {
    if (!pattern_.starts_with(text)) return false;
    pattern_.remove_prefix(text.size());
    return true;
  }
  TypedValue::Field field(std::size_t number) {
    const std::size_t colon = pattern_.find(": ");
    const bool has_name = colon < pattern_.find_first_of("#([");
    TypedValue::Field result;
    result.name = has_name ? std::string(pattern_.substr(0, colon)) : std::to_string(number);
    if (has_name) pattern_.remove_prefix(colon + 2);
    result.value = value();
    return result;
  }

  std::string_view pattern_;
  std::span<const Value> words_;
};

Value words_of(const TextContext& context, const std::uint8_t* state, ir::ObjectId id,
               std::size_t first) {
  const ir::Object& object = context.system.objects[id];
  const std::vector<ir::Field>& fields = context.layout.object(id).fields;
  std::vector<Value> words;
  for (std::size_t i = 0; i < object.words.size(); ++i)
    words.push_back(word_value(context, object.words[i], fields[first + i].load(state)));
  return value_of_words(ir::pattern_of(context.system, object), words);
}

Value lock_value(const TextContext& context, const std::uint8_t* state, ir::ObjectId id) {
  const ir::ThreadId owner = context.layout.owner(state, id);
  if (!owner.valid()) return {"free", {}};
  const std::string& name = context.system.threads[owner].name;
  const std::int32_t depth = context.layout.lock_depth(state, id);
  if (depth <= 1) return {name, {name}};
  return {fmt::format("{} ({} deep)", name, depth),
          {TypedValue::Fields{{"owner", {name}}, {"depth", {depth}}}}};
}

Value channel_value(const TextContext& context, const std::uint8_t* state, ir::ObjectId id) {
  const std::vector<ir::Field>& fields = context.layout.object(id).fields;
  const std::size_t words = context.system.objects[id].words.size();
  std::string text;
  TypedValue::List list;
  const ir::ChannelContent content =
      ir::channel_content(context.system.objects[id], fields[0].load(state));
  for (std::int32_t i = 0; i < content.count; ++i) {
    Value one = words == 0 ? Value{"()", {TypedValue::List{}}}
                           : words_of(context, state, id, 1 + static_cast<std::size_t>(i) * words);
    text += (i > 0 ? ", " : "") + one.text;
    list.push_back(std::move(one.typed));
  }
  if (!content.is_closed) return {"[" + text + "]", {std::move(list)}};
  return {"[" + text + "] closed",
          {TypedValue::Fields{{"values", {std::move(list)}}, {"closed", {true}}}}};
}

}  // namespace

Value number(std::int32_t value) { return {fmt::format("{}", value), {value}}; }

Value word_value(const TextContext& context, const ir::WordType& type, std::int32_t word) {
  using Kind = ir::WordType::Kind;
  if (type.kind == Kind::Int) return number(word);
  if (type.kind == Kind::Bool) return truth(word != 0);
  const bool is_nothing = word == 0 && (type.kind == Kind::Thread || type.kind == Kind::Reference);
  if (is_nothing) return {"null", {}};
  std::string text = ir::word_text(context.system, type, word);
  if (type.kind == Kind::Reference && context.system.classes.contains(type.of)) {
    const ir::Class& of = context.system.classes[type.of];
    if (static_cast<std::uint32_t>(word) < of.places)
      text = context.name(ir::ObjectId(of.first.index + static_cast<std::uint32_t>(word)));
  }
  return {text, {text}};
}

Value value_of_words(std::string_view pattern, std::span<const Value> words) {
  if (pattern.empty()) pattern = words.size() == 1 ? "#" : "";
  std::vector<std::string> texts;
  for (const Value& word : words)
    texts.push_back(word.text);
  if (!pattern.empty()) return {ir::fill_pattern(pattern, texts), Typed(pattern, words).value()};
  TypedValue::List list;
  for (const Value& word : words)
    list.push_back(word.typed);
  return {fmt::format("({})", fmt::join(texts, ", ")), {std::move(list)}};
}

Value part_value(const TextContext& context, const std::uint8_t* state, ir::ObjectId id,
                 std::uint32_t word, std::size_t count) {
  const ir::Object& object = context.system.objects[id];
  const std::vector<ir::Field>& fields = context.layout.object(id).fields;
  const std::size_t first = object.kind == ir::ObjectKind::Channel ? 1 : 0;
  std::vector<Value> words;
  for (std::size_t i = word; i < word + count && i < object.words.size(); ++i)
    words.push_back(word_value(context, object.words[i], fields[first + i].load(state)));
  const std::string pattern = ir::pattern_of(context.system, object);
  return value_of_words(ir::part_of_pattern(pattern, word, words.size()).pattern, words);
}

Value object_value(const TextContext& context, const std::uint8_t* state, ir::ObjectId id) {
  switch (context.system.objects[id].kind) {
    case ir::ObjectKind::Shared:
    case ir::ObjectKind::Atomic:
      return words_of(context, state, id, 0);
    case ir::ObjectKind::Semaphore:
      return number(context.layout.object(id).fields[0].load(state));
    case ir::ObjectKind::Lock:
      return lock_value(context, state, id);
    case ir::ObjectKind::Channel:
      return channel_value(context, state, id);
    case ir::ObjectKind::Condition:
    case ir::ObjectKind::Life:
    case ir::ObjectKind::Instance:
    case ir::ObjectKind::History:
      break;
  }
  std::string text = ir::object_text(context.system, context.layout, state, id);
  return {text, {text}};
}

}  // namespace cml::checker
