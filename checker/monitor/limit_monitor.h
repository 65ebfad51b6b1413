// What the tool itself could not do: the limits that a thread, an invariant or a `finally` came to,
// each with a place, so that the search is not complete; and contradictions, which end it.
#pragma once

#include <map>
#include <string_view>

#include "checker/monitor/monitor.h"

namespace cml::checker {

class LimitMonitor {
 public:
  using Limits = std::map<std::string_view, ir::Event>;

  /// Looks at events of kind Limit and Internal. Of a limit the first place stays.
  void event(const ir::Event& event) {
    if (event.kind == ir::FaultKind::Limit) limits_.emplace(name(event.limit), event);
    if (event.kind == ir::FaultKind::Internal) internal_error_ = true;
  }
  /// Of two places, that of the thread with the smaller number.
  void join(const LimitMonitor& other);

  [[nodiscard]] const Limits& limits() const { return limits_; }
  [[nodiscard]] bool internal_error() const { return internal_error_; }

 private:
  [[nodiscard]] static std::string_view name(ir::LimitKind kind);

  Limits limits_;
  bool internal_error_ = false;
};
static_assert(Monitor<LimitMonitor>);

}  // namespace cml::checker
