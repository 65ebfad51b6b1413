// The harness itself: a test that misjudges a process is worse than none.
#include "tests/harness/process.h"

#include <chrono>
#include <csignal>
#include <doctest/doctest.h>
#include <string>

namespace {

using cml::test::run;

TEST_CASE("a process's streams, status and surroundings arrive") {
  const cml::test::TemporaryFolder folder;
  const auto result = run({"sh", "-c", "cat; echo $GREETING >&2; pwd; exit 3"},
                          {.input = "text\n",
                           .folder = folder.path(),
                           .environment = {"GREETING=hello"},
                           .limit = std::chrono::seconds(30)});
  CHECK(result.status == 3);
  CHECK(result.out == "text\n" + folder.path().string() + "\n");
  CHECK(result.err == "hello\n");
  CHECK_FALSE(result.timed_out);
}

TEST_CASE("signals, missing programs and time-outs are told apart") {
  CHECK(run({"sh", "-c", "kill -ABRT $$"}).status == 128 + SIGABRT);
  CHECK(run({"no-such-program-anywhere"}).status == 127);
  cml::test::ProcessOptions short_limit;
  short_limit.limit = std::chrono::seconds(0);
  const auto killed = run({"sleep", "60"}, short_limit);
  CHECK(killed.timed_out);
  CHECK(killed.status == 128 + SIGKILL);
}

}  // namespace
