// Which meetings at a rendezvous native code executes, and which it leaves to the interpreter. That
// both do the same is asked on random models (equality_test.cpp).
#include "jit/meetings.h"

#include <doctest/doctest.h>
#include <string>

#include "ir/analysis/analyses.h"
#include "tests/ir/lowered.h"

namespace {

using namespace cml;

/// For each thread, how many of its operations are native halves of meetings: "2 1".
std::string native_halves(const std::string& text) {
  const test::LoweredModel model = test::lowered_model(text, "meetings.cml");
  const ir::Analyses analyses(model.system);
  const jit::PlainMeetings plain(analyses);
  std::string result;
  for (const ir::Thread& thread : model.system.threads) {
    int count = 0;
    for (const ir::Instruction& instruction : thread.code.instructions)
      count += plain.are_at(instruction) ? 1 : 0;
    result += (result.empty() ? "" : " ") + std::to_string(count);
  }
  return result;
}

}  // namespace

TEST_CASE("jit: meetings are native where the locations of the others tell who can be met") {
  CHECK(native_halves("channel c: int(0..3) capacity 0;"
                      "thread A { c.send(1); c.send(2); } thread B { let v = c.recv(); }") ==
        "2 1");
  CHECK(native_halves("channel c; channel d;"
                      "thread A { select { case c.send(): skip; case d.recv(): skip; } }"
                      "thread B { c.recv(); } thread C { d.send(); }") == "1 1 1");
  CHECK(native_halves("const N = 2; channel c[N]: int(0..1) capacity 0;"
                      "thread A[i in 0..<N] { c[i].send(i); }"
                      "thread B[i in 0..<N] { let v = c[i].recv(); }") == "1 1 1 1");
}

TEST_CASE("jit: all other meetings are left to the interpreter") {
  CHECK(native_halves("channel c; thread A { c.send(); }"
                      "thread B { if c.tryRecv() { skip; } }") == "0 0");
  CHECK(native_halves("channel c; thread A { c.send(); }"
                      "thread B { select { case c.recv(): skip; default: skip; } }") == "0 0");
  CHECK(native_halves("channel c; thread A { c.send(); }"
                      "thread B { var k = 1; select { case c.recv() when k > 0: skip; } }") ==
        "0 0");
  CHECK(native_halves("channel c; thread A { c.send(); c.close(); } thread B { c.recv(); }") ==
        "0 0");
  CHECK(native_halves("channel c[2]; atomic k: int(0..1) = 0;"
                      "thread A { let n = k; c[n].send(); } thread B { c[0].recv(); }") == "0 0");
}
