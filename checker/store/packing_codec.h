// PackingCodec: a stored state of bits. A field of the working state takes whole bytes, so that
// executing is fast; here it takes the bits that its range needs, one field behind the other.
//
//   working   │ location │ slot     │ owner of a lock │ …      a byte each, of which only the
//             │ ..1 0 1  │ .......1 │ ....... 0 1     │        low bits are ever used
//   stored    │ 1 0 1 1 0 1 …
//
// Eight bytes at once: the bits that count are gathered (pext), and scattered again (pdep); where
// the processor cannot do that, field by field. What monitors keep behind a state counts as it is.
//
// Cost: some ten instructions for each eight bytes of a working state. A state takes a third to
// half of the bytes (docs/performance.md). Not thread-safe: one per worker.
#pragma once

#include <cstdint>
#include <vector>

#include "checker/store/state_codec.h"
#include "ir/exec/state_layout.h"
#include "ir/system.h"

namespace cml::checker {

class PackingCodec {
 public:
  /// `bytes`: of a working state that count, the layout's and those behind them. Working states
  /// can be read, and written, up to the next ir::stride().
  PackingCodec(const ir::System& system, const ir::Layout& layout, std::size_t bytes);

  static constexpr bool kIsIdentity = false;
  [[nodiscard]] std::size_t size() const { return size_; }
  [[nodiscard]] std::size_t room() const { return size_ + sizeof(std::uint64_t); }
  [[nodiscard]] const std::uint8_t* encode(const std::uint8_t* working, std::uint8_t* to) const {
    gather_(*this, working, to);
    return to;
  }
  void decode(const std::uint8_t* stored, std::uint8_t* working);

  /// As where the processor cannot gather bits; for tests.
  void use_portable_code();

 private:
  /// Bits that lie side by side in a word.
  struct Run {
    std::uint64_t mask = 0;  // of the bits, shifted down
    std::uint8_t from = 0;   // in the word
    std::uint8_t to = 0;     // among the bits of the word that count
  };
  struct Word {
    std::uint64_t mask = 0;
    unsigned bits = 0;
    std::vector<Run> runs;
  };
  struct Portable;
  struct Native;
  template <class Bits>
  static void gather(const PackingCodec& codec, const std::uint8_t* working, std::uint8_t* to);
  template <class Bits>
  static void scatter(const PackingCodec& codec, const std::uint8_t* from, std::uint8_t* working);
  std::size_t size_ = 0;
  std::vector<Word> words_;           // of the working state
  std::vector<std::uint8_t> padded_;  // a stored state that can be read beyond its end
  void (*gather_)(const PackingCodec&, const std::uint8_t*, std::uint8_t*);
  void (*scatter_)(const PackingCodec&, const std::uint8_t*, std::uint8_t*);
};
static_assert(StateCodec<PackingCodec>);

}  // namespace cml::checker
