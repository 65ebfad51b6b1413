// What can be wrong with a model's behaviour: the kinds of violations and warnings, by their names.
//
// The lists are `checker/violations.def` and `checker/warnings.def`; the order of the enumerators
// is the order of preference among reports of equal rank.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

namespace cml::ir {
enum class FaultKind : std::uint8_t;
}

namespace cml::checker {

enum class ViolationKind : std::uint8_t {
#define CML_VIOLATION(enumerator, kind, title) enumerator,
#include "checker/violations.def"
#undef CML_VIOLATION
};

enum class WarningKind : std::uint8_t {
#define CML_CHECKER_WARNING(enumerator, kind, title) enumerator,
#include "checker/warnings.def"
#undef CML_CHECKER_WARNING
};

/// "deadlock": what reports, JSON and `cml explain` call it.
[[nodiscard]] std::string_view name(ViolationKind kind);
[[nodiscard]] std::string_view name(WarningKind kind);

/// One line for people: "no thread can move, and some have not ended".
[[nodiscard]] std::string_view title(ViolationKind kind);
[[nodiscard]] std::string_view title(WarningKind kind);

[[nodiscard]] std::optional<ViolationKind> violation_kind(std::string_view name);
[[nodiscard]] std::optional<WarningKind> warning_kind(std::string_view name);
/// What a fault that stops a thread is called.
[[nodiscard]] ViolationKind violation_kind(ir::FaultKind kind);

/// All kinds, in the order of the lists.
[[nodiscard]] std::span<const ViolationKind> all_violation_kinds();
[[nodiscard]] std::span<const WarningKind> all_warning_kinds();

}  // namespace cml::checker
