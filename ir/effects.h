// Effects on objects, and uses of them: what other threads depend on. effects.def has the list and
// both definitions.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

#include "support/enum_set.h"

namespace cml::ir {

enum class Use : std::uint8_t {
#define CML_USE(name, of, value, conflicts, by_state, disables, enabled_by) name,
#include "ir/effects.def"
};
enum class Effect : std::uint8_t {
#define CML_EFFECT(name, uses) name,
#include "ir/effects.def"
};
inline constexpr std::size_t kUses = static_cast<std::size_t>(Use::End) + 1;
inline constexpr std::size_t kEffects = static_cast<std::size_t>(Effect::Ready) + 1;

using Uses = EnumSet<Use>;
using Effects = EnumSet<Effect>;
constexpr Uses operator|(Use a, Use b) { return Uses(a) | Uses(b); }
constexpr Effects operator|(Effect a, Effect b) { return Effects(a) | Effects(b); }

/// What a use is of: the value of an object, or its wait set. Amounts are those of semaphores and
/// channels.
enum class UseOf : std::uint8_t { Variable, Lock, WaitSet, Amount, Life, History, Thread };

/// What a use does to what properties and guards can read.
enum class Leaves : std::uint8_t {
  Looks,    // as it is; the use itself depends on it
  Changes,  // perhaps another value
  Hidden,   // as it is, or changed only where no property can look
};

namespace detail {

struct UseFacts {
  std::string_view name;
  UseOf of = UseOf::Variable;
  Leaves leaves = Leaves::Looks;
  Uses conflicts, depends_on_state, disables, enabled_by;
};

inline constexpr auto kUseFacts = [] {
  using enum Use;
  constexpr Uses kNone;
  return std::array{
#define CML_USE(name, of, leaves, conflicts, by_state, disables, enabled_by) \
  UseFacts{#name, UseOf::of, Leaves::leaves, conflicts, by_state, disables, enabled_by},
#include "ir/effects.def"
  };
}();
static_assert(kUseFacts.size() == kUses);

struct EffectFacts {
  std::string_view name;
  Uses uses;
};

inline constexpr auto kEffectFacts = [] {
  constexpr Uses kNone;
  return std::array{
#define CML_EFFECT(name, uses) EffectFacts{#name, uses},
#include "ir/effects.def"
  };
}();
static_assert(kEffectFacts.size() == kEffects);

constexpr const UseFacts& facts(Use use) { return kUseFacts[static_cast<std::size_t>(use)]; }
constexpr const EffectFacts& facts(Effect effect) {
  return kEffectFacts[static_cast<std::size_t>(effect)];
}

}  // namespace detail

[[nodiscard]] constexpr std::string_view name(Use use) { return detail::facts(use).name; }
[[nodiscard]] constexpr std::string_view name(Effect effect) { return detail::facts(effect).name; }

[[nodiscard]] constexpr UseOf of(Use use) { return detail::facts(use).of; }
[[nodiscard]] constexpr bool looks(Use use) { return detail::facts(use).leaves == Leaves::Looks; }
[[nodiscard]] constexpr bool changes(Use use) {
  return detail::facts(use).leaves == Leaves::Changes;
}
/// Whether two uses of one object conflict; none where that depends on the state.
[[nodiscard]] constexpr std::optional<bool> conflict(Use a, Use b) {
  if (detail::facts(a).depends_on_state.contains(b)) return std::nullopt;
  return detail::facts(a).conflicts.contains(b);
}
/// The uses that this one may disable.
[[nodiscard]] constexpr Uses disabled_by(Use use) { return detail::facts(use).disables; }
/// The uses of another thread that may enable this one.
[[nodiscard]] constexpr Uses enabling(Use use) { return detail::facts(use).enabled_by; }

[[nodiscard]] constexpr Uses uses(Effect effect) { return detail::facts(effect).uses; }
[[nodiscard]] constexpr Uses uses(Effects effects) {
  Uses result;
  effects.for_each([&result](Effect effect) { result = result | uses(effect); });
  return result;
}
/// Whether they leave the object and its wait set unchanged.
[[nodiscard]] constexpr bool only_look(Effects effects) {
  bool result = true;
  uses(effects).for_each([&result](Use use) { result = result && looks(use); });
  return result;
}

namespace detail {

constexpr bool is_symmetric() {
  bool result = true;
  for (std::size_t i = 0; i < kUses; ++i)
    for (std::size_t k = 0; k < kUses; ++k) {
      const Use a = static_cast<Use>(i);
      const Use b = static_cast<Use>(k);
      result = result && conflict(a, b) == conflict(b, a);
      // Only uses of the same kind of object meet, and a change conflicts with every look.
      if (conflict(a, b) != false) result = result && of(a) == of(b);
      // But that a channel is closed only `close` changes.
      const bool is_seen = b != Use::Closed || a == Use::Close || a == Use::Several;
      if (of(a) == of(b) && changes(a) && looks(b) && is_seen)
        result = result && conflict(a, b) == true;
    }
  return result;
}
static_assert(is_symmetric());

}  // namespace detail

}  // namespace cml::ir
