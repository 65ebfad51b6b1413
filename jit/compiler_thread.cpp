// The handlers that LLVM calls on errors, and the thread.
#include "jit/compiler_thread.h"

#include <cstdio>
#include <cstdlib>
#include <llvm/Support/ErrorHandling.h>
#include <mutex>
#include <new>
#include <system_error>
#include <unistd.h>
#include <utility>

namespace cml::jit {

/// The state of the current thread, if it is one that compiles.
struct StoppedThread {
  static thread_local CompilerThread::Shared* shared;

  /// Ends the process before LLVM's destructors touch data structures that are half built.
  static void leave_llvm_alone(int status, void*) {
    std::fflush(nullptr);
    _exit(status);
  }

  static void stop(const char* reason) {
    if (shared == nullptr) return;
    (void)on_exit(leave_llvm_alone, nullptr);
    shared->reason = reason;
    shared->state.store(CompilerThread::State::Stopped, std::memory_order_release);
    shared->state.notify_all();
    for (;;)
      pause();
  }
};
thread_local CompilerThread::Shared* StoppedThread::shared = nullptr;

namespace {

std::new_handler handler_before = nullptr;

void no_memory() {
  StoppedThread::stop("out of memory");
  if (handler_before != nullptr) handler_before();
  throw std::bad_alloc();
}

// LLVM ends the process where one of these handlers returns.
void no_memory_for_llvm(void*, const char*, bool) { StoppedThread::stop("out of memory"); }
void fatal_for_llvm(void*, const char*, bool) { StoppedThread::stop("LLVM gives up"); }

void install_handlers() {
  static std::once_flag once;
  std::call_once(once, [] {
    handler_before = std::set_new_handler(no_memory);
    llvm::install_bad_alloc_error_handler(no_memory_for_llvm);
    llvm::install_fatal_error_handler(fatal_for_llvm);
  });
}

}  // namespace

bool CompilerThread::start(std::function<void()> work) {
  try {
    install_handlers();
    shared_ = std::make_shared<Shared>();
    thread_ = std::thread([shared = shared_, work = std::move(work)] {
      StoppedThread::shared = shared.get();
      work();
      StoppedThread::shared = nullptr;
      shared->state.store(State::Done, std::memory_order_release);
      shared->state.notify_all();
    });
    return true;
  } catch (const std::system_error&) {
    return false;
  } catch (const std::bad_alloc&) {
    return false;
  }
}

CompilerThread::State CompilerThread::finish() {
  if (!thread_.joinable()) return State::Done;
  shared_->state.wait(State::Running, std::memory_order_acquire);
  const State state = shared_->state.load(std::memory_order_acquire);
  if (state == State::Done) {
    thread_.join();
  } else {
    thread_.detach();
  }
  return state;
}

}  // namespace cml::jit
