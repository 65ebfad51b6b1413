// Which properties read which objects. The value of an invariant over several objects depends on
// the order in which they change, so all changes of what one property reads depend on each other,
// whatever the objects: writes of variables, sends and receives, the takes and gives of locks. An
// invariant over one channel depends on whether a send or a receive comes first, though the two may
// commute. `finally` beside daemons is evaluated from the end of the last thread on: there the ends
// of the threads count as changes, too.
//
// For the reductions, each property is an object of its own, which these transitions write.
#pragma once

#include <cstdint>
#include <vector>

#include "ir/system.h"

namespace cml::checker {

class PropertyReads {
 public:
  explicit PropertyReads(const ir::System& system);

  /// The properties that depend on the order in which this object and others change, or this one
  /// and the end of a thread.
  [[nodiscard]] const std::vector<std::uint32_t>& by(ir::ObjectId object) const {
    return by_object_[object];
  }
  /// The properties that depend on the end of a thread; none for daemons.
  [[nodiscard]] const std::vector<std::uint32_t>& at_end(ir::ThreadId thread) const {
    return is_daemon_[thread] ? none_ : finals_;
  }
  [[nodiscard]] std::uint32_t count() const { return count_; }

 private:
  IdVector<ir::ObjectId, std::vector<std::uint32_t>> by_object_;
  IdVector<ir::ThreadId, bool> is_daemon_;
  std::vector<std::uint32_t> finals_;
  std::vector<std::uint32_t> none_;
  std::uint32_t count_ = 0;
};

}  // namespace cml::checker
