// cml_step_bench: the interpreter and the JIT on the same random walks, nothing else: no store, no
// monitors. For each model: micro-transitions a second of both, their ratio, and what the native
// code costs before its first step; all in time on the processor.
//
//   bench/step [-D NAME=value]… [--composed] [--spurious] [--unshared] [--transitions N] MODEL.cml…
//
// Sixteen walks go on side by side, a transition each in turn, as a search steps in states that
// have nothing to do with one another. Transitions are executed as a full search executes them, on
// a copy of the state (Step::successors). A walk ends where no thread is enabled, and starts again.
// Both engines draw the same numbers, so they walk alike; if the final states differ, the program
// says so and fails. They alternate, and the best of ten rounds counts. What the walk itself costs
// (a number drawn, a choice made, two virtual calls, a new start now and then) is measured with a
// Step that does nothing, and subtracted. Native code is measured twice: with complete records, as
// sleep sets want them, and with records of new observations only, as the monitors want them
// (ir/exec/observations.h), compiled after the observations of a first walk were recorded.
#include <algorithm>
#include <array>
#include <charconv>
#include <cstdio>
#include <ctime>
#include <exception>
#include <fmt/core.h>
#include <fstream>
#include <memory>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

#include "frontend/load_model.h"
#include "ir/exec/interpreter.h"
#include "ir/exec/observations.h"
#include "ir/lower/lower.h"
#include "jit/native_step.h"
#include "jit/program.h"

namespace {

using namespace cml;

constexpr unsigned kRounds = 10;
constexpr std::size_t kWalks = 16;  // side by side

/// Processor time of this thread, which a busy machine disturbs least.
double processor_seconds() {
  timespec now = {};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec) * 1e-9;
}

struct Options {
  Definitions definitions;
  std::vector<std::string> models;
  ir::StepConfig config;
  std::uint64_t transitions = 4'000'000;
  bool share = true;
};

/// Does nothing: what is left is the walk. It ends after `length` transitions, more or less.
class Idle final : public ir::Step {
 public:
  Idle(const ir::Interpreter& other, std::uint64_t length) : other_(other) {
    std::uint64_t random = 1;
    for (std::uint8_t& actions : actions_) {
      random = random * 6364136223846793005U + 1442695040888963407U;
      actions = ((random >> 32) * (length + 1)) >> 32 == 0 ? 0 : 2;
    }
  }
  [[nodiscard]] const ir::System& system() const override { return other_.system(); }
  [[nodiscard]] const ir::Layout& layout() const override { return other_.layout(); }
  void initial(std::uint8_t* state, ir::Record&) override { layout().initial(system(), state); }
  void enabled(const std::uint8_t*, ir::ThreadId, std::vector<ir::Action>&) override {}
  void all_enabled(const std::uint8_t*, Buffer<ir::Action>& out) override {
    out.make_room(2);
    out.set_size(actions_[++asked_ % actions_.size()]);
  }
  void execute(std::uint8_t*, ir::Action, ir::Record&) override {}
  std::size_t successors(const std::uint8_t*, std::size_t, std::span<const ir::Action> actions,
                         std::uint8_t*, ir::Record&) override {
    return actions.size();
  }
  void run_invisible(std::uint8_t*, ir::ThreadId, ir::Record&) override {}
  void pending(const std::uint8_t*, ir::ThreadId, ir::Record&) override {}
  [[nodiscard]] bool visible(const std::uint8_t*, ir::ThreadId) override { return false; }

 private:
  const ir::Interpreter& other_;
  std::array<std::uint8_t, 1U << 14> actions_ = {};  // how many, each time that it is asked
  std::size_t asked_ = 0;
};

struct Walk {
  std::uint64_t micros = 0;
  std::uint64_t beginnings = 0;
  double seconds = 0;
  std::uint64_t checksum = 0;  // of the last states
};

