// What the lock discipline has found out so far, as the reductions ask for it: pendInvisOps′ of
// Stoller's framework (§9) leaves out accesses that would break MLD′. The monitor of the discipline
// answers; neither folder knows the other.
#pragma once

#include <cstddef>
#include <cstdint>

#include "ir/system.h"

namespace cml::checker {

/// May a thread that holds these locks access the object without breaking the discipline?
class CandidateLocks {
 public:
  CandidateLocks() = default;
  CandidateLocks(const CandidateLocks&) = delete;
  CandidateLocks& operator=(const CandidateLocks&) = delete;
  virtual ~CandidateLocks() = default;
  /// `extra`: what is stored behind the state; `held`: a set of locks.
  [[nodiscard]] virtual bool allows(const std::uint8_t* extra, ir::ObjectId object, bool is_write,
                                    const std::uint64_t* held) const = 0;
  /// Another number once `allows` may say no where it said yes, other than by what is stored.
  [[nodiscard]] virtual std::uint64_t version() const = 0;
  /// Bytes that are stored behind each state.
  [[nodiscard]] virtual std::size_t state_bytes() const = 0;
};

}  // namespace cml::checker
