// StateCodec: between the working state, which Step executes on, and the stored one, which is
// compared and hashed as bytes. What a search stores and looks up goes through a codec, and what it
// expands comes back through it.
//
//   working   │ fields at fixed offsets │ what the monitors keep │       Step, monitors, reductions
//                │ encode        ▲ decode
//                ▼               │
//   stored    │ bytes, all that count, of one size │                    StateSet
//
//   IdentityCodec   the same bytes: encode() gives back what it was given, so that nothing is
//                   copied, and the compiler leaves out that there is a codec
//   PackingCodec    each field in the bits that it needs (packing_codec.h)
//
// Two working states are the same state iff their stored forms are equal. So this is where states
// that differ in identities alone become one: a codec for a heap or for spawned threads puts what
// can be reached in an order that does not depend on how it came about. It needs two things more
// that nobody needs today: stored states of several sizes (a StateSet with lengths), and the
// renaming that it used, as a second result of encode(), since what is kept beside a state by name
// (a sleep set) must be renamed likewise.
#pragma once

#include <concepts>
#include <cstdint>
#include <cstring>

namespace cml::checker {

template <class C>
concept StateCodec = requires(C& codec, const std::uint8_t* from, std::uint8_t* to) {
  /// encode() gives back what it was given, always.
  { C::kIsIdentity } -> std::convertible_to<bool>;
  /// Bytes of a stored state.
  { codec.size() } -> std::convertible_to<std::size_t>;
  /// Bytes that encode() may write to.
  { codec.room() } -> std::convertible_to<std::size_t>;
  /// The stored form of a working state: in `to`, or the working state itself.
  { codec.encode(from, to) } -> std::same_as<const std::uint8_t*>;
  /// From a stored state to the bytes of a working state that count.
  codec.decode(from, to);
};

class IdentityCodec {
 public:
  static constexpr bool kIsIdentity = true;
  explicit IdentityCodec(std::size_t size) : size_(size) {}
  [[nodiscard]] std::size_t size() const { return size_; }
  [[nodiscard]] static constexpr std::size_t room() { return 0; }
  [[nodiscard]] static const std::uint8_t* encode(const std::uint8_t* working, std::uint8_t*) {
    return working;
  }
  void decode(const std::uint8_t* stored, std::uint8_t* working) const {
    std::memcpy(working, stored, size_);
  }

 private:
  std::size_t size_;
};
static_assert(StateCodec<IdentityCodec>);

}  // namespace cml::checker
