// The handler calls only what is safe in one (signal-safety(7)): after a crash nothing else is sure
// to work.
#include "app/crash.h"

#include <array>
#include <csignal>
#include <cstddef>
#include <string_view>
#include <sys/mman.h>
#include <unistd.h>

#include "app/exit_status.h"

// Defined where the program is built with a sanitizer.
extern "C" {
[[gnu::weak]] void __asan_init();  // NOLINT: its name
[[gnu::weak]] void __tsan_init();  // NOLINT
}

namespace cml::app {
namespace {

constexpr std::array kCrashes = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT};
constexpr std::size_t kHandlerStack = std::size_t{64} << 10;

std::string_view name(int signal) {
  switch (signal) {
    case SIGSEGV:
      return "SIGSEGV";
    case SIGBUS:
      return "SIGBUS";
    case SIGFPE:
      return "SIGFPE";
    case SIGILL:
      return "SIGILL";
    default:
      return "SIGABRT";
  }
}

void say(std::string_view text) {
  [[maybe_unused]] const ssize_t written = ::write(STDERR_FILENO, text.data(), text.size());
}

void on_crash(int signal, siginfo_t* info, void*) {
  const bool is_sent = info->si_code <= 0;  // not by the kernel
  if (is_sent && info->si_pid != ::getpid()) {
    ::kill(::getpid(), signal);  // comes when this returns, and finds the default
    return;
  }
  say("cml: crashed (");
  say(name(signal));
  say("): this is a mistake in cml, not in your model; please report it, with the model and the "
      "command\n");
  ::_exit(static_cast<int>(ExitStatus::Internal));
}

bool has_sanitizer() { return __asan_init != nullptr || __tsan_init != nullptr; }

}  // namespace

void report_crashes_of_this_thread() {
  if (has_sanitizer()) return;
  void* const memory =
      ::mmap(nullptr, kHandlerStack, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED) return;
  stack_t stack = {};
  stack.ss_sp = memory;
  stack.ss_size = kHandlerStack;
  ::sigaltstack(&stack, nullptr);
}

void report_crashes() {
  if (has_sanitizer()) return;
  report_crashes_of_this_thread();
  struct sigaction action = {};
  action.sa_sigaction = on_crash;
  action.sa_flags = SA_SIGINFO | SA_ONSTACK | static_cast<int>(SA_RESETHAND);
  for (const int signal : kCrashes)
    ::sigaction(signal, &action, nullptr);
}

}  // namespace cml::app
