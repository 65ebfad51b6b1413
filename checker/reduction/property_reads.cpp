#include "checker/reduction/property_reads.h"

#include <algorithm>

#include "ir/analysis/accesses.h"
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

PropertyReads::PropertyReads(const ir::System& system, Visits visits)
    : by_object_(system.objects.size()) {
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
  if (visits == Visits::EveryTrace) add_guards(system);
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

// A guard that reads one object, which nobody has to initialise, reads it in every state.
void PropertyReads::add_guards(const ir::System& system) {
  for (const ir::ThreadId thread : system.threads.ids()) {
    const ir::Code& code = system.threads[thread].code;
    for (ir::Location at = ir::kFirstLocation; at < code.location_pc.size(); ++at) {
      const ir::Pc pc = code.location_pc[at];
      const auto* block = std::get_if<ir::Atomic>(&code.instructions[pc].node);
      if (block == nullptr) continue;
      bool waits = false;
      bool is_checked = false;
      bool is_initialised = false;
      std::vector<ir::ObjectId> objects;
      for (ir::Pc inside = pc + 1; inside < block->end; ++inside) {
        const ir::Instruction& one = code.instructions[inside];
        waits = waits || one.opcode() == ir::Opcode::Guard;
        ir::for_each_use(one, [&](ir::ObjectUse use) {
          objects.push_back(use.object);
          const ir::Object& object = system.objects[use.object];
          is_checked = is_checked || object.kind == ir::ObjectKind::Shared;
          is_initialised = is_initialised || object.init_by.has_value();
        });
      }
      std::sort(objects.begin(), objects.end());
      objects.erase(std::unique(objects.begin(), objects.end()), objects.end());
      if (!waits || !is_checked || (objects.size() < 2 && !is_initialised)) continue;
      for (const ir::ObjectId object : objects)
        by_object_[object].push_back(count_);
      guards_[{thread.index, at}].push_back(count_++);
    }
  }
}

}  // namespace cml::checker
