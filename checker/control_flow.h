// The control flow of a thread's code, and what it may do from each location on: the static side of
// partial deadlocks ("could an outsider enable it?", language.md §5), of divergence, and of which
// objects one thread alone uses. Flow is followed without evaluating conditions; a place with an
// index means every object it can.
#pragma once

#include <cstdint>
#include <vector>

#include "ir/analysis/control_flow.h"
#include "ir/system.h"

namespace cml::checker {

using ir::reachable;
using ir::successors;

/// By location: whether the thread may come back there without an operation that is visible in
/// every state.
[[nodiscard]] std::vector<bool> may_turn_invisibly(const ir::System& system, const ir::Code& code);

/// What can enable somebody who is blocked.
enum class Enabling : std::uint8_t { Write, Free, Notify, Up, Send, Receive };

/// For each thread and location, the enabling effects that the thread may still have, on which
/// objects.
class Futures {
 public:
  explicit Futures(const ir::System& system);
  [[nodiscard]] bool may(ir::ThreadId thread, ir::Location location, Enabling what,
                         ir::ObjectId object) const;

 private:
  struct OfThread {
    std::vector<std::uint64_t> atoms;  // sorted: what it has at all, numbered by position
    std::vector<std::vector<std::uint64_t>> by_location;  // bit sets over `atoms`
  };
  IdVector<ir::ThreadId, OfThread> threads_;
};

}  // namespace cml::checker
