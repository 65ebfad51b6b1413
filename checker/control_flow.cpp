// Control flow and futures: plain fixed points over the instructions.
#include "checker/control_flow.h"

#include <algorithm>
#include <variant>

#include "ir/visibility.h"

namespace cml::checker {
namespace {

std::uint64_t atom(Enabling what, ir::ObjectId object) {
  return std::uint64_t{object.index} << 8 | static_cast<std::uint64_t>(what);
}

/// Calls `use(atom)` for every enabling effect an instruction may have.
template <class Use>
void for_each_effect(const ir::Instruction& instruction, Use use) {
  const auto on = [&use](const ir::Place& place, Enabling what) {
    ir::for_each_object(place, [&](ir::ObjectId object) { use(atom(what, object)); });
  };
  const auto& node = instruction.node;
  if (const auto* write = std::get_if<ir::Write>(&node)) on(write->place, Enabling::Write);
  if (const auto* update = std::get_if<ir::Update>(&node)) on(update->place, Enabling::Write);
  if (const auto* release = std::get_if<ir::Release>(&node)) on(release->lock, Enabling::Free);
  if (const auto* wait = std::get_if<ir::Wait>(&node)) on(wait->lock, Enabling::Free);
  if (const auto* notify = std::get_if<ir::Notify>(&node)) on(notify->lock, Enabling::Notify);
  if (const auto* up = std::get_if<ir::Up>(&node)) on(up->semaphore, Enabling::Up);
  if (const auto* send = std::get_if<ir::Send>(&node)) on(send->channel, Enabling::Send);
  if (const auto* receive = std::get_if<ir::Receive>(&node))
    on(receive->channel, Enabling::Receive);
  if (const auto* select = std::get_if<ir::Select>(&node)) {
    for (const ir::Select::Case& item : select->cases) {
      if (item.kind == ir::Select::Kind::Send) on(item.place, Enabling::Send);
      if (item.kind == ir::Select::Kind::Receive) on(item.place, Enabling::Receive);
    }
  }
}

/// Visible in whatever state it is executed.
bool always_visible(const ir::System& system, const ir::Instruction& instruction) {
  const auto is_atomic = [&system](const ir::Place& place) {
    return system.objects[place.base].kind == ir::ObjectKind::Atomic;
  };
  switch (instruction.opcode()) {
    case ir::Opcode::Read:
      return is_atomic(std::get<ir::Read>(instruction.node).place);
    case ir::Opcode::Write:
      return is_atomic(std::get<ir::Write>(instruction.node).place);
    case ir::Opcode::Update:
    case ir::Opcode::Rewait:
    case ir::Opcode::Up:
    case ir::Opcode::Down:
    case ir::Opcode::Send:
    case ir::Opcode::Receive:
    case ir::Opcode::Size:
    case ir::Opcode::Choose:
    case ir::Opcode::Either:
    case ir::Opcode::Select:
    case ir::Opcode::Guard:
      return true;
    default:
      return false;
  }
}

}  // namespace

// A location turns if it can reach itself through instructions that are not always visible, itself
// included. Removing, again and again, what has no successor left leaves the cycles and what leads
// to them: enough for a filter in front of an exact check.
std::vector<bool> may_turn_invisibly(const ir::System& system, const ir::Code& code) {
  const std::size_t size = code.instructions.size();
  std::vector<bool> turns(size);
  for (std::size_t pc = 0; pc < size; ++pc)
    turns[pc] = !always_visible(system, code.instructions[pc]);
  std::vector<ir::Pc> next;
  for (bool changed = true; changed;) {
    changed = false;
    for (std::size_t pc = size; pc-- > 0;) {
      if (!turns[pc]) continue;
      next.clear();
      successors(code, static_cast<ir::Pc>(pc), next);
      if (std::any_of(next.begin(), next.end(), [&turns](ir::Pc to) { return turns[to]; }))
        continue;
      turns[pc] = false;
      changed = true;
    }
  }
  std::vector<bool> result(code.location_pc.size(), false);
  for (std::size_t at = ir::kFirstLocation; at < result.size(); ++at)
    result[at] = turns[code.location_pc[at]];
  return result;
}

Futures::Futures(const ir::System& system) {
  std::vector<ir::Pc> next;
  for (const ir::Thread& thread : system.threads) {
    const ir::Code& code = thread.code;
    OfThread result;
    for (const ir::Instruction& instruction : code.instructions)
      for_each_effect(instruction, [&result](std::uint64_t a) { result.atoms.push_back(a); });
    std::sort(result.atoms.begin(), result.atoms.end());
    result.atoms.erase(std::unique(result.atoms.begin(), result.atoms.end()), result.atoms.end());
    const std::size_t words = (result.atoms.size() + 63) / 64;
    std::vector<std::vector<std::uint64_t>> sets(code.instructions.size(),
                                                 std::vector<std::uint64_t>(words));
    for (std::size_t pc = 0; pc < sets.size(); ++pc)
      for_each_effect(code.instructions[pc], [&](std::uint64_t a) {
        const auto found = std::lower_bound(result.atoms.begin(), result.atoms.end(), a);
        const auto bit = static_cast<std::size_t>(found - result.atoms.begin());
        sets[pc][bit / 64] |= std::uint64_t{1} << (bit % 64);
      });
    for (bool changed = true; changed;) {
      changed = false;
      for (std::size_t pc = sets.size(); pc-- > 0;) {
        next.clear();
        successors(code, static_cast<ir::Pc>(pc), next);
        for (const ir::Pc to : next)
          for (std::size_t w = 0; w < words; ++w) {
            const std::uint64_t joined = sets[pc][w] | sets[to][w];
            changed = changed || joined != sets[pc][w];
            sets[pc][w] = joined;
          }
      }
    }
    for (const ir::Pc pc : code.location_pc)
      result.by_location.push_back(sets.empty() ? std::vector<std::uint64_t>(words) : sets[pc]);
    threads_.push(std::move(result));
  }
}

bool Futures::may(ir::ThreadId thread, ir::Location location, Enabling what,
                  ir::ObjectId object) const {
  if (location < ir::kFirstLocation) return false;
  const OfThread& of = threads_[thread];
  const auto found = std::lower_bound(of.atoms.begin(), of.atoms.end(), atom(what, object));
  if (found == of.atoms.end() || *found != atom(what, object)) return false;
  const auto bit = static_cast<std::size_t>(found - of.atoms.begin());
  return (of.by_location[location][bit / 64] >> (bit % 64) & 1) != 0;
}

}  // namespace cml::checker
