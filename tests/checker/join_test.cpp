// Monitors that have each seen a part of what was executed, joined: the same findings, warnings,
// table and cover as of one that has seen all of it, whoever is joined to whom, and once or twice.
#include <doctest/doctest.h>
#include <fmt/format.h>
#include <memory>
#include <random>
#include <set>
#include <string>
#include <vector>

#include "checker/finding/explain_finding.h"
#include "checker/finding/warnings.h"
#include "checker/monitor/monitors.h"
#include "checker/violation_kind.h"
#include "ir/analysis/analyses.h"
#include "ir/exec/interpreter.h"
#include "tests/ir/lowered.h"

namespace {

using namespace cml;
using checker::Monitors;

struct Way final : checker::PathSource {
  checker::Path now;
  [[nodiscard]] checker::Path path() const override { return now; }
};

/// A transition of a walk, with the way to it.
struct Executed {
  std::vector<std::uint8_t> before;
  ir::Action action;
  ir::ThreadId moved;  // to `before`
  checker::Path path;  // likewise
};

class Model {
 public:
  Model(const char* text, ir::Stop stop)
      : system_(test::system_of(text)), analyses_(system_), layout_(analyses_) {
    config_.stop = stop;
    config_.max_invisible = 200;
    step_ = std::make_unique<ir::Interpreter>(analyses_, layout_, config_);
    free_ = std::make_unique<ir::Interpreter>(analyses_, layout_, config_);
    options_.all = true;
    // The filter of stuck threads wants a search that has seen the state before, too.
    options_.static_analyses = false;
    options_.granularity =
        stop == ir::Stop::Visible ? checker::Granularity::Sync : checker::Granularity::Access;
    options_.composition =
        stop == ir::Stop::Visible ? checker::Composition::Composed : checker::Composition::None;
  }

  [[nodiscard]] std::unique_ptr<Monitors> monitors() {
    auto result = std::make_unique<Monitors>(*step_, *free_, analyses_, options_,
                                             checker::FollowedObjects(system_));
    way_.now.clear();
    const std::vector<std::uint8_t> after = initial();
    std::vector<std::uint8_t> before(layout_.size());
    layout_.initial(system_, before.data());
    result->initial(before.data(), record_, after.data(), nullptr, way_);
    return result;
  }

  [[nodiscard]] std::vector<std::uint8_t> initial() {
    std::vector<std::uint8_t> state(layout_.size());
    layout_.initial(system_, state.data());
    record_.clear();
    step_->initial(state.data(), record_);
    return state;
  }

  /// Random walks from the initial state; `only`: of one thread, as long as it can go.
  [[nodiscard]] std::vector<Executed> walk(unsigned seed, std::size_t length,
                                           ir::ThreadId only = {}) {
    std::mt19937 random(seed);
    std::vector<Executed> result;
    Executed now{initial(), {}, {}, {}};
    while (result.size() < length) {
      actions_.clear();
      if (only.valid()) {
        std::vector<ir::Action> own;
        step_->enabled(now.before.data(), only, own);
        for (const ir::Action action : own)
          actions_.push_back(action);
        if (own.empty()) break;
      } else {
        step_->all_enabled(now.before.data(), actions_);
      }
      if (actions_.empty() || now.path.size() > 40) {
        now = {initial(), {}, {}, {}};
        continue;
      }
      now.action = actions_[random() % actions_.size()];
      result.push_back(now);
      record_.clear();
      step_->execute(now.before.data(), now.action, record_);
      now.moved = now.action.thread;
      now.path.push_back(now.action);
    }
    return result;
  }

  void show(const Executed& executed, Monitors& monitors) {
    way_.now = executed.path;
    actions_.clear();
    step_->all_enabled(executed.before.data(), actions_);
    monitors.state(executed.before.data(), actions_, executed.moved, way_);
    std::vector<std::uint8_t> after = executed.before;
    record_.clear();
    step_->execute(after.data(), executed.action, record_);
    way_.now.push_back(executed.action);
    monitors.transition(executed.before.data(), record_, after.data(), nullptr, way_);
    actions_.clear();
    step_->all_enabled(after.data(), actions_);
    monitors.state(after.data(), actions_, executed.action.thread, way_);
  }

