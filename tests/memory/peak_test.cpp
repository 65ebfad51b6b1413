// --max-memory is kept: the peak of the process stays within a tenth and 40 MB of it, whatever
// grows.
#include <cerrno>
#include <csignal>
#include <cstdint>
#include <cstdlib>
#include <doctest/doctest.h>
#include <fcntl.h>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string>
#include <sys/ptrace.h>
#include <sys/wait.h>
#include <unistd.h>
#include <vector>

#include "tests/harness/parts.h"
#include "tests/harness/process.h"
#include "tests/harness/sanitized.h"

namespace {

using nlohmann::json;

constexpr std::uint64_t kMegabyte = 1'000'000;

struct Peak {
  std::uint64_t bytes = 0;
  int status = -1;
  std::string out;
};

/// VmHWM: of the program alone, where the usage of a child counts what it was forked from.
std::uint64_t high_water(pid_t process) {
  std::istringstream status(cml::test::read_file("/proc/" + std::to_string(process) + "/status"));
  for (std::string line; std::getline(status, line);)
    if (line.starts_with("VmHWM:")) return std::strtoull(line.c_str() + 6, nullptr, 10) * 1024;
  return 0;
}

/// The program is stopped just before its end, and asked. Zero: this system does not allow that.
Peak peak_of(std::vector<std::string> words) {
  words.insert(words.begin(), {CML_BINARY, "check", "--format", "json", "--max-time", "60"});
  std::vector<char*> arguments;
  for (std::string& word : words)
    arguments.push_back(word.data());
  arguments.push_back(nullptr);
  const cml::test::TemporaryFolder folder;
  const std::string out = (folder.path() / "out").string();
  Peak result;
  const pid_t child = fork();
  REQUIRE(child >= 0);
  if (child == 0) {
    const int file = open(out.c_str(), O_WRONLY | O_CREAT, 0600);
    if (file < 0 || dup2(file, STDOUT_FILENO) < 0) _exit(126);
    if (ptrace(PTRACE_TRACEME, 0, nullptr, nullptr) != 0) _exit(125);
    execv(arguments[0], arguments.data());
    _exit(127);
  }
  bool is_set = false;
  for (int status = 0; waitpid(child, &status, 0) == child;) {
    if (!WIFSTOPPED(status)) {
      result.status = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
      break;
    }
    std::intptr_t signal = WSTOPSIG(status);
    if (!is_set) {
      is_set = true;
      (void)ptrace(PTRACE_SETOPTIONS, child, nullptr, PTRACE_O_TRACEEXIT | PTRACE_O_EXITKILL);
      signal = 0;
    } else if (status >> 8 == (SIGTRAP | PTRACE_EVENT_EXIT << 8)) {
      result.bytes = high_water(child);
      signal = 0;
    }
    (void)ptrace(PTRACE_CONT, child, nullptr, signal);
  }
  result.out = cml::test::read_file(out);
  return result;
}

/// Ends at its limit, within what it may have, and did use it.
void keeps(std::uint64_t megabytes, std::vector<std::string> words) {
  CAPTURE(megabytes);
  CAPTURE(words);
  words.insert(words.end(), {"--max-memory", std::to_string(megabytes) + "M"});
  const Peak peak = peak_of(std::move(words));
  const json document = json::parse(peak.out);
  CHECK(document["stats"]["limits_hit"] == json::array({"max-memory"}));
  CHECK(peak.bytes <= megabytes * kMegabyte * 11 / 10 + 40 * kMegabyte);
  CHECK(peak.bytes >= megabytes * kMegabyte / 3);
}

bool can_measure() {
  if (cml::test::kSanitized) return false;
  return peak_of({CML_SOURCE_DIR "/examples/peterson.cml"}).bytes > 0;
}

// Millions of states; a path that is as long as one likes.
constexpr std::string_view kWide =
    "atomic x: int(0..4999) = 0;\n"
    "atomic y: int(0..4999) = 0;\n"
    "daemon thread A { var i: int(0..4999) = 0; loop { i = (i + 1) % 5000; x = i; } }\n"
    "daemon thread B { var i: int(0..4999) = 0; loop { i = (i + 1) % 5000; y = i; } }\n"
    "thread C { await x + y == 9998; fail \"seen\"; }\n";

CML_TEST_PARTS("memory: --max-memory is kept by both orders, with sleep sets and without") {
  if (!can_measure()) return;
  const cml::test::TemporaryFolder folder;
  const std::string wide = folder.write("wide.cml", kWide).string();
  const std::string philosophers = CML_SOURCE_DIR "/bench/models/philosophers.cml";
  std::uint64_t number = 0;
  for (const char* order : {"bfs", "sequential"}) {
    for (const char* reduction : {"none", "sleep"}) {
      const auto keeps_with = [&](std::uint64_t megabytes, const char* engine,
                                  const std::vector<std::string>& model) {
        if (!part.has(number++)) return;
        std::vector<std::string> words = {"--all",   "--granularity", "access",
                                          "--order", order,           "--reduction",
                                          reduction, "--engine",      engine};
        words.insert(words.end(), model.begin(), model.end());
        keeps(megabytes, std::move(words));
      };
      keeps_with(60, "interpreter", {wide});
      keeps_with(60, "jit", {wide});
      keeps_with(150, "jit", {wide});
      keeps_with(80, "jit", {"-D", "N=14", philosophers});
    }
  }
}

TEST_CASE("memory: --max-memory is kept by what the default remembers for thousands of threads") {
  if (!can_measure()) return;
  const cml::test::TemporaryFolder folder;
  const std::string many = folder
                               .write("many.cml",
                                      "const N = 4000;\natomic x: int(0..3);\nlock m[N];\n"
                                      "thread A[i in 0..<N] { with m[i] { x = 1; } x = 2; }\n")
                               .string();
  const Peak peak = peak_of({"--max-states", "5", "--max-memory", "100M", many});
  CHECK(peak.bytes <= 150 * kMegabyte);
}

TEST_CASE("memory: --max-memory is kept by the path of a search without a store") {
  if (!can_measure()) return;
  const cml::test::TemporaryFolder folder;
  const std::string wide = folder.write("wide.cml", kWide).string();
  for (const char* undo : {"checkpoint", "replay", "reverse"})
    keeps(60, {"--granularity", "access", "--store", "stateless", "--undo", undo, "--max-depth",
               "100M", wide});
}

// A loop of invisible operations that takes tens of thousands of steps to come back.
constexpr std::string_view kLongLoop =
    "lock m;\n"
    "shared x: int(0..100000) = 0;\n"
    "thread A { with m { while true { if x == 20000 { x = 0; } else { x = x + 1; } } } }\n"
    "thread B { with m { x = 0; } }\n";

TEST_CASE("memory: --max-memory is kept by explanations; what does not fit is left out, and said") {
  if (!can_measure()) return;
  const cml::test::TemporaryFolder folder;
  const std::string model = folder.write("loop.cml", kLongLoop).string();
  for (const bool fits : {false, true}) {
    CAPTURE(fits);
    const std::uint64_t megabytes = fits ? 500 : 50;
    const Peak peak = peak_of({"--max-memory", std::to_string(megabytes) + "M", model});
    CHECK(peak.status == 1);
    CHECK(peak.bytes <= megabytes * kMegabyte * 11 / 10 + 40 * kMegabyte);
    const json document = json::parse(peak.out);
    REQUIRE(document["violations"].size() == 1);
    const json& violation = document["violations"][0];
    CHECK(violation["kind"] == "divergence");
    CHECK(violation["trace_lost"] == !fits);
    CHECK((violation["trace"].size() > 40'000) == fits);
  }
}

}  // namespace
