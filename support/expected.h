// Expected<T, E>: a value or the reason why there is none, in the manner of C++23's std::expected.
//
//   Expected<int, std::string> parse(std::string_view text) {
//     if (text.empty()) return Unexpected("nothing to parse");
//     return 42;
//   }
//   if (auto number = parse(text)) use(*number); else complain(number.error());
//
// Asking for the side that is not there throws std::bad_variant_access: a slip becomes an internal
// error reported by the outermost handler in app/, never undefined behaviour. Left out: the
// conversions between different Expected types and `value()`, whose exception would invite its use
// as control flow.
#pragma once

#include <concepts>
#include <functional>
#include <type_traits>
#include <utility>
#include <variant>

namespace cml {

template <class E>
class Unexpected {
 public:
  constexpr explicit Unexpected(E error) : error_(std::move(error)) {}

  [[nodiscard]] constexpr const E& error() const& { return error_; }
  [[nodiscard]] constexpr E& error() & { return error_; }
  [[nodiscard]] constexpr E&& error() && { return std::move(error_); }

 private:
  E error_;
};

template <class E>
Unexpected(E) -> Unexpected<E>;
Unexpected(const char*)->Unexpected<const char*>;

// What an Expected (named Self) of T takes as its value: not another Expected, which is copied or
// moved.
template <class U, class T, class Self>
concept ValueFor = std::convertible_to<U, T> && !std::same_as<std::remove_cvref_t<U>, Self>;

template <class T, class E>
class [[nodiscard]] Expected {
 public:
  using value_type = T;
  using error_type = E;

  constexpr Expected() requires std::default_initializable<T> : state_(std::in_place_index<0>) {}

  template <ValueFor<T, Expected> U = T>
  constexpr Expected(U&& value) : state_(std::in_place_index<0>, std::forward<U>(value)) {}

  template <class F>
  requires std::constructible_from<E, F&&>
  constexpr Expected(Unexpected<F> failure)
      : state_(std::in_place_index<1>, std::move(failure).error()) {}

  [[nodiscard]] constexpr bool has_value() const { return state_.index() == 0; }
  [[nodiscard]] constexpr explicit operator bool() const { return has_value(); }

  [[nodiscard]] constexpr T& operator*() & { return std::get<0>(state_); }
  [[nodiscard]] constexpr const T& operator*() const& { return std::get<0>(state_); }
  [[nodiscard]] constexpr T&& operator*() && { return std::get<0>(std::move(state_)); }
  [[nodiscard]] constexpr T* operator->() { return &std::get<0>(state_); }
  [[nodiscard]] constexpr const T* operator->() const { return &std::get<0>(state_); }

  [[nodiscard]] constexpr E& error() & { return std::get<1>(state_); }
  [[nodiscard]] constexpr const E& error() const& { return std::get<1>(state_); }
  [[nodiscard]] constexpr E&& error() && { return std::get<1>(std::move(state_)); }

  template <class U>
  [[nodiscard]] constexpr T value_or(U&& fallback) const& {
    return has_value() ? **this : static_cast<T>(std::forward<U>(fallback));
  }
  template <class U>
  [[nodiscard]] constexpr T value_or(U&& fallback) && {
    return has_value() ? *std::move(*this) : static_cast<T>(std::forward<U>(fallback));
  }

  // Goes on with `next(value)`, itself an Expected<_, E>, or passes the error along.
  template <class Next>
  [[nodiscard]] constexpr std::invoke_result_t<Next, T&&> and_then(Next&& next) && {
    if (!has_value()) return Unexpected<E>(std::get<1>(std::move(state_)));
    return std::invoke(std::forward<Next>(next), std::get<0>(std::move(state_)));
  }

  // Replaces the value by `change(value)`, or passes the error along.
  template <class Change>
  [[nodiscard]] constexpr Expected<std::invoke_result_t<Change, T&&>, E> transform(
      Change&& change) && {
    if (!has_value()) return Unexpected<E>(std::get<1>(std::move(state_)));
    return std::invoke(std::forward<Change>(change), std::get<0>(std::move(state_)));
  }

 private:
  std::variant<T, E> state_;
};

// Success without a value.
template <class E>
class [[nodiscard]] Expected<void, E> {
 public:
  using value_type = void;
  using error_type = E;

  constexpr Expected() = default;

  template <class F>
  requires std::constructible_from<E, F&&>
  constexpr Expected(Unexpected<F> failure)
      : state_(std::in_place_index<1>, std::move(failure).error()) {}

  [[nodiscard]] constexpr bool has_value() const { return state_.index() == 0; }
  [[nodiscard]] constexpr explicit operator bool() const { return has_value(); }

  [[nodiscard]] constexpr E& error() & { return std::get<1>(state_); }
  [[nodiscard]] constexpr const E& error() const& { return std::get<1>(state_); }
  [[nodiscard]] constexpr E&& error() && { return std::get<1>(std::move(state_)); }

 private:
  std::variant<std::monostate, E> state_;
};

}  // namespace cml
