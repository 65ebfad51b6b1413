// Built-in operations on objects, and what the front end has to know of each: a table, made from
// operations.def. Names and types (sema/members.cpp), where they may stand (sema/purity.cpp,
// sema/lock_state.cpp) and what they do to those who call them (sema/effects.cpp,
// sema/atomic_blocks.cpp) follow from it.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

namespace cml::model {

/// The closed list is operations.def.
enum class Operator : std::uint8_t {
#define CML_OPERATION(name, ...) name,
#include "frontend/operations.def"
#undef CML_OPERATION
};

/// What has the operation. Locks and monitors have a wait set of their own; a mutex has none, and a
/// condition is one.
enum class Family : std::uint8_t { Lock, WaitSet, ReadWrite, Semaphore, Channel, Atomic };
inline constexpr std::array kFamiliesOfLocks = {Family::Lock, Family::WaitSet};

enum class Manner : std::uint8_t {
  Waits,  // it can be blocked
  Acts,   // it changes an object, or may, and is never blocked
  Reads,  // it changes nothing: conditions may ask it
  Asks,   // the same, of the thread that asks; without a thread it has no meaning
  Looks,  // the same, at a lock from outside: not in the code of a thread
};

/// What it returns or is given.
enum class OperandType : std::uint8_t {
  Nothing,
  Bool,
  Int,
  Thread,   // or none
  Amount,   // of what is in the object: from 0 to what it can hold
  Element,  // of the channel
  Value,    // of the atomic
  Local,    // the place of a local that an element fits
};

struct OperatorInfo {
  Family family;
  std::string_view signature;  // for messages
  Manner manner;
  OperandType result;
  std::array<OperandType, 2> parameters;  // as many as are not Nothing
};
[[nodiscard]] const OperatorInfo& info(Operator op);

[[nodiscard]] std::string_view spelling(Operator op);
/// Without parentheses.
[[nodiscard]] bool is_property(Operator op);
[[nodiscard]] bool only_reads(Operator op);
/// In the order of the list.
[[nodiscard]] std::span<const Operator> all_operators();
[[nodiscard]] std::optional<Operator> find_operator(Family family, std::string_view name);
[[nodiscard]] std::optional<Operator> find_operator(std::span<const Family> families,
                                                    std::string_view name);

}  // namespace cml::model
