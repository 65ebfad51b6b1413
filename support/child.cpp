#include "support/child.h"

#include <array>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

namespace cml {
namespace {

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

}  // namespace

void Descriptor::close() {
  if (number_ >= 0) ::close(number_);
  number_ = -1;
}

Descriptor memory_file(const char* name, const std::string& text) {
  Descriptor file(::memfd_create(name, MFD_CLOEXEC));
  std::size_t done = 0;
  while (file.valid() && done < text.size()) {
    const ssize_t put = ::write(file.number(), text.data() + done, text.size() - done);
    if (put < 0 && errno == EINTR) continue;
    if (put <= 0) return Descriptor();
    done += static_cast<std::size_t>(put);
  }
  if (file.valid()) ::lseek(file.number(), 0, SEEK_SET);
  return file;
}

std::optional<Child> Child::start(const Setup& setup, const std::function<void()>& work) {
  Child child;
  if (setup.collects) {
    child.out_ = memory_file("standard output");
    child.err_ = memory_file("standard error");
    if (!child.out_.valid() || !child.err_.valid()) return std::nullopt;
  }
  std::array<int, 2> ends = {};
  if (::pipe(ends.data()) != 0) return std::nullopt;
  child.ended_ = Descriptor(ends[0]);
  const Descriptor kept_by_child(ends[1]);
  ::fcntl(ends[0], F_SETFD, FD_CLOEXEC);
  std::fflush(nullptr);  // else what is buffered would be written twice
  const pid_t parent = ::getpid();
  child.process_ = ::fork();
  if (child.process_ < 0) return std::nullopt;
  if (child.process_ > 0) return child;
  constexpr int kNothingDone = 127;
  ::prctl(PR_SET_PDEATHSIG, setup.signal_without_parent);
  if (::getppid() != parent) std::_Exit(kNothingDone);
  if (setup.collects) {
    ::dup2(child.out_.number(), STDOUT_FILENO);
    ::dup2(child.err_.number(), STDERR_FILENO);
  }
  work();
  std::_Exit(kNothingDone);
}

void Child::send(int signal) const { ::kill(process_, signal); }

int Child::wait() const {
  int ended = 0;
  while (::waitpid(process_, &ended, 0) < 0 && errno == EINTR) {
  }
  return ended;
}

std::string Child::out() const { return out_.valid() ? contents(out_) : std::string(); }

std::string Child::err() const { return err_.valid() ? contents(err_) : std::string(); }

}  // namespace cml
