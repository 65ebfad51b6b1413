#include "tests/brute/kinds.h"

namespace cml::brute {

using namespace model;  // NOLINT: all about the model

namespace {

constexpr std::int64_t kReferences = std::int64_t{1} << 40;
constexpr std::int64_t kHandles = std::int64_t{1} << 41;

void append(const Model& model, TypeId id, std::vector<WordKind>& out) {
  const Type& type = model.types[id];
  if (const auto* array = std::get_if<ArrayType>(&type)) {
    for (std::uint32_t i = 0; i < array->size; ++i)
      append(model, array->element, out);
  } else if (const auto* st = std::get_if<StructType>(&type)) {
    for (const auto& field : model.structs[st->decl].fields)
      append(model, field.type, out);
  } else if (std::holds_alternative<ClassType>(type)) {
    out.push_back(WordKind::Reference);
  } else if (std::holds_alternative<ThreadType>(type)) {
    out.push_back(WordKind::Handle);
  } else {
    out.push_back(WordKind::Plain);
  }
}

}  // namespace

Kinds::Kinds(const Model& model) {
  for (const TypeId id : model.types.ids()) {
    std::vector<WordKind> kinds;
    append(model, id, kinds);
    all_.push(std::move(kinds));
  }
}

std::int64_t entry_of(WordKind kind, std::int32_t word) {
  if (kind == WordKind::Plain || word == 0) return word;
  return (kind == WordKind::Reference ? kReferences : kHandles) + word;
}

Entry entry(std::int64_t text) {
  if (text >= kHandles) return {WordKind::Handle, text - kHandles};
  if (text > INT32_MAX) return {WordKind::Reference, text - kReferences};
  return {WordKind::Plain, text};
}

std::int32_t counted(std::int64_t steps, const ModType& type) {
  const std::int64_t around = std::int64_t{type.last} + 1;
  if (steps < 0) steps += (-steps / around + 1) * around;
  return static_cast<std::int32_t>(steps - steps / around * around);
}

std::set<std::int32_t> elements(std::int32_t word) {
  std::set<std::int32_t> out;
  for (std::int32_t i = 0; word > 0; ++i, word /= 2)
    if (word % 2 != 0) out.insert(i);
  return out;
}

std::int32_t set_of(const std::set<std::int32_t>& elements) {
  std::int32_t word = 0;
  for (auto i = elements.rbegin(); i != elements.rend(); ++i) {
    std::int32_t bit = 1;
    for (std::int32_t doubled = 0; doubled < *i; ++doubled)
      bit *= 2;
    word += bit;
  }
  return word;
}

Words default_value(const Model& model, TypeId id) {
  const Type& type = model.types[id];
  Words out;
  const auto add = [&](TypeId part) {
    const Words each = default_value(model, part);
    out.insert(out.end(), each.begin(), each.end());
  };
  if (const auto* array = std::get_if<ArrayType>(&type)) {
    for (std::uint32_t i = 0; i < array->size; ++i)
      add(array->element);
  } else if (const auto* st = std::get_if<StructType>(&type)) {
    for (const auto& field : model.structs[st->decl].fields)
      add(field.type);
  } else {
    const auto* range = std::get_if<IntType>(&type);
    out.push_back(range == nullptr || *range == IntType{} ? 0 : range->lo);
  }
  return out;
}

}  // namespace cml::brute
