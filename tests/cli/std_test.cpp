// `cml std`: the list of modules, and the text of one.
#include <doctest/doctest.h>
#include <string>

#include "tests/harness/process.h"

namespace {

using cml::test::ProcessResult;
using cml::test::read_file;
using cml::test::run;

TEST_CASE("cml std lists the modules, with a line on each") {
  const ProcessResult all = run({CML_BINARY, "std"});
  CHECK(all.status == 0);
  CHECK(all.out.find("\n  barrier       A barrier that can be used again: N threads wait for each "
                     "other.\n") != std::string::npos);
  CHECK(all.out.find("\n  waitgroup ") != std::string::npos);
}

TEST_CASE("cml std NAME shows a module as it is") {
  const std::string barrier = read_file(CML_SOURCE_DIR "/stdlib/barrier.cml");
  CHECK(run({CML_BINARY, "std", "barrier"}).out == barrier);
  CHECK(run({CML_BINARY, "std", "std.barrier"}).out == barrier);
  const ProcessResult wrong = run({CML_BINARY, "std", "barier"});
  CHECK(wrong.status == 2);
  CHECK(wrong.err.find("did you mean `cml std barrier`?") != std::string::npos);
}

TEST_CASE("of a module of the library it is not told what a model does not need of it") {
  const ProcessResult result =
      run({CML_BINARY, "check", CML_SOURCE_DIR "/examples/std/rwlock.cml"});
  CHECK(result.status == 0);
  CHECK(result.out.find("warning") == std::string::npos);
  CHECK(result.out.find("FairReadWriteLock.readers") != std::string::npos);
  CHECK(result.out.find("WriterFirstLock") == std::string::npos);
}

TEST_CASE("a step in another file is told with its name") {
  const ProcessResult result =
      run({CML_BINARY, "check", CML_SOURCE_DIR "/examples/std/mailbox_wrong.cml"});
  CHECK(result.status == 1);
  CHECK(result.out.find("\n  mailbox:21  synchronized fun post") != std::string::npos);
}

}  // namespace
