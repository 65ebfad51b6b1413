// The engine as people meet it: when native code comes changes nothing that is found; where the
// system forbids it, the interpreter goes on and says so; what profilers and readers are shown.
#include <cerrno>
#include <cstddef>
#include <doctest/doctest.h>
#include <filesystem>
#include <iterator>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <nlohmann/json.hpp>
#include <sched.h>
#include <string>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <thread>
#include <unistd.h>
#include <vector>

#include "checker/check.h"
#include "jit/perf_map.h"
#include "jit/program.h"
#include "report/result_json.h"
#include "tests/differential/subject.h"
#include "tests/harness/parts.h"
#include "tests/harness/process.h"
#include "tests/ir/lowered.h"

namespace {

using namespace cml;
using nlohmann::json;
using test::ProcessResult;

const std::string kExamples = CML_SOURCE_DIR "/examples/";

/// What a search found, without times and names of engines.
std::string findings(const std::string& model, std::vector<std::string> options) {
  std::vector<std::string> command{CML_BINARY, "check", "--format", "json"};
  command.insert(command.end(), options.begin(), options.end());
  command.push_back(model);
  json result = json::parse(test::run(command).out);
  result["stats"].erase("seconds");
  result["stats"].erase("engine");
  result["options"].erase("engine");
  return result.dump();
}

std::string engine(const std::vector<std::string>& options) {
  std::vector<std::string> command{CML_BINARY, "check", "--format", "json"};
  command.insert(command.end(), options.begin(), options.end());
  command.push_back(kExamples + "philosophers_ordered.cml");
  return json::parse(test::run(command).out)["stats"]["engine"];
}

TEST_CASE("jit: what is found does not depend on when native code comes") {
  for (const char* example :
       {"philosophers.cml", "bakery.cml", "bounded_buffer_monitor.cml", "select_server.cml"}) {
    CAPTURE(example);
    for (const char* granularity : {"access", "sync"}) {
      CAPTURE(granularity);
      const std::string expected = findings(
          kExamples + example, {"--all", "--granularity", granularity, "--engine", "interpreter"});
      for (const char* after : {"0", "1", "300"})
        CHECK(findings(kExamples + example,
                       {"--all", "--granularity", granularity, "--jit-after", after}) == expected);
    }
  }
}

/// As `findings`, without a process for each search.
std::string findings(const differential::Subject& subject, checker::Options options) {
  options.jit_after = 0;
  const checker::Result found = checker::check(subject.system(), subject.sources(), options);
  json result = json::parse(report::json_text(
      report::result_json(subject.sources(), "model.cml", subject.model(), {}, options, found)));
  result["stats"].erase("seconds");
  result["stats"].erase("engine");
  result["options"].erase("engine");
  // What histories mean is kept with the system: another search finds it there.
  if (!subject.system().specifications.empty()) result["stats"].erase("peak_memory_bytes");
  return result.dump();
}

CML_TEST_PARTS(
    "jit: what is found in the test models is found by native code from the first step on") {
  checker::Options all;  // the default of the command line
  all.all = true;
  all.order = checker::Order::BreadthFirst;
  all.granularity = checker::Granularity::Sync;
  all.composition = checker::Composition::Composed;
  all.reduction.sets = checker::Sets::Stubborn;
  checker::Options first;
  first.order = checker::Order::BreadthFirst;
  for (const auto& path : part.models("tests/models")) {
    CAPTURE(path.string());
    const differential::Subject& subject = differential::Subject::of(test::read_file(path));
    REQUIRE(subject.refused().empty());
    for (checker::Options options : {all, first}) {
      options.engine = checker::Engine::Interpreter;
      const std::string interpreted = findings(subject, options);
      options.engine = checker::Engine::Jit;
      CHECK(findings(subject, options) == interpreted);
    }
  }
}

TEST_CASE("jit: the statistics say which engine ran in the end") {
  CHECK(engine({"--jit-after", "0"}) == "jit");
  CHECK(engine({"--engine", "interpreter"}) == "interpreter");
  // A search of a few states never starts the compiler.
  CHECK(engine({"--max-states", "50"}) == "interpreter");
}

TEST_CASE("jit: LLVM IR has the names of the model") {
  const std::string text =
      test::run({CML_BINARY, "ir", "--llvm", kExamples + "philosophers_ordered.cml"}).out;
  CHECK(text.find("; constants of Philosopher[3]: ") != std::string::npos);
  CHECK(text.find("define i32 @\"Philosopher[0..3]\"") != std::string::npos);
  CHECK(text.find("L4.acquire:") != std::string::npos);
}

TEST_CASE("jit: a perf map has a line for each function") {
  const std::string file = "/tmp/perf-" + std::to_string(getpid()) + ".map";
  const bool existed = std::filesystem::exists(file);
  jit::append_perf_map({{"B", 0x2000}, {"A[1]", 0x1000}});
  const std::string text = test::read_file(file);
  CHECK(text.find("1000 1000 A[1]\n") != std::string::npos);
  CHECK(text.find("2000 10000 B\n") != std::string::npos);
  if (!existed) std::filesystem::remove(file);
}

TEST_CASE("jit: a perf map follows no link, and writes to nobody else's file") {
  const test::TemporaryFolder folder;
  const std::filesystem::path victim = folder.write("victim", "untouched\n");
  const std::string file = "/tmp/perf-" + std::to_string(getpid()) + ".map";
  std::filesystem::remove(file);
  std::filesystem::create_symlink(victim, file);
  jit::append_perf_map({{"A", 0x1000}});
  CHECK(test::read_file(victim) == "untouched\n");
  std::filesystem::remove(file);
  std::filesystem::permissions(folder.write("other", ""), std::filesystem::perms::all);
  std::filesystem::copy_file(folder.path() / "other", file);
  jit::append_perf_map({{"A", 0x1000}});
  CHECK(test::read_file(file).empty());  // everybody may write to it
  std::filesystem::remove(file);
}

TEST_CASE("jit: no native code where the limit on invisible steps is too low") {
  const ir::System system = test::system_of(test::project_text("../examples/peterson.cml"));
  const ir::Layout layout(system);
  ir::StepConfig config;
  config.max_invisible = 3;
  const ir::Analyses analyses(system);
  const auto program = jit::Program::compile(analyses, layout, config);
  REQUIRE(!program);
  CHECK(program.error() == "the limit on invisible steps is too low for it");
}

/// For this thread, and the processes that it starts. False: this system has no such filters.
template <std::size_t N>
bool filter_system_calls(const sock_filter (&filter)[N]) {
  sock_fprog program{static_cast<unsigned short>(N),
                     const_cast<sock_filter*>(filter)};  // NOLINT: the kernel only reads it
  return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 &&
         prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) == 0;
}

