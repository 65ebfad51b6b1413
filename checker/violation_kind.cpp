// The names of violations and warnings, from their lists.
#include "checker/violation_kind.h"

#include <algorithm>
#include <array>

#include "ir/expression_value.h"

namespace cml::checker {
namespace {

struct Entry {
  std::string_view name;
  std::string_view title;
};

constexpr auto kViolations = std::to_array<Entry>({
#define CML_VIOLATION(enumerator, kind, title) {kind, title},
#include "checker/violations.def"
#undef CML_VIOLATION
});

constexpr auto kWarnings = std::to_array<Entry>({
#define CML_CHECKER_WARNING(enumerator, kind, title) {kind, title},
#include "checker/warnings.def"
#undef CML_CHECKER_WARNING
});

constexpr auto kViolationKinds = std::to_array<ViolationKind>({
#define CML_VIOLATION(enumerator, kind, title) ViolationKind::enumerator,
#include "checker/violations.def"
#undef CML_VIOLATION
});

constexpr auto kWarningKinds = std::to_array<WarningKind>({
#define CML_CHECKER_WARNING(enumerator, kind, title) WarningKind::enumerator,
#include "checker/warnings.def"
#undef CML_CHECKER_WARNING
});

template <class Kind, class Entries>
std::optional<Kind> find(const Entries& entries, std::string_view name) {
  const auto found = std::ranges::find(entries, name, &Entry::name);
  if (found == entries.end()) return std::nullopt;
  return static_cast<Kind>(found - entries.begin());
}

}  // namespace

std::string_view name(ViolationKind kind) {
  return kViolations[static_cast<std::size_t>(kind)].name;
}
std::string_view name(WarningKind kind) { return kWarnings[static_cast<std::size_t>(kind)].name; }

std::string_view title(ViolationKind kind) {
  return kViolations[static_cast<std::size_t>(kind)].title;
}
std::string_view title(WarningKind kind) { return kWarnings[static_cast<std::size_t>(kind)].title; }

std::optional<ViolationKind> violation_kind(std::string_view name) {
  return find<ViolationKind>(kViolations, name);
}
std::optional<WarningKind> warning_kind(std::string_view name) {
  return find<WarningKind>(kWarnings, name);
}

ViolationKind violation_kind(ir::FaultKind kind) {
  switch (kind) {
    case ir::FaultKind::IllegalMonitor:
      return ViolationKind::IllegalMonitor;
    case ir::FaultKind::Range:
      return ViolationKind::Range;
    case ir::FaultKind::Overflow:
      return ViolationKind::Overflow;
    case ir::FaultKind::DivisionByZero:
      return ViolationKind::DivisionByZero;
    case ir::FaultKind::Index:
      return ViolationKind::Index;
    case ir::FaultKind::Null:
      return ViolationKind::Null;
    case ir::FaultKind::SemaphoreMax:
      return ViolationKind::SemaphoreMax;
    case ir::FaultKind::ClosedChannel:
      return ViolationKind::ClosedChannel;
    case ir::FaultKind::StackOverflow:
      return ViolationKind::StackOverflow;
    case ir::FaultKind::Unshared:
      return ViolationKind::Unshared;
    case ir::FaultKind::Linearizability:
      return ViolationKind::Linearizability;
    case ir::FaultKind::Divergence:
      return ViolationKind::Divergence;
    case ir::FaultKind::InitOrder:
      return ViolationKind::InitOrder;
    case ir::FaultKind::Assertion:
    case ir::FaultKind::Limit:
    case ir::FaultKind::Internal:
      break;
  }
  return ViolationKind::Assertion;
}

std::span<const ViolationKind> all_violation_kinds() { return kViolationKinds; }
std::span<const WarningKind> all_warning_kinds() { return kWarningKinds; }

}  // namespace cml::checker
