#include "checker/reduction/property_reads.h"

#include <algorithm>

#include "ir/analysis/late_starts.h"
#include "ir/describe.h"
#include "support/mutation.h"

namespace cml::checker {
namespace {

/// All accesses of the code are reads: properties change nothing.
std::vector<ir::ObjectId> reads(const ir::Code& code) {
  std::vector<ir::ObjectId> result;
  for (const ir::Instruction& instruction : code.instructions)
    ir::for_each_place(instruction, [&](const ir::Place& place, ir::Effects) {
      ir::for_each_object(place, [&](ir::ObjectId object) { result.push_back(object); });
    });
  std::sort(result.begin(), result.end());
  result.erase(std::unique(result.begin(), result.end()), result.end());
  return result;
}

/// Changes of most objects depend on each other anyway; a send and a receive, or an `up` and a
/// `down`, may commute, and the states between them differ.
bool commutes(const ir::System& system, ir::ObjectId object) {
  const ir::ObjectKind kind = system.objects[object].kind;
  return (kind == ir::ObjectKind::Channel && !CML_MUTATION("properties-of-one-channel-dropped")) ||
         kind == ir::ObjectKind::Semaphore;
}

}  // namespace

PropertyReads::PropertyReads(const ir::System& system) : by_object_(system.objects.size()) {
  bool has_daemons = false;
  for (const ir::Thread& thread : system.threads) {
    // A daemon may spawn threads that are none.
    const auto& code = thread.code.instructions;
    is_daemon_.push(thread.is_daemon &&
                    std::none_of(code.begin(), code.end(), [](const ir::Instruction& one) {
                      return one.opcode() == ir::Opcode::Spawn;
                    }));
    has_daemons = has_daemons || thread.is_daemon;
  }
  for (const ir::Invariant& invariant : system.invariants) {
    const std::vector<ir::ObjectId> objects = reads(invariant.code);
    const bool orders_itself =
        objects.size() < 2 && std::none_of(objects.begin(), objects.end(),
                                           [&](ir::ObjectId id) { return commutes(system, id); });
    if (orders_itself) continue;
    for (const ir::ObjectId object : objects)
      by_object_[object].push_back(count_);
    ++count_;
  }
  if (!has_daemons) return;
  for (const ir::Invariant& final : system.finals) {
    for (const ir::ObjectId object : reads(final.code))
      by_object_[object].push_back(count_);
    // Like the end of a thread (at_end()), its start by a daemon.
    for (const ir::ObjectId life : ir::late_starts(system))
      by_object_[life].push_back(count_);
    finals_.push_back(count_++);
  }
}

}  // namespace cml::checker
