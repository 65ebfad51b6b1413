// Atoms of instructions, visibility of locations, and the two backward fixed points.
#include "ir/analysis/accesses.h"

#include <algorithm>
#include <utility>
#include <variant>

#include "ir/analysis/code_flow.h"
#include "support/mutation.h"

namespace cml::ir {
namespace {

constexpr std::size_t kMaxBits = std::size_t{1}
                                 << 31;  // of one thread's sets while they are computed

Visible join(Visible a, Visible b) { return std::max(a, b); }

/// The visibility of one instruction, apart from the region that it may be in.
class Visibilities {
 public:
  Visibilities(const System& system, ThreadId thread, const HeldLocks& held,
               const Visibility& visibility)
      : system_(system), thread_(thread), held_(held), visibility_(visibility) {}

  Visible at(const Code& code, Pc pc) const {
    const Operation& node = code.instructions[pc].node;
    if (const auto* atomic = std::get_if<Atomic>(&node)) {
      // Visible iff it contains a visible operation.
      Visible result = Visible::Never;
      for (Pc inside = pc + 1; inside < atomic->end; ++inside)
        result = join(result, in_region(code, inside));
      return result;
    }
    if (std::holds_alternative<Guard>(node)) return Visible::Always;
    if (!is_operation(code.instructions[pc].opcode())) return Visible::Never;
    if (const auto* read = std::get_if<Read>(&node)) return variable(read->place, false);
    if (const auto* write = std::get_if<Write>(&node)) return variable(write->place, true);
    if (const auto* acquire = std::get_if<Acquire>(&node)) return take(pc, acquire->lock);
    if (const auto* attempt = std::get_if<TryAcquire>(&node)) return take(pc, attempt->lock);
    if (const auto* wait = std::get_if<Wait>(&node))
      return of_all(wait->lock, [&](ObjectId lock) { return visibility_.is_tried[lock]; });
    if (const auto* release = std::get_if<Release>(&node)) {
      return each(release->lock, [&](ObjectId lock) {
        if (!visibility_.is_tried[lock]) return Visible::Never;
        const LockDepth depth = held_.depth(thread_, pc, lock);
        if (depth.least > 1) return Visible::Never;
        return depth.greatest == 1 ? Visible::Always : Visible::Maybe;
      });
    }
    if (const auto* notify = std::get_if<Notify>(&node))
      return notify->all ? Visible::Never : Visible::Maybe;
    if (std::holds_alternative<Held>(node)) return Visible::Never;
    return Visible::Always;
  }

 private:
  // Whether a lock is owned at an operation inside a block is not known before the block is
  // executed (Interpreter::region_visible), so it is not considered here.
  Visible in_region(const Code& code, Pc pc) const {
    const Operation& node = code.instructions[pc].node;
    if (std::holds_alternative<Acquire>(node) || std::holds_alternative<TryAcquire>(node))
      return Visible::Always;
    if (const auto* release = std::get_if<Release>(&node))
      return of_all(release->lock, [&](ObjectId lock) { return visibility_.is_tried[lock]; });
    return at(code, pc);
  }

  template <class Ask>
  static Visible each(const Place& place, Ask&& ask) {
    bool always = true;
    bool never = true;
    for_each_object(place, [&](ObjectId object) {
      const Visible one = ask(object);
      always = always && one == Visible::Always;
      never = never && one == Visible::Never;
    });
    return always ? Visible::Always : never ? Visible::Never : Visible::Maybe;
  }

  template <class Holds>
  static Visible of_all(const Place& place, Holds&& holds) {
    return each(place,
                [&](ObjectId object) { return holds(object) ? Visible::Always : Visible::Never; });
  }

  Visible variable(const Place& place, bool is_write) const {
    return each(place, [&](ObjectId id) {
      const Object& object = system_.objects[id];
      if (object.kind == ObjectKind::Atomic || (is_write && visibility_.is_watched[id]))
        return Visible::Always;
      return object.init_by ? Visible::Maybe : Visible::Never;  // a virgin object
    });
  }

