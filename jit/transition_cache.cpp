// Keys from the dependencies of locations, cached effects from pairs of executions.
#include "jit/transition_cache.h"

#include <algorithm>

#include "support/mutation.h"

namespace cml::jit {
namespace {

using ir::Field;

constexpr std::size_t kMostKeys = 4;
constexpr std::uint64_t kMostValues = 256;         // of one field
constexpr std::uint64_t kMostCombinations = 4096;  // of all
constexpr std::size_t kMostPlaces = std::size_t{1} << 20;
constexpr std::size_t kMostEffects = std::size_t{1} << 16;

bool has(const std::vector<Field>& fields, const Field& field) {
  return std::any_of(fields.begin(), fields.end(),
                     [&](const Field& other) { return other.offset == field.offset; });
}

}  // namespace

TransitionCache::TransitionCache(
    const ir::Layout& layout, std::size_t stride,
    const IdVector<ir::ThreadId, std::vector<LocationDependencies>>& location_dependencies)
    : layout_(layout),
      stride_(stride),
      dependencies_(location_dependencies),
      index_(1, kNever),
      effects_(1) {
  std::vector<std::size_t> first;  // of location_keys_, by thread
  for (const ir::ThreadId id : location_dependencies.ids()) {
    const Field& location = layout.thread(id).location;
    first.push_back(location_keys_.size());
    // A thread with very many locations has none with keys.
    for (std::size_t at = 0; at < location_dependencies[id].size() || at <= UINT8_MAX; ++at) {
      const bool is_known = location.width == 1 && at < location_dependencies[id].size();
      if (location.width == 1 && !is_known) break;
      add_keys(is_known ? location_dependencies[id][at] : LocationDependencies());
    }
  }
  for (const ir::ThreadId id : location_dependencies.ids())
    keys_of_.push({location_keys_.data() + first[id.index], layout.thread(id).location.offset});
}

std::vector<TransitionCache::ElementCacheKey> TransitionCache::keys(
    const LocationDependencies& dependencies) const {
  if (!dependencies.is_known ||
      dependencies.reads.size() + dependencies.reads_element.size() > kMostKeys)
    return {};
  std::vector<ElementCacheKey> keys;
  for (const Field& field : dependencies.reads) {
    keys.push_back({key(field)});
    for (const auto* elements : {&dependencies.reads_element, &dependencies.known_element})
      for (const LocationDependencies::Element& element : *elements)
        if (element.index.offset == field.offset)
          keys.back().key.limit = std::min(keys.back().key.limit, element.count);
  }
  for (const LocationDependencies::Element& element : dependencies.reads_element) {
    const std::optional<ElementCacheKey> key = this->key(element);
    if (!key) return {};
    keys.push_back(*key);
  }
  if (keys.empty()) keys.emplace_back();
  return keys;
}

void TransitionCache::add_keys(const LocationDependencies& dependencies) {
  LocationKeys location;
  location.key.limit = 0;
  location.first = static_cast<std::uint32_t>(index_.size());
  std::vector<ElementCacheKey> keys = this->keys(dependencies);
  if (keys.empty()) {
    location_keys_.push_back(location);
    return;
  }
  // Where there are too many combinations, the greatest values are left out.
  std::uint64_t places = 0;
  for (;;) {
    places = 1;
    for (const ElementCacheKey& one : keys)
      places *= one.key.limit;
    if (places <= kMostCombinations) break;
    ElementCacheKey& widest = *std::max_element(
        keys.begin(), keys.end(), [](const ElementCacheKey& a, const ElementCacheKey& b) {
          return a.key.limit < b.key.limit;
        });
    widest.key.limit = (widest.key.limit + 1) / 2;
  }
  if (index_.size() + places <= kMostPlaces) {
    index_.resize(index_.size() + places, kUnknown);
    location.key = keys[0].key;
    location.more = static_cast<std::uint32_t>(keys.size() - 1);
    location.first_more = static_cast<std::uint32_t>(more_keys_.size());
    more_keys_.insert(more_keys_.end(), keys.begin() + 1, keys.end());
  }
  location_keys_.push_back(location);
}

// Four bytes are loaded, which lie within the state: it is padded to whole blocks.
TransitionCache::Key TransitionCache::key(const Field& field) const {
  Key result;
  const auto last = static_cast<std::uint32_t>(stride_ - sizeof(std::uint32_t));
  result.offset = std::min(field.offset, last);
  result.shift = (field.offset - result.offset) * 8;
  result.mask = field.width == sizeof(std::uint32_t) ? ~0U : (1U << (field.width * 8U)) - 1;
  const auto values = static_cast<std::uint64_t>(std::int64_t{field.hi} - field.lo + 1);
  // Of a wide range the small numbers are the likely ones.
  const bool is_wide = values > kMostValues && field.lo < 0;
  result.base = is_wide ? static_cast<std::uint32_t>(-std::int64_t{field.lo}) : 0;
  result.limit = static_cast<std::uint32_t>(std::min(values, kMostValues));
  return result;
}

// The word that is loaded lies within the state for each of the elements.
std::optional<TransitionCache::ElementCacheKey> TransitionCache::key(
    const LocationDependencies::Element& element) const {
  const std::int64_t last =
      element.first.offset + element.stride * (std::int64_t{element.count} - 1);
  const std::int64_t highest = std::max<std::int64_t>(element.first.offset, last);
  const std::int64_t lowest = std::min<std::int64_t>(element.first.offset, last);
  const auto end = static_cast<std::int64_t>(stride_ - sizeof(std::uint32_t));
  const std::int64_t back = std::max<std::int64_t>(highest - end, 0);
  if (back > lowest) return std::nullopt;
  ElementCacheKey result{key(element.first), element.index.offset};
  result.key.offset = element.first.offset - static_cast<std::uint32_t>(back);
  result.key.shift = static_cast<std::uint32_t>(back) * 8;
  result.stride = static_cast<std::int32_t>(element.stride);
  return result;
}

bool TransitionCache::may_insert(ir::Action action, const std::uint8_t* state) const {
  return effects_.size() < kMostEffects && index_[place(action, state)] == kUnknown;
}

void TransitionCache::perturb(ir::Action action, const std::uint8_t* state,
                              std::uint8_t* other) const {
  std::memcpy(other, state, stride_);
  const LocationDependencies& dependencies = this->dependencies(action, state);
  const auto is_chosen = [&](const Field& field) {
    const auto chooses = [&](const LocationDependencies::Element& element) {
      return element.first.offset + state[element.index.offset] * element.stride == field.offset;
    };
    return std::any_of(dependencies.reads_element.begin(), dependencies.reads_element.end(),
                       chooses) ||
           std::any_of(dependencies.known_element.begin(), dependencies.known_element.end(),
                       chooses);
  };
  for (const Field& field : dependencies.writes) {
    if (has(dependencies.reads, field) || is_chosen(field) ||
        field.offset == keys_of_[action.thread].location)
      continue;
    if (!CML_MUTATION("cached-effects-of-one-state"))
      field.store(other, field.load(state) == field.lo ? field.lo + 1 : field.lo);
  }
}

void TransitionCache::insert(ir::Action action, const std::uint8_t* state,
                             const std::uint8_t* after, const std::uint8_t* other,
                             const std::uint8_t* other_after, bool ends_always) {
  CachedEffect effect;
  std::uint32_t& place = index_[this->place(action, state)];
  if (!make_effect(dependencies(action, state), {state, stride_}, {after, stride_},
                   {other, stride_}, {other_after, stride_}, effect)) {
    place = kNever;
    return;
  }
  place = kFirstEffect * static_cast<std::uint32_t>(effects_.size());
  if (ends_always) place |= kEndsAlways;
  effects_.push_back(effect);
}

bool TransitionCache::make_effect(const LocationDependencies& dependencies,
                                  std::span<const std::uint8_t> state,
                                  std::span<const std::uint8_t> after,
                                  std::span<const std::uint8_t> other,
                                  std::span<const std::uint8_t> other_after,
                                  CachedEffect& effect) const {
  std::vector<std::uint8_t> keep(stride_, 0xff);
  std::vector<std::uint8_t> set(stride_, 0);
  const auto sets = [&](const Field& field) {
    std::fill_n(keep.begin() + field.offset, field.width, std::uint8_t{0});
    std::copy_n(after.begin() + field.offset, field.width, set.begin() + field.offset);
  };
  const auto is_same = [](const Field& field, std::span<const std::uint8_t> a,
                          std::span<const std::uint8_t> b) {
    return field.load(a.data()) == field.load(b.data());
  };
  for (const Field& field : dependencies.writes) {
    const bool is_written = is_same(field, after, other_after);
    const bool is_kept = is_same(field, state, after) && is_same(field, other, other_after);
    if (!is_written && !is_kept) return false;
    if (is_written) sets(field);
  }
  for (const Field& field : dependencies.known_on_entry) {
    if (!is_same(field, after, other_after)) return false;
    sets(field);
  }
  std::size_t patches = 0;
  for (std::size_t at = 0; at < stride_; at += kBlock) {
    const auto from = static_cast<std::ptrdiff_t>(at);
    const bool is_changed = std::any_of(keep.begin() + from, keep.begin() + from + kBlock,
                                        [](std::uint8_t byte) { return byte != 0xff; });
    // Where states have few blocks, all of them are patches.
    if (!is_changed && stride_ > CachedEffect::kPatches * kBlock) continue;
    if (patches == CachedEffect::kPatches) return false;
    std::memcpy(&effect.patches[patches].keep, keep.data() + at, kBlock);
    std::memcpy(&effect.patches[patches].set, set.data() + at, kBlock);
    effect.at[patches++] = static_cast<std::uint32_t>(at);
  }
  for (std::size_t i = patches; i < CachedEffect::kPatches; ++i) {
    effect.patches[i] = effect.patches[0];
    effect.at[i] = effect.at[0];
  }
  return applies(effect, state, after) && applies(effect, other, other_after);
}

bool TransitionCache::applies(const CachedEffect& effect, std::span<const std::uint8_t> before,
                              std::span<const std::uint8_t> after) const {
  std::vector<std::uint8_t> out(stride_);
  apply<0>(effect, before.data(), stride_, out.data());
  return std::equal(out.begin(), out.begin() + static_cast<std::ptrdiff_t>(layout_.size()),
                    after.begin());
}

}  // namespace cml::jit
