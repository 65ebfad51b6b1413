// The candidate locks of the lock discipline, as the reductions use them: pendInvisOps′ of
// Stoller's framework (§9) leaves out accesses that would break MLD′. Implemented by the monitor of
// the discipline; so neither folder includes the other.
#pragma once

#include <cstddef>
#include <cstdint>

#include "ir/system.h"

namespace cml::checker {

/// Whether a thread that holds certain locks may access an object without breaking the discipline.
class CandidateLocks {
 public:
  CandidateLocks() = default;
  CandidateLocks(const CandidateLocks&) = delete;
  CandidateLocks& operator=(const CandidateLocks&) = delete;
  virtual ~CandidateLocks() = default;
  /// `extra`: what is stored behind the state; `held`: a set of locks.
  [[nodiscard]] virtual bool allows(const std::uint8_t* extra, ir::ObjectId object, bool is_write,
                                    const std::uint64_t* held) const = 0;
  /// Changes when `allows` may be false where it was true before, with the same `extra`.
  [[nodiscard]] virtual std::uint64_t version() const = 0;
  /// Bytes that are stored behind each state.
  [[nodiscard]] virtual std::size_t state_bytes() const = 0;
};

}  // namespace cml::checker
