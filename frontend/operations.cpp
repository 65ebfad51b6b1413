#include "frontend/operations.h"

#include <cstddef>

namespace cml::model {
namespace {

using enum Family;
using enum Manner;
using enum OperandType;

constexpr OperatorInfo row(Family family, std::string_view signature, Manner manner,
                           OperandType result, OperandType first = Nothing,
                           OperandType second = Nothing) {
  return {family, signature, manner, result, {first, second}};
}

constexpr std::array kOperators = {
#define CML_OPERATION(name, ...) row(__VA_ARGS__),
#include "frontend/operations.def"
#undef CML_OPERATION
};

}  // namespace

const OperatorInfo& info(Operator op) { return kOperators[static_cast<std::size_t>(op)]; }

std::string_view spelling(Operator op) {
  const std::string_view signature = info(op).signature;
  return signature.substr(0, signature.find_first_of("(:"));
}

bool is_property(Operator op) { return info(op).signature.find('(') == std::string_view::npos; }

bool only_reads(Operator op) { return info(op).manner != Waits && info(op).manner != Acts; }

std::span<const Operator> all_operators() {
  static constexpr auto kAll = std::to_array<Operator>({
#define CML_OPERATION(name, ...) Operator::name,
#include "frontend/operations.def"
#undef CML_OPERATION
  });
  return kAll;
}

std::optional<Operator> find_operator(Family family, std::string_view name) {
  for (const Operator op : all_operators())
    if (info(op).family == family && spelling(op) == name) return op;
  return std::nullopt;
}

std::optional<Operator> find_operator(std::span<const Family> families, std::string_view name) {
  for (const Family family : families)
    if (const auto op = find_operator(family, name)) return op;
  return std::nullopt;
}

}  // namespace cml::model
