// What instructions say of themselves (ir/describe.h) against what they do: on random models, every
// effect that an execution records is one that the instruction has described, every value that it
// assigns goes where it said, control goes where it said, what is not enabled waits for something,
// and what waits for nothing that is missing is enabled. Effects and their relations, for a few
// that are easily mistaken.
#include "ir/describe.h"

#include <doctest/doctest.h>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "ir/analysis/code_flow.h"
#include "ir/analysis/meeting_places.h"
#include "ir/exec/interpreter.h"
#include "ir/exec/rendezvous.h"
#include "tests/harness/sanitized.h"
#include "tests/ir/lowered.h"
#include "tests/random/generator.h"

namespace {

using namespace cml;
using ir::Effect;
using ir::Use;
using State = std::vector<std::uint8_t>;

constexpr std::uint64_t kModels = test::kSanitized ? 10 : 60;
constexpr std::size_t kStates = 400;

TEST_CASE("effects: what conflicts, and what makes what possible") {
  CHECK(ir::conflict(Use::Pass, Use::Pass) == false);
  CHECK(ir::conflict(Use::Take, Use::Take) == true);
  CHECK(ir::conflict(Use::Look, Use::Look) == false);
  CHECK(ir::conflict(Use::Up, Use::Down) == std::nullopt);
  CHECK(ir::conflict(Use::Observe, Use::Observe) == false);
  CHECK(ir::conflict(Use::Several, Use::Several) == true);
  CHECK(ir::conflict(Use::Read, Use::Take) == false);  // no object has both
  CHECK(ir::enabling(Use::Send) == (Use::Receive | Use::Close));
  CHECK(ir::enabling(Use::Read) == ir::Uses(Use::Write));
  CHECK(ir::uses(Effect::Update) == (Use::Read | Use::Write));
  CHECK(ir::uses(Effect::Held).empty());
  CHECK(ir::only_look(Effect::Size | Effect::Look));
  CHECK_FALSE(ir::only_look(Effect::Size | Effect::Notify));
  CHECK(ir::name(Effect::LeaveWait) == "LeaveWait");
  CHECK(ir::name(Use::EnterWait) == "EnterWait");
}

/// What an instruction says, as sets.
struct Described : ir::Description {
  std::vector<std::pair<ir::Place, ir::Effects>> used;
  std::set<ir::Slot> assigned;
  bool waits = false;

  void uses(const ir::Place& place, ir::Effects effects) { used.emplace_back(place, effects); }
  void assigns(const ir::LocalPlace& place, ir::Assigned) {
    for (ir::Slot slot = 0; slot < (place.index ? place.count : 1); ++slot)
      assigned.insert(place.slot + slot);
  }
  void waits_for(const ir::Place&, std::initializer_list<ir::Awaited>) { waits = true; }
  void encloses(ir::Pc) { waits = true; }

  [[nodiscard]] bool allows(ir::ObjectId object, Effect effect) const {
    bool found = false;
    for (const auto& [place, effects] : used)
      ir::for_each_object(place, [&, allowed = effects.contains(effect)](ir::ObjectId id) {
        found = found || (allowed && id == object);
      });
    return found;
  }
};

Described described(const ir::Instruction& instruction) {
  Described result;
  ir::describe(instruction, result);
  return result;
}

class Walk {
 public:
  explicit Walk(const ir::System& system)
      : system_(system),
        analyses_(system),
        layout_(analyses_),
        interpreter_(analyses_, layout_, config_),
        execution_(system_, layout_, config_) {}

  void run() {
    State state(layout_.size());
    interpreter_.initial(state.data(), record_);
    std::vector<State> open{state};
    std::set<State> seen{state};
    while (!open.empty() && seen.size() < kStates) {
      const State at = std::move(open.back());
      open.pop_back();
      for (const ir::ThreadId thread : system_.threads.ids()) {
        std::vector<ir::Action> actions;
        interpreter_.enabled(at.data(), thread, actions);
        check_pending(at, thread, actions.empty());
        check_enabled(at, thread, actions);
        for (const ir::Action action : actions) {
          State to = at;
          record_.clear();
          interpreter_.micro(to.data(), action, record_);
          check_touches(record_, thread);
          check_frame(at, to, thread);
          if (const ir::ThreadId partner = ir::partner_of(action); partner.valid()) {
            check_touches(interpreter_.met_record(), partner);
            check_frame(at, to, partner);
          }
          if (seen.insert(to).second) open.push_back(to);
        }
      }
    }
  }

