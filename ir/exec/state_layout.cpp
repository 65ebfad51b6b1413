// Where each field of the working state lies (the drawing is in the header).
#include "ir/exec/state_layout.h"

#include <algorithm>
#include <bit>
#include <fmt/format.h>
#include <variant>

#include "frontend/model.h"
#include "ir/analysis/execution_bounds.h"
#include "ir/analysis/value_ranges.h"
#include "ir/describe.h"
#include "ir/value_text.h"
#include "support/mutation.h"

namespace cml::ir {
namespace {

class Allocator {
 public:
  Field field(std::int64_t lo, std::int64_t hi) {
    Field result;
    result.offset = static_cast<std::uint32_t>(size_);
    result.lo = static_cast<std::int32_t>(lo);
    result.hi = static_cast<std::int32_t>(hi);
    const std::int64_t span = hi - lo;
    result.width = static_cast<std::uint8_t>(span == 0 ? 0 : span < 256 ? 1 : span < 65536 ? 2 : 4);
    size_ += result.width;
    return result;
  }
  Field word(const WordType& type) { return field(type.lo, type.hi); }

  [[nodiscard]] std::size_t size() const { return size_; }

 private:
  std::size_t size_ = 0;
};

bool has(const Code& code, Opcode opcode) {
  return std::any_of(code.instructions.begin(), code.instructions.end(),
                     [opcode](const Instruction& i) { return i.opcode() == opcode; });
}

/// A field for the depth of a lock, which is at most `greatest`.
Field depth_field(Allocator& allocator, std::int32_t greatest) {
  return greatest <= 1 ? allocator.field(1, 1) : allocator.field(0, greatest);
}

/// How deep a lock can be owned: by declaration, since an index may select any of its locks.
class Depths {
 public:
  Depths(const System& system, const HeldLocks* held)
      : system_(system), greatest_(system.groups.size(), held == nullptr ? kMaxLockDepth : 0) {
    if (held == nullptr) return;
    for (const ThreadId thread : system.threads.ids()) {
      const Code& code = system.threads[thread].code;
      for (Pc pc = 0; pc < code.instructions.size(); ++pc)
        held->for_each(thread, pc, [&](ObjectId lock, LockDepth depth) {
          std::int32_t& greatest = greatest_[system.objects[lock].group];
          greatest = CML_MUTATED("no-lock-is-taken-twice",
                                 std::max<std::int32_t>(greatest, depth.greatest), 1);
        });
    }
  }
  [[nodiscard]] std::int32_t of(ObjectId lock) const {
    return greatest_[system_.objects[lock].group];
  }
  /// The greatest depth of the locks that the thread waits at.
  [[nodiscard]] std::int32_t waited_at(const Code& code) const {
    std::int32_t result = 0;
    for (const Instruction& instruction : code.instructions)
      if (const auto* wait = std::get_if<Wait>(&instruction.node))
        result = std::max(result, of(wait->lock.base));
    return result;
  }

 private:
  const System& system_;
  IdVector<GroupId, std::int32_t> greatest_;
};

/// Which objects a thread may ever change. Where an index selects among a declaration's objects,
/// they have the same layout: all of them may be changed; or none, if they are equal.
class Changes {
 public:
  Changes(const System& system, bool is_analysed)
      : system_(system),
        changed_(system.objects.size(), !is_analysed),
        chosen_(system.groups.size(), false) {
    if (!is_analysed) return;
    // Places of the heap change places in a state, and with them what refers to them.
    for (const ObjectId id : system.objects.ids())
      changed_[id] = refers(system.objects[id]);
    for (const Thread& thread : system.threads)
      look(thread.code);
    for (const Invariant& invariant : system.invariants)
      look(invariant.code);
    for (const Invariant& invariant : system.finals)
      look(invariant.code);
    for (const Property& property : system.properties)
      for (const Invariant& condition : property.conditions)
        look(condition.code);
    // Objects move from place to place, whoever chooses them.
    for (const Class& decl : system.classes)
      for (const GroupId field : decl.fields)
        chosen_[field] = true;
    for (const GroupId id : system.groups.ids())
      if (chosen_[id] && !CML_MUTATION("elements-that-an-index-chooses-differ"))
        make_alike(system.groups[id]);
  }
  [[nodiscard]] bool may(ObjectId id) const { return changed_[id]; }

