// What slots hold: between which values, and which are equal; and how wide the state is.
#include <algorithm>
#include <doctest/doctest.h>
#include <string>
#include <string_view>
#include <vector>

#include "ir/analysis/equal_slots.h"
#include "ir/analysis/held_locks.h"
#include "ir/analysis/value_ranges.h"
#include "ir/exec/state_layout.h"
#include "tests/ir/lowered.h"

namespace {

using namespace cml;
using Range = ir::ValueRanges::Range;

struct Code {
  explicit Code(std::string_view model)
      : system(test::system_of(model)), code(system.threads[ir::ThreadId(0)].code) {}

  [[nodiscard]] ir::Slot slot(std::string_view name) const {
    for (ir::Slot slot = 0; slot < code.slots.size(); ++slot)
      if (code.slots[slot].name.valid() && system.texts[code.slots[slot].name] == name) return slot;
    FAIL("no local ", std::string(name));
    return 0;
  }
  /// The n-th instruction of a kind.
  [[nodiscard]] ir::Pc pc(ir::Opcode op, std::size_t n = 0) const {
    for (ir::Pc pc = 0; pc < code.instructions.size(); ++pc)
      if (code.instructions[pc].opcode() == op && n-- == 0) return pc;
    FAIL("no such instruction");
    return 0;
  }

