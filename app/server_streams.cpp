#include "app/server_streams.h"

#include <csignal>
#include <cstdio>
#include <fcntl.h>
#include <unistd.h>

namespace cml::app {

// A client that goes away is noticed where a message cannot be written.
ServerStreams::ServerStreams()
    : in_(::fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, STDERR_FILENO + 1)),
      out_(::fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, STDERR_FILENO + 1)) {
  std::fflush(stdout);
  ::dup2(STDERR_FILENO, STDOUT_FILENO);
  std::signal(SIGPIPE, SIG_IGN);
}

ServerStreams::~ServerStreams() {
  std::fflush(stdout);
  ::dup2(out_, STDOUT_FILENO);
  ::close(out_);
  ::close(in_);
}

}  // namespace cml::app
