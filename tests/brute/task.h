// A minimal lazy coroutine with a result: what lets the tree walk of a thread stop in the middle of
// an expression and go on when the scheduler says so.
#pragma once

#include <coroutine>
#include <exception>
#include <optional>
#include <utility>

namespace cml::brute {

template <class T>
class Task {
 public:
  struct promise_type {  // NOLINT(readability-identifier-naming): the language wants it
    std::optional<T> value;
    std::exception_ptr failure;
    std::coroutine_handle<> waiting = std::noop_coroutine();

    Task get_return_object() {
      return Task(std::coroutine_handle<promise_type>::from_promise(*this));
    }
    std::suspend_always initial_suspend() noexcept { return {}; }
    struct Final {
      bool await_ready() noexcept { return false; }
      std::coroutine_handle<> await_suspend(std::coroutine_handle<promise_type> self) noexcept {
        return self.promise().waiting;
      }
      void await_resume() noexcept {}
    };
    Final final_suspend() noexcept { return {}; }
    void return_value(T result) { value = std::move(result); }
    void unhandled_exception() { failure = std::current_exception(); }
  };

  Task(Task&& other) noexcept : handle_(std::exchange(other.handle_, nullptr)) {}
  Task& operator=(Task&& other) noexcept {
    std::swap(handle_, other.handle_);
    return *this;
  }
  Task(const Task&) = delete;
  Task& operator=(const Task&) = delete;
  ~Task() {
    if (handle_) handle_.destroy();
  }

  // Awaiting a task runs it; the awaiting coroutine goes on when it is done.
  bool await_ready() const noexcept { return false; }
  std::coroutine_handle<> await_suspend(std::coroutine_handle<> waiting) noexcept {
    handle_.promise().waiting = waiting;
    return handle_;
  }
  T await_resume() {
    if (handle_.promise().failure) std::rethrow_exception(handle_.promise().failure);
    return std::move(*handle_.promise().value);
  }

  // For the outermost task.
  void start() { handle_.resume(); }
  [[nodiscard]] bool done() const { return handle_.done(); }
  void rethrow() const {
    if (handle_.promise().failure) std::rethrow_exception(handle_.promise().failure);
  }
  [[nodiscard]] std::exception_ptr failure() const { return handle_.promise().failure; }

 private:
  explicit Task(std::coroutine_handle<promise_type> handle) : handle_(handle) {}
  std::coroutine_handle<promise_type> handle_;
};

}  // namespace cml::brute
