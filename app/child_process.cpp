// fork() and two files in memory; a pipe that the child holds open says when it is gone.
#include "app/child_process.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <fmt/format.h>
#include <optional>
#include <poll.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>
#include <utility>
#include <vector>

#include "app/interruption.h"

namespace cml::app {
namespace {

constexpr int kLookForSignals = 100;  // milliseconds

/// A file descriptor that is closed.
class Descriptor {
 public:
  explicit Descriptor(int number = -1) : number_(number) {}
  ~Descriptor() { close(); }
  Descriptor(Descriptor&& other) noexcept : number_(std::exchange(other.number_, -1)) {}
  Descriptor& operator=(Descriptor&& other) noexcept {
    close();
    number_ = std::exchange(other.number_, -1);
    return *this;
  }
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;

  void close() {
    if (number_ >= 0) ::close(number_);
    number_ = -1;
  }
  [[nodiscard]] int number() const { return number_; }
  [[nodiscard]] bool valid() const { return number_ >= 0; }

 private:
  int number_;
};

std::string contents(const Descriptor& file) {
  std::string text;
  std::array<char, 65'536> part = {};
  ::lseek(file.number(), 0, SEEK_SET);
  for (;;) {
    const ssize_t got = ::read(file.number(), part.data(), part.size());
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) return text;
    text.append(part.data(), static_cast<std::size_t>(got));
  }
}

struct Child {
  std::size_t piece = 0;
  pid_t process = -1;
  Descriptor out, err;
  Descriptor alive;  // readable, as at its end, once the child is gone
};

[[noreturn]] void be_child(const Child& self, pid_t parent,
                           const std::function<ExitStatus(std::size_t)>& work, bool collects) {
  std::signal(SIGINT, SIG_IGN);
  std::signal(SIGHUP, SIG_IGN);
  ::prctl(PR_SET_PDEATHSIG, SIGTERM);
  if (::getppid() != parent) std::_Exit(static_cast<int>(ExitStatus::Inconclusive));
  if (collects) {
    ::dup2(self.out.number(), STDOUT_FILENO);
    ::dup2(self.err.number(), STDERR_FILENO);
  }
  ExitStatus status = ExitStatus::Internal;
  try {
    status = work(self.piece);
  } catch (const std::bad_alloc&) {
    std::fputs("cml: error: out of memory\n", stderr);
    status = ExitStatus::Inconclusive;
  } catch (const std::exception& failure) {
    std::fprintf(stderr, "cml: internal error: %s\n", failure.what());
  }
  std::fflush(nullptr);
  std::_Exit(static_cast<int>(status));
}

std::optional<Child> start(std::size_t piece, const std::function<ExitStatus(std::size_t)>& work,
                           bool collects) {
  Child child;
  child.piece = piece;
  child.out = Descriptor(::memfd_create("standard output", MFD_CLOEXEC));
  child.err = Descriptor(::memfd_create("standard error", MFD_CLOEXEC));
  std::array<int, 2> ends = {};
  if (!child.out.valid() || !child.err.valid() || ::pipe(ends.data()) != 0) return std::nullopt;
  child.alive = Descriptor(ends[0]);
  const Descriptor held(ends[1]);
  std::fflush(nullptr);  // else what is buffered would be written twice
  const pid_t parent = ::getpid();
  child.process = ::fork();
  if (child.process == 0) be_child(child, parent, work, collects);
  if (child.process < 0) return std::nullopt;
  return child;
}

ChildResult result_of(const Child& child) {
  int ended = 0;
  while (::waitpid(child.process, &ended, 0) < 0 && errno == EINTR) {
  }
  ChildResult result;
  result.out = contents(child.out);
  result.err = contents(child.err);
  if (WIFEXITED(ended)) {
    result.status = static_cast<ExitStatus>(WEXITSTATUS(ended));
  } else if (WTERMSIG(ended) == SIGKILL) {
    result.failure = "killed, as the system does where memory runs out";
  } else if (WTERMSIG(ended) == SIGTERM) {
    result.failure = "interrupted";
  } else {
    result.status = ExitStatus::Internal;
    result.failure = fmt::format("crashed with signal {}", WTERMSIG(ended));
  }
  return result;
}

/// Waits until one of them is gone, or for a while.
std::optional<std::size_t> first_gone(const std::vector<Child>& children) {
  std::vector<pollfd> watched;
  for (const Child& child : children)
    watched.push_back({child.alive.number(), POLLIN, 0});
  if (::poll(watched.data(), watched.size(), kLookForSignals) <= 0) return std::nullopt;
  for (std::size_t i = 0; i < watched.size(); ++i)
    if (watched[i].revents != 0) return i;
  return std::nullopt;
}

ChildResult not_begun(std::string why) {
  ChildResult result;
  result.failure = std::move(why);
  return result;
}

}  // namespace

void run_in_children(std::size_t count, std::size_t at_a_time,
                     const std::function<ExitStatus(std::size_t)>& work,
                     const std::function<void(std::size_t, ChildResult)>& done,
                     const ChildOptions& options) {
  const Interruption interruption;
  std::vector<std::optional<ChildResult>> results(count);
  std::vector<Child> children;
  std::size_t next = 0;
  std::size_t told = 0;
  bool is_passed_on = false;
  while (told < count) {
    const bool is_interrupted = Interruption::flag() || (options.is_over && options.is_over());
    for (; is_interrupted && next < count; ++next)
      results[next] = not_begun("interrupted before it began");
    for (; is_interrupted && !is_passed_on; is_passed_on = true)
      for (const Child& child : children)
        ::kill(child.process, SIGTERM);
    while (next < count && children.size() < std::max<std::size_t>(at_a_time, 1)) {
      if (auto child = start(next, work, options.collects)) {
        children.push_back(*std::move(child));
        ++next;
      } else if (children.empty()) {
        results[next++] = not_begun(fmt::format("there is no process: {}", std::strerror(errno)));
      } else {
        break;  // when another one has ended
      }
    }
    if (const auto gone = children.empty() ? std::nullopt : first_gone(children)) {
      results[children[*gone].piece] = result_of(children[*gone]);
      children.erase(children.begin() + static_cast<std::ptrdiff_t>(*gone));
    }
    for (; told < count && results[told]; ++told)
      done(told, *std::exchange(results[told], ChildResult()));
  }
}

std::size_t processors() { return std::max<std::size_t>(std::thread::hardware_concurrency(), 1); }

}  // namespace cml::app
