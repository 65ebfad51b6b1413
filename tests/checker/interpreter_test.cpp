// The working state and the reference interpreter: what one micro-transition does.
#include "ir/exec/interpreter.h"

#include <algorithm>
#include <doctest/doctest.h>
#include <vector>

#include "tests/checker/build_system.h"

namespace {

using namespace cml;
using tests::SystemBuilder;

/// A system with its interpreter, in one state.
struct Machine {
  explicit Machine(const ir::System& s, ir::StepConfig config = {})
      : system(s),
        analyses(system),
        layout(system),
        interpreter(analyses, layout, config),
        state(layout.size()) {
    interpreter.initial(state.data(), record);
  }
  std::vector<std::uint32_t> choices(std::uint32_t thread) {
    std::vector<ir::Action> actions;
    interpreter.enabled(state.data(), ir::ThreadId(thread), actions);
    std::vector<std::uint32_t> result;
    for (const ir::Action action : actions)
      result.push_back(action.choice);
    return result;
  }
  const ir::Record& go(std::uint32_t thread, std::uint32_t choice = 0) {
    record.clear();
    interpreter.execute(state.data(), {ir::ThreadId(thread), choice}, record);
    return record;
  }
  [[nodiscard]] ir::Location at(std::uint32_t thread) const {
    return location(layout, state.data(), ir::ThreadId(thread));
  }
  [[nodiscard]] std::string text(ir::ObjectId object) const {
    return object_text(system, layout, state.data(), object);
  }
  [[nodiscard]] bool visible(std::uint32_t thread) {
    return interpreter.visible(state.data(), ir::ThreadId(thread));
  }

