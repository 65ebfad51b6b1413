// Edges from states, cycles from edges.
#include "checker/monitor/lock_order.h"

#include <algorithm>
#include <tuple>
#include <utility>
#include <variant>

#include "support/mutation.h"

namespace cml::checker {
namespace {

// Where locks are nested very deeply, the search for cycles is incomplete.
constexpr std::size_t kMaxSteps = 100'000;
constexpr std::size_t kMaxWork = 100'000'000;  // comparisons of locks
constexpr std::size_t kMaxEdges = 200'000;
constexpr std::size_t kMaxHeld = 4'000'000;

/// Both are sorted.
bool share_a_lock(const std::vector<ir::ObjectId>& a, const std::vector<ir::ObjectId>& b) {
  for (auto left = a.begin(), right = b.begin(); left != a.end() && right != b.end();) {
    if (*left == *right) return true;
    ++(*left < *right ? left : right);
  }
  return false;
}

}  // namespace

LockOrder::LockOrder(ir::Step& step, const ir::HeldLocks& held)
    : step_(step),
      system_(step.system()),
      layout_(step.layout()),
      lasting_(system_, layout_),
      looks_(system_),
      is_constant_(system_),
      known_(system_) {
  for (const ir::ThreadId thread : system_.threads.ids()) {
    const ir::Code& code = system_.threads[thread].code;
    for (ir::Location at = ir::kFirstLocation; at < code.location_pc.size(); ++at) {
      const ir::Pc pc = code.location_pc[at];
      const auto* acquire = std::get_if<ir::Acquire>(&code.instructions[pc].node);
      if (acquire == nullptr) continue;
      const bool is_exact = held.is_exact(thread, pc);
      looks_.at(thread, at) = is_exact && held.certainly(thread, pc).empty() ? 0 : 1;
      const bool is_known = is_exact || CML_MUTATION("edges-of-unknown-locks-are-the-same");
      const bool is_one =
          !acquire->lock.index || CML_MUTATION("all-edges-of-an-acquisition-are-the-same");
      is_constant_.at(thread, at) = is_known && is_one ? 1 : 0;
    }
  }
}

ir::ObjectId LockOrder::look(const std::uint8_t* state, ir::ThreadId thread, ir::Location at) {
  if (is_constant_.at(thread, at) != 0) looks_.at(thread, at) = 0;
  held_.clear();
  for (const ir::ObjectId lock : layout_.locks())
    if (layout_.owner(state, lock) == thread) held_.push_back(lock);
  if (held_.empty()) return {};
  const ir::ObjectId place = wanted(state, thread);
  if (!place.valid()) return {};
  // The place of an object says nothing about its lock.
  const ir::ObjectId observed = system_.objects[place].owner.valid() ? ir::ObjectId() : place;
  const Lock lock = same_everywhere(state, place);
  if (is_any(lock)) return observed;
  if (!system_.classes.empty()) {
    for (ir::ObjectId& held : held_)
      held = same_everywhere(state, held);
    std::sort(held_.begin(), held_.end());
    held_.erase(std::unique(held_.begin(), held_.end()), held_.end());
  }
  if (is_known(thread, at, lock)) return observed;
  const ir::Code& code = system_.threads[thread].code;
  const SourceRange range = code.instructions[code.location_pc[at]].range;
  const Locks* const held = interned(held_);
  if (held == nullptr) return observed;
  for (const Lock from : held_)
    if (!is_any(from)) add_edge({from, lock, thread, held}, range);
  return observed;
}

ir::ObjectId LockOrder::wanted(const std::uint8_t* state, ir::ThreadId thread) {
  record_.clear();
  step_.pending(state, thread, record_);
  const bool takes = !record_.touches.empty() && record_.touches[0].effect == ir::Effect::Take;
  return takes ? record_.touches[0].object : ir::ObjectId();
}

LockOrder::Lock LockOrder::same_everywhere(const std::uint8_t* state, ir::ObjectId lock) const {
  const ir::Object& object = system_.objects[lock];
  if (!object.owner.valid()) return lock;
  const ir::ObjectId of_any = representative(system_, lock);
  const auto number = lasting_.number(state, object.owner, object.position);
  if (!number) return of_any;
  const std::size_t locks = layout_.locks().size();
  return Lock(static_cast<std::uint32_t>(system_.objects.size() + *number * locks +
                                         layout_.lock_number(of_any)));
}

std::string LockOrder::name(Lock lock) const {
  if (lock.index < system_.objects.size()) return system_.objects[lock].name;
  const std::size_t locks = layout_.locks().size();
  const std::size_t at = lock.index - system_.objects.size();
  const ir::Object& of_any = system_.objects[layout_.locks()[at % locks]];
  return lasting_.name(static_cast<std::uint32_t>(at / locks)) +
         of_any.name.substr(system_.classes[of_any.owner].name.size() + 2);  // without "#0"
}

// Few different sets of locks are held at one location; each adds its edges once.
bool LockOrder::is_known(ir::ThreadId thread, ir::Location at, ir::ObjectId lock) {
  std::vector<Acquisition>& acquisitions = known_.at(thread, at);
  for (const Acquisition& known : acquisitions)
    if (known.lock == lock && *known.held == held_) return true;
  if (const Locks* const held = interned(held_); held != nullptr)
    acquisitions.push_back({lock, held});
  return false;
}

const LockOrder::Locks* LockOrder::interned(const Locks& held) {
  if (edges_.size() > kMaxEdges || size_ > kMaxHeld) return nullptr;
  const auto [set, is_new] = sets_.insert(held);
  if (is_new) size_ += held.size();
  return &*set;
}

// Of several places with the same edge, the first in the text is kept.
void LockOrder::add_edge(const Edge& edge, const SourceRange& range) {
  const auto known = edges_.emplace(edge, range).first;
  const auto place = [](const SourceRange& at) { return std::tuple(at.file, at.begin, at.end); };
  if (place(range) < place(known->second)) known->second = range;
}

void LockOrder::join(const LockOrder& other) {
  for (const auto& [edge, range] : other.edges_) {
    const Locks* const held = interned(*edge.held);
    if (held != nullptr) add_edge({edge.from, edge.to, edge.thread, held}, range);
  }
  closed_.insert(other.closed_.begin(), other.closed_.end());
  for (const ir::ThreadId thread : system_.threads.ids())
    for (ir::Location at = 0; at < system_.threads[thread].code.location_pc.size(); ++at)
      looks_.at(thread, at) &= other.looks_.at(thread, at);
}

void LockOrder::stuck(const std::uint8_t* state) {
  wanted_.assign(system_.threads.size(), {});
  for (const ir::ThreadId id : system_.threads.ids()) {
    const ir::Location at = location(layout_, state, id);
    if (at < ir::kFirstLocation) continue;
    const ir::Code& code = system_.threads[id].code;
    if (code.instructions[code.location_pc[at]].opcode() != ir::Opcode::Acquire) continue;
    const ir::ObjectId lock = wanted(state, id);
    if (lock.valid() && layout_.owner(state, lock).valid()) wanted_[id.index] = lock;
  }
  Cycle cycle;
  std::vector<bool> closed(wanted_.size(), false);  // in a cycle that was found
  for (std::size_t first = 0; first < wanted_.size(); ++first) {
    if (closed[first]) continue;
    cycle.clear();
    std::size_t at = first;
    while (wanted_[at].valid() && cycle.size() <= wanted_.size()) {
      cycle.push_back(same_everywhere(state, wanted_[at]));
      at = layout_.owner(state, wanted_[at]).index;
      if (at != first) continue;
      do {
        closed[at] = true;
        at = layout_.owner(state, wanted_[at]).index;
      } while (at != first);
      std::sort(cycle.begin(), cycle.end());
      closed_.insert(cycle);
      break;
    }
  }
}

// Chains start at their smallest lock, so that each cycle is found once per starting edge.
void LockOrder::extend(std::vector<const Edge*>& chain,
                       std::map<Cycle, std::vector<const Edge*>>& found, std::size_t& steps,
                       std::size_t& work) const {
  if (++steps > kMaxSteps || work > kMaxWork) return;
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
  const Locks none;
  const Edge least{last.to, ir::ObjectId(0), ir::ThreadId(0), &none};
  for (auto next = edges_.lower_bound(least); next != edges_.end(); ++next) {
    const Edge& edge = next->first;
    if (edge.from != last.to) break;
    const bool fits = std::none_of(chain.begin(), chain.end(), [&](const Edge* before) {
      work += before->held->size() + edge.held->size();
      return before->thread == edge.thread || before->from == edge.from ||
             share_a_lock(*before->held, *edge.held);
    });
    if (!fits) continue;
    chain.push_back(&edge);
    extend(chain, found, steps, work);
    chain.pop_back();
  }
}

std::vector<std::vector<LockOrder::Nested>> LockOrder::open_cycles() const {
  std::map<Cycle, std::vector<const Edge*>> found;
  std::size_t steps = 0;
  std::size_t work = 0;
  for (const auto& [edge, range] : edges_) {
    std::vector<const Edge*> chain{&edge};
    extend(chain, found, steps, work);
  }
  std::vector<std::vector<Nested>> result;
  for (const auto& [cycle, chain] : found) {
    if (closed_.contains(cycle)) continue;
    std::vector<Nested>& edges = result.emplace_back();
    for (const Edge* edge : chain)
      edges.push_back({edge->thread, name(edge->to), name(edge->from), edges_.at(*edge)});
  }
  return result;
}

}  // namespace cml::checker
