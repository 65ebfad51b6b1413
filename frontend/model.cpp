// Names of types, for messages and reports (docs/reference.md, "Types and values").
#include "frontend/model.h"

#include <fmt/format.h>

#include "support/overloaded.h"

namespace cml::model {
std::string set_text(std::int32_t word) {
  std::string elements;
  for (std::int32_t i = 0; i < kLargestSet; ++i)
    if ((word >> i & 1) != 0) elements += fmt::format("{}{}", elements.empty() ? "" : ", ", i);
  return "{" + elements + "}";
}

std::string type_name(const Model& model, TypeId type) {
  if (!type.valid() || !model.types.contains(type)) return "?";
  // Dimensions are written after the element, the outermost first, as in `x: int[2][3]`.
  std::string dimensions;
  while (const auto* array = std::get_if<ArrayType>(&model.types[type])) {
    dimensions += fmt::format("[{}]", array->size);
    type = array->element;
  }
  const std::string element = std::visit(
      Overloaded{
          [](const ErrorType&) -> std::string { return "?"; },
          [](const VoidType&) -> std::string { return "nothing"; },
          [](const NullType&) -> std::string { return "null"; },
          [](const BoolType&) -> std::string { return "bool"; },
          [](const IntType& t) -> std::string {
            if (t == IntType{}) return "int";
            return fmt::format("int({}..{})", t.lo, t.hi);
          },
          [](const ModType& t) -> std::string {
            return fmt::format("mod({})", std::int64_t{t.last} + 1);
          },
          [](const SetType& t) -> std::string { return fmt::format("set(0..<{})", t.size); },
          [&](const EnumType& t) -> std::string { return model.enums[t.decl].name; },
          [&](const StructType& t) -> std::string { return model.structs[t.decl].name; },
          [&](const ClassType& t) -> std::string {
            return model.classes[t.decl].name + (t.nullable ? "?" : "");
          },
          [](const ThreadType& t) -> std::string { return t.nullable ? "thread?" : "thread"; },
          [](const LockType& t) -> std::string { return t.is_mutex ? "mutex" : "lock"; },
          [](const RwLockType&) -> std::string { return "rwlock"; },
          [](const ConditionType&) -> std::string { return "condition"; },
          [](const SemaphoreType&) -> std::string { return "semaphore"; },
          [&](const ChannelType& t) -> std::string {
            if (std::holds_alternative<VoidType>(model.types[t.element])) return "channel";
            return fmt::format("channel<{}>", type_name(model, t.element));
          },
          [](const ArrayType&) -> std::string { return "?"; },
      },
      model.types[type]);
  return element + dimensions;
}

}  // namespace cml::model
