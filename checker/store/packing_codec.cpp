#include "checker/store/packing_codec.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <optional>
#include <utility>

#include "support/mutation.h"

namespace cml::checker {
namespace {

constexpr std::size_t kWord = sizeof(std::uint64_t);
constexpr unsigned kBits = 64;

std::uint64_t load(const std::uint8_t* from) {
  std::uint64_t result = 0;
  std::memcpy(&result, from, kWord);
  return result;
}
void store(std::uint64_t value, std::uint8_t* to) { std::memcpy(to, &value, kWord); }

/// Sets the bits of a state that a field uses.
void mark(const ir::Field& field, std::vector<std::uint8_t>& used) {
  const auto span = static_cast<std::uint32_t>(field.hi) - static_cast<std::uint32_t>(field.lo);
  const auto width = static_cast<unsigned>(std::bit_width(span));
  const unsigned bits =
      CML_MUTATED("packed-fields-lose-their-highest-bit", width, width - (width > 0 ? 1 : 0));
  for (unsigned bit = 0; bit < bits && bit < field.width * 8U; ++bit)
    used[field.offset + bit / 8] |= static_cast<std::uint8_t>(1U << (bit % 8));
}

/// All bits that can differ, byte by byte.
std::vector<std::uint8_t> used_bits(const ir::System& system, const ir::Layout& layout,
                                    std::size_t bytes) {
  std::vector<std::uint8_t> used((bytes + kWord - 1) / kWord * kWord, 0);
  const auto mark_if = [&used](const std::optional<ir::Field>& field) {
    if (field) mark(*field, used);
  };
  for (const ir::ThreadId id : system.threads.ids()) {
    const ir::ThreadFields& thread = layout.thread(id);
    mark(thread.location, used);
    mark_if(thread.wait);
    mark_if(thread.depth);
    mark_if(thread.opens);
    for (const ir::Field& slot : thread.slots)
      mark(slot, used);
  }
  for (const ir::ObjectId id : system.objects.ids()) {
    for (const ir::Field& field : layout.object(id).fields)
      mark(field, used);
    mark_if(layout.object(id).init);
    mark_if(layout.object(id).window);
  }
  std::fill(used.begin() + static_cast<std::ptrdiff_t>(layout.size()),
            used.begin() + static_cast<std::ptrdiff_t>(bytes),
            CML_MUTATED("what-monitors-keep-is-not-packed", std::uint8_t{0xFF}, std::uint8_t{0}));
  return used;
}

}  // namespace

struct PackingCodec::Portable {
  static std::uint64_t extract(std::uint64_t value, const Word& word) {
    std::uint64_t result = 0;
    for (const Run& run : word.runs)
      result |= (value >> run.from & run.mask) << run.to;
    return result;
  }
  static std::uint64_t deposit(std::uint64_t bits, const Word& word) {
    std::uint64_t result = 0;
    for (const Run& run : word.runs)
      result |= (bits >> run.to & run.mask) << run.from;
    return result;
  }
};

#if defined(__x86_64__)
// By their names: the program must run where they are missing, too.
struct PackingCodec::Native {
  static std::uint64_t extract(std::uint64_t value, const Word& word) {
    std::uint64_t result = 0;
    __asm__("pext %2, %1, %0" : "=r"(result) : "r"(value), "rm"(word.mask));
    return result;
  }
  static std::uint64_t deposit(std::uint64_t bits, const Word& word) {
    std::uint64_t result = 0;
    __asm__("pdep %2, %1, %0" : "=r"(result) : "r"(bits), "rm"(word.mask));
    return result;
  }
};
#endif

PackingCodec::PackingCodec(const ir::System& system, const ir::Layout& layout, std::size_t bytes) {
  const std::vector<std::uint8_t> used = used_bits(system, layout, bytes);
  std::size_t bits = 0;
  for (std::size_t at = 0; at < used.size(); at += kWord) {
    Word word;
    word.mask = load(used.data() + at);
    for (std::uint64_t left = word.mask; left != 0;) {
      const auto from = static_cast<unsigned>(std::countr_zero(left));
      const auto length = static_cast<unsigned>(std::countr_one(left >> from));
      const std::uint64_t mask = ~std::uint64_t{0} >> (kBits - length);
      word.runs.push_back(
          {mask, static_cast<std::uint8_t>(from), static_cast<std::uint8_t>(word.bits)});
      word.bits += length;
      left &= ~(mask << from);
    }
    bits += word.bits;
    words_.push_back(std::move(word));
  }
  size_ = std::max<std::size_t>((bits + 7) / 8, 1);
  padded_.resize(size_ + 2 * kWord);
  use_portable_code();
#if defined(__x86_64__)
  if (__builtin_cpu_supports("bmi2") != 0) {
    gather_ = gather<Native>;
    scatter_ = scatter<Native>;
  }
#endif
}

void PackingCodec::use_portable_code() {
  gather_ = gather<Portable>;
  scatter_ = scatter<Portable>;
}

// The bits of each word behind those of the one before; a word of them is written when it is full.
template <class Bits>
void PackingCodec::gather(const PackingCodec& codec, const std::uint8_t* working,
                          std::uint8_t* to) {
  std::uint64_t out = 0;
  unsigned filled = 0;
  for (const Word& word : codec.words_) {
    const std::uint64_t bits = Bits::extract(load(working), word);
    working += kWord;
    out |= bits << filled;
    filled += word.bits;
    if (filled < kBits) continue;
    store(out, to);
    to += kWord;
    filled -= kBits;
    const bool is_lost = CML_MUTATION("bits-that-do-not-fit-are-not-packed");
    out = filled == 0 || is_lost ? 0 : bits >> (word.bits - filled);
  }
  store(out, to);
}

template <class Bits>
void PackingCodec::scatter(const PackingCodec& codec, const std::uint8_t* from,
                           std::uint8_t* working) {
  std::size_t at = 0;  // in bits
  for (const Word& word : codec.words_) {
    const std::uint8_t* const begin = from + at / 8;
    const auto shift = static_cast<unsigned>(at % 8);
    std::uint64_t bits = load(begin) >> shift;
    if (shift != 0 && !CML_MUTATION("bits-of-the-ninth-byte-are-not-unpacked"))
      bits |= std::uint64_t{begin[kWord]} << (kBits - shift);
    store(Bits::deposit(bits, word), working);
    working += kWord;
    at += word.bits;
  }
}

void PackingCodec::decode(const std::uint8_t* stored, std::uint8_t* working) {
  std::copy_n(stored, size_, padded_.begin());
  scatter_(*this, padded_.data(), working);
}

}  // namespace cml::checker