  const ir::System& system;
  ir::Analyses analyses;
  ir::Layout layout;
  ir::Interpreter interpreter;
  std::vector<std::uint8_t> state;
  ir::Record record;
};

constexpr std::uint32_t kA = 0;
constexpr std::uint32_t kB = 1;

TEST_CASE("fields take the fewest bytes and keep their ends") {
  for (const auto& [lo, hi, width] :
       {std::tuple{-3, 252, 1}, std::tuple{0, 256, 2}, std::tuple{INT32_MIN, INT32_MAX, 4}}) {
    SystemBuilder build;
    const ir::ObjectId x = build.shared("x", lo, hi);
    const ir::Layout layout(build.system);
    const ir::Field& field = layout.object(x).fields[0];
    CHECK(field.width == width);
    std::vector<std::uint8_t> state(layout.size());
    for (const std::int32_t value : {lo, 0, hi}) {
      field.store(state.data(), value);
      CHECK(field.load(state.data()) == value);
    }
  }
}

TEST_CASE("a lock is taken, deepened and freed; the other thread waits") {
  SystemBuilder build;
  const ir::ObjectId m = build.lock("m");
  const ir::Place place = SystemBuilder::at(m);
  build.thread("A", {ir::Acquire{place}, ir::Acquire{place}, ir::Release{place}, ir::Release{place},
                     ir::End{}});
  build.thread("B",
               {ir::TryAcquire{place, ir::LocalPlace{0, std::nullopt, 1, {}}}, ir::Acquire{place},
                ir::End{}},
               1);
  Machine machine(build.system);
  CHECK(machine.visible(kA));
  machine.go(kA);
  CHECK_FALSE(machine.visible(kA));  // reentrant
  machine.go(kA);
  CHECK(machine.text(m) == "A (2 deep)");
  CHECK(machine.go(kB).touches[0].effect == ir::Effect::Look);
  CHECK(machine.choices(kB).empty());
  CHECK_FALSE(machine.visible(kA));  // keeps the lock
  machine.go(kA);
  CHECK(machine.visible(kA));  // frees a lock that is tried
  CHECK(machine.go(kA).touches[0].effect == ir::Effect::Give);
  CHECK(machine.at(kA) == ir::kEnded);
  CHECK(machine.choices(kB).size() == 1);
}

TEST_CASE("a release by another thread stops it") {
  SystemBuilder build;
  const ir::ObjectId m = build.lock("m");
  build.thread("A", {ir::Release{SystemBuilder::at(m)}, ir::End{}});
  Machine machine(build.system);
  const ir::Record& record = machine.go(kA);
  REQUIRE(record.events.size() == 1);
  CHECK(record.events[0].kind == ir::FaultKind::IllegalMonitor);
  CHECK(machine.at(kA) == ir::kStopped);
  CHECK(machine.choices(kA).empty());
}

TEST_CASE("a lock is not taken more often than its depth can tell") {
  SystemBuilder build;
  const ir::ObjectId m = build.lock("m");
  build.thread("A", {ir::Acquire{SystemBuilder::at(m)}, ir::Jump{0}});
  Machine machine(build.system);
  for (int i = 0; i < ir::kMaxLockDepth; ++i)
    CHECK(machine.go(kA).events.empty());
  CHECK(machine.go(kA).events.at(0).kind == ir::FaultKind::Limit);
}

TEST_CASE("wait remembers its depth, notify chooses among two") {
  SystemBuilder build;
  const ir::ObjectId m = build.lock("m");
  const ir::Place place = SystemBuilder::at(m);
  for (const char* name : {"A", "B"})
    build.thread(name, {ir::Acquire{place}, ir::Acquire{place}, ir::Wait{place, {}},
                        ir::Rewait{place, {}}, ir::End{}});
  build.thread("N", {ir::Acquire{place}, ir::Notify{place, false}, ir::Notify{place, false},
                     ir::Release{place}, ir::End{}});
  Machine machine(build.system);
  for (const std::uint32_t thread : {kA, kB})
    for (int i = 0; i < 3; ++i)
      machine.go(thread);
  CHECK(machine.text(m) == "free");
  CHECK(machine.choices(kA).empty());
  machine.go(2);
  CHECK(machine.choices(2) == std::vector<std::uint32_t>{kA, kB});
  CHECK(machine.visible(2));
  machine.go(2, kB);
  CHECK(machine.choices(2) == std::vector<std::uint32_t>{0});
  CHECK_FALSE(machine.visible(2));
  machine.go(2);
  machine.go(2);
  CHECK(machine.choices(kA).size() == 1);
  machine.go(kB);
  CHECK(machine.text(m) == "B (2 deep)");
}

TEST_CASE("a channel is first in, first out, and forgets what was received") {
  SystemBuilder build;
  const ir::ObjectId c = build.channel("c", 2);
  const ir::Place place = SystemBuilder::at(c);
  build.thread("A", {ir::Send{place, {build.constant(5)}, false, {}},
                     ir::Send{place, {build.constant(6)}, false, {}},
                     ir::Send{place, {build.constant(7)}, false, {}}, ir::End{}});
  build.thread("B", {ir::Receive{place, {{0, std::nullopt, 1, {}}}, false, {}}, ir::Jump{0}}, 1);
  Machine machine(build.system);
  const std::vector<std::uint8_t> empty = machine.state;
  CHECK(machine.choices(kB).empty());
  machine.go(kA);
  machine.go(kA);
  CHECK(machine.text(c) == "[5, 6]");
  CHECK(machine.choices(kA).empty());
  CHECK(machine.go(kB).touches[0].before == 2);
  machine.go(kB);
  CHECK(machine.text(c) == "[]");
  const ir::Field& first = machine.layout.object(c).fields[1];
  CHECK(machine.state[first.offset] == 0);
}

TEST_CASE("an atomic block is one transition, once for every way its choices can fall") {
  SystemBuilder build;
  const ir::ObjectId x = build.atomic("x");
  const ir::ObjectId y = build.atomic("y");
  build.thread(
      "A",
      {ir::Atomic{6}, ir::Choose{{0, std::nullopt, 1, {}}, build.constant(0), build.constant(2)},
       ir::Either{{3, 4}}, build.write(y, 1),
       ir::Assume{build.binary(ir::ExprOp::NotEqual, build.local(0), build.constant(1))},
       build.write(x, build.local(0)), ir::AtomicEnd{}, ir::End{}},
      1);
  Machine machine(build.system);
  const std::vector<std::uint8_t> before = machine.state;
  const std::vector<std::uint32_t> choices = machine.choices(kA);
  CHECK(choices.size() == 6);
  std::vector<std::string> seen;
  for (const std::uint32_t choice : choices) {
    machine.state = before;
    machine.go(kA, choice);
    seen.push_back(machine.text(x) + machine.text(y) + (machine.at(kA) == ir::kAssumed ? "-" : ""));
  }
  CHECK(seen == std::vector<std::string>{"01", "00", "01-", "00-", "21", "20"});
}

TEST_CASE("an await goes when its condition holds, and says what it reads while it waits") {
  SystemBuilder build;
  const ir::ObjectId x = build.atomic("x");
  build.thread("A",
               {ir::Atomic{3}, SystemBuilder::read(x, 0), ir::Guard{build.local(0)},
                ir::AtomicEnd{}, ir::End{}},
               1);
  build.thread("B", {build.write(x, 1), ir::End{}});
  Machine machine(build.system);
  CHECK(machine.choices(kA).empty());
  ir::Record pending;
  machine.interpreter.pending(machine.state.data(), ir::ThreadId(kA), pending);
  REQUIRE(pending.touches.size() == 1);
  CHECK(pending.touches[0].object == x);
  machine.go(kB);
  CHECK(machine.choices(kA).size() == 1);
  machine.go(kA);
  CHECK(machine.at(kA) == ir::kEnded);
}

TEST_CASE("a select goes by any case that can, and by the default only if none can") {
  SystemBuilder build;
  const ir::ObjectId s = build.semaphore("s", 0);
  const ir::ObjectId c = build.channel("c", 1);
  ir::Select select;
  select.cases.resize(2);
  select.cases[0].kind = ir::Select::Kind::Down;
  select.cases[0].place = SystemBuilder::at(s);
  select.cases[0].next = 1;
  select.cases[1].kind = ir::Select::Kind::Send;
  select.cases[1].place = SystemBuilder::at(c);
  select.cases[1].values = {build.constant(1)};
  select.cases[1].next = 0;
  select.otherwise = 1;
  build.thread("A", {select, ir::End{}});
  build.thread("B", {ir::Up{SystemBuilder::at(s)}, ir::End{}});
  Machine machine(build.system);
  CHECK(machine.choices(kA) == std::vector<std::uint32_t>{1});
  machine.go(kA, 1);
  CHECK(machine.choices(kA) == std::vector<std::uint32_t>{2});
  machine.go(kB);
  CHECK(machine.choices(kA) == std::vector<std::uint32_t>{0});
  machine.go(kA, 0);
  CHECK(machine.text(s) == "0");
  CHECK(machine.at(kA) == ir::kEnded);
}

TEST_CASE(
    "initialisation windows open at the first access and close at the next operation elsewhere") {
  SystemBuilder build;
  const ir::ObjectId x = build.shared("x");
  const ir::ObjectId y = build.shared("y");
  const ir::ObjectId s = build.semaphore("s", 0);
  build.thread("A", {build.write(x, 1), build.write(x, 2), ir::Up{SystemBuilder::at(s)},
                     build.write(x, 3), ir::End{}});
  build.thread("B", {SystemBuilder::read(y, 0), SystemBuilder::read(y, 0), ir::End{}}, 1);
  build.system.objects[x].init_by = ir::ThreadId(kA);
  build.system.objects[y].init_by = ir::ThreadId(kA);
  Machine machine(build.system);
  CHECK(machine.visible(kA));  // virgin
  CHECK_FALSE(machine.go(kA).touches[0].counted);
  CHECK_FALSE(machine.visible(kA));
  CHECK_FALSE(machine.go(kA).touches[0].counted);
  machine.go(kA);
  CHECK(machine.go(kA).touches[0].counted);
  const ir::Record& early = machine.go(kB);
  REQUIRE(early.events.size() == 1);
  CHECK(early.events[0].kind == ir::FaultKind::InitOrder);
  CHECK_FALSE(early.touches[0].counted);
  const ir::Record& late = machine.go(kB);
  CHECK(late.events.empty());
  CHECK(late.touches[0].counted);
}

TEST_CASE("too many choices are a limit, not a memory") {
  SystemBuilder build;
  build.thread("A",
               {ir::Choose{{0, std::nullopt, 1, {}}, build.constant(0), build.constant(INT32_MAX)},
                ir::End{}},
               1);
  Machine machine(build.system);
  REQUIRE(machine.choices(kA) == std::vector<std::uint32_t>{ir::kTooManyChoices});
  CHECK(machine.go(kA, ir::kTooManyChoices).events.at(0).kind == ir::FaultKind::Limit);
}

TEST_CASE("a value that its slot cannot hold is an internal error") {
  SystemBuilder build;
  build.thread("A", {ir::Set{{0, std::nullopt, 1, {}}, build.constant(1000), {}}, ir::End{}}, 1);
  Machine machine(build.system);
  REQUIRE(machine.record.events.size() == 1);
  CHECK(machine.record.events[0].kind == ir::FaultKind::Internal);
}

TEST_CASE("arithmetic faults stop the thread") {
  using Op = ir::ExprOp;
  for (const auto& [op, a, b, kind] :
       {std::tuple{Op::Add, INT32_MAX, 1, ir::FaultKind::Overflow},
        std::tuple{Op::Subtract, INT32_MIN, 1, ir::FaultKind::Overflow},
        std::tuple{Op::Multiply, 65536, 65536, ir::FaultKind::Overflow},
        std::tuple{Op::Divide, INT32_MIN, -1, ir::FaultKind::Overflow},
        std::tuple{Op::Divide, 1, 0, ir::FaultKind::DivisionByZero},
        std::tuple{Op::Remainder, 1, 0, ir::FaultKind::DivisionByZero}}) {
    SystemBuilder build;
    const ir::ExprId value = build.binary(op, build.constant(a), build.constant(b));
    ir::EvaluationFault fault;
    CHECK_FALSE(evaluate(build.system, value, nullptr, fault).has_value());
    CHECK(fault.kind == kind);
  }
  SystemBuilder build;
  ir::EvaluationFault fault;
  const ir::ExprId rest = build.binary(Op::Remainder, build.constant(-7), build.constant(2));
  CHECK(evaluate(build.system, rest, nullptr, fault) == -1);
  const ir::ExprId lazy = build.binary(
      Op::And, build.constant(0), build.binary(Op::Divide, build.constant(1), build.constant(0)));
  CHECK(evaluate(build.system, lazy, nullptr, fault) == 0);
}

}  // namespace
