// The two conditions, for each edge between two locations.
#include "checker/monitor/stuck_filter.h"

#include <algorithm>
#include <optional>
#include <utility>
#include <variant>

#include "ir/analysis/code_flow.h"
#include "support/mutation.h"

namespace cml::checker {

using ir::Location;
using ir::ObjectUse;
using ir::ThreadId;
using ir::Use;

namespace {

constexpr std::size_t kMostLooks = std::size_t{1}
                                   << 22;  // instructions visited for the edges of a thread

/// The uses that enable the threads which this one blocks.
ir::Uses inverse(Use use) {
  ir::Uses result;
  ir::disabled_by(use).for_each(
      [&result](Use blocked) { result = result | ir::enabling(blocked); });
  return result;
}

}  // namespace

StuckFilter::StuckFilter(const ir::System& system, const ir::Analyses& analyses, bool composed)
    : system_(system), analyses_(analyses), composed_(composed), known_(system) {}

// Every access that may block counts, and everything that a block with a guard reads.
void StuckFilter::find_waits() {
  is_prepared_ = true;
  for (const ThreadId thread : system_.threads.ids())
    is_known_ = is_known_ && !analyses_.accesses().is_merged(thread);
  for (const ThreadId thread : system_.threads.ids()) {
    const auto waits_for = [&](Use use, ir::ObjectId object) {
      ir::enabling(use).for_each([&](Use by) {
        const auto [who, is_new] = awaited_by_.try_emplace({object, by}, thread);
        if (!is_new && who->second != thread) who->second = ThreadId();
      });
    };
    const std::vector<ir::Instruction>& code = system_.threads[thread].code.instructions;
    for (ir::Pc pc = 0; pc < code.size(); ++pc) {
      ir::for_each_use(code[pc], [&](ObjectUse what) {
        if (!ir::looks(what.use)) waits_for(what.use, what.object);
      });
      const auto* block = std::get_if<ir::Atomic>(&code[pc].node);
      if (block == nullptr) continue;
      for (ir::Pc inside = pc + 1; inside < block->end; ++inside) {
        ir::for_each_use(code[inside], [&](ObjectUse what) {
          if (!CML_MUTATION("filter-beside-a-guard")) waits_for(Use::Read, what.object);
          waits_for(Use::Observe, what.object);
          if (what.use == Use::Look && !CML_MUTATION("filter-beside-a-look-at-a-lock"))
            waits_for(Use::Take, what.object);  // until it is free
        });
      }
    }
  }
}

std::optional<std::vector<StuckFilter::Edge>> StuckFilter::find_edges(ThreadId thread) const {
  const ir::Code& code = system_.threads[thread].code;
  std::vector<Edge> edges;
  std::vector<Location> seen_from(code.instructions.size(), 0);
  std::vector<ir::Pc> work;
  std::size_t looks = 0;
  for (Location from = ir::kFirstLocation; from < code.location_pc.size(); ++from) {
    work.clear();
    ir::successors(code, code.location_pc[from], work);
    while (!work.empty()) {
      if (++looks > kMostLooks) return std::nullopt;
      const ir::Pc pc = work.back();
      work.pop_back();
      if (seen_from[pc] == from) continue;
      seen_from[pc] = from;
      if (code.instructions[pc].opcode() == ir::Opcode::End) {
        edges.push_back({from, ir::kEnded});
      } else if (const Location to = code.pc_location[pc]; to >= ir::kFirstLocation) {
        edges.push_back({from, to});
      } else {
        ir::successors(code, pc, work);
      }
    }
  }
  return edges;
}

std::vector<bool> StuckFilter::followers(const std::vector<Edge>& edges, std::vector<bool> from) {
  // Edges are in the order of where they begin.
  std::vector<Location> work;
  for (Location at = 0; at < from.size(); ++at)
    if (from[at]) work.push_back(at);
  while (!work.empty()) {
    const Location at = work.back();
    work.pop_back();
    auto edge = std::lower_bound(edges.begin(), edges.end(), at,
                                 [](const Edge& e, Location here) { return e.from < here; });
    for (; edge != edges.end() && edge->from == at; ++edge) {
      if (from[edge->to]) continue;
      from[edge->to] = true;
      work.push_back(edge->to);
    }
  }
  return from;
}

bool StuckFilter::is_awaited(ThreadId thread, ObjectUse what) const {
  const auto found = awaited_by_.find(what);
  return found != awaited_by_.end() && found->second != thread;
}

bool StuckFilter::may_own(ThreadId thread, Location at, const std::vector<ir::Pc>& ends,
                          ir::ObjectId lock) const {
  const ir::Code& code = system_.threads[thread].code;
  if (at != ir::kEnded) return analyses_.held().perhaps(thread, code.location_pc[at], lock);
  return std::any_of(ends.begin(), ends.end(),
                     [&](ir::Pc pc) { return analyses_.held().perhaps(thread, pc, lock); });
}

bool StuckFilter::makes_nobody_stuck(ThreadId thread, Edge edge, const std::vector<ir::Pc>& ends,
                                     std::vector<ObjectUse>& obligations) const {
  bool frees = true;  // what it takes, and whatever it may own
  for (const ObjectUse taken : analyses_.accesses().operation(thread, edge.from)) {
    inverse(taken.use).for_each([&](Use use) {
      const ObjectUse back{taken.object, use};
      const bool may = edge.to != ir::kEnded && this->may(thread, edge.to, back);
      if (may || !is_awaited(thread, back) || CML_MUTATION("filter-forgets-what-was-taken")) return;
      if (back.use == Use::Give) {
        frees = frees && CML_MUTATION("filter-forgets-the-lock-that-was-taken");
      } else {
        obligations.push_back(back);
      }
    });
    if (!frees) return false;
  }
  // A thread that has ended does nothing.
  const auto forfeits = [&](ObjectUse lost) {
    if (!is_awaited(thread, lost) || CML_MUTATION("filter-forgets-what-is-forfeited")) return;
    if (lost.use != Use::Give) {
      obligations.push_back(lost);
    } else {
      frees = frees && (!may_own(thread, edge.to, ends, lost.object) ||
                        CML_MUTATION("filter-forgets-that-the-thread-owns-a-lock"));
    }
  };
  analyses_.accesses().for_each_lost(thread, edge.from, edge.to, [&](ObjectUse lost) {
    if (!is_personal(lost.use)) forfeits(lost);
  });
  analyses_.accesses().for_each_lost_itself(thread, edge.from, edge.to, [&](ObjectUse lost) {
    if (is_personal(lost.use)) forfeits(lost);
  });
  return frees;
}

void StuckFilter::decide(ThreadId thread) {
  if (!is_prepared_) find_waits();
  const ir::Code& code = system_.threads[thread].code;
  const std::size_t locations = std::max<std::size_t>(code.location_pc.size(), ir::kFirstLocation);
  for (Location at = 0; at < locations; ++at)
    known_.at(thread, at) = kPerhaps;
  const std::optional<std::vector<Edge>> edges = find_edges(thread);
  if (!is_known_ || !edges) return;
  std::vector<ir::Pc> ends;
  for (ir::Pc pc = 0; pc < code.instructions.size(); ++pc)
    if (code.instructions[pc].opcode() == ir::Opcode::End) ends.push_back(pc);
  std::vector<bool> perhaps(locations, false);
  std::vector<std::vector<ObjectUse>> obligations(locations);
  for (const Edge edge : *edges) {
    if (perhaps[edge.to]) continue;
    std::vector<ObjectUse>& needed = obligations[edge.to];
    perhaps[edge.to] =
        !makes_nobody_stuck(thread, edge, ends, needed) || (composed_ && !needed.empty());
  }
  if (composed_ && !CML_MUTATION("filter-by-the-last-edge-of-a-composed-transition"))
    perhaps = followers(*edges, std::move(perhaps));
  for (Location at = 0; at < locations; ++at) {
    if (perhaps[at]) continue;
    std::uint32_t& known = known_.at(thread, at);
    known = kNobody;
    std::vector<ObjectUse>& needed = obligations[at];
    if (needed.empty() || CML_MUTATION("filter-without-obligations")) continue;
    std::sort(needed.begin(), needed.end());
    needed.erase(std::unique(needed.begin(), needed.end()), needed.end());
    known = kObligations + static_cast<std::uint32_t>(obligations_.size());
    obligations_.push_back(std::move(needed));
  }
}

}  // namespace cml::checker
