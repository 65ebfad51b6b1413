// Sets the flags of ir::Observations: native code may leave out from then on what was recorded.
//
// It knows which locks a thread holds at each touch of a transition, and so which of an
// instruction's numbers stand for these locks.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "checker/monitor/monitor.h"
#include "ir/exec/observations.h"

namespace cml::checker {

class Recorder {
 public:
  Recorder(const ir::System& system, const ir::Layout& layout,
           std::shared_ptr<ir::Observations> observations);

  /// Whether the observation of a touch was recorded before.
  [[nodiscard]] bool is_recorded(const std::uint8_t* before, const ir::Record& record,
                                 std::size_t touch);
  /// Records the observations of all touches.
  void transition(const Transition& transition);
  /// The thread has arrived at its location, before the acquisition of `lock`, if that is valid.
  /// `is_final`: it can make no other observation there.
  void arrived(const std::uint8_t* state, ir::ThreadId thread, ir::Location at, ir::ObjectId lock,
               bool is_final);
  void reached(ir::PointId point) { observations_->record(observations_->of(point)); }
  void failed(const ir::Event& event);

  /// The locks that the thread owns before a touch of its transition.
  const std::uint64_t* owned_at(const std::uint8_t* before, const ir::Record& record,
                                std::size_t touch);

  [[nodiscard]] bool is_reached(ir::PointId point) const {
    return observations_->is_recorded(observations_->of(point));
  }
  [[nodiscard]] std::shared_ptr<const ir::Observations> observations() const {
    return observations_;
  }
  /// Must be joined together with all monitors of transitions: what is recorded is shown to none.
  void join(const Recorder& other);

 private:
  /// Calls `use(Number)` for all numbers of the observation of a touch.
  template <class Use>
  void for_each_number(const std::uint8_t* before, const ir::Record& record, std::size_t touch,
                       Use use);

  const ir::System& system_;
  const ir::Layout& layout_;
  std::shared_ptr<ir::Observations> observations_;  // the compiler's thread may outlive this
  std::vector<std::uint64_t> held_;                 // scratch
  std::vector<ir::ObjectId> owned_;                 // scratch
};
static_assert(Monitor<Recorder>);

}  // namespace cml::checker