bool forbid_executable_memory() {
  const sock_filter filter[] = {
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, nr)),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_mprotect, 0, 3),
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, args[2])),
      BPF_JUMP(BPF_JMP | BPF_JSET | BPF_K, PROT_EXEC, 0, 1),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EACCES),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
  };
  return filter_system_calls(filter);
}

/// Processes may be started; clone3 is said not to exist, since its flags cannot be looked at.
bool forbid_threads() {
  const sock_filter filter[] = {
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, nr)),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_clone3, 0, 1),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | ENOSYS),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_clone, 0, 3),
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, args[0])),
      BPF_JUMP(BPF_JMP | BPF_JSET | BPF_K, CLONE_THREAD, 0, 1),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EAGAIN),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
  };
  return filter_system_calls(filter);
}

/// The program runs where something is forbidden that native code needs.
void check_without(bool (*forbid)()) {
  bool forbidden = false;
  ProcessResult result;
  std::thread worker([&] {
    forbidden = forbid();
    if (!forbidden) return;
    result = test::run({CML_BINARY, "check", "--format", "json", "--jit-after", "0",
                        kExamples + "philosophers_ordered.cml"});
  });
  worker.join();
  if (!forbidden) return;  // nothing to try
  CAPTURE(result.err);
  CHECK(result.status == 0);
  CHECK(json::parse(result.out)["stats"]["engine"] == "interpreter");
  const std::string warning = "cml: warning: no native code: ";
  const std::size_t at = result.err.find(warning);
  CHECK(at != std::string::npos);
  CHECK(result.err.find(warning, at + 1) == std::string::npos);
  CHECK(result.err.find("the interpreter has done the work") != std::string::npos);
}

TEST_CASE("jit: without executable memory the interpreter does the work, and the tool says so") {
  check_without(forbid_executable_memory);
}

TEST_CASE("jit: where no thread for the compiler can be had, likewise") {
  check_without(forbid_threads);
}

}  // namespace
