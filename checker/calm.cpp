// The two conditions, for each way between two locations.
#include "checker/calm.h"

#include <algorithm>
#include <optional>
#include <utility>
#include <variant>

#include "ir/analysis/control_flow.h"

namespace cml::checker {

using ir::Access;
using ir::Atom;
using ir::Location;
using ir::ThreadId;

namespace {

/// What enables those that this blocks.
std::optional<Access> way_back(Access access) {
  switch (access) {
    case Access::Take:
      return Access::Give;
    case Access::Down:
      return Access::Up;
    case Access::Send:
      return Access::Receive;
    case Access::Receive:
      return Access::Send;
    case Access::Write:
      return Access::Write;
    default:
      return std::nullopt;
  }
}

}  // namespace

Calm::Calm(const ir::System& system, const ir::StaticFacts& facts, bool composed)
    : system_(system), facts_(facts), composed_(composed), known_(system) {}

void Calm::prepare() {
  is_prepared_ = true;
  for (const ThreadId thread : system_.threads.ids()) {
    is_known_ = is_known_ && !facts_.accesses.is_merged(thread);
    edges_.push({});
    find_edges(thread);
  }
  find_waits();
}

// Every access that may block counts, and whatever a block with a guard reads.
void Calm::find_waits() {
  for (const ThreadId thread : system_.threads.ids()) {
    const auto waits_for = [&](Access access, ir::ObjectId object) {
      const auto [who, is_new] = awaited_by_.try_emplace({object, access}, thread);
      if (!is_new && who->second != thread) who->second = ThreadId();
    };
    const std::vector<ir::Instruction>& code = system_.threads[thread].code.instructions;
    for (ir::Pc pc = 0; pc < code.size(); ++pc) {
      ir::for_each_access(code[pc], [&](Atom atom) {
        if (const auto access = way_back(atom.access); access && atom.access != Access::Write)
          waits_for(*access, atom.object);
        if (atom.access == Access::EnterWait) waits_for(Access::Notify, atom.object);
      });
      const auto* block = std::get_if<ir::Atomic>(&code[pc].node);
      if (block == nullptr) continue;
      for (ir::Pc inside = pc + 1; inside < block->end; ++inside) {
        ir::for_each_access(code[inside], [&](Atom atom) {
          waits_for(Access::Write, atom.object);
          waits_for(Access::Send, atom.object);
          waits_for(Access::Receive, atom.object);
        });
      }
    }
  }
}

void Calm::find_edges(ThreadId thread) {
  const ir::Code& code = system_.threads[thread].code;
  std::vector<bool> seen;
  std::vector<ir::Pc> work;
  for (Location from = ir::kFirstLocation; from < code.location_pc.size(); ++from) {
    seen.assign(code.instructions.size(), false);
    work.clear();
    ir::successors(code, code.location_pc[from], work);
    while (!work.empty()) {
      const ir::Pc pc = work.back();
      work.pop_back();
      if (seen[pc]) continue;
      seen[pc] = true;
      if (code.instructions[pc].opcode() == ir::Opcode::End) {
        edges_[thread].push_back({from, ir::kEnded});
      } else if (const Location to = code.pc_location[pc]; to >= ir::kFirstLocation) {
        edges_[thread].push_back({from, to});
      } else {
        ir::successors(code, pc, work);
      }
    }
  }
}

bool Calm::is_awaited(ThreadId thread, Atom what) const {
  const auto found = awaited_by_.find(what);
  return found != awaited_by_.end() && found->second != thread;
}

bool Calm::may_own(ThreadId thread, Location at, ir::ObjectId lock) const {
  const ir::Code& code = system_.threads[thread].code;
  if (at != ir::kEnded) return facts_.held.perhaps(thread, code.location_pc[at], lock);
  for (ir::Pc pc = 0; pc < code.instructions.size(); ++pc)
    if (code.instructions[pc].opcode() == ir::Opcode::End && facts_.held.perhaps(thread, pc, lock))
      return true;
  return false;
}

bool Calm::is_calm(ThreadId thread, Edge edge, std::set<Atom>& needs) const {
  const bool ends = edge.to == ir::kEnded;
  const auto may = [&](Atom atom) {
    return !ends && facts_.accesses.future(thread, edge.to, atom);
  };
  for (const Atom taken : facts_.accesses.operation(thread, edge.from)) {
    const std::optional<Access> access = way_back(taken.access);
    if (!access) continue;
    const Atom back{taken.object, *access};
    if (may(back) || !is_awaited(thread, back)) continue;
    if (back.access == Access::Give) return false;
    needs.insert(back);
  }
  for (const Atom lost : facts_.accesses.future(thread, edge.from)) {
    if (may(lost) || !is_awaited(thread, lost)) continue;
    if (lost.access != Access::Give) {
      needs.insert(lost);
    } else if (may_own(thread, edge.to, lost.object)) {
      return false;
    }
  }
  return true;
}

void Calm::decide(ThreadId thread, Location location) {
  if (!is_prepared_) prepare();
  std::vector<Location> targets{location};
  std::set<Atom> needs;
  bool is_calm_here = is_known_;
  for (std::size_t i = 0; i < targets.size() && is_calm_here; ++i) {
    for (const Edge edge : edges_[thread]) {
      if (edge.to != targets[i]) continue;
      is_calm_here = is_calm_here && is_calm(thread, edge, needs);
      if (composed_ && std::find(targets.begin(), targets.end(), edge.from) == targets.end())
        targets.push_back(edge.from);
    }
  }
  if (composed_ && !needs.empty()) is_calm_here = false;
  std::uint32_t& known = known_.at(thread, location);
  known = is_calm_here ? kCalm : kPerhaps;
  if (!is_calm_here || needs.empty()) return;
  known = kNeeds + static_cast<std::uint32_t>(needs_.size());
  needs_.emplace_back(needs.begin(), needs.end());
}

}  // namespace cml::checker
