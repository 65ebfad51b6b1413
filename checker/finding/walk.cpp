#include "checker/walk.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "checker/finding/explain_finding.h"
#include "checker/finding/operands.h"
#include "checker/finding/operation_text.h"
#include "checker/finding/replay.h"
#include "checker/monitor/monitors.h"
#include "checker/search/explorer.h"
#include "checker/step_config.h"
#include "ir/exec/interpreter.h"

namespace cml::checker {
namespace {

Options meaning_of(Options options) {
  options.granularity = Granularity::Access;
  options.composition = Composition::None;
  options.reduction = {};
  options.store = Store::Stateful;
  options.all = true;
  options.shortest = false;
  return options;
}

class PresentPath : public PathSource {
 public:
  [[nodiscard]] Path path() const override { return steps; }
  Path steps;
};

}  // namespace

class Walk::Parts {
 public:
  Parts(const ir::System& system, const SourceSet& sources, const Options& options)
      : options_(meaning_of(options)),
        config_(step_config(options_)),
        analyses_(system),
        layout_(analyses_),
        step_(analyses_, layout_, config_),
        replayer_(analyses_, layout_, sources, step_, config_),
        state_(layout_.size()) {
    replayer_.work_done(replayer_.work_left());  // nothing is shortened
    begin();
  }

  void begin() {
    record_.clear();
    step_.initial(state_.data(), record_);
    path_.clear();
    replay_.reset();
  }

  void take(ir::Action action) {
    record_.clear();
    step_.execute(state_.data(), action, record_);
    path_.push_back(action);
    replay_.reset();
  }

  void back(std::size_t steps) {
    Path path = std::move(path_);
    path.resize(path.size() - std::min(steps, path.size()));
    begin();
    for (const ir::Action action : path)
      take(action);
  }

  std::vector<Move> moves() {
    const TextContext& context = replayer_.context();
    if (!context.names.is_empty()) (void)replay();  // objects are called as in the trace
    std::vector<Move> result;
    for (const ir::ThreadId id : context.system.threads.ids()) {
      const std::vector<ir::Action> actions = enabled(id);
      for (const ir::Action action : actions) {
        Move move;
        move.action = action;
        move.thread = context.system.threads[id].name;
        move.operation = action_text(context, state_.data(), action);
        move.location = pending(context, state_.data(), id).range;
        move.is_choice = actions.size() > 1;
        result.push_back(std::move(move));
      }
    }
    tell_outcomes(result);
    return result;
  }

  /// What sets the choices of a thread apart: what comes of them.
  void tell_outcomes(std::vector<Move>& moves) {
    for (Move& move : moves) {
      if (!move.is_choice) continue;
      Path path = path_;
      path.push_back(move.action);
      const Replay replay = replayer_.replay(path);
      replay_.reset();  // that is not the replay of this walk
      if (replay.steps.size() != path.size()) continue;
      const TraceStep& step = replay.steps.back();
      if (step.result) move.outcome = step.result->text;
      if (step.woken && !step.woken->empty()) move.outcome = "wakes " + join(*step.woken);
    }
  }

  std::vector<ir::Action> enabled(ir::ThreadId thread) {
    std::vector<ir::Action> actions;
    step_.enabled(state_.data(), thread, actions);
    return actions;
  }

  [[nodiscard]] ir::ThreadId find(const std::string& name) const {
    const ir::System& system = replayer_.context().system;
    for (const ir::ThreadId id : system.threads.ids())
      if (system.threads[id].name == name) return id;
    return {};
  }

  const Replay& replay() {
    if (!replay_) replay_ = replayer_.replay(path_);
    return *replay_;
  }

  /// Shows all that happens on a path to the monitors.
  void show(const Path& path, Monitors& monitors) {
    PresentPath present;
    Explorer explorer(step_, analyses_, monitors, options_, present);
    explorer.start();
    explorer.swap();
    explorer.show_state(explorer.state(), explorer.enabled(), {});
    for (const ir::Action action : path) {
      present.steps.push_back(action);
      explorer.fire(action);
      explorer.check_divergence(explorer.reached(), action);
      explorer.swap();
      explorer.show_state(explorer.state(), explorer.enabled(), action.thread);
    }
  }

  Found found(const std::vector<Path>& others) {
    ir::Interpreter free_code(analyses_, layout_, config_);
    FollowedObjects followed(analyses_.system());
    followed.follow_all();
    const auto shown = following(followed, [&] {
      auto monitors = std::make_unique<Monitors>(step_, free_code, analyses_, options_, followed);
      show(path_, *monitors);
      for (const Path& path : others)
        show(path, *monitors);
      return monitors;
    });
    const Monitors& monitors = *shown;
    Found result;
    for (const Finding& finding : monitors.findings().report()) {
      auto violation = explain(replayer_, analyses_, finding, options_,
                               [](const std::uint8_t*, const Finding&) { return false; });
      result.violations.push_back(violation ? *std::move(violation)
                                            : explain_without_trace(replayer_, finding));
    }
    for (const auto& [limit, event] : monitors.limits())
      result.limits_hit.emplace_back(limit);
    replay_.reset();  // explanations have replayed something else
    return result;
  }

  Options options_;
  ir::StepConfig config_;
  ir::Analyses analyses_;
  ir::Layout layout_;
  ir::Interpreter step_;
  Replayer replayer_;
  std::vector<std::uint8_t> state_;
  ir::Record record_;
  Path path_;
  std::optional<Replay> replay_;
};

Walk::Walk(const ir::System& system, const SourceSet& sources, const Options& options)
    : parts_(std::make_unique<Parts>(system, sources, options)) {}
Walk::~Walk() = default;

std::vector<Move> Walk::moves() { return parts_->moves(); }

std::vector<ir::Action> Walk::actions_of(const std::string& thread) {
  const ir::ThreadId id = parts_->find(thread);
  return id.valid() ? parts_->enabled(id) : std::vector<ir::Action>();
}

std::vector<ir::Action> Walk::actions() {
  std::vector<ir::Action> all;
  for (const ir::ThreadId id : parts_->replayer_.context().system.threads.ids()) {
    const std::vector<ir::Action> some = parts_->enabled(id);
    all.insert(all.end(), some.begin(), some.end());
  }
  return all;
}

SourceRange Walk::location(ir::ThreadId thread) const {
  const TextContext& context = parts_->replayer_.context();
  const std::uint8_t* const state = parts_->state_.data();
  if (ir::location(context.layout, state, thread) < ir::kFirstLocation) return {};
  return pending(context, state, thread).range;
}

bool Walk::has_stopped(ir::ThreadId thread) const {
  const ir::Location at = ir::location(parts_->layout_, parts_->state_.data(), thread);
  return at != ir::kEnded && at < ir::kFirstLocation;
}

bool Walk::has_thread(const std::string& thread) const { return parts_->find(thread).valid(); }
void Walk::take(ir::Action action) { parts_->take(action); }
void Walk::back(std::size_t steps) { parts_->back(steps); }
const Path& Walk::path() const { return parts_->path_; }
const std::vector<std::uint8_t>& Walk::state() const { return parts_->state_; }
std::vector<TraceStep> Walk::trace() { return parts_->replay().steps; }

std::vector<ThreadStatus> Walk::threads() { return parts_->replayer_.status(parts_->replay()); }

std::vector<NamedValue> Walk::changed() {
  return parts_->replayer_.changed_objects(parts_->replay());
}

Walk::Found Walk::found(const std::vector<Path>& others) { return parts_->found(others); }

}  // namespace cml::checker
