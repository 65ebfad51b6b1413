// Which instances share their code, and what it is called.
#include "jit/families.h"

#include <cstddef>
#include <doctest/doctest.h>
#include <set>
#include <string>

#include "ir/exec/state_layout.h"
#include "jit/program.h"
#include "tests/ir/lowered.h"

namespace {

using namespace cml;

struct Sharing {
  std::size_t functions = 0;  // different step functions
  std::size_t tables = 0;     // instances with constants of their own
};

Sharing sharing(const std::string& model, bool share = true) {
  const ir::System system = test::system_of(model);
  const ir::Layout layout(system);
  jit::CompileOptions options;
  options.share = share;
  const ir::Analyses analyses(system);
  const auto program = jit::Program::compile(analyses, layout, {}, options);
  REQUIRE(program.has_value());
  std::set<jit::StepFunction> functions;
  std::set<const std::int64_t*> tables;
  for (const ir::ThreadId id : system.threads.ids()) {
    functions.insert((*program)->functions(id).step);
    if (const auto* table = (*program)->functions(id).constants) tables.insert(table);
  }
  return {functions.size(), tables.size()};
}

std::string example(const std::string& name) {
  return test::project_text("../examples/" + name + ".cml");
}

TEST_CASE("jit: instances of a thread share their code") {
  const Sharing shared = sharing(example("philosophers"));
  CHECK(shared.functions == 1);
  CHECK(shared.tables == 5);
  CHECK(sharing(example("philosophers"), false).functions == 5);
}

TEST_CASE("jit: threads that do different things have functions of their own") {
  CHECK(sharing(example("bounded_buffer_monitor")).functions == 2);
  CHECK(sharing(example("select_server")).functions == 2);
}

TEST_CASE("jit: so do instances of one thread where a constant decides what the code is") {
  CHECK(sharing(R"(
shared x: int = 0;
lock m;
thread Worker[i in 0..<3] {
  m.acquire();
  if (i == 1) { x = x + 1; }
  m.release();
}
)")
            .functions == 2);
}

TEST_CASE("jit: shared code is named after all who share it") {
  CHECK(jit::name_of({"Main"}) == "Main");
  CHECK(jit::name_of({"P[0]"}) == "P[0]");
  CHECK(jit::name_of({"P[0]", "P[1]", "P[2]", "P[4]"}) == "P[0..2], P[4]");
  CHECK(jit::name_of({"A[0]", "B[1]"}) == "A[0], B[1]");
  CHECK(jit::name_of({"There", "Back"}) == "There, Back");
  CHECK(jit::name_of({"N[0].Run", "N[1].Run"}) == "N[0].Run, N[1].Run");
}

}  // namespace
