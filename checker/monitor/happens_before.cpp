#include "checker/monitor/happens_before.h"

#include <algorithm>
#include <cstring>

#include "ir/describe.h"
#include "support/mutation.h"

namespace cml::checker {
namespace {

bool synchronizes(ir::ObjectKind kind) {
  switch (kind) {
    case ir::ObjectKind::Atomic:
    case ir::ObjectKind::Lock:
    case ir::ObjectKind::Semaphore:
    case ir::ObjectKind::Channel:
      return true;
    case ir::ObjectKind::Shared:
    case ir::ObjectKind::Life:       // the thread itself is a member
    case ir::ObjectKind::Condition:  // those who wait are
    case ir::ObjectKind::Instance:
    case ir::ObjectKind::History:
      return false;
  }
  return false;
}

}  // namespace

// ---- what there is -----------------------------------------------------------------------------

HappensBefore::HappensBefore(const ir::System& system, const ir::Layout& layout,
                             const IdVector<ir::ObjectId, bool>& checked, std::size_t room,
                             std::size_t points)
    : system_(system),
      layout_(layout),
      first_(system.objects.size(), kNone),
      index_(system.objects.size(), kNone) {
  if (points == 0 && std::find(checked.begin(), checked.end(), true) == checked.end()) return;
  everybody_.assign((system_.threads.size() + 7) / 8, 0);
  for (const ir::ThreadId thread : system_.threads.ids())
    add(everybody_.data(), thread.index);
  add_members(objects_in_blocks());
  add_checked(checked, room);
  points_ = bytes_;
  bytes_ += points * set_bytes_;
  threads_of_.resize(bytes_ / set_bytes_, &everybody_);
}

/// Whole declarations, so that the members of each object of a class are as many.
std::vector<bool> HappensBefore::objects_in_blocks() const {
  std::vector<bool> groups(system_.groups.size(), false);
  for (const ir::Thread& thread : system_.threads) {
    bool in_block = false;
    for (const ir::Instruction& instruction : thread.code.instructions) {
      if (instruction.opcode() == ir::Opcode::Atomic) in_block = true;
      if (instruction.opcode() == ir::Opcode::AtomicEnd) in_block = false;
      if (in_block)
        ir::for_each_place(instruction, [&](const ir::Place& place, ir::Effects) {
          ir::for_each_object(
              place, [&](ir::ObjectId id) { groups[system_.objects[id].group.index] = true; });
        });
    }
  }
  return groups;
}

void HappensBefore::add_members(const std::vector<bool>& in_blocks) {
  members_.resize(system_.threads.size());
  for (const ir::ObjectId id : system_.objects.ids()) {
    const ir::Object& object = system_.objects[id];
    const bool is_shared = object.kind == ir::ObjectKind::Shared && !object.is_constant;
    // That somebody waits to write is looked at by those who let him go first.
    if (object.kind == ir::ObjectKind::Atomic && object.read_of) continue;
    if (!synchronizes(object.kind) && !(is_shared && in_blocks[object.group.index])) continue;
    first_[id] = static_cast<Member>(members_.size());
    const bool is_channel = object.kind == ir::ObjectKind::Channel;
    // Behind the slots, whether it is closed; behind the writers of a shared object, its readers.
    members_.insert(members_.end(), is_channel ? object.capacity + 1 : is_shared ? 2 : 1, id);
  }
  set_bytes_ = (members_.size() + 7) / 8;
  all_.assign(set_bytes_, 0);
  for (Member member = 0; member < members_.size(); ++member)
    add(all_.data(), member);
}

void HappensBefore::add_checked(const IdVector<ir::ObjectId, bool>& checked, std::size_t room) {
  const std::size_t bytes = everybody_.size();
  const bool spawns = std::any_of(system_.threads.begin(), system_.threads.end(),
                                  [](const ir::Thread& thread) { return thread.is_spawned; });
  struct Users {
    std::vector<std::uint8_t> readers, writers;
  };
  IdVector<ir::ObjectId, Users> users(system_.objects.size());
  for (const ir::ObjectId id : system_.objects.ids())
    if (checked[id])
      users[id] = {std::vector<std::uint8_t>(bytes), std::vector<std::uint8_t>(bytes)};
  for (const ir::ThreadId thread : system_.threads.ids())
    for (const ir::Instruction& instruction : system_.threads[thread].code.instructions)
      ir::for_each_place(instruction, [&](const ir::Place& place, ir::Effects effects) {
        ir::for_each_object(place, [&](ir::ObjectId id) {
          if (!checked[id]) return;
          if (effects.contains(ir::Effect::Read)) add(users[id].readers.data(), thread.index);
          if (effects.contains(ir::Effect::Write)) add(users[id].writers.data(), thread.index);
        });
      });
  // As much is kept of each object of a class.
  for (const ir::Group& group : system_.groups) {
    if (group.count == 0 || !system_.objects[group.first].owner.valid()) continue;
    Users all{std::vector<std::uint8_t>(bytes), std::vector<std::uint8_t>(bytes)};
    for (const bool collects : {true, false})
      for (std::uint32_t i = 0; i < group.count; ++i) {
        Users& one = users[ir::ObjectId(group.first.index + i)];
        if (one.readers.empty()) continue;
        for (std::size_t byte = 0; byte < bytes && collects; ++byte) {
          all.readers[byte] |= one.readers[byte];
          all.writers[byte] |= one.writers[byte];
        }
        if (!collects) one = all;
      }
  }
  for (const ir::ObjectId id : system_.objects.ids()) {
    if (!checked[id]) continue;
    index_[id] = static_cast<std::uint32_t>(checked_.size());
    Checked& one = checked_.emplace_back();
    const auto new_set = [this] {
      const std::size_t begin = bytes_;
      bytes_ += set_bytes_;
      return begin;
    };
    one.set = new_set();
    bool is_reused = false;
    for (const ir::ThreadId thread : system_.threads.ids()) {
      if (!has(users[id].readers.data(), thread.index)) continue;
      one.readers.push_back({thread, new_set()});
      is_reused = is_reused || system_.threads[thread].is_reused;
    }
    for (std::size_t i = 0; i < room && is_reused; ++i)
      one.gone.push_back(new_set());
    one.writers = spawns ? everybody_ : users[id].writers;
    one.accessors = one.writers;
    for (std::size_t i = 0; i < bytes; ++i)
      one.accessors[i] |= users[id].readers[i];
  }
  threads_of_.resize(bytes_ / set_bytes_);
  for (const Checked& one : checked_) {
    threads_of_[one.set / set_bytes_] = &one.accessors;
    for (const Reader& reader : one.readers)
      threads_of_[reader.set / set_bytes_] = &one.writers;
    for (const std::size_t set : one.gone)
      threads_of_[set / set_bytes_] = &one.writers;
  }
}

KeptSets HappensBefore::kept() const {
  KeptSets result;
  result.set_bytes = set_bytes_;
  result.members = members_;
  for (const ir::ObjectId id : system_.objects.ids()) {
    if (index_[id] == kNone) continue;
    const Checked& one = checked_[index_[id]];
    result.parts.push_back({id, one.set, count(one) * set_bytes_});
  }
  for (std::size_t set = 0; set < bytes_; set += set_bytes_)
    result.sets.push_back(set);
  return result;
}

void HappensBefore::initial(std::uint8_t* sets) const {
  for (std::size_t set = 0; set < bytes_; set += set_bytes_)
    set_all(sets + set);
}

HappensBefore::Way HappensBefore::way(Member from, Member to, Way direct) const {
  ir::ObjectId object = members_[from].valid() ? members_[from] : members_[to];
  if (!object.valid()) return way_of_threads(direct);
  if (const auto& lock = system_.objects[object].read_of) object = *lock;
  return static_cast<Way>(system_.objects[object].group.index);
}

std::string HappensBefore::name(Way way) const {
  if (way == way_of_threads(kSpawn)) return "spawn";
  if (way == way_of_threads(kJoin)) return "join";
  if (way == way_of_threads(kNotify)) return "notify";
  const ir::Group& group = system_.groups[ir::GroupId(way)];
  // Blocks that use the object.
  if (system_.objects[group.first].kind == ir::ObjectKind::Shared) return "atomic";
  return group.name;
}

void HappensBefore::note_ways() {
  noted_.assign(threads_of_.size(), std::vector<bool>(ways(), false));
}

bool HappensBefore::is_told_by(ir::ObjectId object, Way way) const {
  if (index_[object] == kNone) return false;
  const Checked& one = checked_[index_[object]];
  const auto begin = static_cast<std::ptrdiff_t>(one.set / set_bytes_);
  return std::any_of(noted_.begin() + begin,
                     noted_.begin() + begin + static_cast<std::ptrdiff_t>(count(one)),
                     [way](const std::vector<bool>& ways) { return ways[way]; });
}

void HappensBefore::ignore(Way way) {
  ignored_.resize(ways(), false);
  ignored_[way] = true;
}

void HappensBefore::set_point(std::size_t point, ir::ThreadId thread, std::uint8_t* sets) const {
  only(sets + points_ + point * set_bytes_, thread.index, everybody_);
}

bool HappensBefore::knows(ir::ThreadId thread, std::size_t point, const std::uint8_t* sets) const {
  return has(sets + points_ + point * set_bytes_, thread.index);
}

// ---- sets --------------------------------------------------------------------------------------

bool HappensBefore::is_all(const std::uint8_t* set) const {
  return std::memcmp(set, all_.data(), set_bytes_) == 0;
}

void HappensBefore::set_all(std::uint8_t* set) const { std::memcpy(set, all_.data(), set_bytes_); }

void HappensBefore::normalize(std::uint8_t* set, const std::vector<std::uint8_t>& threads) const {
  for (std::size_t i = 0; i < threads.size(); ++i)
    if ((threads[i] & static_cast<std::uint8_t>(~set[i])) != 0) return;
  set_all(set);
}

void HappensBefore::only(std::uint8_t* set, Member member,
                         const std::vector<std::uint8_t>& threads) const {
  std::memset(set, 0, set_bytes_);
  add(set, member);
  normalize(set, threads);
}

void HappensBefore::pass_on_by(Way way, Member from, Member to, std::uint8_t* sets) {
  if (!ignored_.empty() && ignored_[way]) return;
  for (std::size_t i = 0; i < threads_of_.size(); ++i) {
    std::uint8_t* const set = sets + i * set_bytes_;
    if (!has(set, from) || has(set, to)) continue;
    add(set, to);
    if (!noted_.empty()) noted_[i][way] = true;
    if (to < system_.threads.size()) normalize(set, *threads_of_[i]);
  }
}

// ---- what a transition does --------------------------------------------------------------------

bool HappensBefore::learn(const ir::Record& record, const Micro& micro, std::uint8_t* sets) {
  told_.clear();
  bool notifies = false;
  // Who takes a reader-writer lock has seen that what would keep it from that is free.
  for (std::uint32_t i = micro.begin; i < micro.end; ++i) {
    if (record.touches[i].effect != ir::Effect::Take) continue;
    const ir::ObjectId taken = record.touches[i].object;
    const ir::Object& object = system_.objects[taken];
    if (!object.is_read_write && !object.read_of) continue;
    for (std::uint32_t k = micro.begin; k < micro.end; ++k) {
      const ir::ObjectId seen = record.touches[k].object;
      if (record.touches[k].effect != ir::Effect::Look) continue;
      const bool matters = object.is_read_write
                               ? seen == taken || system_.objects[seen].read_of == taken
                               : seen == *object.read_of;
      if (matters && !CML_MUTATION("readers-learn-nothing-of-writers"))
        pass_on(first_[seen], micro.thread.index, sets);
    }
  }
  for (std::uint32_t touch = micro.begin; touch < micro.end; ++touch) {
    learn(record.touches[touch], micro, sets);
    notifies = notifies ||
               (record.touches[touch].effect == ir::Effect::Notify &&
                system_.objects[record.touches[touch].object].kind == ir::ObjectKind::Condition);
  }
  return notifies;
}

// Who waited for a condition and was woken: to notify one is visible, so that no other operation of
// the transition has done it. Where the wait set is that of a lock, the lock orders them.
void HappensBefore::wake(const std::uint8_t* before, const std::uint8_t* after) {
  if (CML_MUTATION("who-is-woken-learns-nothing")) return;
  for (const ir::ThreadId thread : system_.threads.ids()) {
    if (layout_.wait_status(before, thread) != ir::WaitStatus::Waiting ||
        layout_.wait_status(after, thread) != ir::WaitStatus::Notified)
      continue;
    const ir::Code& code = system_.threads[thread].code;
    const ir::Pc pc = code.location_pc[location(layout_, before, thread)];
    const ir::Place* const set = ir::wait_set(code.instructions[pc].node);
    if (set != nullptr && system_.objects[set->base].kind == ir::ObjectKind::Condition)
      told_.push_back(thread.index);
  }
}

void HappensBefore::learn(const ir::Touch& touch, const Micro& micro, std::uint8_t* sets) {
  using enum ir::Effect;
  const Member thread = micro.thread.index;
  const Member member = first_[touch.object];
  const bool is_variable = system_.objects[touch.object].kind == ir::ObjectKind::Atomic;
  switch (touch.effect) {
    case Read:
    case Write:
    case Update:
      if (is_variable && member != kNone) {
        if (touch.effect != Write) pass_on(member, thread, sets);
        if (touch.effect != Read) told_.push_back(member);
      } else if (micro.is_block && member != kNone) {
        if (CML_MUTATION("blocks-are-not-ordered-by-shared-objects")) return;
        const bool is_write = touch.effect == Write;
        pass_on(member, thread, sets);
        if (is_write) pass_on(member + 1, thread, sets);
        told_.push_back(is_write ? member : member + 1);
      }
      return;
    case Take:
    case Down:
      if (!CML_MUTATION("who-comes-later-learns-nothing")) pass_on(member, thread, sets);
      return;
    case Give:
      if (!CML_MUTATION("a-release-tells-nothing")) told_.push_back(member);
      return;
    case Up:
      told_.push_back(member);
      return;
    case Send: {
      if (system_.objects[touch.object].capacity == 0) return;  // see meet()
      const Member slot = member + static_cast<Member>(touch.before);
      pass_on(slot, thread, sets);
      told_.push_back(slot);
      return;
    }
    case Receive:
      if (system_.objects[touch.object].capacity == 0) return;
      return receive(touch, micro.thread, sets);
    case Close:
      told_.push_back(member + system_.objects[touch.object].capacity);
      return;
    case Closed:  // nobody has told it anything while the channel is open
      return pass_on(member + system_.objects[touch.object].capacity, thread, sets);
    case Join: {  // a spawn looks as well whether the thread has ended
      const ir::Code& code = system_.threads[micro.thread].code;
      if (code.instructions[touch.pc].opcode() == ir::Opcode::Join)
        pass_on(system_.objects[touch.object].thread.index, thread, sets, kJoin);
      return;
    }
    case Spawn:
    case New:  // see tell()
    case Deepen:
    case Lessen:
    case Look:
    case Held:
    case EnterWait:
    case LeaveWait:
    case Notify:  // see wake()
    case DownFailed:
    case SendFailed:
    case ReceiveFailed:
    case Size:
    case Begin:
    case Finish:
    case Construct:
    case Invoke:
    case Respond:
    case Ready:
    case Arrive:
      return;
  }
}

// Where two threads meet, each learns what the other knew.
void HappensBefore::meet(const ir::Record& record, std::uint8_t* sets) {
  const ir::Action action = record.micros[0].action;
  const ir::ThreadId partner = ir::partner_of(action);
  if (!partner.valid() || bytes_ == 0) return;
  const auto is_meeting = [this](const ir::Touch& touch) {
    return (touch.effect == ir::Effect::Send || touch.effect == ir::Effect::Receive) &&
           system_.objects[touch.object].capacity == 0;
  };
  const ir::Touch* const at =
      std::find_if(record.touches.begin(), record.touches.end(), is_meeting);
  if (at == record.touches.end()) return;
  const auto way = static_cast<Way>(system_.objects[at->object].group.index);
  if (!CML_MUTATION("who-receives-learns-nothing"))
    pass_on_by(way, action.thread.index, partner.index, sets);
  if (!CML_MUTATION("who-sends-learns-nothing"))
    pass_on_by(way, partner.index, action.thread.index, sets);
}

// The values move up by a slot, and the one that becomes free is the last.
void HappensBefore::receive(const ir::Touch& touch, ir::ThreadId thread, std::uint8_t* sets) {
  const Member first = first_[touch.object];
  const Member last = first + system_.objects[touch.object].capacity - 1;
  if (!CML_MUTATION("a-receive-learns-nothing")) pass_on(first, thread.index, sets);
  for (std::size_t begin = 0; begin < bytes_; begin += set_bytes_) {
    std::uint8_t* const set = sets + begin;
    const bool front = has(set, first);
    for (Member slot = first; slot < last; ++slot)
      has(set, slot + 1) ? add(set, slot) : remove(set, slot);
    front ? add(set, last) : remove(set, last);
  }
  for (Member& told : told_)
    if (told >= first && told <= last) told = told == first ? last : told - 1;
  told_.push_back(last);
}

void HappensBefore::tell(const ir::Record& record, const Micro& micro, std::uint8_t* sets) {
  const Member thread = micro.thread.index;
  for (const Member member : told_)
    pass_on(thread, member, sets, kNotify);
  for (std::uint32_t i = micro.begin; i < micro.end; ++i) {
    const ir::Touch& touch = record.touches[i];
    if (touch.effect == ir::Effect::New) forget(touch.object, sets);
    if (touch.effect != ir::Effect::Spawn) continue;
    // Another thread begins in its place.
    const Member begun = system_.objects[touch.object].thread.index;
    for (const Checked& one : checked_)
      keep_reads(one, system_.objects[touch.object].thread, sets);
    for (std::size_t set = 0; set < bytes_; set += set_bytes_)
      if (!is_all(sets + set)) remove(sets + set, begun);
    if (!CML_MUTATION("a-spawned-thread-knows-nothing")) pass_on(thread, begun, sets, kSpawn);
  }
}

// The thread in whose place another one begins may have read what it must not be forgotten to have
// read.
void HappensBefore::keep_reads(const Checked& one, ir::ThreadId gone, std::uint8_t* sets) const {
  const auto reader = std::ranges::find(one.readers, gone, &Reader::thread);
  if (one.gone.empty() || reader == one.readers.end()) return;
  std::uint8_t* const read = sets + reader->set;
  if (!is_all(read) && !CML_MUTATION("who-is-gone-has-read-nothing")) {
    const auto room =
        std::ranges::find_if(one.gone, [&](std::size_t begin) { return is_all(sets + begin); });
    if (room == one.gone.end()) throw NoRoomForReaders();
    std::memcpy(sets + *room, read, set_bytes_);
    tidy(one, sets);
  }
  set_all(read);
}

// The set of all holds every other one, and says nothing.
void HappensBefore::tidy(const Checked& one, std::uint8_t* sets) const {
  std::uint8_t* const first = sets + one.gone.front();
  const auto is_none = [&](std::size_t i) { return is_all(first + i * set_bytes_); };
  std::size_t used = 0;  // they are in front, but for those that have become the set of all
  for (std::size_t i = 0; i < one.gone.size(); ++i)
    if (!is_none(i)) used = i + 1;
  if (used == 0) return;
  const auto is_known_better = [&](std::size_t set, std::size_t other) {
    return holds(first + set * set_bytes_, first + other * set_bytes_);
  };
  for (std::size_t i = 0; i < used; ++i)
    for (std::size_t other = 0; other < used && !is_none(i); ++other)
      if (other != i && !is_none(other) &&
          CML_MUTATED("whose-reads-fewer-know-of-is-forgotten", is_known_better(i, other),
                      is_known_better(other, i)))
        set_all(first + i * set_bytes_);
  // In one order, whoever was gone first.
  for (std::size_t i = 1; i < used; ++i)
    for (std::size_t at = i; at > 0; --at) {
      std::uint8_t* const set = first + at * set_bytes_;
      if (std::memcmp(set - set_bytes_, set, set_bytes_) <= 0) break;
      std::swap_ranges(set - set_bytes_, set, set);
    }
}

bool HappensBefore::holds(const std::uint8_t* set, const std::uint8_t* other) const {
  for (std::size_t i = 0; i < set_bytes_; ++i)
    if ((other[i] & static_cast<std::uint8_t>(~set[i])) != 0) return false;
  return true;
}

// The place is another object's from now on.
void HappensBefore::forget(ir::ObjectId instance, std::uint8_t* sets) const {
  const ir::Object& place = system_.objects[instance];
  const auto is_there = [&](ir::ObjectId id) {
    const ir::Object& object = system_.objects[id];
    return object.owner == place.owner && object.position == place.position;
  };
  for (const ir::ObjectId id : system_.objects.ids()) {
    if (index_[id] == kNone || !is_there(id)) continue;
    const Checked& one = checked_[index_[id]];
    set_all(sets + one.set);
    for (const Reader& reader : one.readers)
      set_all(sets + reader.set);
    for (const std::size_t set : one.gone)
      set_all(sets + set);
  }
  for (Member member = 0; member < members_.size(); ++member) {
    if (!members_[member].valid() || !is_there(members_[member])) continue;
    for (std::size_t set = 0; set < bytes_; set += set_bytes_)
      if (!is_all(sets + set)) remove(sets + set, member);
  }
}

}  // namespace cml::checker
