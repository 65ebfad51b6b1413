#include "checker/reduction/static/set_cache.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <utility>
#include <variant>
#include <xxhash.h>

#include "ir/describe.h"
#include "support/mutation.h"

namespace cml::checker {
namespace {

constexpr std::size_t kMostPlaces = std::size_t{1} << 14;
constexpr std::size_t kMostBytes = std::size_t{4} << 20;
constexpr std::size_t kFewestPlaces = 64;  // else it is not worth its memory

/// Whether what a thread waits for at an operation depends on values.
class WaitsByValue {
 public:
  explicit WaitsByValue(const ir::Code& code) : code_(code) {}

  [[nodiscard]] bool at(ir::Pc pc) const {
    bool waits = false;
    bool by_value = false;
    ir::for_each_wait(code_.instructions[pc],
                      [&](const ir::Place& place, std::initializer_list<ir::Effect>) {
                        waits = true;
                        by_value = by_value || place.index.has_value();
                      });
    return waits ? by_value : !is_plain_guard(pc);
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

}  // namespace

SetCache::SetCache(std::unique_ptr<Reduction> reduction, const ir::Step& step,
                   const CandidateLocks* candidates)
    : reduction_(std::move(reduction)),
      layout_(step.layout()),
      candidates_(candidates),
      waits_by_value_(step.system()) {
  const ir::System& system = step.system();
  const auto add = [this](const ir::Field& field) {
    if (field.width != 0) fields_.push_back(field);
  };
  for (const ir::ThreadId id : system.threads.ids()) {
    if (!CML_MUTATION("sets-forget-where-threads-stand")) add(layout_.thread(id).location);
    const ir::Code& code = system.threads[id].code;
    const WaitsByValue waits(code);
    for (ir::Location at = ir::kFirstLocation; at < code.location_pc.size(); ++at)
      waits_by_value_.at(id, at) = waits.at(code.location_pc[at]) ? 1 : 0;
  }
  for (const ir::ObjectId id : system.objects.ids()) {
    if (system.objects[id].kind == ir::ObjectKind::Lock &&
        !CML_MUTATION("sets-forget-who-owns-locks"))
      add(layout_.object(id).fields[0]);
    if (layout_.object(id).init && !CML_MUTATION("sets-forget-initialisation"))
      add(*layout_.object(id).init);
  }
  for (const ir::Field& field : fields_)
    bytes_ += field.width;
  bytes_ += system.threads.size();
  if (candidates_ != nullptr) bytes_ += candidates_->state_bytes();
  key_.resize(bytes_);
  place_bytes_ = sizeof generation_ + bytes_ + system.threads.size();
  count_ = std::min(kMostPlaces, std::bit_floor(kMostBytes / place_bytes_));
  if (count_ < kFewestPlaces) count_ = 0;
  places_.resize(count_ * place_bytes_);
}

bool SetCache::find_key(const std::uint8_t* state, const std::vector<std::uint32_t>& actions) {
  std::uint8_t* to = key_.data();
  for (std::size_t thread = 0; thread < actions.size(); ++thread) {
    const std::uint32_t count = actions[thread];
    if (count > UINT8_MAX) return false;
    *to++ =
        CML_MUTATED("sets-forget-who-can-go", static_cast<std::uint8_t>(count), std::uint8_t{0});
    if (count > 0) continue;
    const auto id = ir::ThreadId::of(thread);
    if (waits_by_value_.at(id, location(layout_, state, id)) != 0 &&
        !CML_MUTATION("sets-forget-values-waited-for"))
      return false;
  }
  for (const ir::Field& field : fields_) {
    std::copy_n(state + field.offset, field.width, to);
    to += field.width;
  }
  if (candidates_ != nullptr) std::copy_n(state + layout_.size(), candidates_->state_bytes(), to);
  return true;
}

void SetCache::select(const std::uint8_t* state, const std::vector<std::uint32_t>& actions,
                      std::vector<bool>& chosen) {
  if (count_ == 0) return reduction_->select(state, actions, chosen);
  if (candidates_ != nullptr && candidates_->version() != version_) {
    version_ = candidates_->version();
    if (!CML_MUTATION("sets-forget-candidates"))
      ++generation_;  // there are fewer changes than it can count: each rules out a lock
  }
  if (!find_key(state, actions)) return reduction_->select(state, actions, chosen);
  std::uint8_t* const place =
      places_.data() + (XXH3_64bits(key_.data(), bytes_) & (count_ - 1)) * place_bytes_;
  std::uint8_t* const key = place + sizeof generation_;
  std::uint8_t* const threads = key + bytes_;
  if (std::memcmp(place, &generation_, sizeof generation_) == 0 &&
      std::equal(key_.begin(), key_.end(), key)) {
    chosen.resize(actions.size());
    for (std::size_t thread = 0; thread < actions.size(); ++thread)
      chosen[thread] = threads[thread] != 0;
    return;
  }
  reduction_->select(state, actions, chosen);
  std::memcpy(place, &generation_, sizeof generation_);
  std::copy(key_.begin(), key_.end(), key);
  for (std::size_t thread = 0; thread < actions.size(); ++thread)
    threads[thread] = chosen[thread] ? 1 : 0;
}

}  // namespace cml::checker
