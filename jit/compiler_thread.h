// The thread in which LLVM compiles. Running out of memory in it does not end the process.
//
// LLVM is built without exceptions: where there is no memory left it calls a handler that must not
// return, or operator new, whose exception must not pass through LLVM's frames. So the handler
// blocks the thread for ever (`Stopped`), with everything that it has allocated; the thread is
// detached, and LLVM is not used any more.
//
//   start ──▶ Running ──▶ Done        the work has returned
//                └──────▶ Stopped     out of memory, or an error that LLVM takes for fatal
//
// Not thread-safe: one owner. The handlers are global to the process, and serve all such threads.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <thread>

namespace cml::jit {

class CompilerThread {
 public:
  enum class State : std::uint8_t { Running, Done, Stopped };

  CompilerThread() = default;
  CompilerThread(const CompilerThread&) = delete;
  CompilerThread& operator=(const CompilerThread&) = delete;
  /// Waits for the work.
  ~CompilerThread() { (void)finish(); }

  /// False: the system gives no thread. What `work` refers to must outlive it unless it is stopped;
  /// what it owns is never destroyed then.
  [[nodiscard]] bool start(std::function<void()> work);
  [[nodiscard]] bool is_started() const { return thread_.joinable(); }
  /// Whether the work has returned, or never will.
  [[nodiscard]] bool has_ended() const {
    return shared_->state.load(std::memory_order_acquire) != State::Running;
  }
  /// Waits for the end. Afterwards another thread can be started.
  State finish();
  /// Why it was stopped.
  [[nodiscard]] const char* reason() const { return shared_->reason; }

 private:
  struct Shared {
    std::atomic<State> state = State::Running;
    const char* reason = "";
  };
  friend struct StoppedThread;

  std::shared_ptr<Shared> shared_;
  std::thread thread_;
};

}  // namespace cml::jit
