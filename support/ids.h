// Strong ids: indices into flat vectors that the compiler keeps apart.
//
// A graph of objects (threads, locations, types, ...) is stored as one vector per kind, and its
// edges are ids. `Id<Tag>` is a 32-bit index with a type of its own, `IdVector<Id, T>` a vector
// that only that id indexes: a thread's number can never select an object by accident. A
// default-constructed id is "none".
//
//   using ThreadId = Id<struct ThreadTag>;
//   IdVector<ThreadId, Thread> threads;
//   ThreadId first = threads.push(Thread{...});
//   for (ThreadId id : threads.ids()) use(threads[id]);
//
// Left out: removal (ids stay valid for the vector's life) and bounds checks (`contains` is there
// for indices that come from outside). Cost: that of std::uint32_t and std::vector.
#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <initializer_list>
#include <iterator>
#include <limits>
#include <utility>
#include <vector>

namespace cml {

template <class Tag>
struct Id {
  static constexpr std::uint32_t kNone = std::numeric_limits<std::uint32_t>::max();

  std::uint32_t index = kNone;

  constexpr Id() = default;
  constexpr explicit Id(std::uint32_t value) : index(value) {}

  // From a container's size; the vectors of one model are far smaller than 2^32.
  [[nodiscard]] static constexpr Id of(std::size_t position) {
    return Id(static_cast<std::uint32_t>(position));
  }

  [[nodiscard]] constexpr bool valid() const { return index != kNone; }

  friend constexpr bool operator==(Id, Id) = default;
  friend constexpr auto operator<=>(Id, Id) = default;
};

// The ids first .. last-1 in order, without storing them.
template <class IdType>
class IdRange {
 public:
  class Iterator {
   public:
    using iterator_category = std::forward_iterator_tag;
    using value_type = IdType;
    using difference_type = std::ptrdiff_t;
    using pointer = const IdType*;
    using reference = IdType;

    constexpr Iterator() = default;
    constexpr explicit Iterator(std::uint32_t index) : index_(index) {}
    constexpr IdType operator*() const { return IdType(index_); }
    constexpr Iterator& operator++() {
      ++index_;
      return *this;
    }
    constexpr Iterator operator++(int) {
      Iterator before = *this;
      ++index_;
      return before;
    }
    friend constexpr bool operator==(Iterator, Iterator) = default;

   private:
    std::uint32_t index_ = 0;
  };

  constexpr IdRange(IdType first, IdType last) : first_(first.index), last_(last.index) {}
  [[nodiscard]] constexpr Iterator begin() const { return Iterator(first_); }
  [[nodiscard]] constexpr Iterator end() const { return Iterator(last_); }
  [[nodiscard]] constexpr std::size_t size() const { return last_ - first_; }
  [[nodiscard]] constexpr bool empty() const { return first_ == last_; }

 private:
  std::uint32_t first_;
  std::uint32_t last_;
};

template <class IdType, class T>
class IdVector {
 public:
  using value_type = T;
  using iterator = typename std::vector<T>::iterator;
  using const_iterator = typename std::vector<T>::const_iterator;
  using reference = typename std::vector<T>::reference;
  using const_reference = typename std::vector<T>::const_reference;

  IdVector() = default;
  explicit IdVector(std::size_t count) : items_(count) {}
  IdVector(std::size_t count, const T& value) : items_(count, value) {}
  IdVector(std::initializer_list<T> items) : items_(items) {}

  IdType push(T item) {
    const IdType id = next_id();
    items_.push_back(std::move(item));
    return id;
  }

  template <class... Args>
  IdType emplace(Args&&... args) {
    const IdType id = next_id();
    items_.emplace_back(std::forward<Args>(args)...);
    return id;
  }

  [[nodiscard]] reference operator[](IdType id) { return items_[id.index]; }
  [[nodiscard]] const_reference operator[](IdType id) const { return items_[id.index]; }

  [[nodiscard]] bool contains(IdType id) const { return id.index < items_.size(); }
  [[nodiscard]] std::size_t size() const { return items_.size(); }
  [[nodiscard]] bool empty() const { return items_.empty(); }

  // The id that the next push() will return.
  [[nodiscard]] IdType next_id() const { return IdType::of(items_.size()); }
  [[nodiscard]] IdRange<IdType> ids() const { return {IdType(0), next_id()}; }

  void reserve(std::size_t count) { items_.reserve(count); }
  void resize(std::size_t count) { items_.resize(count); }
  void resize(std::size_t count, const T& value) { items_.resize(count, value); }
  void clear() { items_.clear(); }

  [[nodiscard]] reference back() { return items_.back(); }
  [[nodiscard]] const_reference back() const { return items_.back(); }
  [[nodiscard]] iterator begin() { return items_.begin(); }
  [[nodiscard]] iterator end() { return items_.end(); }
  [[nodiscard]] const_iterator begin() const { return items_.begin(); }
  [[nodiscard]] const_iterator end() const { return items_.end(); }

  // The items as a plain vector, for algorithms that do not care about ids.
  [[nodiscard]] const std::vector<T>& items() const { return items_; }

  friend bool operator==(const IdVector&, const IdVector&) = default;

 private:
  std::vector<T> items_;
};

}  // namespace cml

template <class Tag>
struct std::hash<cml::Id<Tag>> {
  std::size_t operator()(cml::Id<Tag> id) const noexcept {
    return std::hash<std::uint32_t>{}(id.index);
  }
};
