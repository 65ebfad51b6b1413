// Happens-before, as part of the state: for each access that can still be in a race, the set of
// those who know of it (Elmas, Qadeer, Tasiran, "Goldilocks: A Race and Transaction-Aware Java
// Runtime", PLDI 2007).
//
// Members are the threads, and what threads synchronise with. For each checked object there is a
// set W, of those who know of its last write, and for each thread r that may read it a set R(r), of
// those who know of what r has read since:
//
//     a thread releases m, ups s, sends, writes an atomic …   who knows what the thread knows: + m
//     a thread acquires m, downs s, receives, reads …         who knows what m knows: + the thread
//     a thread spawns another, joins it, wakes it up          the same, of threads
//     t reads x     race unless t ∈ W;                     R(t) := {t}
//     t writes x    race unless t ∈ W, t ∈ R(r) for all r; W := {t}, R(r) := all
//
// So there are no clocks, and states that differ in what is long past are one. A set that holds all
// who could be in a race is the set of all. Where threads begin in the places of others, what those
// have read is kept in sets of nobody in particular, without those that hold another one: whoever
// knows of that one's reads knows of theirs, and that stays so. There is room for some; a search
// that needs more begins again. Members are:
//
//     each slot of a channel   a send knows what the receive that made room knew; the value takes
//                              what its sender knows to its receiver
//     a channel, once more     who receives since it is closed knows what the closer knew
//     a shared object, twice   if atomic blocks use it: they are ordered like transactions. A block
//                              learns what those that wrote the object knew, and one that writes it
//                              what those that read it knew
//
// An atomic block first gets to know, then accesses, and then tells: it is one transition.
//
// Cost: a synchronisation looks at each set. Immutable once built, but for scratch memory.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "checker/kept_sets.h"
#include "ir/exec/rendezvous.h"
#include "ir/exec/state_layout.h"
#include "ir/exec/step.h"
#include "ir/system.h"

namespace cml::checker {

/// An access, and an earlier one that nothing orders before it.
struct RacingAccess {
  ir::ObjectId object;
  ir::ThreadId thread;
  ir::Pc pc = 0;
  bool is_write = false;
  std::optional<ir::ThreadId> reader;  // none: the last write; invalid: one that is gone
};

/// Thrown where more is to be known of the reads of threads that are gone than there is room for.
struct NoRoomForReaders {};

class HappensBefore {
 public:
  /// What tells one thread what another one knows: a declaration (the number of its group), or one
  /// of kSpawn, kJoin and kNotify behind them.
  using Way = std::uint32_t;
  static constexpr Way kSpawn = 0, kJoin = 1, kNotify = 2, kWaysOfThreads = 3;

  /// `checked`: the objects whose accesses count. `room`: sets for the readers of an object that
  /// are gone. `points`: in executions, of which it is asked who knows of them. The system and the
  /// layout must outlive it.
  HappensBefore(const ir::System& system, const ir::Layout& layout,
                const IdVector<ir::ObjectId, bool>& checked, std::size_t room,
                std::size_t points = 0);

  /// Bytes that are stored behind each state.
  [[nodiscard]] std::size_t bytes() const { return bytes_; }
  [[nodiscard]] KeptSets kept() const;
  void initial(std::uint8_t* sets) const;
  /// Processes a transition between two states: `sets` are those after it. Calls
  /// `race(RacingAccess)`. Throws NoRoomForReaders.
  template <class Race>
  void transition(const std::uint8_t* before, const ir::Record& record, const std::uint8_t* after,
                  std::uint8_t* sets, Race race);

  [[nodiscard]] Way ways() const { return way_of_threads(kWaysOfThreads); }
  [[nodiscard]] std::string name(Way way) const;
  /// From now on it is noted which ways accesses to each object have been told by.
  void note_ways();
  [[nodiscard]] bool is_told_by(ir::ObjectId object, Way way) const;
  /// From now on this way orders nothing.
  void ignore(Way way);

  /// The point is here: where the thread has done what it has done so far.
  void set_point(std::size_t point, ir::ThreadId thread, std::uint8_t* sets) const;
  /// Whether the point, which is set, is ordered before what the thread does next.
  [[nodiscard]] bool knows(ir::ThreadId thread, std::size_t point, const std::uint8_t* sets) const;

 private:
  using Member = std::uint32_t;
  static constexpr Member kNone = UINT32_MAX;
  struct Reader {
    ir::ThreadId thread;
    std::size_t set = 0;  // where it begins
  };
  struct Checked {
    std::size_t set = 0;                  // W
    std::vector<Reader> readers;          // and R
    std::vector<std::size_t> gone;        // and those in whose places other threads have begun
    std::vector<std::uint8_t> accessors;  // sets of threads
    std::vector<std::uint8_t> writers;
  };
  /// The operations of one micro-transition.
  struct Micro {
    ir::ThreadId thread;
    std::uint32_t begin = 0;  // touches
    std::uint32_t end = 0;
    bool is_block = false;
  };

  void add_members(const std::vector<bool>& in_blocks);
  void add_checked(const IdVector<ir::ObjectId, bool>& checked, std::size_t room);
  [[nodiscard]] std::vector<bool> objects_in_blocks() const;
  /// Whether the thread has notified others.
  bool learn(const ir::Record& record, const Micro& micro, std::uint8_t* sets);
  void learn(const ir::Touch& touch, const Micro& micro, std::uint8_t* sets);
  void wake(const std::uint8_t* before, const std::uint8_t* after);
  void receive(const ir::Touch& touch, ir::ThreadId thread, std::uint8_t* sets);
  void meet(const ir::Record& record, std::uint8_t* sets);
  void tell(const ir::Record& record, const Micro& micro, std::uint8_t* sets);
  template <class Race>
  void access(const ir::Touch& touch, ir::ThreadId thread, std::uint8_t* sets, Race& race);
  void keep_reads(const Checked& one, ir::ThreadId gone, std::uint8_t* sets) const;
  /// Leaves out which of them hold another one, and sorts them.
  void tidy(const Checked& one, std::uint8_t* sets) const;
  [[nodiscard]] bool holds(const std::uint8_t* set, const std::uint8_t* other) const;
  void forget(ir::ObjectId instance, std::uint8_t* sets) const;

