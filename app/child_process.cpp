// Children (support/child.h), so many at a time, and their results in order.
#include "app/child_process.h"

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <fmt/format.h>
#include <optional>
#include <poll.h>
#include <sys/wait.h>
#include <thread>
#include <utility>
#include <vector>

#include "app/interruption.h"
#include "support/child.h"

namespace cml::app {
namespace {

constexpr int kLookForSignals = 100;  // milliseconds

/// A child, and which piece of the work it does.
struct Worker {
  std::size_t piece;
  Child child;
};

[[noreturn]] void be_child(std::size_t piece, const std::function<ExitStatus(std::size_t)>& work) {
  std::signal(SIGINT, SIG_IGN);
  std::signal(SIGHUP, SIG_IGN);
  ExitStatus status = ExitStatus::Internal;
  try {
    status = work(piece);
  } catch (const std::bad_alloc&) {
    std::fputs("cml: error: out of memory\n", stderr);
    status = ExitStatus::Inconclusive;
  } catch (const std::exception& failure) {
    std::fprintf(stderr, "cml: internal error: %s\n", failure.what());
  }
  std::fflush(nullptr);
  std::_Exit(static_cast<int>(status));
}

ChildResult result_of(const Child& child) {
  const int ended = child.wait();
  ChildResult result;
  result.out = child.out();
  result.err = child.err();
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
std::optional<std::size_t> first_gone(const std::vector<Worker>& workers) {
  std::vector<pollfd> watched;
  for (const Worker& worker : workers)
    watched.push_back({worker.child.ended(), POLLIN, 0});
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
  std::vector<Worker> workers;
  std::size_t next = 0;
  std::size_t told = 0;
  bool is_passed_on = false;
  while (told < count) {
    const bool is_interrupted = Interruption::flag() || (options.is_over && options.is_over());
    for (; is_interrupted && next < count; ++next)
      results[next] = not_begun("interrupted before it began");
    for (; is_interrupted && !is_passed_on; is_passed_on = true)
      for (const Worker& worker : workers)
        worker.child.send(SIGTERM);
    while (next < count && workers.size() < std::max<std::size_t>(at_a_time, 1)) {
      const Child::Setup setup = {.signal_without_parent = SIGTERM, .collects = options.collects};
      if (auto child = Child::start(setup, [&] { be_child(next, work); })) {
        workers.push_back({next, *std::move(child)});
        ++next;
      } else if (workers.empty()) {
        results[next++] = not_begun(fmt::format("there is no process: {}", std::strerror(errno)));
      } else {
        break;  // when another one has ended
      }
    }
    if (const auto gone = workers.empty() ? std::nullopt : first_gone(workers)) {
      results[workers[*gone].piece] = result_of(workers[*gone].child);
      workers.erase(workers.begin() + static_cast<std::ptrdiff_t>(*gone));
    }
    for (; told < count && results[told]; ++told)
      done(told, *std::exchange(results[told], ChildResult()));
  }
}

std::size_t processors() { return std::max<std::size_t>(std::thread::hardware_concurrency(), 1); }

}  // namespace cml::app