  /// Everything that monitors say; `in_order`: the findings, too, and with their paths and places,
  /// which depend on what was found first.
  [[nodiscard]] std::string facts(const Monitors& monitors, bool in_order) const {
    std::vector<std::string> findings;
    for (const checker::Finding& finding : monitors.findings().report()) {
      const ir::Event& event = finding.event;
      std::string text =
          fmt::format("{} {} {} {} {}", checker::name(finding.kind),
                      static_cast<int>(finding.source), finding.property, event.object.index,
                      event.object.valid() && !in_order ? 0 : event.range.begin);
      for (const checker::StuckThread& stuck : finding.stuck)
        text += fmt::format(" {}", stuck.thread.index);
      if (in_order) {
        for (const ir::Action action : finding.path)
          text += fmt::format(" {}.{}", action.thread.index, action.choice);
        for (const checker::DisciplineAccess& access : finding.accesses)
          text += fmt::format(" by {} at {}", access.thread.index, access.path.size());
      }
      findings.push_back(text);
    }
    if (!in_order) std::sort(findings.begin(), findings.end());
    std::string result;
    for (const std::string& text : findings)
      result += text + "\n";
    for (const checker::DisciplineEntry& entry : monitors.discipline().table(true)) {
      result += fmt::format("{} {} {}", entry.object, entry.status, entry.established);
      for (const std::string& lock : entry.locks)
        result += " " + lock;
      result += "\n";
    }
    for (const checker::CoverEntry& entry : monitors.cover())
      result += fmt::format("{} {}\n", entry.label, entry.reached);
    for (const checker::Warning& warning :
         checker::warnings(system_, layout_, analyses_.held(), monitors, true))
      result += fmt::format("{} {} {}\n", warning.kind, warning.message, warning.location.begin);
    for (const auto& [limit, event] : monitors.limits())
      result += fmt::format("{} {}\n", limit, event.range.begin);
    return result +
           fmt::format("{} {}", monitors.discipline().is_broken(), monitors.internal_error());
  }

  /// All findings can be told.
  void explain(const Monitors& monitors) {
    const SourceSet sources;
    ir::Interpreter search_step(analyses_, layout_, config_);
    checker::Replayer replayer(analyses_, layout_, sources, search_step, config_);
    for (const checker::Finding& finding : monitors.findings().report())
      CHECK(checker::explain(replayer, analyses_, finding, options_, {}).has_value());
  }

  [[nodiscard]] const ir::System& system() const { return system_; }

 private:
  ir::System system_;
  ir::Analyses analyses_;
  ir::Layout layout_;
  ir::StepConfig config_;
  checker::Options options_;
  std::unique_ptr<ir::Interpreter> step_;
  std::unique_ptr<ir::Interpreter> free_;
  ir::Record record_;
  Buffer<ir::Action> actions_;
  Way way_;
};

constexpr const char* kModels[] = {
    // Opposite orders that a semaphore keeps apart.
    R"(
lock a; lock b; lock d;
shared x: int(0..2);
semaphore first_done = 0;
thread Left { with a { with b { x = x + 1; } } first_done.up(); }
thread Right { first_done.down(); with b { with d { with a { x = x + 1; } } } }
)",
    // Locks in both orders, deadlock, a lock that is held at the end, one that is of no use.
    R"(
lock a; lock b; lock c; lock idle;
shared x: int(0..3); shared y: int(0..3);
thread A { a.acquire(); b.acquire(); x = 1; b.release(); a.release(); }
thread B { b.acquire(); a.acquire(); x = 2; y = 1; a.release(); b.release(); }
thread C { c.acquire(); y = 2; cover "c"; }
thread D { idle.acquire(); idle.release(); assert false; }
)",
    // Wait and notify, an invariant that fails, cover, init by, a guard that reads.
    R"(
