// Spaces between neighbours; see spacing.h.
#include "frontend/format/spacing.h"

namespace cml::formatting {
namespace {

bool opens(const Item& item) {
  return item.is("(") || item.is("[") || item.role == Role::OpenTypes || item.opens_set();
}
bool closes(const Item& item) {
  return item.is(")") || item.is("]") || item.role == Role::CloseTypes || item.closes_set();
}
bool separates(const Item& item) {
  return item.is(",") || item.is(";") ||
         (item.is(":") && (item.role == Role::Plain || item.role == Role::QuantifierColon));
}
bool joins(const Item& item) { return item.is(".") || item.is("..") || item.is("..<"); }
/// Ends something that can be called or indexed, or a name that is being declared.
bool ends_operand(const Item& item) {
  return item.kind == ItemKind::Word || closes(item) || item.role == Role::Nullable;
}

std::uint32_t beside_comment(const Item& left, const Item& right) {
  if (right.kind == ItemKind::LineComment) return 2;
  if (left.is_comment()) return closes(right) || separates(right) ? 0 : 1;
  return left.is("(") || left.is("[") || left.opens_set() ? 0 : 1;
}

}  // namespace

std::uint32_t spaces_between(const Item& left, const Item& right) {
  if (left.is_comment() || right.is_comment()) return beside_comment(left, right);
  if (left.is("{") && right.is("}")) return 0;
  if (left.role == Role::ShiftHead) return 0;
  // `- -x` must not become `--x`, which reads as something else.
  if (left.role == Role::Prefix) return left.is("-") && right.is("-") ? 1 : 0;
  if (opens(left) || closes(right) || separates(right)) return 0;
  if (joins(left) || joins(right)) return 0;
  if (right.role == Role::OpenTypes || right.role == Role::Nullable) return 0;
  const bool call_or_index = (right.is("(") && right.role != Role::Group) ||
                             (right.is("[") && right.role != Role::ArrayLiteral);
  return call_or_index && ends_operand(left) ? 0 : 1;
}

}  // namespace cml::formatting
