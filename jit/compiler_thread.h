// The thread in which LLVM compiles. It may run out of memory without anybody else noticing.
//
// LLVM is built without exceptions: what has no memory left calls a handler that must not return,
// or operator new, whose exception must not pass through LLVM's frames. So the thread stops for
// ever where it stands (`Stopped`), with whatever it holds; it is detached, and nothing of LLVM is
// used any more.
//
//   start ──▶ Running ──▶ Done        the work has returned
//                └──────▶ Stopped     out of memory, or an error that LLVM takes for fatal
//
// Not thread-safe: one owner. The handlers are those of the process, and serve all such threads.
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

  /// False: no thread is to be had. What `work` refers to must outlive it unless it is stopped;
  /// what it owns is never destroyed then.
  [[nodiscard]] bool start(std::function<void()> work);
  [[nodiscard]] bool is_started() const { return thread_.joinable(); }
  /// The work has returned, or never will.
  [[nodiscard]] bool has_ended() const {
    return shared_->state.load(std::memory_order_acquire) != State::Running;
  }
  /// Waits for that. Afterwards another thread can be started.
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
