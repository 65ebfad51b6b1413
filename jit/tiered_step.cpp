// When to compile, and when to switch.
#include "jit/tiered_step.h"

#include <algorithm>
#include <new>
#include <utility>

#include "support/stop_token.h"

namespace cml::jit {
namespace {

constexpr std::uint64_t kTransitionsBetweenLooks = 64;
constexpr std::uint64_t kNever = UINT64_MAX;

}  // namespace

TieredStep::TieredStep(const ir::Analyses& analyses, const ir::Layout& layout,
                       const ir::StepConfig& config, const TierOptions& options)
    : analyses_(analyses),
      config_(config),
      options_(options),
      interpreter_(analyses, layout, config),
      current_(&interpreter_),
      next_look_(options.is_enabled ? std::max<std::uint64_t>(options.native_after, 1) : kNever) {}

TieredStep::~TieredStep() {
  cancel_.store(true, std::memory_order_relaxed);
  if (compiler_.finish() == CompilerThread::State::Stopped) is_compiler_lost_ = true;
  if (is_compiler_lost_) (void)native_.release();
}

void TieredStep::look() {
  if (compiler_.is_started()) {
    if (compiler_.has_ended()) {
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

void TieredStep::compile(Effort effort, bool in_background) try {
  compilation_ = std::make_shared<Compilation>();
  compilation_->effort = effort;
  // A copy, because the compiler's thread must not read flags that the search sets.
  const std::vector<std::uint8_t> recorded =
      observations_ == nullptr ? std::vector<std::uint8_t>() : observations_->recorded();
  const auto work = [this, compilation = compilation_, recorded] {
    const auto begin = std::chrono::steady_clock::now();
    CompileOptions options;
    options.effort = compilation->effort;
    options.cancel = &cancel_;
    options.perf_map = options_.perf_map;
    options.observations = observations_.get();
    options.recorded = recorded;
    try {
      compilation->program = Program::compile(analyses_, layout(), config_, options);
    } catch (const std::bad_alloc&) {  // of a Buffer, or a thread's own
      compilation->program = Unexpected(std::string("out of memory"));
    } catch (const Stopped&) {
      compilation->program = Unexpected(std::string("the search was to end"));
    }
    compilation->seconds =
        std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  };
  next_look_ = transitions_ + kTransitionsBetweenLooks;
  if (!compiler_.start(work)) return go_on_without("no thread for the compiler can be had");
  if (!in_background) take();
} catch (const std::bad_alloc&) {
  go_on_without("out of memory");
}

// Waits for a compiler that is still running.
void TieredStep::take() try {
  if (compiler_.finish() == CompilerThread::State::Stopped) {
    is_compiler_lost_ = true;
    return go_on_without(compiler_.reason());
  }
  const std::shared_ptr<Compilation> compilation = std::exchange(compilation_, nullptr);
  report_.seconds += compilation->seconds;
  if (!compilation->program) return go_on_without(compilation->program.error());
  if (!report_.is_native) report_.interpreted = transitions_ > 0 ? transitions_ - 1 : 0;
  auto native = std::make_unique<NativeStep>(
      analyses_, layout(), config_, *std::exchange(compilation->program, {}), observations_.get());
  report_.is_native = true;
  native_ = std::move(native);
  current_ = native_.get();
  const bool is_best = compilation->effort == Effort::Optimised;
  tier_ = is_best ? Tier::Optimised : Tier::Quick;
  next_look_ = is_best ? kNever : std::max(options_.optimise_after, transitions_ + 1);
} catch (const std::bad_alloc&) {
  go_on_without("out of memory");
}

void TieredStep::go_on_without(std::string reason) {
  // Without optimised code the search goes on in unoptimised code.
  if (tier_ == Tier::Interpreter) report_.failure = std::move(reason);
  next_look_ = kNever;
}

EngineReport TieredStep::report() const {
  EngineReport result = report_;
  if (!result.is_native) result.interpreted = transitions_;
  return result;
}

}  // namespace cml::jit