  [[nodiscard]] static bool has(const std::uint8_t* set, Member member) {
    return (set[member / 8] >> (member % 8) & 1) != 0;
  }
  static void add(std::uint8_t* set, Member member) {
    set[member / 8] |= static_cast<std::uint8_t>(1U << (member % 8));
  }
  static void remove(std::uint8_t* set, Member member) {
    set[member / 8] &= static_cast<std::uint8_t>(~(1U << (member % 8)));
  }
  [[nodiscard]] Way way_of_threads(Way way) const {
    return static_cast<Way>(system_.groups.size()) + way;
  }
  /// Between two members. `direct`: where both are threads.
  [[nodiscard]] Way way(Member from, Member to, Way direct) const;
  /// Who knew what `from` knows: and `to`.
  void pass_on(Member from, Member to, std::uint8_t* sets, Way direct = kSpawn) {
    const bool asks = !ignored_.empty() || !noted_.empty();
    pass_on_by(asks ? way(from, to, direct) : Way{}, from, to, sets);
  }
  void pass_on_by(Way way, Member from, Member to, std::uint8_t* sets);
  /// The sets of a checked object: they lie one behind the other.
  [[nodiscard]] static std::size_t count(const Checked& one) {
    return 1 + one.readers.size() + one.gone.size();
  }
  [[nodiscard]] bool is_all(const std::uint8_t* set) const;
  void set_all(std::uint8_t* set) const;
  /// Makes a set the one of all if it has all of these threads.
  void normalize(std::uint8_t* set, const std::vector<std::uint8_t>& threads) const;
  void only(std::uint8_t* set, Member member, const std::vector<std::uint8_t>& threads) const;

  const ir::System& system_;
  const ir::Layout& layout_;
  std::vector<ir::ObjectId> members_;     // invalid: a thread
  IdVector<ir::ObjectId, Member> first_;  // member of the object; kNone: there is none
  std::vector<std::uint8_t> all_;         // the set of all
  std::size_t set_bytes_ = 0;
  std::size_t bytes_ = 0;
  std::vector<Checked> checked_;
  IdVector<ir::ObjectId, std::uint32_t> index_;               // in checked_; kNone: it is not
  std::vector<const std::vector<std::uint8_t>*> threads_of_;  // by set: who could be in a race
  std::vector<std::vector<bool>> noted_;  // by set, way; empty: nothing is noted
  std::vector<bool> ignored_;             // by way; empty: none
  std::vector<std::uint8_t> everybody_;
  std::size_t points_ = 0;    // where their sets begin
  std::vector<Member> told_;  // scratch: those that the thread tells
};

template <class Race>
void HappensBefore::transition(const std::uint8_t* before, const ir::Record& record,
                               const std::uint8_t* after, std::uint8_t* sets, Race race) {
  for (std::size_t i = 0; i < record.micros.size(); ++i) {
    const ir::Micro& one = record.micros[i];
    if (i == 0) meet(record, sets);
    Micro micro;
    micro.thread = one.action.thread;
    micro.begin = one.touches;
    micro.end = static_cast<std::uint32_t>(
        i + 1 < record.micros.size() ? record.micros[i + 1].touches : record.touches.size());
    if (micro.begin == micro.end) continue;
    const ir::Code& code = system_.threads[micro.thread].code;
    micro.is_block = code.instructions[one.pc].opcode() == ir::Opcode::Atomic;
    if (learn(record, micro, sets)) wake(before, after);
    for (std::uint32_t touch = micro.begin; touch < micro.end; ++touch)
      access(record.touches[touch], micro.thread, sets, race);
    tell(record, micro, sets);
  }
  for (const Checked& one : checked_)
    if (!one.gone.empty()) tidy(one, sets);
}

template <class Race>
void HappensBefore::access(const ir::Touch& touch, ir::ThreadId thread, std::uint8_t* sets,
                           Race& race) {
  if (index_[touch.object] == kNone) return;
  if (touch.effect != ir::Effect::Read && touch.effect != ir::Effect::Write) return;
  const Checked& checked = checked_[index_[touch.object]];
  const bool is_write = touch.effect == ir::Effect::Write;
  RacingAccess found{touch.object, thread, touch.pc, is_write, std::nullopt};
  std::uint8_t* const written = sets + checked.set;
  if (!has(written, thread.index)) race(found);
  if (is_write) only(written, thread.index, checked.accessors);
  for (const Reader& reader : checked.readers) {
    std::uint8_t* const read = sets + reader.set;
    if (is_write) {
      if (!has(read, thread.index)) {
        found.reader = reader.thread;
        race(found);
      }
      set_all(read);
    } else if (reader.thread == thread) {
      only(read, thread.index, checked.writers);
    }
  }
  for (const std::size_t begin : checked.gone) {
    if (!is_write) break;
    if (!has(sets + begin, thread.index)) {
      found.reader = ir::ThreadId();
      race(found);
    }
    set_all(sets + begin);
  }
}

}  // namespace cml::checker
