// Which monitors get what, and in which order.
#include "checker/monitor/monitors.h"

#include <utility>

#include "support/mutation.h"

namespace cml::checker {

Monitors::Monitors(ir::Step& step, ir::Interpreter& interpreter, const ir::Analyses& analyses,
                   const Options& options, const FollowedObjects& followed)
    : system_(step.system()),
      layout_(step.layout()),
      findings_(options.all, options.shortest),
      statics_(system_, analyses, options.static_analyses && options.discipline != Discipline::Off),
      recorder_(system_, layout_,
                std::make_shared<ir::Observations>(
                    system_, analyses.held(),
                    DisciplineMonitor::kept_in_state(system_, options.discipline, statics_,
                                                     analyses.held()),
                    options.composes())),
      discipline_(step, options.discipline, statics_, analyses.held(), *recorder_.observations(),
                  followed),
      races_(system_, layout_, options.discipline, statics_, followed),
      stuck_(step, analyses, options),
      divergence_(system_),
      properties_(layout_, interpreter, recorder_, limits_),
      lock_use_(system_, layout_, analyses),
      lock_order_(step, analyses.held()),
      held_at_end_(layout_),
      can_have_more_room_(options.limits.can_have_more_room) {}

void Monitors::initial(const std::uint8_t* before, const ir::Record& record,
                       const std::uint8_t* after, std::uint8_t* extra, const PathSource& path) {
  const Where where{findings_, path};
  discipline_.initial(extra);
  races_.initial(extra);
  properties_.invariants(before, where);
  // The beginnings of all threads in one record. None of them owns a lock: an acquire is visible.
  executed({before, record, after, extra}, where);
  if (discipline_.has_guards()) discipline_.guards(after, extra, where);
  for (const ir::ThreadId thread : system_.threads.ids())
    arrived(after, thread);
}

void Monitors::meeting(const Transition& transition, std::size_t partner, const PathSource& path) {
  const ir::Record& all = transition.record;
  for (const std::size_t begin : {std::size_t{0}, partner}) {
    ir::take_part(all, begin, begin == 0 ? partner : all.micros.size(), part_);
    observed({transition.before, part_, transition.after, transition.extra}, path);
    arrived(transition.after, part_.micros[0].action.thread);
  }
  unobserved(transition.after, transition.extra, path);
}

void Monitors::observed(const Transition& transition, const PathSource& path) {
  executed(transition, {findings_, path});
  lock_use_.transition(transition, recorder_);
  recorder_.transition(transition);  // after all others
}

void Monitors::executed(const Transition& transition, const Where& where) {
  for (const ir::PointId point : transition.record.marks)
    recorder_.reached(point);
  discipline_.transition(transition.record, transition.extra, where);
  races_.transition(transition, where);
  for (const ir::Event& e : transition.record.events)
    event(e, where);
}

void Monitors::event(const ir::Event& event, const Where& where) {
  switch (event.kind) {
    case ir::FaultKind::InitOrder:  // reported by the discipline monitor
      return;
    case ir::FaultKind::Limit:
    case ir::FaultKind::Internal:
      return limits_.event(event);
    case ir::FaultKind::Divergence:
      return divergence_.diverges(event, where);
    default:
      break;
  }
  recorder_.failed(event);
  Finding finding;
  finding.kind = violation_kind(event.kind);
  finding.event = event;
  finding.event.object = representative(system_, event.object);
  where.report(std::move(finding));
}

void Monitors::invisible_run(const ir::Record& record, const PathSource& path) {
  for (const ir::Event& event : record.events) {
    if (event.kind == ir::FaultKind::Divergence) divergence_.diverges(event, {findings_, path});
    if (event.kind == ir::FaultKind::Limit) limits_.event(event);
  }
}

void Monitors::arrived(const std::uint8_t* state, ir::ThreadId thread) {
  const ir::Location at = location(layout_, state, thread);
  const ir::ObjectId lock = lock_order_.arrived(state, thread, at);
  if (at == ir::kEnded) held_at_end_.ended(state, thread);
  recorder_.arrived(state, thread, at, lock, !lock_order_.looks(thread, at));
}

void Monitors::look_at(const std::uint8_t* state, std::span<const ir::Action> actions,
                       ir::ThreadId moved, const PathSource& path) {
  const Where where{findings_, path};
  properties_.invariants(state, where);
  // Without properties it was asked before.
  if (properties_.any() && !properties_.has_finals() &&
      stuck_.makes_nobody_stuck(state, actions, moved))
    return;
  stuck_.state(state, actions, where);
  if (properties_.has_finals() && stuck_.is_final(state)) properties_.finals(state, where);
  if (stuck_.anyone_stuck() && !CML_MUTATION("nobody-is-ever-stuck-for-the-lock-order"))
    lock_order_.stuck(state);
}

void Monitors::join(const Monitors& other) {
  findings_.join(other.findings_);
  recorder_.join(other.recorder_);
  discipline_.join(other.discipline_);
  discipline_.report_broken(findings_);
  races_.join(other.races_);
  stuck_.join(other.stuck_);
  divergence_.join(other.divergence_);
  limits_.join(other.limits_);
  properties_.join(other.properties_);
  lock_use_.join(other.lock_use_);
  lock_order_.join(other.lock_order_);
  held_at_end_.join(other.held_at_end_);
}

std::vector<CoverEntry> Monitors::cover() const {
  std::vector<CoverEntry> result;
  for (const ir::PointId id : system_.points.ids()) {
    const ir::Point& point = system_.points[id];
    if (point.label) result.push_back({*point.label, point.range, is_reached(id)});
  }
  return result;
}

}  // namespace cml::checker
