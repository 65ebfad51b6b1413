// A value that is made when it is first asked for, by whichever thread asks.
//
// Nobody waits: two threads that ask at once both make it, and one of the two is kept. So a thread
// that never comes back from making it (jit/compiler_thread.h) keeps nobody from having it, and one
// that throws leaves everything as it was.
#pragma once

#include <atomic>
#include <memory>

namespace cml {

template <class T>
class Lazy {
 public:
  Lazy() = default;
  Lazy(const Lazy&) = delete;
  Lazy& operator=(const Lazy&) = delete;
  ~Lazy() { delete value_.load(std::memory_order_acquire); }

  /// `make()` is the value, always the same.
  template <class Make>
  const T& get(Make make) const {
    if (const T* known = value_.load(std::memory_order_acquire)) return *known;
    std::unique_ptr<const T> made(new T(make()));
    const T* known = nullptr;
    if (value_.compare_exchange_strong(known, made.get(), std::memory_order_acq_rel))
      return *made.release();
    return *known;
  }

 private:
  mutable std::atomic<const T*> value_ = nullptr;
};

}  // namespace cml
