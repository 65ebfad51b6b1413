// Edges from states, cycles from edges.
#include "checker/lock_order.h"

#include <algorithm>
#include <fmt/format.h>

#include "checker/violation_kind.h"

namespace cml::checker {
namespace {

constexpr std::size_t kMaxSteps = 100'000;

bool share_a_lock(const std::vector<ir::ObjectId>& a, const std::vector<ir::ObjectId>& b) {
  return std::any_of(a.begin(), a.end(), [&b](ir::ObjectId lock) {
    return std::find(b.begin(), b.end(), lock) != b.end();
  });
}

}  // namespace

LockOrder::LockOrder(ir::Step& step)
    : step_(step),
      system_(step.system()),
      layout_(step.layout()),
      held_(system_.threads.size()),
      known_(system_.threads.size()) {}

void LockOrder::state(const std::uint8_t* state) {
  for (std::vector<ir::ObjectId>& held : held_)
    held.clear();
  bool any = false;
  for (const ir::ObjectId lock : layout_.locks())
    if (const ir::ThreadId owner = layout_.owner(state, lock); owner.valid()) {
      held_[owner.index].push_back(lock);
      any = true;
    }
  if (!any) return;
  wanted_.assign(system_.threads.size(), {});
  bool anyone_waits = false;
  for (const ir::ThreadId id : system_.threads.ids()) {
    const std::vector<ir::ObjectId>& held = held_[id.index];
    const ir::Location at = location(layout_, state, id);
    if (held.empty() || at < ir::kFirstLocation) continue;
    const ir::Code& code = system_.threads[id].code;
    const ir::Instruction& instruction = code.instructions[code.location_pc[at]];
    if (instruction.opcode() != ir::Opcode::Acquire) continue;
    record_.clear();
    step_.pending(state, id, record_);
    if (record_.touches.empty() || record_.touches[0].effect != ir::Effect::Take) continue;
    const ir::ObjectId lock = record_.touches[0].object;
    if (layout_.owner(state, lock).valid()) {
      wanted_[id.index] = lock;
      anyone_waits = true;
    }
    if (is_known(id, at, lock)) continue;
    for (const ir::ObjectId from : held) {
      const auto [edge, is_new] = edges_.emplace(Edge{from, lock, id, held}, instruction.range);
      if (is_new) from_.emplace(from, &edge->first);
    }
  }
  if (anyone_waits) close_cycles(state);
}

// Few different sets of locks are held at one location; each adds its edges once.
bool LockOrder::is_known(ir::ThreadId thread, ir::Location at, ir::ObjectId lock) {
  std::vector<std::vector<Acquisition>>& by_location = known_[thread.index];
  if (by_location.size() <= at) by_location.resize(at + 1);
  const std::vector<ir::ObjectId>& held = held_[thread.index];
  for (const Acquisition& known : by_location[at])
    if (known.lock == lock && known.held == held) return true;
  by_location[at].push_back({lock, held});
  return false;
}

void LockOrder::close_cycles(const std::uint8_t* state) {
  Cycle cycle;
  for (std::size_t first = 0; first < wanted_.size(); ++first) {
    cycle.clear();
    std::size_t at = first;
    while (wanted_[at].valid() && cycle.size() <= wanted_.size()) {
      cycle.push_back(wanted_[at]);
      at = layout_.owner(state, wanted_[at]).index;
      if (at != first) continue;
      std::sort(cycle.begin(), cycle.end());
      closed_.insert(cycle);
      break;
    }
  }
}

// Chains start at their smallest lock, so that each cycle is found once per starting edge.
void LockOrder::extend(std::vector<const Edge*>& chain,
                       std::map<Cycle, std::vector<const Edge*>>& found, std::size_t& steps) const {
  if (++steps > kMaxSteps) return;
  const Edge& last = *chain.back();
  if (last.to == chain.front()->from) {
    if (chain.size() < 2) return;
    Cycle cycle;
    for (const Edge* edge : chain)
      cycle.push_back(edge->from);
    std::sort(cycle.begin(), cycle.end());
    found.emplace(std::move(cycle), chain);
    return;
  }
  if (last.to < chain.front()->from) return;
  const auto [begin, end] = from_.equal_range(last.to);
  for (auto next = begin; next != end; ++next) {
    const Edge& edge = *next->second;
    const bool fits = std::none_of(chain.begin(), chain.end(), [&edge](const Edge* before) {
      return before->thread == edge.thread || before->from == edge.from ||
             share_a_lock(before->held, edge.held);
    });
    if (!fits) continue;
    chain.push_back(&edge);
    extend(chain, found, steps);
    chain.pop_back();
  }
}

std::vector<Warning> LockOrder::warnings() const {
  std::map<Cycle, std::vector<const Edge*>> found;
  std::size_t steps = 0;
  for (const auto& [edge, range] : edges_) {
    std::vector<const Edge*> chain{&edge};
    extend(chain, found, steps);
  }
  std::vector<Warning> result;
  for (const auto& [cycle, chain] : found) {
    if (closed_.contains(cycle)) continue;
    std::string text;
    for (const Edge* edge : chain)
      text += fmt::format("{}{} takes {} while it holds {}", text.empty() ? "" : ", ",
                          system_.threads[edge->thread].name, system_.objects[edge->to].name,
                          system_.objects[edge->from].name);
    result.push_back(
        {std::string(name(WarningKind::LockOrder)),
         fmt::format("locks are taken in a cyclic order that never deadlocked: {}", text),
         edges_.at(*chain.front())});
  }
  return result;
}

}  // namespace cml::checker