/// Records what a transition observed, as the monitors do (checker/monitor/monitors.cpp).
void record_observations(const ir::Step& step, const std::uint8_t* before,
                         const std::uint8_t* after, ir::ThreadId thread, const ir::Record& record,
                         ir::Observations& observations) {
  const ir::Layout& layout = step.layout();
  std::vector<std::uint64_t> set(layout.lock_set_words());
  std::vector<ir::ObjectId> owned;
  const auto record_one = [&](ir::Observations::Number number) { observations.record(number); };
  const auto own = [&](const std::uint8_t* state) {
    owned.clear();
    layout.held(state, thread, set.data());
    layout.add_locks(set.data(), owned);
  };
  for (const ir::PointId point : record.marks)
    observations.record(observations.of(point));
  for (const ir::Event& event : record.events)
    if (const ir::Observations::Number number = observations.of(step.system(), event);
        number != ir::Observations::Touches::kAlways)
      observations.record(number);
  own(before);
  for (const ir::Touch& touch : record.touches)
    if (const auto& touches = observations.touches(thread, touch.pc); touches.are_numbered())
      touches.for_each_number(touch.object, owned, record_one);
  const ir::Location at = ir::location(layout, after, thread);
  const auto& arrival = observations.arrival(thread, at);
  if (!arrival.are_numbered()) return;
  own(after);
  for (std::uint32_t i = 0; i < arrival.count; ++i)
    arrival.for_each_number(ir::ObjectId(arrival.base + i * arrival.stride), owned, record_one);
}

/// `observations`: where what is observed is recorded; may be null.
Walk walk(ir::Step& step, std::uint64_t transitions, ir::Observations* observations = nullptr) {
  const std::size_t stride = ir::stride(step.layout().size());
  std::vector<std::uint8_t> first(stride);
  std::vector<std::uint8_t> states(kWalks * stride);
  std::vector<std::uint8_t> next(kWalks * stride);
  Buffer<ir::Action> actions;
  ir::Record record;
  std::uint64_t random = 1;
  Walk result;
  const double begin = processor_seconds();
  step.initial(first.data(), record);
  const auto begin_anew = [&](std::uint8_t* state) {
    ir::copy_stride(first.data(), stride, state);
  };
  for (std::size_t walk = 0; walk < kWalks; ++walk)
    begin_anew(states.data() + walk * stride);
  for (std::uint64_t i = 0; i < transitions; i += kWalks) {
    for (std::size_t at = 0; at < states.size(); at += stride) {
      actions.clear();
      step.all_enabled(states.data() + at, actions);
      if (actions.empty()) {
        begin_anew(next.data() + at);
        ++result.beginnings;
        continue;
      }
      random = random * 6364136223846793005U + 1442695040888963407U;
      const ir::Action action = actions[((random >> 32) * actions.size()) >> 32];
      result.micros +=
          step.successors(states.data() + at, stride, {&action, 1}, next.data() + at, record);
      if (observations != nullptr)
        record_observations(step, states.data() + at, next.data() + at, action.thread, record,
                            *observations);
    }
    states.swap(next);
  }
  result.seconds = processor_seconds() - begin;
  for (const std::uint8_t byte : states)
    result.checksum = result.checksum * 31 + byte;
  return result;
}

