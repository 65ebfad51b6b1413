#include "checker/search/explorer.h"

#include <algorithm>

#include "checker/search/divergence.h"
#include "support/mutation.h"

namespace cml::checker {

Explorer::Explorer(ir::Step& step, const ir::Analyses& analyses, Monitors& monitors,
                   const Options& options, const PathSource& path)
    : step_(step),
      monitors_(monitors),
      path_(path),
      step_bytes_(step.layout().size()),
      bytes_(step_bytes_ + monitors.extra_bytes()),
      state_(ir::stride(bytes_)),
      reached_(ir::stride(bytes_)),
      may_diverge_(step.system()) {
  if (options.composes()) return;  // executing a transition finds it
  for (const ir::ThreadId thread : step.system().threads.ids()) {
    const std::vector<bool> diverges =
        may_diverge_invisibly(step.system(), analyses.accesses(), thread);
    for (ir::Location at = ir::kFirstLocation; at < diverges.size(); ++at) {
      may_diverge_.at(thread, at) = diverges[at] ? 1 : 0;
      any_may_diverge_ = any_may_diverge_ || diverges[at];
    }
  }
}

void Explorer::start() {
  step_.layout().initial(step_.system(), state_.data());
  record_.clear();
  step_.initial(reached_.data(), record_);
  monitors_.initial(state_.data(), record_, reached_.data(), reached_.data() + step_bytes_, path_);
}

void Explorer::fire(ir::Action action) {
  ir::copy_stride(state_.data(), stride(), reached_.data());
  record_.clear();
  step_.execute(reached_.data(), action, record_);
  if (CML_MUTATION("initialisation-status-left-out-of-the-state"))
    for (const ir::ObjectId id : step_.system().objects.ids())
      if (const auto& status = step_.layout().object(id).init) status->store(reached_.data(), 0);
  ++transitions_;
  monitors_.transition(state_.data(), record_, reached_.data(), reached_.data() + step_bytes_,
                       path_);
}

void Explorer::run_alone(const std::uint8_t* state, ir::ThreadId thread) {
  if (monitors_.diverged(thread) || step_.visible(state, thread)) return;
  alone_.assign(state, state + step_bytes_);
  record_.clear();
  step_.run_invisible(alone_.data(), thread, record_);
  monitors_.invisible_run(record_, path_);
}

}  // namespace cml::checker
