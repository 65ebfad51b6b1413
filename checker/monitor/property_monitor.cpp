#include "checker/monitor/property_monitor.h"

#include <utility>

namespace cml::checker {

PropertyMonitor::PropertyMonitor(const ir::Layout& layout, ir::Interpreter& interpreter,
                                 Recorder& recorder, LimitMonitor& limits)
    : interpreter_(interpreter),
      system_(interpreter.system()),
      recorder_(recorder),
      limits_(limits),
      any_(!system_.invariants.empty() || !system_.finals.empty()) {
  for (const ir::Invariant& invariant : system_.invariants)
    caches_.emplace_back(layout, invariant.code);
}

void PropertyMonitor::invariants(const std::uint8_t* state, const Where& where) {
  for (std::size_t i = 0; i < system_.invariants.size(); ++i)
    if (caches_[i].is_new(state))
      run(Source::Invariant, i, system_.invariants[i].code, state, where);
}

void PropertyMonitor::finals(const std::uint8_t* state, const Where& where) {
  for (std::size_t i = 0; i < system_.finals.size(); ++i)
    run(Source::Final, i, system_.finals[i].code, state, where);
}

void PropertyMonitor::run(Source source, std::size_t property, const ir::Code& code,
                          const std::uint8_t* state, const Where& where) {
  record_.clear();
  interpreter_.run_free(state, code, record_);
  for (const ir::PointId point : record_.marks)
    recorder_.reached(point);
  for (const ir::Event& event : record_.events) {
    if (event.kind == ir::FaultKind::Limit || event.kind == ir::FaultKind::Internal) {
      limits_.event(event);
    } else {
      Finding finding;
      finding.kind = violation_kind(event.kind);
      finding.source = source;
      finding.property = static_cast<std::uint32_t>(property);
      finding.event = event;
      finding.event.object = representative(system_, event.object);
      where.report(std::move(finding));
    }
  }
}

}  // namespace cml::checker
