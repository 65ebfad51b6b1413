#include "checker/reduction/dynamic/eager_source.h"

namespace cml::checker {

void EagerSource::met(Depth last, ir::ThreadId thread, SummaryId summary) {
  for (Depth depth = last + 1; depth-- > 0;) {
    Frame& frame = frames_[depth];
    if (frame.goes == thread || !conflicts_.conflict(frame.summary, summary)) continue;
    if (frame.looks_for_conflicts()) frame.conflicting |= bit(thread);
    if (CML_MUTATION("the-last-conflict-on-the-path-is-enough")) return;
  }
}

void EagerSource::met(Depth last, Row row) {
  for (Depth depth = 0; depth <= last; ++depth) {
    Frame& frame = frames_[depth];
    if (frame.looks_for_conflicts())
      frame.conflicting |= later_.in_conflict(row, frame.goes, frame.summary);
  }
}

}  // namespace cml::checker
