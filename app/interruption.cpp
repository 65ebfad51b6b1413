#include "app/interruption.h"

#include <array>
#include <csignal>

namespace cml::app {
namespace {

constexpr std::array kSignals = {SIGINT, SIGTERM, SIGHUP};
std::atomic<bool> interrupted = false;
int depth = 0;  // of those that live
static_assert(std::atomic<bool>::is_always_lock_free);

void handle_signals(void (*handler)(int)) {
  for (const int signal : kSignals) {
    struct sigaction action = {};
    ::sigaction(signal, nullptr, &action);
    if (action.sa_handler != SIG_IGN) std::signal(signal, handler);
  }
}

void interrupt(int) {
  interrupted.store(true, std::memory_order_relaxed);
  handle_signals(SIG_DFL);
}

}  // namespace

Interruption::Interruption() {
  if (depth++ == 0) handle_signals(interrupt);
}
Interruption::~Interruption() {
  if (--depth == 0) handle_signals(SIG_DFL);
}
const std::atomic<bool>& Interruption::flag() { return interrupted; }

}  // namespace cml::app
