#include "checker/reduction/watched.h"

#include <algorithm>
#include <variant>

#include "ir/visibility.h"

namespace cml::checker {
namespace {

std::vector<ir::ObjectId> reads(const ir::Code& code) {
  std::vector<ir::ObjectId> result;
  for (const ir::Instruction& instruction : code.instructions)
    if (const auto* read = std::get_if<ir::Read>(&instruction.node))
      ir::for_each_object(read->place, [&](ir::ObjectId object) { result.push_back(object); });
  std::sort(result.begin(), result.end());
  result.erase(std::unique(result.begin(), result.end()), result.end());
  return result;
}

}  // namespace

Watched::Watched(const ir::System& system) : by_object_(system.objects.size()) {
  bool has_daemons = false;
  for (const ir::Thread& thread : system.threads) {
    is_daemon_.push(thread.is_daemon);
    has_daemons = has_daemons || thread.is_daemon;
  }
  for (const ir::Invariant& invariant : system.invariants) {
    const std::vector<ir::ObjectId> objects = reads(invariant.code);
    if (objects.size() < 2) continue;  // writes of one object depend on each other anyway
    for (const ir::ObjectId object : objects)
      by_object_[object].push_back(count_);
    ++count_;
  }
  if (!has_daemons) return;
  for (const ir::Invariant& final : system.finals) {
    for (const ir::ObjectId object : reads(final.code))
      by_object_[object].push_back(count_);
    finals_.push_back(count_++);
  }
}

}  // namespace cml::checker