 private:
  static bool refers(const Object& object) {
    for (std::size_t i = 0; i < object.initial.size() && i < object.words.size(); ++i)
      if (object.words[i].kind == WordType::Kind::Reference && object.initial[i] != 0) return true;
    return false;
  }

  void look(const Code& code) {
    for (const Instruction& instruction : code.instructions)
      for_each_place(instruction, [this](const Place& place, Effects effects) {
        if (place.index) chosen_[system_.objects[place.base].group] = true;
        const bool is_mistaken =
            effects.contains(Effect::Update) && CML_MUTATION("updates-change-nothing");
        if (only_look(effects) || is_mistaken) return;
        for_each_object(place, [&](ObjectId id) { changed_[id] = true; });
      });
  }

  void make_alike(const Group& group) {
    bool all_may = false;
    for (std::uint32_t i = 0; i < group.count; ++i) {
      const ObjectId id(group.first.index + i);
      all_may = all_may || changed_[id] ||
                system_.objects[id].initial != system_.objects[group.first].initial;
    }
    for (std::uint32_t i = 0; all_may && i < group.count; ++i)
      changed_[ObjectId(group.first.index + i)] = true;
  }

  const System& system_;
  IdVector<ObjectId, bool> changed_;
  IdVector<GroupId, bool> chosen_;  // by an index, somewhere
};

/// The largest value of a semaphore without `max`: its initial value, and one for each `up` that
/// can be executed. By declaration, since an index may select any of its semaphores.
class Amounts {
 public:
  Amounts(const System& system, const Analyses* analyses)
      : greatest_(system.groups.size(), analyses == nullptr ? kNoBound : 0) {
    if (analyses == nullptr) return;
    IdVector<ObjectId, std::uint64_t> amounts(system.objects.size(), 0);
    for (const ThreadId thread : system.threads.ids()) {
      const Code& code = system.threads[thread].code;
      for (Pc pc = 0; pc < code.instructions.size(); ++pc) {
        const auto* up = std::get_if<Up>(&code.instructions[pc].node);
        if (up == nullptr) continue;
        const std::uint64_t times =
            system.threads[thread].is_reused && !CML_MUTATION("threads-are-spawned-once")
                ? kNoBound
                : execution_bound(system, code, analyses->ranges(thread), pc).value_or(kNoBound);
        for_each_object(up->semaphore, [&](ObjectId id) {
          amounts[id] = std::min<std::uint64_t>(amounts[id] + times, kNoBound);
        });
      }
    }
    for (const ObjectId id : system.objects.ids()) {
      const Object& object = system.objects[id];
      if (object.kind != ObjectKind::Semaphore || object.initial.empty()) continue;
      std::uint64_t& greatest = greatest_[object.group];
      const auto first = static_cast<std::uint64_t>(std::max(object.initial[0], 0));
      greatest = std::max(greatest, std::min<std::uint64_t>(first + amounts[id], kNoBound));
    }
  }
  [[nodiscard]] std::int32_t of(const Object& semaphore) const {
    return semaphore.max.value_or(static_cast<std::int32_t>(greatest_[semaphore.group]));
  }

