// When to compile, and when to switch.
#include "jit/tiered_step.h"

#include <algorithm>
#include <system_error>
#include <utility>

namespace cml::jit {
namespace {

constexpr std::uint64_t kTransitionsBetweenLooks = 64;
constexpr std::uint64_t kNever = UINT64_MAX;

}  // namespace

TieredStep::TieredStep(const ir::System& system, const ir::Layout& layout,
                       const ir::StepConfig& config, const TierOptions& options)
    : config_(config),
      options_(options),
      interpreter_(system, layout, config),
      current_(&interpreter_),
      next_look_(options.is_enabled ? std::max<std::uint64_t>(options.native_after, 1) : kNever) {}

TieredStep::~TieredStep() {
  cancel_.store(true, std::memory_order_relaxed);
  if (compiler_.joinable()) compiler_.join();
}

void TieredStep::look() {
  if (compiler_.joinable()) {
    if (compilation_.is_done.load(std::memory_order_acquire)) {
      compiler_.join();
      take();
    } else {
      next_look_ = transitions_ + kTransitionsBetweenLooks;
    }
    return;
  }
  const bool is_first = tier_ == Tier::Interpreter;
  if (!is_first && time_to_optimise() > transitions_) {
    next_look_ = time_to_optimise();
    return;
  }
  compile(is_first ? Effort::Quick : Effort::Optimised, !is_first || options_.native_after > 0);
}

std::uint64_t TieredStep::time_to_optimise() const {
  const std::uint64_t executed = report_.interpreted + native_->executed();
  return transitions_ +
         (options_.optimise_after > executed ? options_.optimise_after - executed : 0);
}

void TieredStep::compile(Effort effort, bool in_background) {
  compilation_.is_done.store(false, std::memory_order_relaxed);
  compilation_.effort = effort;
  // The compiler's thread must not look at flags that the search sets.
  const std::vector<std::uint8_t> heard =
      news_ == nullptr ? std::vector<std::uint8_t>() : news_->heard();
  const auto work = [this, heard] {
    const auto begin = std::chrono::steady_clock::now();
    CompileOptions options;
    options.effort = compilation_.effort;
    options.cancel = &cancel_;
    options.perf_map = options_.perf_map;
    options.news = news_.get();
    options.heard = heard;
    compilation_.program = Program::compile(system(), layout(), config_, options);
    compilation_.seconds =
        std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
    compilation_.is_done.store(true, std::memory_order_release);
  };
  next_look_ = transitions_ + kTransitionsBetweenLooks;
  if (in_background) {
    try {
      compiler_ = std::thread(work);
      return;
    } catch (const std::system_error&) {
      // No thread to be had: then here and now.
    }
  }
  work();
  take();
}

void TieredStep::take() {
  report_.seconds += compilation_.seconds;
  if (!compilation_.program) {
    // With code that is not optimised the search can live.
    if (tier_ == Tier::Interpreter) report_.failure = compilation_.program.error();
    next_look_ = kNever;
    return;
  }
  if (!report_.is_native) report_.interpreted = transitions_ > 0 ? transitions_ - 1 : 0;
  report_.is_native = true;
  native_ = std::make_unique<NativeStep>(system(), layout(), config_,
                                         *std::exchange(compilation_.program, {}), news_.get());
  current_ = native_.get();
  const bool is_best = compilation_.effort == Effort::Optimised;
  tier_ = is_best ? Tier::Optimised : Tier::Quick;
  next_look_ = is_best ? kNever : std::max(options_.optimise_after, transitions_ + 1);
}

EngineReport TieredStep::report() const {
  EngineReport result = report_;
  if (!result.is_native) result.interpreted = transitions_;
  return result;
}

}  // namespace cml::jit