bool measure(const std::string& path, const Options& options) {
  std::ifstream in(path, std::ios::binary);
  std::stringstream text;
  text << in.rdbuf();
  SourceSet sources;
  const FileId file = sources.add(path, text.str());
  Diagnostics diagnostics;
  const model::Model checked = load_model(sources, file, options.definitions, diagnostics);
  for (const Diagnostic& diagnostic : diagnostics.all()) {
    if (info(diagnostic.code).severity != Severity::Error) continue;
    fmt::print(stderr, "{}: {}\n", path, diagnostic.message);
    return false;
  }
  const auto system = ir::lower(checked, sources);
  if (!system) {
    fmt::print(stderr, "{}: {}\n", path, system.error().message);
    return false;
  }
  const ir::Analyses analyses(*system);
  const ir::Layout layout(analyses);
  ir::Interpreter interpreter(analyses, layout, options.config);
  ir::Observations observations(*system, analyses.held(),
                                IdVector<ir::ObjectId, bool>(system->objects.size(), false),
                                options.config.stop == ir::Stop::Visible);
  const Walk recorded = walk(interpreter, options.transitions / 100, &observations);
  struct Engine {
    const char* name;
    jit::Effort effort;
    bool observations;
    double milliseconds = 0;  // of the compiler
    double rate = 0;
    std::unique_ptr<jit::NativeStep> step = nullptr;
  };
  std::array<Engine, 4> engines = {Engine{"quick", jit::Effort::Quick, false},
                                   Engine{"optimised", jit::Effort::Optimised, false},
                                   Engine{"quick, observations", jit::Effort::Quick, true},
                                   Engine{"optimised, observations", jit::Effort::Optimised, true}};
  for (Engine& engine : engines) {
    jit::CompileOptions compile;
    compile.effort = engine.effort;
    compile.share = options.share;
    if (engine.observations) {
      compile.observations = &observations;
      compile.recorded = observations.recorded();
    }
    const double begin = processor_seconds();
    const auto program = jit::Program::compile(analyses, layout, options.config, compile);
    engine.milliseconds = (processor_seconds() - begin) * 1e3;
    if (!program) {
      fmt::print("  no JIT: {}\n", program.error());
      return false;
    }
    engine.step = std::make_unique<jit::NativeStep>(analyses, layout, options.config, *program,
                                                    compile.observations);
  }
  // Alternating, since a machine that others use may be twice as fast a second later.
  Idle idle(interpreter, recorded.micros / std::max<std::uint64_t>(recorded.beginnings, 1));
  double idle_seconds = 1;  // for a transition
  for (unsigned round = 0; round < kRounds; ++round) {
    const Walk walked = walk(idle, options.transitions / kRounds);
    idle_seconds = std::min(idle_seconds, walked.seconds / static_cast<double>(walked.micros));
  }
  double plain_rate = 0;
  const auto rate = [idle_seconds](const Walk& walked) {
    return 1 / (walked.seconds / static_cast<double>(walked.micros) - idle_seconds);
  };
  for (unsigned round = 0; round < kRounds; ++round) {
    const Walk plain = walk(interpreter, options.transitions / 10 / kRounds);
    plain_rate = std::max(plain_rate, rate(plain));
    for (Engine& engine : engines) {
      if (walk(*engine.step, options.transitions / 10 / kRounds).checksum != plain.checksum) {
        fmt::print("  DIFFERENT WALK\n");
        return false;
      }
      engine.rate = std::max(engine.rate, rate(walk(*engine.step, options.transitions / kRounds)));
    }
  }
  fmt::print("{:<34} {:>4} B  walk {:.1f} ns  interpreter {:>6.2f} M/s",
             path.substr(path.rfind('/') + 1), layout.size(), idle_seconds * 1e9, plain_rate / 1e6);
  for (const Engine& engine : engines)
    fmt::print("  {} {:>6.2f} M/s ({:>4.1f}×, {:>5.1f} ms)", engine.name, engine.rate / 1e6,
               engine.rate / plain_rate, engine.milliseconds);
  fmt::print("\n");
  return true;
}

int run(const std::vector<std::string>& words) {
  Options options;
  for (std::size_t i = 0; i < words.size(); ++i) {
    const std::string& word = words[i];
    if (word == "-D" && i + 1 < words.size()) {
      const std::string& definition = words[++i];
      const std::size_t equals = definition.find('=');
      options.definitions[definition.substr(0, equals)] = definition.substr(equals + 1);
    } else if (word == "--transitions" && i + 1 < words.size()) {
      options.transitions = std::stoull(words[++i]);
    } else if (word == "--composed") {
      options.config.stop = ir::Stop::Visible;
    } else if (word == "--unshared") {
      options.share = false;
    } else if (word == "--spurious") {
      options.config.spurious_wakeups = true;
    } else {
      options.models.push_back(word);
    }
  }
  bool fine = true;
  for (const std::string& model : options.models)
    fine = measure(model, options) && fine;
  return fine ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv) {
  try {
    return run({argv + 1, argv + argc});
  } catch (const std::exception& failure) {
    fmt::print(stderr, "cml_step_bench: {}\n", failure.what());
    return 2;
  }
}
