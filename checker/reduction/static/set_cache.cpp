#include "checker/reduction/static/set_cache.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <utility>
#include <variant>

#define XXH_INLINE_ALL  // a key is hashed in fewer instructions than a call takes
#include <xxhash.h>

#include "ir/analysis/meeting_places.h"
#include "ir/describe.h"
#include "support/mutation.h"

namespace cml::checker {
namespace {

constexpr std::size_t kFirstPlaces = std::size_t{1} << 12;
constexpr std::size_t kMostBytes = std::size_t{32} << 20;
constexpr std::size_t kFewestPlaces = 64;  // else it is not worth its memory

/// Whether what a thread waits for at an operation depends on values.
class WaitsByValue {
 public:
  explicit WaitsByValue(const ir::Code& code) : code_(code) {}

  [[nodiscard]] bool at(ir::Pc pc) const {
    bool waits = false;
    bool by_value = false;
    ir::for_each_wait(code_.instructions[pc],
                      [&](const ir::Place& place, std::initializer_list<ir::Awaited>) {
                        waits = true;
                        by_value = by_value || place.index.has_value();
                      });
    if (const ir::Place* const set = ir::wait_set(code_.instructions[pc].node))
      by_value = by_value || set->index.has_value();
    if (waits) return by_value;
    // Nothing else blocks but a block.
    return code_.instructions[pc].opcode() == ir::Opcode::Atomic && !is_plain_guard(pc);
  }

 private:
  /// A block that reads the same objects whatever their values are, and then decides.
  [[nodiscard]] bool is_plain_guard(ir::Pc pc) const {
    const auto* block = std::get_if<ir::Atomic>(&code_.instructions[pc].node);
    if (block == nullptr) return false;
    struct Plain : ir::Description {
      bool result = true;
      void uses(const ir::Place& place, ir::Effects effects) {
        result = result && !place.index && ir::only_look(effects);
      }
      void goes_to(ir::Pc) { result = false; }
      void chooses() { result = false; }
    };
    Plain plain;
    for (++pc; pc < block->end && plain.result; ++pc) {
      if (code_.instructions[pc].opcode() == ir::Opcode::Guard) return true;
      ir::describe(code_.instructions[pc], plain);
    }
    return false;
  }

