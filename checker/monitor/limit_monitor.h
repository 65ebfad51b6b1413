// Limits of the tool that a thread, an invariant or a `finally` has reached, each with a place: the
// search is not complete then. And internal errors, which end the search.
#pragma once

#include <map>
#include <string_view>

#include "checker/monitor/monitor.h"

namespace cml::checker {

class LimitMonitor {
 public:
  using Limits = std::map<std::string_view, ir::Event>;

  /// Records events of kind Limit and Internal. Of a limit the first place is kept.
  void event(const ir::Event& event) {
    if (event.kind == ir::FaultKind::Limit) limits_.emplace(name(event.limit), event);
    if (event.kind == ir::FaultKind::Internal) internal_error_ = true;
    needs_room_ = needs_room_ ||
                  (event.kind == ir::FaultKind::Limit &&
                   (event.limit == ir::LimitKind::Objects || event.limit == ir::LimitKind::Stack ||
                    event.limit == ir::LimitKind::Places));
  }
  /// Of two places, that of the thread with the smaller number.
  void join(const LimitMonitor& other);

  [[nodiscard]] const Limits& limits() const { return limits_; }
  [[nodiscard]] bool internal_error() const { return internal_error_; }
  /// A limit that the System has, where another one may have more room.
  [[nodiscard]] bool needs_room() const { return needs_room_; }

 private:
  [[nodiscard]] static std::string_view name(ir::LimitKind kind);

  Limits limits_;
  bool internal_error_ = false;
  bool needs_room_ = false;
};
static_assert(Monitor<LimitMonitor>);

}  // namespace cml::checker
