// `cml export --promela`: what it writes, what it refuses, and where. Whether SPIN agrees is the
// question of tests/spin.
#include <doctest/doctest.h>
#include <string>
#include <string_view>
#include <vector>

#include "tests/harness/golden.h"
#include "tests/harness/process.h"

namespace {

using cml::test::contains;
using cml::test::ProcessResult;
using cml::test::read_file;
using cml::test::run;
using cml::test::TemporaryFolder;

constexpr std::string_view kExported = R"(model "hand-over";

const N = 1;

lock m;
shared turn: int(0..2) = 0;
semaphore ready = 0 max 1;
channel box: int(0..3) capacity 2;
invariant small: turn < 2;

thread Giver {
  with m {
    turn = turn + N;
    m.notifyAll();
  }
  box.send(choose(1..2));
  ready.up();
}

thread Taker {
  with m {
    m.wait() until turn > 0;
  }
  select {
    case v = box.recv(): assert v == 1, "the wrong one";
    case ready.down(): skip;
  }
}

finally {
  assert turn == N;
}
)";

ProcessResult cml_export(const TemporaryFolder& folder, std::vector<std::string> words) {
  words.insert(words.begin(), {CML_BINARY, "export"});
  return run(words, {.input = {}, .folder = folder.path(), .environment = {}});
}

TEST_CASE("a model in Promela") {
  const TemporaryFolder folder;
  folder.write("hand_over.cml", kExported);
  const ProcessResult result = cml_export(folder, {"--promela", "hand_over.cml"});
  CHECK(result.status == 0);
  CHECK(result.err.empty());
  CHECK_GOLDEN("cli/golden/hand_over.pml", result.out);
}

TEST_CASE("the export goes where --output says, with the constants of -D") {
  const TemporaryFolder folder;
  folder.write("hand_over.cml", kExported);
  const ProcessResult result =
      cml_export(folder, {"--promela", "-D", "N=2", "hand_over.cml", "-o", "two.pml"});
  CHECK(result.status == 0);
  CHECK(result.out.empty());
  const std::string text = read_file(folder.path() / "two.pml");
  CHECK(contains(text, "cml export --promela -D N=2 hand_over.cml"));
  CHECK(contains(text, "spin -o2 -a two.pml"));
  CHECK(contains(text, ":: turn == 2 ->"));
}

TEST_CASE("an export needs to know for whom") {
  const TemporaryFolder folder;
  folder.write("hand_over.cml", kExported);
  const ProcessResult result = cml_export(folder, {"hand_over.cml"});
  CHECK(result.status == 2);
  CHECK(result.out.empty());
  CHECK(contains(result.err, "add `--promela`"));
}

struct Refusal {
  std::string_view model;
  std::string_view message;
};

TEST_CASE("what Promela cannot say exactly is refused, with its place") {
  const std::vector<Refusal> refusals = {
      {"atomic a: int(0..1) = 1;\nthread T { atomic { while a == 1 { skip; } } }",
       "m.cml:2:27: an `atomic` block that may loop for ever has no counterpart in Promela"},
      {"atomic a: int(0..1) = 1;\ninvariant zero: a == 0;\nthread T { a = 0; }",
       "m.cml:2:11: the invariant `zero` fails in the initial state"},
      {"shared x: int(0..3) = 0;\nlock m;\nthread T { with m { x = 1; } }\n"
       "daemon thread D { with m { assert x == 1; } }\nfinally { assert x == 1; }",
       "m.cml:5:1: `finally` beside a daemon that may stop"},
      {"shared x: int[2] = [-1, 0];\nthread T { for i in 0..<2 { x[i] = i; } }",
       "m.cml:1:8: Promela has no array that begins with different negative values"},
      {"channel c: bool capacity 300;\nthread T { c.send(true); }",
       "m.cml:1:9: Promela has no channel of more than 255 values"},
      {"class C { shared x: int; }\nthread T { let c = new C(); c.x = 1; }",
       "m.cml:1:7: `C` is a class, and Promela has no objects that `new` makes"},
      {"fun f(n: int): int { if n > 0 { return f(n - 1); } return 0; }\nthread T { var t = f(2); }",
       "a function that calls itself cannot be exported"},
  };
  for (const Refusal& refusal : refusals) {
    const TemporaryFolder folder;
    folder.write("m.cml", refusal.model);
    const ProcessResult result = cml_export(folder, {"--promela", "m.cml"});
    CAPTURE(refusal.message);
    CAPTURE(result.err);
    CHECK(result.status == 3);
    CHECK(result.out.empty());
    CHECK(contains(result.err, refusal.message));
  }
}

}  // namespace