  const ir::Code& code_;
};

/// Whether an operation can have several actions.
bool may_choose(const ir::Instruction& instruction) {
  const auto& node = instruction.node;
  return std::holds_alternative<ir::Choose>(node) || std::holds_alternative<ir::Either>(node) ||
         std::holds_alternative<ir::Select>(node) || std::holds_alternative<ir::Notify>(node) ||
         std::holds_alternative<ir::Atomic>(node) || ir::meets(instruction);
}

// Odd, with bits everywhere.
constexpr std::uint64_t kFirstFactor = 0x9E3779B97F4A7C15;
constexpr std::uint64_t kSecondFactor = 0xD6E8FEB86659FD93;

/// A hash of two words: both halves of their product. A key is a few words, and what becomes of one
/// that meets another is only that both are computed anew.
std::uint64_t product(std::uint64_t a, std::uint64_t b) {
  __extension__ using Wide = unsigned __int128;
  const Wide product = Wide{a} * b;
  return static_cast<std::uint64_t>(product) ^ static_cast<std::uint64_t>(product >> 64);
}

std::size_t words_of(std::size_t bytes) { return (bytes + 7) / 8; }

}  // namespace

SetCache::SetCache(std::unique_ptr<SetAlgorithm> algorithm, const ir::Step& step,
                   const CandidateLocks* candidates)
    : algorithm_(std::move(algorithm)),
      layout_(step.layout()),
      candidates_(candidates),
      threads_(step.system().threads.size()),
      waits_by_value_(step.system()),
      may_wait_by_value_((threads_ + 63) / 64, 0),
      words_((threads_ + 63) / 64),
      counts_(threads_) {
  find_key_parts(step.system());
  bool has_counts = false;
  for (const ir::ThreadId id : step.system().threads.ids()) {
    const ir::Code& code = step.system().threads[id].code;
    has_counts =
        has_counts || std::any_of(code.instructions.begin(), code.instructions.end(), may_choose);
    const WaitsByValue waits(code);
    for (ir::Location at = ir::kFirstLocation; at < code.location_pc.size(); ++at) {
      if (!waits.at(code.location_pc[at])) continue;
      waits_by_value_.at(id, at) = 1;
      may_wait_by_value_[id.index / 64] |= std::uint64_t{1} << (id.index % 64);
    }
  }
  enabled_at_ = masked_.size() * (sizeof(Block) / sizeof(std::uint64_t));
  counts_at_ = enabled_at_ + words_;
  extra_at_ = counts_at_ + (has_counts ? words_of(threads_) : 0);
  const std::size_t extra = candidates_ == nullptr ? 0 : words_of(candidates_->state_bytes());
  heap_at_ = extra_at_ + extra;
  key_.resize(heap_at_ + algorithm_->heap_words(), 0);
  place_words_ = key_.size() + 1;
  most_ = std::bit_floor(kMostBytes / (place_words_ * sizeof(std::uint64_t)));
  if (most_ >= kFewestPlaces) make_places(std::min(kFirstPlaces, most_));
}

void SetCache::make_places(std::size_t count) {
  places_.assign(count * place_words_, 0);
  count_ = count;
  driven_out_ = 0;
}

void SetCache::find_key_parts(const ir::System& system) {
  std::vector<std::uint8_t> mask(ir::stride(layout_.size()), 0);
  const auto add = [&mask](const ir::Field& field) {
    std::fill_n(mask.begin() + field.offset, field.width, std::uint8_t{0xff});
  };
  if (!CML_MUTATION("sets-forget-where-threads-stand")) {
    for (const ir::ThreadId id : system.threads.ids())
      add(layout_.thread(id).location);
  }
  for (const ir::ObjectId id : system.objects.ids()) {
    if (system.objects[id].kind == ir::ObjectKind::Lock &&
        !CML_MUTATION("sets-forget-who-owns-locks"))
      add(layout_.object(id).fields[0]);
    if (layout_.object(id).init && !CML_MUTATION("sets-forget-initialisation"))
      add(*layout_.object(id).init);
  }
  for (std::size_t at = 0; at < mask.size(); at += kBlock) {
    const auto from = mask.begin() + static_cast<std::ptrdiff_t>(at);
    if (std::all_of(from, from + kBlock, [](std::uint8_t byte) { return byte == 0; })) continue;
    Masked part;
    part.offset = static_cast<std::uint32_t>(at);
    std::memcpy(&part.mask, mask.data() + at, kBlock);
    masked_.push_back(part);
  }
}

bool SetCache::any_waits_by_value(const std::uint8_t* state, std::span<const ir::Action> actions) {
  waiting_ = may_wait_by_value_;
  for (const ir::Action action : actions)
    waiting_[action.thread.index / 64] &= ~(std::uint64_t{1} << (action.thread.index % 64));
  for (std::size_t word = 0; word < waiting_.size(); ++word) {
    for (std::uint64_t rest = waiting_[word]; rest != 0; rest &= rest - 1) {
      const auto id =
          ir::ThreadId::of(word * 64 + static_cast<std::size_t>(std::countr_zero(rest)));
      if (waits_by_value_.at(id, location(layout_, state, id)) != 0 &&
          !CML_MUTATION("sets-forget-values-waited-for"))
        return true;
    }
  }
  return false;
}

inline bool SetCache::find_enabled(std::span<const ir::Action> actions) {
  std::uint64_t* const enabled = key_.data() + enabled_at_;
  std::uint64_t several = 0;  // threads that have several actions
  if (words_ == 1) {
    std::uint64_t all = 0;
    std::uint32_t choices = 0;
    for (const ir::Action action : actions) {
      const std::uint64_t bit = std::uint64_t{1} << action.thread.index;
      several |= all & bit;
      all |= bit;
      choices |= action.choice;
    }
    *enabled = all;
    enabled_alone_ = choices == 0 ? all : 0;
    return several != 0;
  }
  std::fill_n(enabled, words_, 0);
  for (const ir::Action action : actions) {
    std::uint64_t& word = enabled[action.thread.index / 64];
    const std::uint64_t bit = std::uint64_t{1} << (action.thread.index % 64);
    several |= word & bit;
    word |= bit;
  }
  return several != 0;
}

inline bool SetCache::find_counts(std::span<const ir::Action> actions, bool chooses) {
  if (extra_at_ == counts_at_) return !chooses;  // there is an action that stands for too many
  if (!chooses && !has_counts_) return true;
  std::fill_n(key_.data() + counts_at_, extra_at_ - counts_at_, 0);
  has_counts_ = chooses && !CML_MUTATION("sets-forget-how-many-actions-there-are");
  if (!has_counts_) return true;
  auto* const counts = reinterpret_cast<std::uint8_t*>(key_.data() + counts_at_);
  for (const ir::Action action : actions)
    if (++counts[action.thread.index] == UINT8_MAX) return false;
  return true;
}

inline bool SetCache::find_key(const std::uint8_t* state, std::span<const ir::Action> actions) {
  const bool chooses = find_enabled(actions);
  if (count_ == 0 || !find_counts(actions, chooses)) return false;
  if (CML_MUTATION("sets-forget-who-can-go"))
    std::fill_n(key_.data() + enabled_at_, extra_at_ - enabled_at_, 0);
  std::uint64_t hash = kFirstFactor;
  std::uint64_t* to = key_.data();
  for (const Masked& part : masked_) {
    Block block;
    std::memcpy(&block, state + part.offset, kBlock);
    block &= part.mask;
    std::memcpy(to, &block, kBlock);
    hash = product(block[0] ^ hash, block[1] ^ kSecondFactor);
    to += kBlock / sizeof *to;
  }
  if (extra_at_ != heap_at_ && !CML_MUTATION("sets-forget-what-the-discipline-stores"))
    std::memcpy(key_.data() + extra_at_, state + layout_.size(), candidates_->state_bytes());
  const std::size_t counts = has_counts_ ? counts_at_ : extra_at_;
  for (std::size_t word = enabled_at_; word < counts_at_; ++word)
    hash = product(key_[word] ^ hash, kSecondFactor);
  for (std::size_t word = counts; word < key_.size(); ++word)
    hash = product(key_[word] ^ hash, kSecondFactor);
  hash_ = hash;
  return true;
}

SetNumber SetCache::compute(const std::uint8_t* state, std::span<const ir::Action> actions) {
  std::fill(counts_.begin(), counts_.end(), 0);
  for (const ir::Action action : actions)
    ++counts_[action.thread.index];
  algorithm_->select(state, counts_, is_chosen_);
  const std::size_t begin = sets_.size();
  sets_.resize(begin + words_, 0);
  for (std::size_t thread = 0; thread < threads_; ++thread)
    if (is_chosen_[thread]) sets_[begin + thread / 64] |= std::uint64_t{1} << (thread % 64);
  const std::uint64_t hash = XXH3_64bits(sets_.data() + begin, words_ * sizeof(std::uint64_t));
  const auto [first, last] = by_hash_.equal_range(hash);
  for (auto known = first; known != last; ++known) {
    if (!std::equal(sets_.begin() + static_cast<std::ptrdiff_t>(begin), sets_.end(),
                    sets_.begin() + static_cast<std::ptrdiff_t>(known->second.index * words_)))
      continue;
    sets_.resize(begin);
    return known->second;
  }
  const auto number = SetNumber::of(begin / words_);
  by_hash_.emplace(hash, number);
  return number;
}

SetNumber SetCache::select(const std::uint8_t* state, std::span<const ir::Action> actions) {
  if (heap_at_ != key_.size()) {
    const std::span<const std::uint64_t> heap = algorithm_->look(state);
    if (!CML_MUTATION("sets-forget-who-can-reach-what"))
      std::copy(heap.begin(), heap.end(), key_.begin() + static_cast<std::ptrdiff_t>(heap_at_));
  }
  if (version() != version_) {
    version_ = candidates_->version();
    if (!CML_MUTATION("sets-forget-candidates"))
      ++generation_;  // there are fewer changes than it can count: each rules out a lock
  }
  if (!find_key(state, actions)) return compute(state, actions);
  std::uint64_t* const place = places_.data() + (hash_ & (count_ - 1)) * place_words_;
  std::uint64_t& value = place[key_.size()];
  std::uint64_t differs = value >> 32 ^ generation_;
  for (std::size_t word = 0; word < key_.size(); ++word)
    differs |= place[word] ^ key_[word];
  if (differs == 0) return SetNumber(static_cast<std::uint32_t>(value));
  const SetNumber set = compute(state, actions);
  // Whether a value is waited for is the same for all states with this key.
  if (any_waits_by_value(state, actions)) return set;
  if (value >> 32 == generation_ && ++driven_out_ > 2 * count_ && count_ < most_) {
    make_places(2 * count_);
    return set;
  }
  std::copy(key_.begin(), key_.end(), place);
  value = std::uint64_t{generation_} << 32 | set.index;
  return set;
}

std::uint64_t SetCache::memory() const {
  return (places_.size() + sets_.size()) * sizeof(std::uint64_t);
}

}  // namespace cml::checker
