// At which rendezvous threads look for a partner who need not be there: `trySend`, `tryRecv`, a
// `select` with a `default`. There it matters when a thread has come to its `send` or `recv`: who
// looked before has found nobody. So the transition that ends there counts as a use of the channel
// (Effect::Arrive), and is visible.
//
// At others an arrival makes transitions possible, and none impossible.
#pragma once

#include <vector>

#include "ir/describe.h"
#include "ir/system.h"

namespace cml::ir {

class MeetingPlaces {
 public:
  explicit MeetingPlaces(const System& system);

  /// Whether there is any channel at which somebody looks.
  [[nodiscard]] bool any() const { return !is_looked_at_.empty(); }
  [[nodiscard]] bool is_looked_at(ObjectId channel) const {
    return any() && is_looked_at_[channel];
  }
  /// Calls `use(Place)` for the places of such channels at which a thread waits that stands here.
  template <class Use>
  void for_each(const Instruction& instruction, Use use) const;
  /// Whether control may get from an operation to such a place, by local computation alone.
  [[nodiscard]] bool arrives(const Code& code, Pc operation) const;

 private:
  [[nodiscard]] bool waits_at(const Instruction& instruction) const;

  IdVector<ObjectId, bool> is_looked_at_;  // empty: none
};

/// Whether a thread that is at this instruction may meet another one.
[[nodiscard]] bool meets(const Instruction& instruction);
/// The same of an operation, which may be a region.
[[nodiscard]] bool meets(const Code& code, Pc operation);
/// Whether any thread of the system may.
[[nodiscard]] bool has_rendezvous(const System& system);

template <class Use>
void MeetingPlaces::for_each(const Instruction& instruction, Use use) const {
  for_each_wait(instruction, [&](const Place& place, std::initializer_list<Awaited> all) {
    for (const Awaited one : all) {
      if (one != Awaited::Sender && one != Awaited::Receiver) continue;
      bool is_one = false;
      for_each_object(place, [&](ObjectId id) { is_one = is_one || is_looked_at(id); });
      if (is_one) use(place);
    }
  });
}

}  // namespace cml::ir