  Visible take(Pc pc, const Place& place) const {
    return each(place, [&](ObjectId lock) {
      if (held_.certainly(thread_, pc, lock)) return Visible::Never;
      return held_.perhaps(thread_, pc, lock) ? Visible::Maybe : Visible::Always;
    });
  }

  const System& system_;
  ThreadId thread_;
  const HeldLocks& held_;
  const Visibility& visibility_;
};

}  // namespace

void detail::accesses_of(const Instruction& instruction,
                         std::vector<std::pair<const Place*, Access>>& out) {
  const auto& node = instruction.node;
  const auto add = [&out](const Place& place, std::initializer_list<Access> accesses) {
    for (const Access access : accesses)
      out.emplace_back(&place, access);
  };
  if (const auto* i = std::get_if<Read>(&node)) add(i->place, {Access::Read});
  if (const auto* i = std::get_if<Write>(&node)) add(i->place, {Access::Write});
  if (const auto* i = std::get_if<Update>(&node)) add(i->place, {Access::Read, Access::Write});
  if (const auto* i = std::get_if<Acquire>(&node)) add(i->lock, {Access::Take});
  if (const auto* i = std::get_if<TryAcquire>(&node)) add(i->lock, {Access::Take, Access::Look});
  if (const auto* i = std::get_if<Owner>(&node)) add(i->lock, {Access::Look});
  if (const auto* i = std::get_if<Release>(&node)) add(i->lock, {Access::Give});
  if (const auto* i = std::get_if<Wait>(&node)) add(i->lock, {Access::Give, Access::EnterWait});
  if (const auto* i = std::get_if<Rewait>(&node)) add(i->lock, {Access::Take, Access::EnterWait});
  if (const auto* i = std::get_if<Notify>(&node)) add(i->lock, {Access::Notify});
  if (const auto* i = std::get_if<Up>(&node)) add(i->semaphore, {Access::Up});
  const auto may_fail = [&](const Place& place, Access access, bool is_try) {
    add(place, {access});
    if (is_try) add(place, {Access::Observe});
  };
  if (const auto* i = std::get_if<Down>(&node)) may_fail(i->semaphore, Access::Down, i->try_only);
  if (const auto* i = std::get_if<Send>(&node)) may_fail(i->channel, Access::Send, i->try_only);
  if (const auto* i = std::get_if<Receive>(&node))
    may_fail(i->channel, Access::Receive, i->try_only);
  if (const auto* i = std::get_if<Size>(&node)) add(i->channel, {Access::Observe});
  if (const auto* i = std::get_if<Select>(&node)) {
    for (const Select::Case& c : i->cases) {
      switch (c.kind) {
        case Select::Kind::Receive:
          add(c.place, {Access::Receive, Access::Observe});
          break;
        case Select::Kind::Send:
          add(c.place, {Access::Send, Access::Observe});
          break;
        case Select::Kind::Down:
          add(c.place, {Access::Down, Access::Observe});
          break;
        case Select::Kind::Acquire:
          add(c.place, {Access::Take, Access::Look});
          break;
      }
    }
  }
}

Accesses::Accesses(const System& system, const HeldLocks& held, const Visibility& visibility,
                   const StopToken& stop)
    : system_(system), threads_(system.threads.size()) {
  for (const ThreadId thread : system.threads.ids())
    analyse(thread, held, visibility, stop);
}

ObjectId Accesses::stands_for(ThreadId thread, ObjectId object) const {
  if (!object.valid()) return object;
  return threads_[thread].merged ? system_.groups[system_.objects[object].group].first : object;
}

void Accesses::analyse(ThreadId thread, const HeldLocks& held, const Visibility& visibility,
                       const StopToken& stop) {
  const Code& code = system_.threads[thread].code;
  OfThread& of = threads_[thread];
  const std::size_t size = code.instructions.size();
  const auto collect = [&] {
    of.atoms.clear();
    for (const Instruction& instruction : code.instructions) {
      for_each_access(instruction, [&](Atom atom) {
        atom.object = stands_for(thread, atom.object);
        of.atoms.push_back(atom);
      });
    }
    std::sort(of.atoms.begin(), of.atoms.end());
    of.atoms.erase(std::unique(of.atoms.begin(), of.atoms.end()), of.atoms.end());
    of.words = (of.atoms.size() + 63) / 64;
  };
  collect();
  if (size * of.words * 128 > kMaxBits) {
    of.merged = true;
    collect();
  }

  const Visibilities visibilities(system_, thread, held, visibility);
  of.visible.assign(code.location_pc.size(), Visible::Never);
  std::vector<bool> stops(size, false);  // a composed transition certainly ends before it
  std::vector<bool> locations(size, false);
  for (Location at = kFirstLocation; at < code.location_pc.size(); ++at) {
    of.visible[at] = visibilities.at(code, code.location_pc[at]);
    stops[code.location_pc[at]] =
        CML_MUTATED("transitions-end-at-perhaps-visible-operations",
                    of.visible[at] == Visible::Always, of.visible[at] != Visible::Never);
    locations[code.location_pc[at]] = true;
  }

  Bits own(size * of.words);
  for (Pc pc = 0; pc < size; ++pc) {
    for_each_access(code.instructions[pc], [&](Atom atom) {
      atom.object = stands_for(thread, atom.object);
      const auto bit = static_cast<std::size_t>(
          std::lower_bound(of.atoms.begin(), of.atoms.end(), atom) - of.atoms.begin());
      own[pc * of.words + bit / 64] |= std::uint64_t{1} << (bit % 64);
    });
  }
  const auto solve = [&](const std::vector<bool>& ends_before) {
    Bits sets = own;
    std::vector<Pc> next;
    for (bool changed = true; changed;) {
      changed = false;
      for (Pc pc = static_cast<Pc>(size); pc-- > 0;) {
        stop.poll(1 + of.words);
        next.clear();
        successors(code, pc, next);
        for (const Pc to : next) {
          if (ends_before[to]) continue;
          for (std::size_t w = 0; w < of.words; ++w) {
            std::uint64_t& here = sets[pc * of.words + w];
            const std::uint64_t joined = here | sets[to * of.words + w];
            changed = changed || joined != here;
            here = joined;
          }
        }
      }
    }
    Bits by_location(code.location_pc.size() * of.words);
    for (Location at = kFirstLocation; at < code.location_pc.size(); ++at)
      std::copy_n(sets.begin() + static_cast<std::ptrdiff_t>(code.location_pc[at] * of.words),
                  of.words, by_location.begin() + static_cast<std::ptrdiff_t>(at * of.words));
    return by_location;
  };
  of.future = solve(std::vector<bool>(size, false));
  of.pending = solve(stops);
  of.operation = solve(locations);
}

bool Accesses::contains(ThreadId thread, const Bits& sets, Location location, Atom atom) const {
  const OfThread& of = threads_[thread];
  atom.object = stands_for(thread, atom.object);
  const auto found = std::lower_bound(of.atoms.begin(), of.atoms.end(), atom);
  if (found == of.atoms.end() || *found != atom) return false;
  const auto bit = static_cast<std::size_t>(found - of.atoms.begin());
  return ((sets[location * of.words + bit / 64] >> (bit % 64)) & 1) != 0;
}

std::vector<Atom> Accesses::list(ThreadId thread, const Bits& sets, Location location) const {
  const OfThread& of = threads_[thread];
  std::vector<Atom> result;
  for (std::size_t w = 0; w < of.words; ++w)
    for (std::uint64_t rest = sets[location * of.words + w]; rest != 0; rest &= rest - 1)
      result.push_back(of.atoms[w * 64 + static_cast<std::size_t>(std::countr_zero(rest))]);
  return result;
}

std::vector<Atom> Accesses::operation(ThreadId thread, Location location) const {
  return list(thread, threads_[thread].operation, location);
}

std::vector<Atom> Accesses::pending(ThreadId thread, Location location) const {
  return list(thread, threads_[thread].pending, location);
}

std::vector<Atom> Accesses::future(ThreadId thread, Location location) const {
  return list(thread, threads_[thread].future, location);
}

}  // namespace cml::ir
