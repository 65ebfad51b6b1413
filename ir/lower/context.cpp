// Words of types, interned texts, and what expressions need.
#include "ir/lower/context.h"

#include <fmt/format.h>
#include <limits>
#include <utility>

#include "frontend/walk.h"

namespace cml::ir::lowering {
namespace {

constexpr std::uint64_t kTooMany = std::uint64_t{1} << 40;

std::uint64_t saturating(std::uint64_t count) { return count < kTooMany ? count : kTooMany; }

bool is_place_of_objects(model::Storage storage) {
  return storage != model::Storage::Local && storage != model::Storage::Value;
}

}  // namespace

void Context::unsupported(std::string message, SourceRange range) {
  if (!failure_) failure_ = Unsupported{std::move(message), range};
}

TextId Context::text(std::string_view text) {
  const auto [entry, is_new] = texts_.try_emplace(std::string(text), TextId());
  if (is_new) entry->second = system.texts.push(std::string(text));
  return entry->second;
}

std::uint64_t Context::word_count(model::TypeId type) const {
  const model::Type& t = model.types[type];
  if (const auto* array = std::get_if<model::ArrayType>(&t))
    return saturating(array->size * word_count(array->element));
  if (const auto* record = std::get_if<model::StructType>(&t)) {
    const model::Struct& decl = model.structs[record->decl];
    return field_offset(record->decl, static_cast<std::uint32_t>(decl.fields.size()));
  }
  return std::holds_alternative<model::VoidType>(t) ? 0 : 1;
}

std::uint64_t Context::field_offset(model::StructId decl, std::uint32_t field) const {
  std::uint64_t offset = 0;
  for (std::uint32_t i = 0; i < field; ++i)
    offset = saturating(offset + word_count(model.structs[decl].fields[i].type));
  return offset;
}

std::vector<WordType> Context::words(model::TypeId type, SourceRange range) {
  std::vector<WordType> words;
  if (word_count(type) > kMaxObjects) {
    unsupported(fmt::format("a value of more than {} words cannot be run", kMaxObjects), range);
    return words;
  }
  append_words(type, range, words);
  return words;
}

void Context::append_words(model::TypeId type, SourceRange range, std::vector<WordType>& words) {
  const model::Type& t = model.types[type];
  if (const auto* array = std::get_if<model::ArrayType>(&t)) {
    for (std::uint32_t i = 0; i < array->size; ++i)
      append_words(array->element, range, words);
  } else if (const auto* record = std::get_if<model::StructType>(&t)) {
    for (const model::Struct::Field& field : model.structs[record->decl].fields)
      append_words(field.type, range, words);
  } else if (const auto* number = std::get_if<model::IntType>(&t)) {
    words.push_back({WordType::Kind::Int, number->lo, number->hi, {}});
  } else if (const auto* mod = std::get_if<model::ModType>(&t)) {
    words.push_back({WordType::Kind::Int, 0, mod->last, {}, {}, true});
  } else if (const auto* set = std::get_if<model::SetType>(&t)) {
    words.push_back({WordType::Kind::Set, 0, all_of(*set), {}});
  } else if (const auto* enumeration = std::get_if<model::EnumType>(&t)) {
    const std::size_t count = model.enums[enumeration->decl].enumerators.size();
    words.push_back({WordType::Kind::Enum, 0, static_cast<std::int32_t>(count) - 1,
                     EnumId(enumeration->decl.index)});
  } else if (std::holds_alternative<model::BoolType>(t)) {
    words.push_back({WordType::Kind::Bool, 0, 1, {}});
  } else if (const auto* handle = std::get_if<model::ThreadType>(&t)) {
    words.push_back({WordType::Kind::Thread, handle->nullable ? 0 : 1, last_handle, {}});
  } else if (const auto* reference = std::get_if<model::ClassType>(&t)) {
    words.push_back({WordType::Kind::Reference,
                     reference->nullable ? 0 : 1,
                     static_cast<std::int32_t>(places[reference->decl]) - 1,
                     {},
                     ClassId(reference->decl.index)});
  } else if (std::holds_alternative<model::NullType>(t)) {
    words.push_back({WordType::Kind::Thread, 0, 0, {}});
  } else if (!std::holds_alternative<model::VoidType>(t)) {
    unsupported(fmt::format("values of type `{}` are checked but cannot be run yet",
                            model::type_name(model, type)),
                range);
    words.push_back({WordType::Kind::Bool, 0, 1, {}});
  }
}

const std::string& Context::pattern(model::TypeId type) {
  if (const auto known = patterns_.find(type.index); known != patterns_.end()) return known->second;
  const model::Type& t = model.types[type];
  std::string result = "#";
  if (const auto* array = std::get_if<model::ArrayType>(&t)) {
    const std::string& element = pattern(array->element);
    result = "[";
    for (std::uint32_t i = 0; i < array->size; ++i)
      result += (i > 0 ? ", " : "") + element;
    result += "]";
  } else if (const auto* record = std::get_if<model::StructType>(&t)) {
    result = "(";
    for (const model::Struct::Field& field : model.structs[record->decl].fields)
      result +=
          fmt::format("{}{}: {}", result.size() > 1 ? ", " : "", field.name, pattern(field.type));
    result += ")";
  }
  return patterns_.emplace(type.index, std::move(result)).first->second;
}

std::vector<std::string> Context::word_names(model::TypeId type, const std::string& name) const {
  std::vector<std::string> names;
  append_names(type, name, names);
  return names;
}

void Context::append_names(model::TypeId type, const std::string& name,
                           std::vector<std::string>& names) const {
  const model::Type& t = model.types[type];
  if (const auto* array = std::get_if<model::ArrayType>(&t)) {
    for (std::uint32_t i = 0; i < array->size; ++i)
      append_names(array->element, fmt::format("{}[{}]", name, i), names);
  } else if (const auto* record = std::get_if<model::StructType>(&t)) {
    for (const model::Struct::Field& field : model.structs[record->decl].fields)
      append_names(field.type, fmt::format("{}.{}", name, field.name), names);
  } else {
    names.push_back(name);
  }
}

void append_words(const model::Value& value, std::vector<std::int32_t>& words) {
  const bool is_scalar =
      value.kind != model::Value::Kind::Struct && value.kind != model::Value::Kind::Array;
  if (is_scalar) words.push_back(value.scalar);
  for (const model::Value& part : value.parts)
    append_words(part, words);
}

bool Context::needs_code(model::ExprId expr) { return effects(expr).needs_code; }

bool Context::modifies_locals(model::ExprId expr) { return effects(expr).modifies_locals; }

const Context::Effects& Context::effects(model::ExprId id) {
  if (const auto known = effects_.find(id.index); known != effects_.end()) return known->second;
  const model::Expr& expr = model.exprs[id];
  const Nesting nesting(*this, expr.range);
  Effects result;
  const auto& node = expr.node;
  result.needs_code =
      is_place_of_objects(expr.storage) || std::holds_alternative<model::Call>(node) ||
      std::holds_alternative<model::Operation>(node) ||
      std::holds_alternative<model::OwnedBy>(node) || std::holds_alternative<model::New>(node) ||
      std::holds_alternative<model::Spawn>(node) || std::holds_alternative<model::Choose>(node) ||
      std::holds_alternative<model::ChooseFrom>(node) ||
      std::holds_alternative<model::StructMake>(node) ||
      std::holds_alternative<model::ArrayMake>(node);
  // A part of a computed value is picked out of the frame.
  if (const auto* index = std::get_if<model::Index>(&node))
    result.needs_code |= model.exprs[index->base].storage == model::Storage::Value;
  const auto* operation = std::get_if<model::Operation>(&node);
  result.modifies_locals = operation != nullptr && (operation->op == model::Operator::TryReceive ||
                                                    operation->op == model::Operator::ReceiveInto);
  if (!failed()) {
    model::for_each_operand(expr, [&](model::ExprId operand) {
      const Effects& part = effects(operand);
      result.needs_code |= part.needs_code;
      result.modifies_locals |= part.modifies_locals;
    });
  }
  return effects_.emplace(id.index, result).first->second;
}

// The constructor that a `new` calls, too.
void Context::find_calls() {
  calls_.resize(model.functions.size());
  is_recursive_.resize(model.functions.size());
  for (const model::FunctionId id : model.functions.ids()) {
    std::vector<model::FunctionId>& calls = calls_[id];
    const auto on_expr = [&](const auto& self, model::ExprId expr) -> void {
      const auto& node = model.exprs[expr].node;
      if (const auto* call = std::get_if<model::Call>(&node)) calls.push_back(call->function);
      if (const auto* made = std::get_if<model::New>(&node)) {
        const model::Class& decl = model.classes[made->decl];
        if (decl.init) calls.push_back(*decl.init);
        for (const model::ObjectId field : decl.fields)
          if (const auto& initial = model.objects[field].initial) self(self, *initial);
      }
      model::for_each_operand(model.exprs[expr],
                              [&](model::ExprId operand) { self(self, operand); });
    };
    const auto on_block = [&](const auto& self, const model::Block& block) -> void {
      for (const model::StmtId stmt : block.statements)
        model::for_each_part(
            model.stmts[stmt], [&](model::ExprId expr) { on_expr(on_expr, expr); },
            [&](const model::Block& part) { self(self, part); });
    };
    on_block(on_block, model.functions[id].body.block);
  }
}

bool Context::is_recursive(model::FunctionId function) {
  if (calls_.size() != model.functions.size()) find_calls();
  std::optional<bool>& known = is_recursive_[function];
  if (known) return *known;
  IdVector<model::FunctionId, bool> seen(model.functions.size(), false);
  std::vector<model::FunctionId> work{function};
  while (!work.empty() && !seen[function]) {
    const model::FunctionId at = work.back();
    work.pop_back();
    for (const model::FunctionId next : calls_[at]) {
      if (seen[next]) continue;
      seen[next] = true;
      work.push_back(next);
    }
  }
  known = seen[function];
  return *known;
}

}  // namespace cml::ir::lowering