 private:
  [[nodiscard]] const ir::Code& code(ir::ThreadId thread) const {
    return system_.threads[thread].code;
  }
  void check_touches(const ir::Record& record, ir::ThreadId thread) const {
    for (const ir::Touch& touch : record.touches) {
      CAPTURE(touch.pc);
      CAPTURE(std::string(ir::name(touch.effect)));
      if (touch.effect == Effect::Arrive) {  // there
        CHECK(ir::meets(code(thread).instructions[touch.pc]));
        continue;
      }
      CHECK(described(code(thread).instructions[touch.pc]).allows(touch.object, touch.effect));
    }
  }
  // What blocks a thread is something that it said, and says again without being executed.
  void check_pending(const State& state, ir::ThreadId thread, bool is_blocked) {
    const ir::Location at = location(layout_, state.data(), thread);
    if (at < ir::kFirstLocation) return;
    record_.clear();
    interpreter_.pending(state.data(), thread, record_);
    check_touches(record_, thread);
    if (!is_blocked) return;
    CHECK(described(code(thread).instructions[code(thread).location_pc[at]]).waits);
    CHECK(ir::may_block(code(thread).instructions[code(thread).location_pc[at]]));
  }
  // Whether its one action is enabled, as its location alone tells, against executing it.
  void check_enabled(State state, ir::ThreadId thread, const std::vector<ir::Action>& actions) {
    const ir::Location at = location(layout_, state.data(), thread);
    if (at < ir::kFirstLocation) return;
    const auto is_enabled = execution_.is_enabled(state.data(), thread, at);
    if (!is_enabled) return;
    CHECK(actions.size() == (*is_enabled ? 1 : 0));
    record_.clear();
    execution_.begin(state.data(), thread, record_);
    CHECK((execution_.instruction(0) != ir::Outcome::Blocked) == *is_enabled);
  }
  // A slot that has changed is assigned on a path from the one location to the other.
  void check_frame(const State& from, const State& to, ir::ThreadId thread) const {
    const ir::Location begin = location(layout_, from.data(), thread);
    const ir::Location end = location(layout_, to.data(), thread);
    std::set<ir::Slot> assigned;
    std::set<ir::Pc> seen;
    bool arrives = end < ir::kFirstLocation;  // stopped or ended: all slots are 0
    if (arrives) return;
    std::vector<ir::Pc> open{code(thread).location_pc[begin]};
    while (!open.empty()) {
      const ir::Pc pc = open.back();
      open.pop_back();
      if (!seen.insert(pc).second) continue;
      assigned.merge(described(code(thread).instructions[pc]).assigned);
      std::vector<ir::Pc> next;
      ir::successors(code(thread), pc, next);
      for (const ir::Pc one : next) {
        const ir::Location there = code(thread).pc_location[one];
        arrives = arrives || there == end;
        if (there < ir::kFirstLocation) open.push_back(one);
      }
    }
    CHECK(arrives);
    const std::vector<ir::Field>& slots = layout_.thread(thread).slots;
    for (ir::Slot slot = 0; slot < slots.size(); ++slot)
      if (slots[slot].load(from.data()) != slots[slot].load(to.data()))
        CHECK(assigned.contains(slot));
  }

  const ir::System& system_;
  ir::Analyses analyses_;
  ir::Layout layout_;
  ir::StepConfig config_;
  ir::Interpreter interpreter_;
  ir::Execution execution_;
  ir::Record record_;
};

TEST_CASE("instructions do what they say of themselves, on random models") {
  for (std::uint64_t seed = 0; seed < kModels; ++seed) {
    const std::string model = random_models::generate(seed).text();
    CAPTURE(seed);
    CAPTURE(model);
    const auto system = test::lowered(model);
    if (system) Walk(*system).run();
  }
}

}  // namespace
