#include "checker/monitor/limit_monitor.h"

#include <tuple>

namespace cml::checker {

std::string_view LimitMonitor::name(ir::LimitKind kind) {
  switch (kind) {
    case ir::LimitKind::Invisible:
      return "max-invisible";
    case ir::LimitKind::Choices:
      return "choices";
    case ir::LimitKind::LockDepth:
      return "lock-depth";
    case ir::LimitKind::SemaphoreValue:
      return "semaphore-value";
    case ir::LimitKind::Threads:
      return "max-threads";
    case ir::LimitKind::Places:
      return "thread-places";
    case ir::LimitKind::Objects:
      return "max-heap";
    case ir::LimitKind::Stack:
      return "max-stack";
    case ir::LimitKind::Histories:
      return "histories";
  }
  return "";
}

void LimitMonitor::join(const LimitMonitor& other) {
  internal_error_ = internal_error_ || other.internal_error_;
  needs_room_ = needs_room_ || other.needs_room_;
  const auto order = [](const ir::Event& event) {
    const SourceRange& range = event.range;
    return std::tuple(event.thread, event.pc, range.file, range.begin, range.end);
  };
  for (const auto& [limit, event] : other.limits_) {
    const auto [mine, is_new] = limits_.emplace(limit, event);
    if (!is_new && order(event) < order(mine->second)) mine->second = event;
  }
}

}  // namespace cml::checker
