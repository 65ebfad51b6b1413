// Uses by instructions, visibility of locations, and the two backward fixed points.
#include "ir/analysis/accesses.h"

#include <algorithm>
#include <variant>

#include "ir/analysis/code_flow.h"
#include "ir/analysis/late_starts.h"
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
    if (is_late_start(code.instructions[pc], visibility_)) return Visible::Always;
    if (visibility_.arrives(thread_, pc)) return Visible::Always;
    const auto [when, place] = visibility_rule(code.instructions[pc]);
    switch (when) {
      case VisibleWhen::Never:
        return Visible::Never;
      case VisibleWhen::Always:
        return Visible::Always;
      case VisibleWhen::Reading:
        return variable(*place, false);
      case VisibleWhen::Writing:
        return variable(*place, true);
      case VisibleWhen::Taking:
        return take(pc, *place);
      case VisibleWhen::Freeing:
        return free(pc, *place);
      case VisibleWhen::Leaving:
        return tried(*place);
      case VisibleWhen::Waking:
        return Visible::Maybe;
      case VisibleWhen::Inside: {
        // Visible iff it contains a visible operation.
        Visible result = Visible::Never;
        const Pc end = std::get<Atomic>(code.instructions[pc].node).end;
        for (Pc inside = pc + 1; inside < end; ++inside)
          result = join(result, in_region(code, inside));
        return result;
      }
    }
    return Visible::Always;
  }

 private:
  // Whether a lock is owned at an operation inside a block is not known before the block is
  // executed (Interpreter::region_visible), so it is not considered here.
  Visible in_region(const Code& code, Pc pc) const {
    const auto [when, place] = visibility_rule(code.instructions[pc]);
    if (when == VisibleWhen::Taking) return Visible::Always;
    return when == VisibleWhen::Freeing ? tried(*place) : at(code, pc);
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

  Visible tried(const Place& place) const {
    return of_all(place, [&](ObjectId lock) { return visibility_.is_tried[lock]; });
  }
  Visible free(Pc pc, const Place& place) const {
    return each(place, [&](ObjectId lock) {
      if (!visibility_.is_tried[lock]) return Visible::Never;
      const LockDepth depth = held_.depth(thread_, pc, lock);
      if (depth.least > 1) return Visible::Never;
      return depth.greatest == 1 ? Visible::Always : Visible::Maybe;
    });
  }
  Visible take(Pc pc, const Place& place) const {
    return each(place, [&](ObjectId lock) {
      if (system_.objects[lock].is_mutex) return Visible::Always;
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

Accesses::Accesses(const System& system, const HeldLocks& held, const Visibility& visibility,
                   const StopToken& stop)
    : system_(system), meeting_places_(visibility.meeting_places), threads_(system.threads.size()) {
  for (const ThreadId thread : system.threads.ids())
    analyse(thread, held, visibility, stop);
}

ObjectId Accesses::stands_for(ThreadId thread, ObjectId object) const {
  if (!object.valid()) return object;
  return threads_[thread].merged ? system_.groups[system_.objects[object].group].first : object;
}

namespace {

/// Calls `take(ThreadId)` for each thread that the instruction may spawn.
template <class Take>
void for_each_spawned(const System& system, const Instruction& instruction, Take take) {
  const auto* spawn = std::get_if<Spawn>(&instruction.node);
  if (spawn == nullptr) return;
  for_each_object(spawn->thread, [&](ObjectId object) { take(system.objects[object].thread); });
}

}  // namespace

std::vector<ObjectUse> Accesses::of_spawned(const Instruction& instruction) const {
  std::vector<ObjectUse> result;
  IdVector<ThreadId, bool> seen(system_.threads.size(), false);
  std::vector<ThreadId> work;
  const auto add = [&](ThreadId id) {
    if (!seen[id]) work.push_back(id);
    seen[id] = true;
  };
  if (!CML_MUTATION("futures-without-spawned-threads")) for_each_spawned(system_, instruction, add);
  while (!work.empty()) {
    const Code& code = system_.threads[work.back()].code;
    work.pop_back();
    for (const Instruction& inside : code.instructions) {
      for_each_use(inside, [&result](ObjectUse use) { result.push_back(use); });
      for_each_spawned(system_, inside, add);
    }
  }
  std::sort(result.begin(), result.end());
  result.erase(std::unique(result.begin(), result.end()), result.end());
  return result;
}

std::vector<ObjectUse> Accesses::of_arrivals(ThreadId thread, Pc pc) const {
  std::vector<ObjectUse> result;
  if (!meeting_places_.any()) return result;
  const Code& code = system_.threads[thread].code;
  std::vector<Pc> next;
  successors(code, pc, next);
  for (const Pc to : next)
    meeting_places_.for_each(code.instructions[to], [&](const Place& place) {
      for_each_object(place, [&](ObjectId object) {
        if (meeting_places_.is_looked_at(object)) result.push_back({object, Use::Several});
      });
    });
  return result;
}

void Accesses::analyse(ThreadId thread, const HeldLocks& held, const Visibility& visibility,
                       const StopToken& stop) {
  const Code& code = system_.threads[thread].code;
  OfThread& of = threads_[thread];
  const std::size_t size = code.instructions.size();
  const auto collect = [&] {
    of.uses.clear();
    for (Pc pc = 0; pc < size; ++pc) {
      const Instruction& instruction = code.instructions[pc];
      const auto add = [&](ObjectUse use) {
        use.object = stands_for(thread, use.object);
        of.uses.push_back(use);
      };
      for_each_use(instruction, add);
      for (const ObjectUse use : of_arrivals(thread, pc))
        add(use);
      for (ObjectUse use : of_spawned(instruction)) {
        use.object = stands_for(thread, use.object);
        of.uses.push_back(use);
      }
    }
    std::sort(of.uses.begin(), of.uses.end());
    of.uses.erase(std::unique(of.uses.begin(), of.uses.end()), of.uses.end());
    of.words = (of.uses.size() + 63) / 64;
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
  const auto set_bit = [&](Bits& bits, Pc pc, ObjectUse use) {
    use.object = stands_for(thread, use.object);
    const auto bit = static_cast<std::size_t>(
        std::lower_bound(of.uses.begin(), of.uses.end(), use) - of.uses.begin());
    bits[pc * of.words + bit / 64] |= std::uint64_t{1} << (bit % 64);
  };
  for (Pc pc = 0; pc < size; ++pc)
    for_each_use(code.instructions[pc], [&](ObjectUse use) { set_bit(own, pc, use); });
  for (Pc pc = 0; pc < size; ++pc)
    for (const ObjectUse use : of_arrivals(thread, pc))
      set_bit(own, pc, use);
  Bits with_spawned = own;
  for (Pc pc = 0; pc < size; ++pc)
    for (const ObjectUse use : of_spawned(code.instructions[pc]))
      set_bit(with_spawned, pc, use);
  const auto solve = [&](Bits sets, const std::vector<bool>& ends_before) {
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
  const std::vector<bool> never(size, false);
  if (with_spawned != own) of.own_future = solve(own, never);
  of.future = solve(std::move(with_spawned), never);
  of.pending = solve(own, stops);
  of.operation = solve(std::move(own), locations);
}

bool Accesses::contains(ThreadId thread, const Bits& sets, Location location, ObjectUse use) const {
  const OfThread& of = threads_[thread];
  use.object = stands_for(thread, use.object);
  const auto found = std::lower_bound(of.uses.begin(), of.uses.end(), use);
  if (found == of.uses.end() || *found != use) return false;
  const auto bit = static_cast<std::size_t>(found - of.uses.begin());
  return ((sets[location * of.words + bit / 64] >> (bit % 64)) & 1) != 0;
}

bool Accesses::ever_itself(ThreadId thread, ObjectUse use) const {
  const Code& code = system_.threads[thread].code;
  for (Location at = kFirstLocation; at < code.location_pc.size(); ++at)
    if (itself(thread, at, use)) return true;
  return false;
}

std::vector<ObjectUse> Accesses::list(ThreadId thread, const Bits& sets, Location location) const {
  const OfThread& of = threads_[thread];
  std::vector<ObjectUse> result;
  for (std::size_t w = 0; w < of.words; ++w)
    for (std::uint64_t rest = sets[location * of.words + w]; rest != 0; rest &= rest - 1)
      result.push_back(of.uses[w * 64 + static_cast<std::size_t>(std::countr_zero(rest))]);
  return result;
}

std::vector<ObjectUse> Accesses::operation(ThreadId thread, Location location) const {
  return list(thread, threads_[thread].operation, location);
}

std::vector<ObjectUse> Accesses::pending(ThreadId thread, Location location) const {
  return list(thread, threads_[thread].pending, location);
}

std::vector<ObjectUse> Accesses::future(ThreadId thread, Location location) const {
  return list(thread, threads_[thread].future, location);
}

}  // namespace cml::ir