 private:
  static constexpr std::uint64_t kNoBound = INT32_MAX;
  IdVector<GroupId, std::uint64_t> greatest_;
};

Field location_field(Allocator& allocator, const Thread& thread) {
  const std::size_t locations =
      std::max<std::size_t>(thread.code.location_pc.size(), kFirstLocation);
  return allocator.field(0, static_cast<std::int64_t>(locations) - 1);
}

/// All but the location.
ThreadFields thread_fields(Allocator& allocator, const Thread& thread, const Depths& depths,
                           const ValueRanges* ranges) {
  ThreadFields result;
  if (has(thread.code, Opcode::New)) result.opens = allocator.field(0, 1);
  if (has(thread.code, Opcode::Wait)) {
    result.wait = allocator.field(0, static_cast<std::int64_t>(WaitStatus::Notified));
    result.depth = depth_field(allocator, depths.waited_at(thread.code));
  }
  // A slot is 0 before its variable is declared.
  for (Slot slot = 0; slot < thread.code.slots.size(); ++slot) {
    const WordType& type = thread.code.slots[slot].type;
    const std::int32_t lo = ranges != nullptr ? ranges->of(slot).lo : type.lo;
    const std::int32_t hi = ranges != nullptr ? ranges->of(slot).hi : type.hi;
    result.slots.push_back(allocator.field(std::min(lo, 0), std::max(hi, 0)));
  }
  return result;
}

/// The fields of an object that keeps its initial value.
ObjectFields fixed_fields(Allocator& allocator, const Object& object) {
  ObjectFields result;
  switch (object.kind) {
    case ObjectKind::Shared:
    case ObjectKind::Atomic:
    case ObjectKind::Semaphore:
      for (const std::int32_t value : object.initial)
        result.fields.push_back(allocator.field(value, value));
      break;
    case ObjectKind::Lock:
      result.fields.push_back(allocator.field(0, 0));
      result.fields.push_back(depth_field(allocator, 1));
      break;
    case ObjectKind::Condition:
    case ObjectKind::Channel:
    case ObjectKind::Life:
    case ObjectKind::Instance:
    case ObjectKind::History:
      break;
  }
  return result;
}

/// Whether it is a field that has an initialisation window.
bool has_window(const Object& object) {
  return object.kind == ObjectKind::Shared && object.owner.valid() && !object.is_constant;
}

ObjectFields object_fields(Allocator& allocator, const System& system, ObjectId id,
                           const Depths& depths, const Changes& changes, const Amounts& amounts) {
  const Object& object = system.objects[id];
  const bool is_fixed = object.kind != ObjectKind::Channel && object.kind != ObjectKind::Life &&
                        object.kind != ObjectKind::Instance && object.kind != ObjectKind::History;
  if (!changes.may(id) && !object.init_by && is_fixed) {
    ObjectFields fixed = fixed_fields(allocator, object);
    if (has_window(object))
      fixed.window = allocator.field(0, static_cast<std::int64_t>(system.threads.size()));
    return fixed;
  }
  ObjectFields result;
  switch (object.kind) {
    case ObjectKind::Shared:
    case ObjectKind::Atomic:
      for (const WordType& word : object.words)
        result.fields.push_back(allocator.word(word));
      if (object.init_by)
        result.init = allocator.field(0, static_cast<std::int64_t>(InitStatus::Initialised));
      if (has_window(object))
        result.window = allocator.field(0, static_cast<std::int64_t>(system.threads.size()));
      break;
    case ObjectKind::Lock:
      result.fields.push_back(allocator.field(0, static_cast<std::int64_t>(system.threads.size())));
      result.fields.push_back(depth_field(allocator, depths.of(id)));
      break;
    case ObjectKind::Condition:
      break;
    case ObjectKind::Semaphore:
      result.fields.push_back(allocator.field(0, amounts.of(object)));
      break;
    case ObjectKind::Channel:
      result.fields.push_back(allocator.field(0, object.may_be_closed
                                                     ? 2 * std::int64_t{object.capacity} + 1
                                                     : std::int64_t{object.capacity}));
      for (std::uint32_t element = 0; element < object.capacity; ++element)
        for (const WordType& word : object.words)
          result.fields.push_back(allocator.word(word));
      break;
    case ObjectKind::Life:  // behind the location of its thread
      for (const WordType& word : object.words)
        result.fields.push_back(allocator.field(std::min(word.lo, 0), std::max(word.hi, 0)));
      break;
    case ObjectKind::Instance:
      if (system.classes[object.owner].is_claimed)
        result.fields.push_back(
            allocator.field(0, static_cast<std::int64_t>(system.threads.size()) + 1));
      break;
    case ObjectKind::History:
      result.fields.push_back(allocator.field(0, INT32_MAX));
      break;
  }
  return result;
}

}  // namespace

Layout::Layout(const System& system, const Analyses* analyses)
    : lock_numbers_(system.objects.size()) {
  Allocator allocator;
  const Depths depths(system, analyses == nullptr ? nullptr : &analyses->held());
  const Changes changes(system, analyses != nullptr);
  for (const Thread& thread : system.threads)
    locations_.push(location_field(allocator, thread));
  for (const ThreadId id : system.threads.ids()) {
    threads_.push(thread_fields(allocator, system.threads[id], depths,
                                analyses == nullptr ? nullptr : &analyses->ranges(id)));
    threads_.back().location = locations_[id];
  }
  const Amounts amounts(system, analyses);
  for (const ObjectId id : system.objects.ids()) {
    const Object& object = system.objects[id];
    objects_.push(object_fields(allocator, system, id, depths, changes, amounts));
    if (object.kind == ObjectKind::Life)
      objects_[id].fields.insert(objects_[id].fields.begin(), locations_[object.thread]);
    if (object.kind == ObjectKind::Lock) {
      lock_numbers_[id] = static_cast<std::uint32_t>(locks_.size());
      locks_.push_back(id);
      owners_.push_back(objects_[id].fields[0]);
    }
  }
  for (const ObjectId lock : locks_)
    if (const auto of = system.objects[lock].read_of)
      readers_.push_back({lock_numbers_[lock], lock_numbers_[*of]});
  size_ = allocator.size();
}

bool Layout::owns_for(const std::uint8_t* state, ThreadId thread, ObjectId lock,
                      bool writes) const {
  if (owner(state, lock) == thread) return true;
  if (writes) return false;
  const std::uint32_t number = lock_numbers_[lock];
  return std::any_of(readers_.begin(), readers_.end(), [&](const Reader& reader) {
    return reader.of == number && owner(state, locks_[reader.lock]) == thread;
  });
}

void Layout::protecting(const std::uint64_t* held, bool writes, std::uint64_t* out) const {
  std::copy_n(held, lock_set_words(), out);
  for (const Reader& reader : readers_) {
    const std::uint64_t bit = std::uint64_t{1} << (reader.lock % 64);
    if ((out[reader.lock / 64] & bit) == 0) continue;
    out[reader.lock / 64] &= ~bit;
    if (!writes || CML_MUTATION("read-locks-protect-writes"))
      out[reader.of / 64] |= std::uint64_t{1} << (reader.of % 64);
  }
}

void Layout::initial(const System& system, std::uint8_t* state) const {
  std::memset(state, 0, size_);
  for (const ThreadId id : threads_.ids()) {
    const Code& code = system.threads[id].code;
    const bool begins = !code.pc_location.empty() && !system.threads[id].is_spawned;
    threads_[id].location.store(
        state, begins ? static_cast<std::int32_t>(code.pc_location[0]) : std::int32_t{kEnded});
    for (const Field& slot : threads_[id].slots)
      slot.store(state, 0);
  }
  for (const ObjectId id : objects_.ids()) {
    const Object& object = system.objects[id];
    const std::vector<Field>& fields = objects_[id].fields;
    if (object.kind == ObjectKind::Life) {
      for (std::size_t i = 1; i < fields.size(); ++i)
        fields[i].store(state, 0);
      continue;
    }
    if (object.kind == ObjectKind::Lock || object.kind == ObjectKind::Channel) continue;
    for (std::size_t i = 0; i < fields.size() && i < object.initial.size(); ++i)
      fields[i].store(state, object.initial[i]);
  }
}

void Layout::held(const std::uint8_t* state, ThreadId id, std::uint64_t* set) const {
  std::fill_n(set, lock_set_words(), 0);
  const auto owner = static_cast<std::int32_t>(id.index + 1);
  for (std::size_t i = 0; i < owners_.size(); ++i)
    if (owners_[i].load(state) == owner) set[i / 64] |= std::uint64_t{1} << (i % 64);
}

void Layout::add_locks(const std::uint64_t* set, std::vector<ObjectId>& out) const {
  for (std::size_t word = 0; word < lock_set_words(); ++word)
    for (std::uint64_t left = set[word]; left != 0; left &= left - 1)
      out.push_back(locks_[word * 64 + static_cast<std::size_t>(std::countr_zero(left))]);
}

// ---- values for people -------------------------------------------------------------------------

std::string word_text(const System& system, const WordType& type, std::int32_t value) {
  switch (type.kind) {
    case WordType::Kind::Bool:
      return value != 0 ? "true" : "false";
    case WordType::Kind::Enum: {
      if (!system.enums.contains(type.names)) break;
      const std::vector<std::string>& names = system.enums[type.names];
      const auto position = static_cast<std::size_t>(value);
      if (value >= 0 && position < names.size()) return names[position];
      break;
    }
    case WordType::Kind::Set:
      return model::set_text(value);
    case WordType::Kind::Thread:
      if (value == 0) return "null";
      if (const ThreadId id(static_cast<std::uint32_t>(value) - 1); system.threads.contains(id))
        return system.threads[id].name;
      break;
    case WordType::Kind::Reference:
      if (value == 0) return "null";
      if (system.classes.contains(type.of)) {
        const Class& decl = system.classes[type.of];
        const ObjectId id(decl.first.index + static_cast<std::uint32_t>(value));
        if (static_cast<std::uint32_t>(value) < decl.places) return system.objects[id].name;
      }
      break;
    case WordType::Kind::Int:
      break;
  }
  return fmt::format("{}", value);
}

std::string pattern_of(const System& system, const Object& object) {
  if (system.groups.contains(object.group) && !system.groups[object.group].pattern.empty())
    return system.groups[object.group].pattern;
  if (object.words.size() == 1) return "#";
  std::string pattern = "(";
  for (std::size_t i = 0; i < object.words.size(); ++i)
    pattern += i == 0 ? "#" : ", #";
  return pattern + ")";
}

namespace {

/// The words of a value from `first` on.
std::string words_text(const System& system, const Object& object, const std::vector<Field>& fields,
                       std::size_t first, const std::uint8_t* state) {
  std::vector<std::string> words;
  for (std::size_t i = 0; i < object.words.size(); ++i)
    words.push_back(word_text(system, object.words[i], fields[first + i].load(state)));
  return fill_pattern(pattern_of(system, object), words);
}

}  // namespace

std::string object_text(const System& system, const Layout& layout, const std::uint8_t* state,
                        ObjectId id) {
  const Object& object = system.objects[id];
  const std::vector<Field>& fields = layout.object(id).fields;
  switch (object.kind) {
    case ObjectKind::Shared:
    case ObjectKind::Atomic:
      return words_text(system, object, fields, 0, state);
    case ObjectKind::Semaphore:
      return fmt::format("{}", fields[0].load(state));
    case ObjectKind::Lock: {
      const ThreadId owner = layout.owner(state, id);
      if (!owner.valid()) return "free";
      const std::string& name = system.threads[owner].name;
      const std::int32_t depth = layout.lock_depth(state, id);
      return depth > 1 ? fmt::format("{} ({} deep)", name, depth) : name;
    }
    case ObjectKind::Channel: {
      std::string text = "[";
      const ChannelContent content = channel_content(object, fields[0].load(state));
      for (std::int32_t i = 0; i < content.count; ++i) {
        if (i > 0) text += ", ";
        const std::size_t first = 1 + static_cast<std::size_t>(i) * object.words.size();
        text += object.words.empty() ? "()" : words_text(system, object, fields, first, state);
      }
      return text + (content.is_closed ? "] closed" : "]");
    }
    case ObjectKind::Life:
      return fields[0].load(state) == std::int32_t{kEnded} ? "ended" : "alive";
    case ObjectKind::Condition:
    case ObjectKind::Instance:
    case ObjectKind::History:
      break;
  }
  return {};
}

}  // namespace cml::ir
