// A set of the values of a small enum, in one word.
#pragma once

#include <bit>
#include <cstdint>
#include <initializer_list>

namespace cml {

template <class Enum>
class EnumSet {
 public:
  constexpr EnumSet() = default;
  constexpr EnumSet(Enum one) : bits_(bit(one)) {}  // NOLINT(google-explicit-constructor)
  constexpr EnumSet(std::initializer_list<Enum> items) {
    for (const Enum item : items)
      bits_ |= bit(item);
  }

  [[nodiscard]] constexpr bool empty() const { return bits_ == 0; }
  [[nodiscard]] constexpr bool contains(Enum item) const { return (bits_ & bit(item)) != 0; }
  [[nodiscard]] constexpr bool meets(EnumSet other) const { return (bits_ & other.bits_) != 0; }
  [[nodiscard]] constexpr bool is_within(EnumSet other) const {
    return (bits_ & ~other.bits_) == 0;
  }
  [[nodiscard]] constexpr int size() const { return std::popcount(bits_); }
  /// The greatest of its values; of a set that is not empty.
  [[nodiscard]] constexpr Enum greatest() const {
    return static_cast<Enum>(std::bit_width(bits_) - 1);
  }
  /// Calls `use(Enum)` for each, ascending.
  template <class Use>
  constexpr void for_each(Use use) const {
    for (std::uint32_t rest = bits_; rest != 0; rest &= rest - 1)
      use(static_cast<Enum>(std::countr_zero(rest)));
  }

  friend constexpr EnumSet operator|(EnumSet a, EnumSet b) {
    a.bits_ |= b.bits_;
    return a;
  }
  friend constexpr EnumSet operator&(EnumSet a, EnumSet b) {
    a.bits_ &= b.bits_;
    return a;
  }
  friend constexpr bool operator==(EnumSet, EnumSet) = default;

 private:
  static constexpr std::uint32_t bit(Enum item) {
    return std::uint32_t{1} << static_cast<unsigned>(item);
  }
  std::uint32_t bits_ = 0;
};

}  // namespace cml
