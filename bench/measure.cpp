// posix_spawn and wait4: the time includes what a shell would see, the memory is the kernel's
// count.
#include "bench/measure.h"

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <fcntl.h>
#include <fmt/core.h>
#include <spawn.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

namespace cml::bench {
namespace {

double milliseconds(const timeval& time) {
  return static_cast<double>(time.tv_sec) * 1e3 + static_cast<double>(time.tv_usec) / 1e3;
}

double median(std::vector<double> values) {
  std::ranges::sort(values);
  const std::size_t middle = values.size() / 2;
  return values.size() % 2 == 1 ? values[middle] : (values[middle - 1] + values[middle]) / 2;
}

}  // namespace

Expected<Measurement, std::string> measure(const std::vector<std::string>& command) {
  std::vector<char*> argv;
  for (const std::string& word : command)
    argv.push_back(const_cast<char*>(word.c_str()));
  argv.push_back(nullptr);

  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, "/dev/null", O_WRONLY, 0);
  posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", O_WRONLY, 0);

  using Clock = std::chrono::steady_clock;
  const Clock::time_point begin = Clock::now();
  pid_t child = 0;
  const int error = posix_spawnp(&child, argv[0], &actions, nullptr, argv.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  if (error != 0) {
    return Unexpected(fmt::format("cannot run {}: {}", command.front(), std::strerror(error)));
  }
  int wait_status = 0;
  rusage usage = {};
  while (wait4(child, &wait_status, 0, &usage) < 0) {
    if (errno != EINTR) return Unexpected(std::string("the process was lost"));
  }
  const std::chrono::duration<double, std::milli> elapsed = Clock::now() - begin;

  if (WIFSIGNALED(wait_status)) {
    return Unexpected(fmt::format("ended by signal {}", WTERMSIG(wait_status)));
  }
  return Measurement{.status = WEXITSTATUS(wait_status),
                     .milliseconds = elapsed.count(),
                     .processor = milliseconds(usage.ru_utime) + milliseconds(usage.ru_stime),
                     .megabytes = static_cast<double>(usage.ru_maxrss) / 1024};
}

Expected<Summary, std::string> measure_repeatedly(const std::vector<std::string>& command, int runs,
                                                  const std::vector<int>& accepted) {
  Summary summary;
  std::vector<double> times;
  std::vector<double> processor_times;
  for (int i = 0; i <= runs; ++i) {
    const auto once = measure(command);
    if (!once) return Unexpected(once.error());
    if (std::ranges::find(accepted, once->status) == accepted.end()) {
      return Unexpected(fmt::format("exit status {}", once->status));
    }
    summary.status = once->status;
    summary.megabytes = std::max(summary.megabytes, once->megabytes);
    if (i == 0) continue;  // it warms the caches
    times.push_back(once->milliseconds);
    processor_times.push_back(once->processor);
  }
  summary.fastest = *std::ranges::min_element(times);
  summary.median = median(times);
  summary.processor = median(processor_times);
  return summary;
}

}  // namespace cml::bench
