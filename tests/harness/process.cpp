// fork and exec with stdin, stdout and stderr as temporary files: no pipes, so nothing can block on
// a full one and no thread has to read along. What it leaves out: terminals.
#include "tests/harness/process.h"

#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <fcntl.h>
#include <fstream>
#include <sstream>
#include <stdexcept>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

#include "tests/harness/json_schema.h"

namespace cml::test {

namespace {

using Clock = std::chrono::steady_clock;

constexpr int kCannotExecute = 127;
constexpr int kSignalBase = 128;
constexpr mode_t kOwnerOnly = 0600;

void redirect(const std::filesystem::path& path, int flags, int descriptor) {
  const int file = open(path.c_str(), flags | O_CLOEXEC, kOwnerOnly);
  if (file < 0 || dup2(file, descriptor) < 0) _exit(kCannotExecute);
}

int status_of(int wait_status) {
  return WIFSIGNALED(wait_status) ? kSignalBase + WTERMSIG(wait_status) : WEXITSTATUS(wait_status);
}

// Polls with growing pauses: a short run is noticed at once, a long one costs nothing.
int wait_for(pid_t child, std::chrono::seconds limit, bool& timed_out) {
  const Clock::time_point end = Clock::now() + limit;
  std::chrono::microseconds pause{100};
  int wait_status = 0;
  for (;;) {
    const pid_t ended = waitpid(child, &wait_status, WNOHANG);
    if (ended == child) return status_of(wait_status);
    if (ended < 0 && errno != EINTR) return -1;
    if (!timed_out && Clock::now() > end) {
      timed_out = true;
      kill(child, SIGKILL);
    }
    std::this_thread::sleep_for(pause);
    pause = std::min(pause * 2, std::chrono::microseconds{20'000});
  }
}

}  // namespace

ProcessResult run(const std::vector<std::string>& arguments, const ProcessOptions& options) {
  const TemporaryFolder streams;
  const std::filesystem::path input = streams.write("in", options.input);
  const std::filesystem::path output = streams.path() / "out";
  const std::filesystem::path errors = streams.path() / "err";

  std::vector<char*> argv;
  for (const std::string& argument : arguments)
    argv.push_back(const_cast<char*>(argument.c_str()));
  argv.push_back(nullptr);

  const pid_t child = fork();
  if (child < 0) throw std::runtime_error("fork failed");
  if (child == 0) {
    redirect(input, O_RDONLY, STDIN_FILENO);
    redirect(output, O_WRONLY | O_CREAT | O_TRUNC, STDOUT_FILENO);
    redirect(errors, O_WRONLY | O_CREAT | O_TRUNC, STDERR_FILENO);
    if (!options.folder.empty() && chdir(options.folder.c_str()) != 0) _exit(kCannotExecute);
    for (const std::string& variable : options.environment) {
      if (putenv(const_cast<char*>(variable.c_str())) != 0) _exit(kCannotExecute);
    }
    execvp(argv[0], argv.data());
    _exit(kCannotExecute);
  }

  ProcessResult result;
  result.status = wait_for(child, options.limit, result.timed_out);
  result.out = read_file(output);
  result.err = read_file(errors);
  check_written_json(arguments, options, result);
  return result;
}

TemporaryFolder::TemporaryFolder() {
  std::string name = (std::filesystem::temp_directory_path() / "cml-test-XXXXXX").string();
  if (mkdtemp(name.data()) == nullptr) throw std::runtime_error("no temporary folder");
  path_ = name;
}

TemporaryFolder::~TemporaryFolder() {
  std::error_code ignored;
  std::filesystem::remove_all(path_, ignored);
}

std::filesystem::path TemporaryFolder::write(std::string_view name, std::string_view text) const {
  std::filesystem::path path = path_ / name;
  std::filesystem::create_directories(path.parent_path());
  std::ofstream(path, std::ios::binary) << text;
  return path;
}

ProcessResult shell(const std::string& script, const TemporaryFolder& folder) {
  return run({"bash", "-c", script}, {.input = {}, .folder = folder.path(), .environment = {}});
}

std::size_t entries(const std::filesystem::path& folder) {
  using Iterator = std::filesystem::directory_iterator;
  return static_cast<std::size_t>(std::distance(Iterator(folder), Iterator()));
}

std::string read_file(const std::filesystem::path& path) {
  std::ostringstream text;
  text << std::ifstream(path, std::ios::binary).rdbuf();
  return text.str();
}

}  // namespace cml::test