lock m;
shared full: bool; shared n: int(0..9);
atomic z: int(0..9);
thread P { loop { with m { m.wait() until !full; full = true; m.notify(); } z = (z + 1) % 5; } }
thread Q { loop { with m { m.wait() until full; full = false; m.notify(); } cover "taken"; } }
thread R { await z > 2; n = n + 1; cover "never" ; assert n == 0; }
thread S { with m { n = 3; } cover "s"; }
invariant z < 4;
finally { assert z == 9; }
)",
    // Divergence, a limit, a semaphore, a select over channels.
    R"(
semaphore s = 1 max 1;
channel c: int(0..3) capacity 2;
atomic v: int(0..1);
thread A { s.down(); let k = choose(0..3); c.send(k); s.up(); s.up(); }
thread B { let got = c.recv(); if (got == 2) { var i: int(0..1) = 0; while true { i = 1 - i; } } v = 1; }
thread C { if (v == 1) { var i: int(0..100000) = 0; while i < 100000 { i = i + 1; } } }
)"};

TEST_CASE("joined monitors have seen what one has seen, whoever is joined to whom") {
  std::set<std::string> kinds;
  for (const char* const text : kModels) {
    for (const ir::Stop stop : {ir::Stop::Micro, ir::Stop::Visible}) {
      CAPTURE(text);
      for (unsigned seed = 1; seed <= 12; ++seed) {
        Model model(text, stop);
        const auto one = model.monitors();
        const auto left = model.monitors();
        const auto right = model.monitors();
        std::mt19937 random(seed);
        for (const Executed& executed : model.walk(seed, 20 * seed)) {
          model.show(executed, *one);
          model.show(executed, random() % 2 == 0 ? *left : *right);
        }
        const auto both = model.monitors();
        both->join(*right);
        both->join(*left);
        left->join(*right);
        CHECK(model.facts(*left, false) == model.facts(*one, false));
        CHECK(model.facts(*left, true) == model.facts(*both, true));
        right->join(*both);
        CHECK(model.facts(*right, true) == model.facts(*both, true));
        const std::string before = model.facts(*one, true);
        const auto same = model.monitors();
        same->join(*one);
        one->join(*same);
        CHECK(model.facts(*one, true) == before);
        model.explain(*both);
        for (const checker::Finding& finding : both->findings().report())
          kinds.insert(std::string(checker::name(finding.kind)));
        for (const auto& [limit, event] : both->limits())
          kinds.insert(std::string(limit));
      }
    }
  }
  CAPTURE(fmt::format("{}", fmt::join(kinds, " ")));
  CHECK(kinds.size() >= 6);
}

TEST_CASE("what breaks the discipline only together is found by the join") {
  Model model(R"(
lock m; lock k;
shared x: int(0..3);
thread A { with m { x = 1; } }
thread B { with k { x = 2; } }
)",
              ir::Stop::Micro);
  const auto a = model.monitors();
  const auto b = model.monitors();
  for (const Executed& executed : model.walk(1, 10, ir::ThreadId(0)))
    model.show(executed, *a);
  for (const Executed& executed : model.walk(1, 10, ir::ThreadId(1)))
    model.show(executed, *b);
  CHECK_FALSE(a->discipline().is_broken());
  CHECK_FALSE(b->discipline().is_broken());
  const std::uint64_t version = a->discipline().version();
  const auto both = model.monitors();
  both->join(*b);
  both->join(*a);
  a->join(*b);
  CHECK(a->discipline().is_broken());
  CHECK(a->discipline().version() != version);
  REQUIRE(a->findings().report().size() == 1);
  CHECK(a->findings().report()[0].accesses.size() == 2);
  CHECK(model.facts(*a, true) == model.facts(*both, true));
  model.explain(*a);
}

}  // namespace
