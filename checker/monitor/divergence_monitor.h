// Divergence: threads that run for ever without a visible operation. Each is reported once.
#pragma once

#include <cstdint>
#include <vector>

#include "checker/monitor/monitor.h"

namespace cml::checker {

class DivergenceMonitor {
 public:
  explicit DivergenceMonitor(const ir::System& system) : diverged_(system.threads.size(), 0) {}

  [[nodiscard]] bool diverged(ir::ThreadId thread) const { return diverged_[thread.index] != 0; }
  void diverges(const ir::Event& event, const Where& where) {
    if (diverged(event.thread)) return;
    diverged_[event.thread.index] = 1;
    Finding finding;
    finding.kind = ViolationKind::Divergence;
    finding.event = event;
    where.findings.add(std::move(finding), where.path);
  }
  void join(const DivergenceMonitor& other) {
    for (std::size_t i = 0; i < diverged_.size(); ++i)
      diverged_[i] |= other.diverged_[i];
  }

 private:
  std::vector<std::uint8_t> diverged_;  // by thread
};
static_assert(Monitor<DivergenceMonitor>);

}  // namespace cml::checker
