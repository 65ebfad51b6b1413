// A rendezvous: a channel with no room, where a send and a receive are one transition that moves
// two threads (docs/reference.md, "Channels").
//
// The transition is that of the *active* thread: of the sender; or, where the sender waits, of who
// tries to receive (`tryRecv`, a `select` with a `default`). The other one, the *partner*, stands
// ready: at a `send` or `recv`, or at a `select` without a `default`. So each meeting is an action
// of one thread.
//
//   active    ──send──▶ its local computation ──▶ …   both halves belong to the transition; that of
//               ║                                      the partner comes last in the record, with
//   partner   ──recv──▶ its local computation ──▶ …   the choice kMet
//
// The choice of such an action says which of the thread's cases it is, whom it meets, and at which
// case of that one's `select`:
//
//   31   30 ─── 14      13 ─── 7       6 ─── 0
//   1    the partner    its own case   the partner's case
//
// Whichever half receives is executed first, so that what is passed on is always in somebody's
// slots.
#pragma once

#include <cstdint>
#include <optional>

#include "ir/exec/step.h"

namespace cml::ir {

/// The number of cases of a select at a rendezvous.
inline constexpr std::uint32_t kMaxMeetingCases = 127;

struct Meeting {
  std::uint32_t own = 0;  // case of the active thread's select, else 0
  ThreadId partner;
  std::uint32_t its = 0;  // case of the partner's select, else 0
};

/// Of the partner's part in a record: it cannot be executed by itself.
inline constexpr std::uint32_t kMet = UINT32_MAX - 1;

[[nodiscard]] constexpr bool is_meeting(std::uint32_t choice) {
  return choice >> 31 != 0 && choice < kMet;
}
[[nodiscard]] constexpr std::uint32_t choice_of(const Meeting& meeting) {
  return std::uint32_t{1} << 31 | meeting.partner.index << 14 | meeting.own << 7 | meeting.its;
}
[[nodiscard]] constexpr Meeting meeting_of(std::uint32_t choice) {
  return {choice >> 7 & kMaxMeetingCases, ThreadId(choice >> 14 & 0x1ffff),
          choice & kMaxMeetingCases};
}
/// The other thread that an action moves; invalid: none.
[[nodiscard]] constexpr ThreadId partner_of(Action action) {
  return is_meeting(action.choice) ? meeting_of(action.choice).partner : ThreadId();
}
/// Whether a thread is moved by an action.
[[nodiscard]] constexpr bool moves(Action action, ThreadId thread) {
  return action.thread == thread || partner_of(action) == thread;
}

/// Where the partner's part of a record begins; the number of micro-transitions if there is none.
[[nodiscard]] inline std::size_t partner_part(const Record& record) {
  std::size_t at = 0;
  while (at < record.micros.size() && record.micros[at].action.choice != kMet)
    ++at;
  return at;
}
/// Appends what the partner did to the record of the active thread.
void append(Record& record, const Record& part);
/// Makes `part` the part of a record that begins with this micro-transition and ends before the
/// other one. What says no micro-transition that it belongs to is in the first part.
void take_part(const Record& record, std::size_t begin, std::size_t end, Record& part);

}  // namespace cml::ir
