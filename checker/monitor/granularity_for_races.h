// At which granularity data races are looked for. Mostly it is enough to switch threads at visible
// operations (docs/reductions.md, "Data races"). It is not where atomic blocks or conditions use
// shared objects that no lock is proved to protect: such a block orders threads though it is no
// visible operation, and what others write invisibly can enable a condition for a moment only. Then
// threads are switched at every access.
#pragma once

#include "checker/options.h"
#include "ir/analysis/analyses.h"

namespace cml::checker {

/// The options, with another granularity where races are looked for and that is needed.
[[nodiscard]] Options with_granularity_for_races(Options options, const ir::Analyses& analyses);

}  // namespace cml::checker
