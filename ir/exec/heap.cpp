// Numbering, allocation, and the canonical form.
#include "ir/exec/heap.h"

#include <algorithm>
#include <cstring>

#include "support/mutation.h"

namespace cml::ir {

Heap::Heap(const System& system, const Layout& layout) : layout_(layout) {
  if (system.classes.empty()) return;
  std::uint32_t first = 0;
  for (const Class& decl : system.classes) {
    Places places;
    places.count = decl.places;
    places.first = first;
    first += decl.places;
    add_field(system, layout, system.groups[system.objects[decl.first].group], places);
    for (const GroupId group : decl.fields)
      add_field(system, layout, system.groups[group], places);
    classes_.push(std::move(places));
    used_.push(0);
  }
  numbers_.resize(first);
  for (const ThreadId id : system.threads.ids())
    if (const auto& opens = layout.thread(id).opens) opens_.emplace_back(id, *opens);
  add_roots(system, layout);
}

void Heap::add_roots(const System& system, const Layout& layout) {
  const auto add = [this](const WordType& type, const Field& field) {
    if (type.kind == WordType::Kind::Reference && type.of.valid())
      roots_.push_back({field, 0, type.of});
  };
  for (const ThreadId id : system.threads.ids()) {
    const std::vector<SlotInfo>& slots = system.threads[id].code.slots;
    for (std::size_t i = 0; i < slots.size(); ++i)
      add(slots[i].type, layout.thread(id).slots[i]);
  }
  for (const ObjectId id : system.objects.ids()) {
    const Object& object = system.objects[id];
    if (object.owner.valid()) continue;
    const std::vector<Field>& fields = layout.object(id).fields;
    const std::size_t words = object.words.size();
    const bool has_head = object.kind == ObjectKind::Channel || object.kind == ObjectKind::Life;
    for (std::size_t i = has_head ? 1 : 0; i < fields.size() && words > 0; ++i)
      add(object.words[(i - (has_head ? 1 : 0)) % words], fields[i]);
  }
}

// The objects of a field lie at equal distances, those of place 0 first.
void Heap::add_field(const System& system, const Layout& layout, const Group& group,
                     Places& places) {
  const std::uint32_t each = group.count / places.count;
  for (std::uint32_t k = 0; k < each; ++k) {
    const ObjectId id(group.first.index + k);
    const Object& object = system.objects[id];
    const ObjectFields& own = layout.object(id);
    const ObjectFields& next = layout.object(places.count > 1 ? ObjectId(id.index + each) : id);
    const auto add = [&](const Field& field, const Field& of_next) {
      if (field.width == 0) return;
      const std::uint32_t stride = of_next.offset - field.offset;
      std::vector<Bytes>& all = places.bytes;
      if (!all.empty() && all.back().offset + all.back().count == field.offset &&
          all.back().stride == stride)
        all.back().count += field.width;
      else
        all.push_back({field.offset, field.width, stride});
    };
    const bool has_head = object.kind == ObjectKind::Channel;
    for (std::size_t i = 0; i < own.fields.size(); ++i) {
      add(own.fields[i], next.fields[i]);
      const std::uint32_t stride = next.fields[i].offset - own.fields[i].offset;
      if (object.kind == ObjectKind::Lock && i == 0)
        places.owners.push_back({own.fields[0], stride});
      if (object.words.empty() || (has_head && i == 0)) continue;
      const WordType& word = object.words[(i - (has_head ? 1 : 0)) % object.words.size()];
      if (word.kind == WordType::Kind::Reference && word.of.valid())
        places.references.push_back({own.fields[i], stride, word.of});
    }
    if (own.window) {
      add(*own.window, *next.window);
      places.windows.push_back({*own.window, next.window->offset - own.window->offset});
    }
  }
}

void Heap::visit(ClassId of, std::int32_t place) {
  if (place <= 0) return;
  const auto number = static_cast<std::uint32_t>(place);
  std::uint32_t& there = numbers_[classes_[of].first + number];
  if (there != 0) return;
  there = ++used_[of];
  queue_.push_back({of, number});
}

void Heap::number(const std::uint8_t* state, std::span<const Held> held) {
  std::fill(numbers_.begin(), numbers_.end(), 0);
  for (const ClassId id : classes_.ids())
    used_[id] = 0;
  queue_.clear();
  std::size_t done = 0;
  const auto follow = [&] {
    for (; done < queue_.size(); ++done) {
      const Visited from = queue_[done];
      for (const Reference& reference : classes_[from.of].references)
        visit(reference.to, at(reference.field, reference.stride, from.place).load(state));
    }
  };
  for (const Reference& root : roots_) {
    if (root.field.width == 0 && root.field.lo == 0) continue;
    visit(root.to, root.field.load(state));
  }
  for (const Held& reference : held)
    visit(reference.to, reference.place);
  follow();
  for (const ClassId id : classes_.ids()) {
    for (const Owner& owner : classes_[id].owners)
      for (std::uint32_t place = 1; place < classes_[id].count; ++place)
        if (at(owner.field, owner.stride, place).load(state) != 0 &&
            !CML_MUTATION("objects-with-owned-locks-are-garbage"))
          visit(id, static_cast<std::int32_t>(place));
  }
  follow();
}

void Heap::move(ClassId of, const Bytes& bytes, const std::uint8_t* from, std::uint8_t* to) const {
  const Places& places = classes_[of];
  const std::uint8_t* const empty = from + bytes.offset;
  for (std::uint32_t place = used_[of] + 1; place < places.count; ++place)
    std::memcpy(to + bytes.offset + std::size_t{place} * bytes.stride, empty, bytes.count);
  for (std::uint32_t place = 1; place < places.count; ++place) {
    const std::uint32_t number = numbers_[places.first + place];
    if (number == 0) continue;
    std::memcpy(to + bytes.offset + std::size_t{number} * bytes.stride,
                from + bytes.offset + std::size_t{place} * bytes.stride, bytes.count);
  }
}

void Heap::rename(const std::uint8_t* from, std::uint8_t* to) const {
  std::memcpy(to, from, layout_.size());
  const auto renamed = [&](const Reference& reference, const Field& field) {
    const std::int32_t place = field.load(to);
    if (place <= 0) return;
    field.store(
        to, static_cast<std::int32_t>(number_of(reference.to, static_cast<std::uint32_t>(place))));
  };
  for (const ClassId id : classes_.ids()) {
    const Places& places = classes_[id];
    for (const Bytes& bytes : places.bytes)
      move(id, bytes, from, to);
    for (const Reference& reference : places.references)
      for (std::uint32_t place = 1; place <= used_[id]; ++place)
        renamed(reference, at(reference.field, reference.stride, place));
  }
  for (const Reference& root : roots_)
    if (root.field.width > 0) renamed(root, root.field);
  // The windows of objects that are gone are closed.
  for (const auto& [thread, opens] : opens_) {
    const auto mine = static_cast<std::int32_t>(thread.index) + 1;
    if (opens.load(to) != 0) opens.store(to, has_window(to, mine) ? 1 : 0);
  }
}

bool Heap::has_window(const std::uint8_t* state, std::int32_t mine) const {
  for (const ClassId id : classes_.ids())
    for (const Owner& window : classes_[id].windows)
      for (std::uint32_t place = 1; place <= used_[id]; ++place)
        if (at(window.field, window.stride, place).load(state) == mine) return true;
  return false;
}

void Heap::collect(std::uint8_t* state, std::span<const Held> held) {
  number(state, held);
  for (const ClassId id : classes_.ids()) {
    const Places& places = classes_[id];
    for (const Bytes& bytes : places.bytes)
      for (std::uint32_t place = 1; place < places.count; ++place)
        if (numbers_[places.first + place] == 0)
          std::memcpy(state + bytes.offset + std::size_t{place} * bytes.stride,
                      state + bytes.offset, bytes.count);
  }
}

// Threads look for a place from different ones on, so that two of them seldom take the same one:
// then what they do with their objects looks independent, as it is.
std::uint32_t Heap::allocate(std::uint8_t* state, ClassId of, ThreadId thread,
                             std::span<const Held> held) {
  collect(state, held);
  const Places& places = classes_[of];
  const std::uint32_t room = places.count - 1;
  if (room == 0 || used_[of] == room) return 0;
  const auto threads = static_cast<std::uint32_t>(layout_.threads());
  const std::uint32_t from =
      thread.valid() ? static_cast<std::uint32_t>(std::uint64_t{thread.index} * room / threads) : 0;
  std::uint32_t place = 0;
  for (std::uint32_t i = 0; i < room && place == 0; ++i) {
    const std::uint32_t candidate = 1 + (from + i) % room;
    if (numbers_[places.first + candidate] == 0) place = candidate;
  }
  if (!thread.valid()) return place;
  for (const Owner& window : places.windows)
    at(window.field, window.stride, place)
        .store(state, static_cast<std::int32_t>(thread.index) + 1);
  if (const auto& opens = layout_.thread(thread).opens; opens && !places.windows.empty())
    opens->store(state, 1);
  return place;
}

void Heap::close_windows(std::uint8_t* state, ThreadId thread) const {
  const auto& opens = layout_.thread(thread).opens;
  if (!opens || opens->load(state) == 0) return;
  opens->store(state, 0);
  const auto mine = static_cast<std::int32_t>(thread.index) + 1;
  for (const Places& places : classes_)
    for (const Owner& window : places.windows)
      for (std::uint32_t place = 1; place < places.count; ++place) {
        const Field field = at(window.field, window.stride, place);
        if (field.load(state) == mine) field.store(state, 0);
      }
}

}  // namespace cml::ir
