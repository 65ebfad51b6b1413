#include "rpc/program.h"

#include <array>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

namespace cml::rpc {
namespace {

constexpr int kCannotExecute = 127;

void close_all(std::initializer_list<int> descriptors) {
  for (const int descriptor : descriptors)
    if (descriptor >= 0) ::close(descriptor);
}

/// A file in memory with this text, at its beginning.
int file_of(const std::string& text) {
  const int file = ::memfd_create("input", MFD_CLOEXEC);
  std::size_t done = 0;
  while (file >= 0 && done < text.size()) {
    const ssize_t put = ::write(file, text.data() + done, text.size() - done);
    if (put < 0 && errno == EINTR) continue;
    if (put <= 0) break;
    done += static_cast<std::size_t>(put);
  }
  if (file >= 0) ::lseek(file, 0, SEEK_SET);
  return file;
}

std::string text_of(int file) {
  std::string text;
  std::array<char, 65'536> part = {};
  ::lseek(file, 0, SEEK_SET);
  for (;;) {
    const ssize_t got = ::read(file, part.data(), part.size());
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) return text;
    text.append(part.data(), static_cast<std::size_t>(got));
  }
}

}  // namespace

std::unique_ptr<Program> Program::start(const std::vector<std::string>& arguments,
                                        const std::string& folder, const std::string& input) {
  std::unique_ptr<Program> program(new Program);
  std::vector<char*> words;
  std::string name = "cml";
  words.push_back(name.data());
  std::vector<std::string> copies = arguments;
  for (std::string& word : copies)
    words.push_back(word.data());
  words.push_back(nullptr);

  const int in = file_of(input);
  program->out_ = ::memfd_create("output", MFD_CLOEXEC);
  program->err_ = ::memfd_create("errors", MFD_CLOEXEC);
  // The child keeps the other end open, and gives it to nobody.
  std::array<int, 2> ends = {-1, -1};
  if (in < 0 || program->out_ < 0 || program->err_ < 0 || ::pipe(ends.data()) != 0) {
    close_all({in});
    return nullptr;
  }
  program->ended_ = ends[0];
  const pid_t parent = ::getpid();
  program->process_ = ::fork();
  if (program->process_ == 0) {
    ::prctl(PR_SET_PDEATHSIG, SIGKILL);
    ::close(ends[0]);
    if (::getppid() != parent || (!folder.empty() && ::chdir(folder.c_str()) != 0))
      std::_Exit(kCannotExecute);
    ::dup2(in, STDIN_FILENO);
    ::dup2(program->out_, STDOUT_FILENO);
    ::dup2(program->err_, STDERR_FILENO);
    ::execv("/proc/self/exe", words.data());
    std::_Exit(kCannotExecute);
  }
  close_all({in, ends[1]});
  return program->process_ < 0 ? nullptr : std::move(program);
}

Program::~Program() {
  if (process_ > 0) {
    ::kill(process_, SIGKILL);
    while (::waitpid(process_, nullptr, 0) < 0 && errno == EINTR) {
    }
  }
  close_all({out_, err_, ended_});
}

ProgramResult Program::result() {
  int ended = 0;
  while (::waitpid(process_, &ended, 0) < 0 && errno == EINTR) {
  }
  process_ = -1;
  return {WIFEXITED(ended) ? WEXITSTATUS(ended) : -1, text_of(out_), text_of(err_)};
}

}  // namespace cml::rpc
