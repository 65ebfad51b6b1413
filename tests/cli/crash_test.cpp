// Crashes, and stacks that are smaller than usual.
#include <doctest/doctest.h>
#include <string>
#include <string_view>

#include "tests/harness/process.h"
#include "tests/harness/sanitized.h"

namespace {

using cml::test::ProcessResult;
using cml::test::run;
using cml::test::shell;
using cml::test::TemporaryFolder;

constexpr int kInternal = 4;

TEST_CASE("a crash says what to do about it") {
  if (cml::test::kSanitized) return;
  struct Crash {
    std::string how;
    std::string signal;
  };
  for (const Crash& crash : {Crash{"null", "SIGSEGV"}, Crash{"overflow", "SIGSEGV"},
                             Crash{"abort", "SIGABRT"}, Crash{"illegal", "SIGILL"}}) {
    for (const char* stack : {"8192", "256"}) {
      CAPTURE(crash.how);
      CAPTURE(stack);
      const ProcessResult result =
          run({"bash", "-c", std::string("ulimit -s ") + stack + "; exec '" CML_BINARY "' --help"},
              {.input = {},
               .folder = {},
               .environment = {"LD_PRELOAD=" CML_BUILD_DIR "/libcml_crash.so",
                               "CML_CRASH=" + crash.how}});
      CHECK(result.status == kInternal);
      CHECK(result.err == "cml: crashed (" + crash.signal +
                              "): this is a mistake in cml, not in your model; please report it, "
                              "with the model and the command\n");
    }
  }
}

TEST_CASE("a signal that somebody sends does what it always does") {
  if (cml::test::kSanitized) return;
  const TemporaryFolder folder;
  const ProcessResult result =
      shell("'" CML_BINARY "' check -D N=18 '" CML_SOURCE_DIR
            "/examples/philosophers_ordered.cml' & sleep 0.5; ulimit -c 0; kill -SEGV $!; wait $! "
            "2> /dev/null; echo $?",
            folder);
  CHECK(result.out == "139\n");
  CHECK(result.err.find("mistake") == std::string::npos);
}

TEST_CASE("what nests as deep as it may needs no more stack than there is") {
  if (cml::test::kSanitized) return;  // frames are larger there
  const TemporaryFolder folder;
  std::string calls = "1";
  for (int i = 0; i < 250; ++i)
    calls = "f(" + calls + ")";
  std::string deep =
      "fun f(a: int): int { return a; }\natomic x: int;\nthread A { x = " + calls + "; }\n";
  (void)folder.write("calls.cml", deep);
  std::string chain = "atomic x: int;\n";
  for (int i = 0; i < 900; ++i)
    chain += "fun f" + std::to_string(i) + "(a: int): int { return " +
             (i == 899 ? "a" : "-f" + std::to_string(i + 1) + "(a)") + "; }\n";
  (void)folder.write("chain.cml", chain + "thread A { x = f0(1); }\n");
  for (const char* model : {"calls.cml", "chain.cml"}) {
    const std::string command =
        std::string("'" CML_BINARY "' check --format json --jit-after 0 --max-time 20 ") + model +
        " | grep '\"verdict\"'";
    const ProcessResult usual = shell(command, folder);
    REQUIRE(usual.out.find("verdict") != std::string::npos);
    for (const char* limit :
         {"-s 128", "-s 256", "-s 512", "-s 768", "-s 1024", "-S -s 256", "-s unlimited"}) {
      CAPTURE(limit);
      const ProcessResult result = shell(std::string("ulimit ") + limit + "; " + command, folder);
      CHECK(result.out == usual.out);
      CHECK(result.err.empty());
    }
  }
}

}  // namespace