  ir::System system;
  const ir::Code& code;
};

/// Of the local `i`, at all.
Range range(std::string_view body) {
  const Code model("atomic a: int(0..9); channel c: int(-3..4) capacity 2; thread T { " +
                   std::string(body) + " } thread Other { a = 1; c.send(1); }");
  return ir::ValueRanges(model.system, model.code).of(model.slot("i"));
}

TEST_CASE("value ranges: what is assigned") {
  CHECK(range("var i = 7; a = i;") == Range{0, 7});
  CHECK(range("var i = -7; a = -i;") == Range{-7, 0});
  CHECK(range("var i = a; a = i;") == Range{0, 9});
  CHECK(range("var i = a; i = 2 * i + 1; a = i;") == Range{0, 19});
  CHECK(range("var i = choose(3..5); a = i;") == Range{0, 5});
  CHECK(range("var i = c.recv(); a = i + 4;") == Range{-3, 4});
  CHECK(range("var i = 20; c.recv(); let j = a.add(1); i = j; a = i;") == Range{0, 20});
  // Overflow stops the thread.
  CHECK(range("var i = 2147483647; i = i + 1; a = i;") == Range{0, INT32_MAX});
}

TEST_CASE("value ranges: loops and conditions") {
  CHECK(range("var i = 0; while i < 10 { i = i + 1; } a = i;") == Range{0, 10});
  CHECK(range("var i = 10; while i >= 0 { i = i - 1; } a = i;") == Range{-1, 10});
  CHECK(range("var i = 0; loop { i = (i + 1) % 26; a = i; }") == Range{0, 25});
  CHECK(range("var i = 0; loop { i = i + 1; a = 1; }") == Range{0, INT32_MAX});
  CHECK(range("var i = 0; while a != 3 { if i != 5 { i = i + 1; } } a = i;").lo == 0);
  CHECK(range("var i = 0; var j = a; if j > 3 && j <= 6 { i = j; } a = i;") == Range{0, 6});
  CHECK(range("var i = 0; var j = a; if !(j > 3 || j == 0) { i = j; } a = i;") == Range{0, 3});
  CHECK(range("var i = 0; var j = a; if j == 4 { i = j; } a = i;") == Range{0, 4});
  CHECK(range("var i = 0; var j = a; if false { i = 100; } a = i;") == Range{0, 0});
}

TEST_CASE("value ranges: an index outside stops the thread") {
  const Code model(
      "atomic cell[11]: int(0..10); atomic out: int;"
      "thread T { var i = 10; while cell[i] != 0 { i = i - 1; } out = i; }");
  const ir::ValueRanges ranges(model.system, model.code);
  CHECK(ranges.of(model.slot("i")) == Range{-1, 10});
  CHECK(ranges.at(model.pc(ir::Opcode::Read), model.slot("i")) == Range{0, 10});
  CHECK(ranges.at(model.pc(ir::Opcode::Write), model.slot("i")) == Range{0, 10});
}

TEST_CASE("value ranges: elements of a local array") {
  const Code model(
      "atomic a: int(0..9); thread T { var i: int[3]; i[1] = 4; let k = a % 3; i[k] = 7;"
      " a = i[2]; }");
  const ir::ValueRanges ranges(model.system, model.code);
  const ir::Slot first = model.slot("i[0]");
  CHECK(ranges.of(first) == Range{0, 7});
  CHECK(ranges.of(first + 2) == Range{0, 7});
  const ir::Pc last = model.pc(ir::Opcode::Write, 0);
  CHECK(ranges.at(last, first + 1) == Range{4, 7});
}

TEST_CASE("equal slots: copies that neither side has outlived") {
  const Code model(
      "lock l[4]; shared x: int(0..9); thread T { var b: int = 0; var d: int = 1;"
      " loop { with l[b] { x = 1; d = b; x = 2; b = (b + 1) % 4; x = 3; } } }");
  const ir::EqualSlots equal(model.system, model.code);
  const auto at = [&](std::size_t n) { return model.pc(ir::Opcode::Write, n); };
  const ir::Slot b = model.slot("b");
  const ir::Slot d = model.slot("d");
  const auto& acquire =
      std::get<ir::Acquire>(model.code.instructions[model.pc(ir::Opcode::Acquire)].node);
  const auto index = static_cast<ir::Slot>(model.system.exprs[*acquire.lock.index].value);
  CHECK(equal.are_equal(at(0), index, b));
  CHECK_FALSE(equal.are_equal(at(0), d, b));  // not in the first round
  CHECK(equal.are_equal(at(1), index, d));
  CHECK(equal.are_equal(at(1), b, d));
  CHECK_FALSE(equal.are_equal(at(2), b, d));
  CHECK(equal.are_equal(at(2), index, d));
}

std::size_t state_bytes(std::string_view model) {
  const ir::System system = test::system_of(model);
  return ir::Layout(ir::Analyses(system)).size();
}

TEST_CASE("a state has room for what changes") {
  CHECK(state_bytes("atomic x: int = 3; thread T { assert x >= 0; } thread U { assert x >= 0; }") ==
        state_bytes("atomic x: int = 3; lock m[5]; semaphore s; shared z: int = 100000;"
                    "thread T { assert x >= 0; } thread U { assert x >= 0; }"));
  // One instance's element, another's lock.
  CHECK(state_bytes("shared x[9]: int(0..9); thread T[i in 0..<2] { x[i] = 1; }") == 4);
  CHECK(state_bytes("lock m[9]; thread T[i in 0..<2] { with m[i] {} }") == 4);
  // A table that is read by an index is all there, or not at all.
  const std::string reader = "thread T { var i = choose(0..8); assert x[i] == 0; }";
  const std::size_t constant = state_bytes("atomic x[9]: int(0..9); " + reader);
  CHECK(state_bytes("atomic x[9]: int(0..9); " + reader + " thread U { x[2] = 1; }") ==
        constant + 10);
  CHECK(state_bytes("atomic x: int = 3; thread T { x = 4; }") == 5);
  CHECK(state_bytes("semaphore s = 3; thread T { s.down(); }") == 2);
  // An up for each number that is counted, and those of other threads.
  const std::string down = " thread D { s.down(); }";
  CHECK(state_bytes("semaphore s; thread T { for i in 0..3 { s.up(); } }" + down) == 4);
  CHECK(state_bytes("semaphore s; thread T { for i in 0..<300 { s.up(); } }" + down) == 6);
  CHECK(state_bytes("semaphore s; thread T { var i = 9; while i > 0 { s.up(); i = i - 1; } }" +
                    down) == 4);
  CHECK(state_bytes("semaphore s; thread T { s.up(); loop { s.down(); } }") == 2);
  CHECK(state_bytes("semaphore s; thread T { loop { s.up(); } }" + down) == 6);
  CHECK(state_bytes("semaphore s; atomic a: int(0..1);"
                    "thread T { var i = 0; while i < 3 { s.up(); if a == 0 { i = i + 1; } } }" +
                    down) == 8);
  CHECK(state_bytes("semaphore s; thread T { for i in 0..3 { for j in 0..3 { s.up(); } } }" +
                    down) == 8);
  CHECK(state_bytes("semaphore s max 9; thread T { loop { s.up(); } }" + down) == 3);
}

}  // namespace
