// What the halves of the walker share: the marks that say where a thread stands, and the suspension
// at an operation.
#pragma once

#include <coroutine>
#include <cstdint>
#include <exception>
#include <utility>

#include "tests/brute/walker.h"

namespace cml::brute {

inline Words one(std::int32_t word) { return Words(1, word); }

/// What is on the trail for as long as the mark lives.
class Walker::Mark {
 public:
  // No initializer_list: g++ 12 destroys the temporaries of one twice where a coroutine is
  // suspended.
  template <class... Entries>
  explicit Mark(Walker& walker, Entries... entries)
      : walker_(&walker), size_(walker.trail_.size()) {
    (walker.trail_.push_back(static_cast<std::int64_t>(entries)), ...);
  }
  void add(std::int64_t entry) { walker_->trail_.push_back(entry); }
  void add(WordKind kind, std::int32_t word) { add(entry_of(kind, word)); }
  void add(const Words& words, model::TypeId type) {
    const std::vector<WordKind>& kinds = walker_->world_->kinds().of(type);
    for (std::size_t i = 0; i < words.size(); ++i)
      add(kinds[i], words[i]);
  }
  void add(const Place& place) {
    add(place.leaf.offset);
    add(place.offset);
    add(WordKind::Reference, place.leaf.heap);
  }
  Mark(const Mark&) = delete;
  Mark& operator=(const Mark&) = delete;
  ~Mark() { walker_->trail_.resize(size_); }

 private:
  Walker* walker_;
  std::size_t size_;
};

struct Walker::Suspend {
  Walker* walker;
  Request request;
  Words result = {};
  std::exception_ptr failure = nullptr;

  bool await_ready() {
    if (walker->immediate_ == 0) return false;
    walker->world_->reach(walker->number, request);
    walker->operate(request, result);
    return true;
  }
  void await_suspend(std::coroutine_handle<> handle) {
    walker->pending = request;
    walker->suspended_ = handle;
    walker->status = Status::Pending;
    walker->world_->reach(walker->number, request);
  }
  Words await_resume() {
    if (walker->immediate_ > 0) return std::move(result);
    walker->work_anew();
    walker->operate(request, result);
    return std::move(result);
  }
};

}  // namespace cml::brute
