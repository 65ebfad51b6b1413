// Which properties read which objects. The value of an invariant over several objects depends on
// the order in which they change, so all changes of what one property reads depend on each other,
// whatever the objects: writes of variables, sends and receives, the takes and gives of locks. An
// invariant over one channel depends on whether a send or a receive comes first, though the two may
// commute. `finally` beside daemons is evaluated from the end of the last thread on: there the ends
// of the threads count as changes, too.
//
// A guard that waits counts as an access in every state in which it is pending
// (checker/monitor/discipline.h), and what it reads first can decide what it reads then. For a
// search that does not visit every state (visits.h) such a guard is a property, too, from where its
// thread arrives there on.
//
// For the reductions, each property is an object of its own, which these transitions write.
#pragma once

#include <cstdint>
#include <map>
#include <utility>
#include <vector>

#include "checker/reduction/visits.h"
#include "ir/system.h"

namespace cml::checker {

class PropertyReads {
 public:
  explicit PropertyReads(const ir::System& system, Visits visits = Visits::EveryState);

  /// The properties that depend on the order in which this object and others change, or this one
  /// and the end of a thread.
  [[nodiscard]] const std::vector<std::uint32_t>& by(ir::ObjectId object) const {
    return by_object_[object];
  }
  /// The properties that depend on the end of a thread; none for daemons.
  [[nodiscard]] const std::vector<std::uint32_t>& at_end(ir::ThreadId thread) const {
    return is_daemon_[thread] ? none_ : finals_;
  }
  /// Those that depend on whether the thread has arrived at this location.
  [[nodiscard]] const std::vector<std::uint32_t>& at(ir::ThreadId thread, ir::Location at) const {
    if (guards_.empty()) return none_;
    const auto found = guards_.find({thread.index, at});
    return found == guards_.end() ? none_ : found->second;
  }
  [[nodiscard]] std::uint32_t count() const { return count_; }

 private:
  void add_guards(const ir::System& system);

  IdVector<ir::ObjectId, std::vector<std::uint32_t>> by_object_;
  std::map<std::pair<std::uint32_t, ir::Location>, std::vector<std::uint32_t>> guards_;
  IdVector<ir::ThreadId, bool> is_daemon_;
  std::vector<std::uint32_t> finals_;
  std::vector<std::uint32_t> none_;
  std::uint32_t count_ = 0;
};

}  // namespace cml::checker
