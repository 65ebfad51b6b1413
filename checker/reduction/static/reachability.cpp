// The roots and the fields to follow, the marks, and who meets whom.
#include "checker/reduction/static/reachability.h"

#include <algorithm>
#include <bit>
#include <optional>

#include "checker/stopped.h"
#include "ir/analysis/code_flow.h"
#include "ir/analysis/confined_classes.h"
#include "ir/analysis/live_references.h"
#include "ir/describe.h"
#include "support/mutation.h"

namespace cml::checker {

using ir::ClassId;
using ir::ObjectId;
using ir::ThreadId;

namespace {

constexpr std::size_t kMostThreads = 64;
constexpr std::uint32_t kLastBit = 63;
constexpr std::size_t kMostKeyBits = 1024;

bool refers(const ir::WordType& type) {
  return type.kind == ir::WordType::Kind::Reference && type.of.valid();
}

bool has_head(const ir::Object& object) {
  return object.kind == ir::ObjectKind::Channel || object.kind == ir::ObjectKind::Life;
}

/// Whether references get from thread to thread without being in any object: at a rendezvous.
bool passes_by(const ir::System& system) {
  return std::any_of(system.objects.begin(), system.objects.end(), [](const ir::Object& object) {
    return object.kind == ir::ObjectKind::Channel && object.capacity == 0 &&
           std::any_of(object.words.begin(), object.words.end(), refers) &&
           !CML_MUTATION("what-is-passed-at-a-rendezvous-is-reached-by-nobody-else");
  });
}

}  // namespace

Reachability::Reachability(const ir::System& system, const ir::Layout& layout,
                           const ir::Analyses& analyses, bool composed)
    : system_(system),
      layout_(layout),
      accesses_(analyses.accesses()),
      meeting_places_(analyses.visibility().meeting_places),
      composed_(composed),
      facts_(system) {
  const std::size_t threads = system.threads.size();
  if (system.classes.empty() || threads > kMostThreads || passes_by(system)) return;
  std::uint32_t first = 0;
  for (const ir::Class& decl : system.classes) {
    OfClass of;
    of.first = first;
    of.places = decl.places;
    first += decl.places;
    classes_.push(std::move(of));
  }
  add_references();
  find_what_counts();
  marks_.resize(first, 0);
  now_.resize(threads);
  pairs_.resize(threads * classes_.size(), 0);
  others_.resize(threads * classes_.size(), 0);
  is_coarse_ = others_.size() * threads > kMostKeyBits;
  key_.resize((others_.size() * (is_coarse_ ? 1 : threads) + 63) / 64, 0);
}

void Reachability::add_references() {
  for (const ThreadId id : system_.threads.ids()) {
    live_.push(ir::live_references(system_, system_.threads[id].code));
    arguments_.push({});
  }
  const auto number = [](std::vector<std::vector<ObjectId>>& all, std::vector<ObjectId> read) {
    if (all.size() <= kLastBit) {
      all.push_back(std::move(read));
    } else {
      all.back().insert(all.back().end(), read.begin(), read.end());
    }
    return static_cast<std::uint32_t>(all.size() - 1);
  };
  for (const ObjectId id : system_.objects.ids()) {
    const ir::Object& object = system_.objects[id];
    const std::vector<ir::Field>& fields = layout_.object(id).fields;
    const std::size_t words = object.words.size();
    const std::size_t head = has_head(object) ? 1 : 0;
    if (words == 0 || std::none_of(object.words.begin(), object.words.end(), refers)) continue;
    if (!object.owner.valid()) {
      std::uint32_t bit = 0;
      if (object.kind != ir::ObjectKind::Life) bit = number(read_globals_, {id});
      for (std::size_t i = head; i < fields.size(); ++i) {
        const ir::WordType& type = object.words[(i - head) % words];
        if (!refers(type)) continue;
        if (object.kind == ir::ObjectKind::Life)
          arguments_[object.thread].push_back({fields[i], 0, type.of, 0});
        else
          globals_.push_back({fields[i], 0, type.of, bit});
      }
      continue;
    }
    // The objects of a field lie at equal distances, those of place 0 first.
    if (object.position != 0) continue;
    const ir::Group& group = system_.groups[object.group];
    const ir::Class& of = system_.classes[object.owner];
    const std::uint32_t each = group.count / of.places;
    const ir::ObjectFields& next = layout_.object(of.places > 1 ? ObjectId(id.index + each) : id);
    std::vector<ObjectId> read;
    for (std::uint32_t place = 0; place < of.places; ++place)
      read.emplace_back(id.index + place * each);
    const std::uint32_t bit = number(read_fields_, std::move(read));
    for (std::size_t i = head; i < fields.size(); ++i) {
      const ir::WordType& type = object.words[(i - head) % words];
      if (refers(type))
        classes_[object.owner].references.push_back(
            {fields[i], next.fields[i].offset - fields[i].offset, type.of, bit});
    }
  }
}

// A class counts if a thread uses more of it than constants, or if it leads to one that counts; and
// if its objects are not confined to threads anyway.
void Reachability::find_what_counts() {
  const IdVector<ClassId, bool> confined = ir::confined_classes(system_);
  for (const ThreadId thread : system_.threads.ids())
    for (const ir::ObjectUse use : accesses_.all(thread)) {
      if (!use.object.valid()) continue;
      const ir::Object& object = system_.objects[use.object];
      if (object.owner.valid() && !object.is_constant && !confined[object.owner])
        classes_[object.owner].counts = true;
    }
  for (bool changed = true; changed;) {
    changed = false;
    for (OfClass& of : classes_)
      for (const Reference& reference : of.references) {
        if (of.counts || !classes_[reference.to].counts) continue;
        of.counts = changed = !CML_MUTATION("classes-lead-nowhere");
      }
  }
}

// ---- what is known of a location ---------------------------------------------------------------

/// A bit for each reference that the thread may read from there on, itself or by those that it
/// spawns.
std::uint64_t Reachability::readable(ThreadId thread, ir::Location at,
                                     const std::vector<std::vector<ObjectId>>& all) const {
  std::uint64_t result = 0;
  for (std::size_t i = 0; i < all.size(); ++i) {
    const bool may = std::any_of(all[i].begin(), all[i].end(), [&](ObjectId object) {
      const bool is_channel = system_.objects[object].kind == ir::ObjectKind::Channel;
      if (is_channel && CML_MUTATION("messages-reach-nothing")) return false;
      return accesses_.future(thread, at, {object, is_channel ? ir::Use::Receive : ir::Use::Read});
    });
    if (may) result |= std::uint64_t{1} << i;
  }
  return result;
}

const Reachability::Facts& Reachability::facts(ThreadId thread, ir::Location at) {
  std::unique_ptr<const Facts>& known = facts_.at(thread, at);
  if (known != nullptr) return *known;
  auto made = std::make_unique<Facts>();
  const ir::Code& code = system_.threads[thread].code;
  for (const ir::Slot slot : live_[thread][code.location_pc[at]]) {
    const ClassId to = code.slots[slot].type.of;
    if (to.valid() && classes_[to].counts)
      made->live.push_back({layout_.thread(thread).slots[slot], 0, to, 0});
  }
  made->globals = readable(thread, at, read_globals_);
  made->fields = readable(thread, at, read_fields_);
  made->used = used(thread, at);
  known = std::move(made);
  return *known;
}

// Goes through the code of the transition that begins there, with what may have been assigned since
// its beginning.
std::vector<Reachability::Named> Reachability::used(ThreadId thread, ir::Location at) const {
  const ir::Code& code = system_.threads[thread].code;
  std::vector<std::vector<bool>> assigned(code.instructions.size());  // empty: not reached
  std::vector<ir::Pc> work = {code.location_pc[at]};
  assigned[work.back()].resize(code.slots.size() + 1, false);
  std::vector<Named> result;
  std::vector<ir::Pc> next;
  const auto add = [&](const ir::Place& place, const std::vector<bool>& before) {
    const ir::Object& object = system_.objects[place.base];
    if (!object.owner.valid() || object.is_constant || !classes_[object.owner].counts) return;
    Named named{object.owner};
    if (!place.index) {
      named.is_fixed = true;
      named.place = object.position;
    } else {
      const std::optional<ir::Slot> slot = ir::slot_of_object(system_, code, place);
      named.is_any = !slot || (before[*slot] && !CML_MUTATION("slots-keep-their-references"));
      named.slot = slot.value_or(0);
    }
    const auto same = [&named](const Named& other) {
      if (other.of != named.of || other.is_any != named.is_any) return false;
      return named.is_any || (other.is_fixed == named.is_fixed && other.place == named.place &&
                              other.slot == named.slot);
    };
    if (std::none_of(result.begin(), result.end(), same)) result.push_back(named);
  };
  while (!work.empty()) {
    const ir::Pc pc = work.back();
    work.pop_back();
    const ir::Instruction& instruction = code.instructions[pc];
    ir::for_each_place(instruction, [&](const ir::Place& place, ir::Effects effects) {
      if (!ir::uses(effects).empty()) add(place, assigned[pc]);
    });
    std::vector<bool> after = assigned[pc];
    ir::for_each_assigned(instruction, [&after](ir::Slot slot) { after[slot] = true; });
    next.clear();
    ir::successors(code, pc, next);
    for (const ir::Pc to : next) {
      // Where others look for a partner, to arrive is a use.
      if (!CML_MUTATION("arrivals-reach-nothing"))
        meeting_places_.for_each(code.instructions[to],
                                 [&](const ir::Place& place) { add(place, after); });
      const ir::Location stop = code.pc_location[to];
      if (stop != 0 && (!composed_ || accesses_.visible(thread, stop) == ir::Visible::Always))
        continue;
      std::vector<bool>& there = assigned[to];
      const bool is_new = there.empty();
      if (is_new) there.resize(after.size(), false);
      bool changed = is_new;
      for (std::size_t i = 0; i < after.size(); ++i) {
        changed = changed || (after[i] && !there[i]);
        there[i] = there[i] || after[i];
      }
      if (changed) work.push_back(to);
    }
  }
  return result;
}

// ---- a state -----------------------------------------------------------------------------------

ThreadMask Reachability::readers(std::uint32_t field) const {
  ThreadMask result = 0;
  for (std::size_t thread = 0; thread < now_.size(); ++thread)
    if (now_[thread] != nullptr && (now_[thread]->fields >> field & 1) != 0)
      result |= ThreadMask{1} << thread;
  return result;
}

inline void Reachability::mark(ClassId of, std::int32_t place, ThreadMask by) {
  if (place <= 0) return;
  const OfClass& known = classes_[of];
  if (!known.counts) return;
  ThreadMask& marks = marks_[known.first + static_cast<std::uint32_t>(place)];
  if ((marks | by) == marks) return;
  const Place here{of, static_cast<std::uint32_t>(place)};
  if (marks == 0) marked_.push_back(here);
  marks |= by;
  if (!known.references.empty()) queue_.push_back(here);
}

void Reachability::follow(const std::uint8_t* state, std::uint64_t fields) {
  std::size_t done = 0;
  while (done < queue_.size()) {  // which gets longer
    const Place from = queue_[done++];
    const OfClass& of = classes_[from.of];
    const ThreadMask by = marks_[of.first + from.number];
    for (const Reference& reference : of.references) {
      if ((fields >> reference.number & 1) == 0) continue;
      ir::Field field = reference.field;
      field.offset += reference.stride * from.number;
      mark(reference.to, field.load(state),
           CML_MUTATED("fields-are-followed-for-those-who-read-them", by,
                       by & readers(reference.number)));
    }
  }
  queue_.clear();
}

void Reachability::look(const std::uint8_t* state) {
  for (const Place& place : marked_)
    marks_[classes_[place.of].first + place.number] = 0;
  marked_.clear();
  std::uint64_t fields = 0;
  std::uint64_t globals = 0;
  bool uses = false;
  for (const ThreadId thread : system_.threads.ids()) {
    const ir::Location at = location(layout_, state, thread);
    const Facts*& now = now_[thread.index];
    now = at < ir::kFirstLocation ? nullptr : &facts(thread, at);
    if (now == nullptr) continue;
    fields |= now->fields;
    globals |= now->globals;
    uses = uses || !now->used.empty();
  }
  if (!uses) return find_others(state);  // nobody asks
  for (const ThreadId thread : system_.threads.ids()) {
    const Facts* const now = now_[thread.index];
    if (now == nullptr) continue;
    const ThreadMask mine = ThreadMask{1} << thread.index;
    for (const Reference& slot : now->live) {
      if (CML_MUTATION("slots-reach-nothing")) break;
      mark(slot.to, slot.field.load(state), mine);
    }
    if (CML_MUTATION("arguments-reach-nothing")) continue;
    for (const Reference& argument : arguments_[thread])
      mark(argument.to, argument.field.load(state), mine);
  }
  for (const Reference& global : globals_) {
    if ((globals >> global.number & 1) == 0 || CML_MUTATION("globals-reach-nothing")) continue;
    const std::int32_t place = global.field.load(state);
    if (place <= 0) continue;
    ThreadMask readers = 0;
    for (std::size_t thread = 0; thread < now_.size(); ++thread)
      if (now_[thread] != nullptr && (now_[thread]->globals >> global.number & 1) != 0)
        readers |= ThreadMask{1} << thread;
    mark(global.to, place, readers);
  }
  follow(state, fields);
  find_others(state);
}

void Reachability::find_others(const std::uint8_t* state) {
  const std::size_t classes = classes_.size();
  const bool any = std::any_of(now_.begin(), now_.end(), [](const Facts* now) {
    return now != nullptr && std::any_of(now->used.begin(), now->used.end(),
                                         [](const Named& named) { return named.is_any; });
  });
  if (any) std::fill(pairs_.begin(), pairs_.end(), 0);
  for (const Place& place : marked_) {
    if (!any) break;
    const ThreadMask marks = marks_[classes_[place.of].first + place.number];
    if ((marks & (marks - 1)) == 0) continue;
    for (ThreadMask left = marks; left != 0; left &= left - 1)
      pairs_[static_cast<std::size_t>(std::countr_zero(left)) * classes + place.of.index] |= marks;
  }
  std::fill(others_.begin(), others_.end(), 0);
  std::fill(key_.begin(), key_.end(), 0);
  const std::size_t threads = now_.size();
  for (std::size_t thread = 0; thread < threads; ++thread) {
    if (now_[thread] == nullptr) continue;
    const ThreadMask mine = ThreadMask{1} << thread;
    for (const Named& named : now_[thread]->used) {
      const OfClass& of = classes_[named.of];
      ThreadMask& others = others_[thread * classes + named.of.index];
      if (named.is_any) {
        if (CML_MUTATION("what-is-read-on-the-way-is-reached-by-nobody")) continue;
        others |= pairs_[thread * classes + named.of.index] & ~mine;
        continue;
      }
      const std::uint32_t place =
          named.is_fixed ? named.place
                         : static_cast<std::uint32_t>(
                               layout_.thread(ThreadId::of(thread)).slots[named.slot].load(state));
      if (place < of.places) others |= marks_[of.first + place] & ~mine;
    }
    for (std::size_t of = 0; of < classes; ++of) {
      ThreadMask& others = others_[thread * classes + of];
      if (others == 0) continue;
      if (is_coarse_) others = ~mine;
      const std::size_t bit = (thread * classes + of) * (is_coarse_ ? 1 : threads);
      const std::uint64_t bits = is_coarse_ ? 1 : others;
      key_[bit / 64] |= bits << (bit % 64);
      if (!is_coarse_ && bit % 64 + threads > 64) key_[bit / 64 + 1] |= bits >> (64 - bit % 64);
    }
  }
}

}  // namespace cml::checker
