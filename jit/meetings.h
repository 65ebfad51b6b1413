// Meetings at a rendezvous (ir/exec/rendezvous.h) that native code executes, and who can meet whom.
//
// That is so at a channel where no place is computed, no case has a guard, nobody only tries and
// nobody closes it. Then whom a thread can meet is told by the locations of the others alone:
//
//   P at L3: c.send(v)    W at L2: c.recv()    W at L5: select { case d.recv() … c.recv() }
//
//   meetings of P at L3  ──▶  W: L2 ──▶ its case 0,  L5 ──▶ its case 1
//
// and neither half can fail: what is sent is a local or a constant that was seen to fit, and fits
// what receives it. Everything else is left to the interpreter.
#pragma once

#include <vector>

#include "ir/analysis/analyses.h"
#include "ir/exec/rendezvous.h"
#include "ir/exec/state_layout.h"

namespace cml::jit {

/// The channels at which all meetings are such.
class PlainMeetings {
 public:
  explicit PlainMeetings(const ir::Analyses& analyses);

  /// Whether native code can execute the half of the thread that is at this instruction.
  [[nodiscard]] bool are_at(const ir::Instruction& instruction) const;
  /// Calls `use(ObjectId channel, bool sends, std::uint32_t its_case)`.
  template <class Use>
  static void for_each(const ir::Instruction& instruction, Use use);

 private:
  [[nodiscard]] bool fits(const ir::Instruction& instruction, ir::ThreadId thread) const;

  const ir::System& system_;
  IdVector<ir::ObjectId, bool> is_plain_;
};

/// Whom each thread can meet, by its location.
class MeetingTable {
 public:
  MeetingTable(const ir::System& system, const PlainMeetings& plain);

  /// Appends the choices of a thread at one of these, in the interpreter's order.
  template <class At>
  void add(ir::ThreadId thread, ir::Location from, At at, std::vector<ir::Action>& out) const;

 private:
  struct Partner {
    ir::ThreadId thread;
    ir::Location location = 0;
    std::uint32_t choice = 0;
  };
  IdVector<ir::ThreadId, std::vector<std::vector<Partner>>> partners_;  // by location
};

template <class Use>
void PlainMeetings::for_each(const ir::Instruction& instruction, Use use) {
  if (const auto* send = std::get_if<ir::Send>(&instruction.node)) {
    if (send->meets) use(send->channel.base, true, 0U);
  } else if (const auto* receive = std::get_if<ir::Receive>(&instruction.node)) {
    if (receive->meets) use(receive->channel.base, false, 0U);
  } else if (const auto* select = std::get_if<ir::Select>(&instruction.node)) {
    for (std::uint32_t i = 0; i < select->cases.size(); ++i)
      if (select->cases[i].meets)
        use(select->cases[i].place.base, select->cases[i].kind == ir::Select::Kind::Send, i);
  }
}

template <class At>
void MeetingTable::add(ir::ThreadId thread, ir::Location from, At at,
                       std::vector<ir::Action>& out) const {
  for (const Partner& partner : partners_[thread][from])
    if (at(partner.thread) == partner.location) out.push_back({thread, partner.choice});
}

}  // namespace cml::jit
