// A child on a pseudo terminal. What it leaves out: resizing, a limit on time.
#include "tests/harness/terminal.h"

#include <cerrno>
#include <cstdlib>
#include <pty.h>
#include <stdexcept>
#include <sys/wait.h>
#include <unistd.h>

namespace cml::test {

TerminalResult run_on_terminal(const std::vector<std::string>& arguments,
                               const TerminalOptions& options) {
  std::vector<char*> argv;
  for (const std::string& argument : arguments)
    argv.push_back(const_cast<char*>(argument.c_str()));
  argv.push_back(nullptr);

  winsize size = {};
  size.ws_row = 24;
  size.ws_col = static_cast<unsigned short>(options.columns);
  int terminal = -1;
  const pid_t child = forkpty(&terminal, nullptr, nullptr, &size);
  if (child < 0) throw std::runtime_error("forkpty failed");
  if (child == 0) {
    unsetenv("NO_COLOR");
    setenv("TERM", "xterm", 1);
    for (const std::string& variable : options.environment) {
      putenv(const_cast<char*>(variable.c_str()));
    }
    execvp(argv[0], argv.data());
    _exit(127);
  }

  TerminalResult result;
  char buffer[4096];
  std::string keys = options.keys;
  for (;;) {
    const ssize_t count = read(terminal, buffer, sizeof buffer);
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) break;  // EIO: the child has closed its side
    for (ssize_t i = 0; i < count; ++i) {
      result.raw += buffer[i];
      if (buffer[i] != '\r') result.screen += buffer[i];
    }
    if (!keys.empty() && result.raw.find(options.wait_for) != std::string::npos) {
      (void)!write(terminal, keys.data(), keys.size());
      keys.clear();
    }
  }
  close(terminal);
  int wait_status = 0;
  while (waitpid(child, &wait_status, 0) < 0 && errno == EINTR) {
  }
  result.status = WIFSIGNALED(wait_status) ? 128 + WTERMSIG(wait_status) : WEXITSTATUS(wait_status);
  return result;
}

}  // namespace cml::test
