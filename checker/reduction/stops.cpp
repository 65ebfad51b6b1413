#include "checker/reduction/stops.h"

#include <algorithm>

#include "checker/stopped.h"
#include "support/mutation.h"

namespace cml::checker {

Stops::Stops(ir::Step& step, const ir::Analyses& analyses, bool by_micros)
    : step_(step), by_micros_(by_micros), is_visible_(step.system()), alone_(step.layout().size()) {
  if (!by_micros) return;
  for (const ir::ThreadId thread : step.system().threads.ids()) {
    const std::size_t locations = step.system().threads[thread].code.location_pc.size();
    for (ir::Location at = ir::kFirstLocation; at < locations; ++at)
      is_visible_.at(thread, at) =
          analyses.accesses().visible(thread, at) == ir::Visible::Always ? 1 : 0;
  }
}

bool Stops::stops_at(const std::uint8_t* after, ir::ThreadId thread, ir::Location at) {
  if (at < ir::kFirstLocation) return is_stopped(at) && !CML_MUTATION("stops-are-not-noticed");
  if (step_.visible(after, thread) || CML_MUTATION("stops-to-come-are-not-noticed")) return false;
  std::copy_n(after, alone_.size(), alone_.begin());
  record_.clear();
  step_.run_invisible(alone_.data(), thread, record_);
  return is_stopped(location(step_.layout(), alone_.data(), thread));
}

}  // namespace cml::checker
