#include "checker/finding/warnings.h"

#include <algorithm>
#include <cstdint>
#include <fmt/format.h>
#include <span>
#include <string>
#include <tuple>
#include <unordered_set>
#include <utility>

#include "checker/finding/operation_text.h"
#include "checker/violation_kind.h"
#include "ir/analysis/code_flow.h"
#include "ir/describe.h"

namespace cml::checker {
namespace {

/// The points without a label that are inside no other such point, except one of the same range.
/// Sorted by where they begin, with the longer ones first: a point that contains another comes
/// first.
std::unordered_set<const ir::Point*> outermost(std::vector<const ir::Point*> points) {
  std::erase_if(points, [](const ir::Point* point) { return point->label.has_value(); });
  const auto key = [](const ir::Point* point) {
    const SourceRange& range = point->range;
    return std::tuple(range.file, range.begin, -std::int64_t{range.end});
  };
  std::sort(points.begin(), points.end(),
            [key](const ir::Point* a, const ir::Point* b) { return key(a) < key(b); });
  std::unordered_set<const ir::Point*> result;
  const ir::Point* last = nullptr;  // that is outermost
  for (const ir::Point* point : points) {
    const bool is_inside = last != nullptr && last->range.file == point->range.file &&
                           point->range.end <= last->range.end && !(point->range == last->range);
    if (is_inside) continue;
    last = point;
    result.insert(point);
  }
  return result;
}

/// Calls `warn` for the groups of each declaration of that kind: one for each instance of its
/// process.
template <class Warn>
void for_each_declaration(const ir::System& system, ir::ObjectKind kind, Warn warn) {
  std::vector<ir::Group> instances;
  for (const ir::Group& group : system.groups) {
    if (group.count == 0 || system.objects[group.first].kind != kind) continue;
    const bool is_same =
        !instances.empty() && group.range.file.valid() && instances.front().range == group.range;
    if (!instances.empty() && !is_same) {
      warn(std::span<const ir::Group>(instances));
      instances.clear();
    }
    instances.push_back(group);
  }
  if (!instances.empty()) warn(std::span<const ir::Group>(instances));
}

/// "a", "a and b", "a, b, c and 5 more".
std::string some_of(std::vector<std::string> names) {
  constexpr std::size_t kMost = 4;
  if (names.size() > kMost) {
    const std::size_t left_out = names.size() - (kMost - 1);
    names.resize(kMost - 1);
    names.push_back(fmt::format("{} more", left_out));
  }
  return join(names);
}

class Warnings {
 public:
  Warnings(const ir::System& system, const ir::Layout& layout, const ir::HeldLocks& held,
           const Monitors& monitors)
      : system_(system), layout_(layout), held_(held), monitors_(monitors) {}

  std::vector<Warning> all(bool complete) {
    held_at_end();
    single_threads();
    unlocked_notifies();
    if (!complete) return std::move(out_);
    unreached();
    lock_order();
    idle_locks();
    return std::move(out_);
  }

 private:
  void add(WarningKind kind, std::string text, const SourceRange& range) {
    out_.push_back({std::string(name(kind)), std::move(text), range});
  }
  void unreached();
  void lock_order();
  void idle_locks();
  void held_at_end();
  void single_threads();
  void unlocked_notifies();

  const ir::System& system_;
  const ir::Layout& layout_;
  const ir::HeldLocks& held_;
  const Monitors& monitors_;
  std::vector<Warning> out_;
};

// Of nested statements, the outermost.
void Warnings::unreached() {
  std::vector<const ir::Point*> points;
  for (const ir::PointId id : system_.points.ids())
    if (!monitors_.is_reached(id)) points.push_back(&system_.points[id]);
  const std::unordered_set<const ir::Point*> outermost = cml::checker::outermost(points);
  for (const ir::Point* point : points) {
    if (point->label) {
      add(WarningKind::Unreached, fmt::format("cover \"{}\" is never reached", *point->label),
          point->range);
    } else if (outermost.contains(point)) {
      add(WarningKind::Unreached, "this statement is never reached", point->range);
    }
  }
}

void Warnings::lock_order() {
  for (const std::vector<LockOrder::Nested>& cycle : monitors_.lock_order().open_cycles()) {
    std::string text;
    for (const LockOrder::Nested& edge : cycle)
      text += fmt::format("{}{} takes {} while it holds {}", text.empty() ? "" : ", ",
                          system_.threads[edge.thread].name, edge.taken, edge.held);
    add(WarningKind::LockOrder,
        fmt::format("locks are taken in a cyclic order that never deadlocked: {}", text),
        cycle.front().range);
  }
}

void Warnings::idle_locks() {
  std::vector<std::uint64_t> used_by_touch = monitors_.lock_use().used();
  std::vector<std::uint64_t> used_by_guard = monitors_.discipline().used_locks();
  for (auto* used : {&used_by_touch, &used_by_guard}) {
    const std::vector<std::uint64_t> all = *used;
    layout_.protecting(all.data(), false, used->data());
  }
  const auto is_idle = [&](ir::ObjectId lock) {
    const std::uint32_t number = layout_.lock_number(lock);
    const std::uint64_t used = used_by_touch[number / 64] | used_by_guard[number / 64];
    return (used >> (number % 64) & 1) == 0;
  };
  for_each_declaration(system_, ir::ObjectKind::Lock, [&](std::span<const ir::Group> instances) {
    std::vector<std::string> idle;
    for (const ir::Group& group : instances) {
      if (system_.objects[group.first].read_of) continue;  // its lock speaks for it
      std::vector<std::string> elements;
      for (std::uint32_t i = 0; i < group.count; ++i)
        if (const ir::ObjectId id(group.first.index + i); is_idle(id))
          elements.push_back(system_.objects[id].name);
      if (elements.size() == group.count)
        elements = {group.name};
      else if (system_.objects[group.first].owner.valid())  // places, not objects of the model
        elements.clear();
      idle.insert(idle.end(), elements.begin(), elements.end());
    }
    if (idle.empty()) return;
    const bool one = idle.size() == 1;
    add(WarningKind::IdleLock,
        fmt::format("the {} {} {} nothing: no object is used while {} held", one ? "lock" : "locks",
                    some_of(idle), one ? "protects" : "protect", one ? "it is" : "they are"),
        instances.front().range);
  });
}

void Warnings::held_at_end() {
  // Threads of a family that hold locks of the same declaration are one warning.
  struct Held {
    std::string text;
    SourceRange range;
    SourceRange lock;
    std::size_t others = 0;
  };
  std::vector<Held> all;
  for (const auto& [thread, lock] : monitors_.held_at_end().pairs()) {
    const SourceRange range = system_.threads[thread].range;
    const SourceRange declared = system_.groups[system_.objects[lock].group].range;
    const auto known = std::find_if(all.begin(), all.end(), [&](const Held& held) {
      return held.range == range && held.lock == declared;
    });
    if (known != all.end()) {
      ++known->others;
      continue;
    }
    all.push_back({fmt::format("{} ends while it holds {}", system_.threads[thread].name,
                               system_.objects[lock].name),
                   range, declared});
  }
  for (Held& held : all) {
    if (held.others > 0) held.text += fmt::format(", and {} more like that", held.others);
    add(WarningKind::LockHeld, std::move(held.text), held.range);
  }
}

void Warnings::single_threads() {
  for_each_declaration(system_, ir::ObjectKind::Shared, [&](std::span<const ir::Group> instances) {
    std::vector<std::string> unshared;
    const char* parts = "it";
    for (const ir::Group& group : instances) {
      const ir::Object& first = system_.objects[group.first];
      if (first.is_constant || monitors_.discipline().has_proved_claim(group.first)) continue;
      bool all = true;
      for (std::uint32_t i = 0; i < group.count; ++i)
        all = all && monitors_.discipline().is_unshared(ir::ObjectId(group.first.index + i));
      if (!all) continue;
      unshared.push_back(fmt::format("`{}`", group.name));
      // Of a field of a class, the first dimension is that of the objects.
      const std::uint32_t places = first.owner.valid() ? system_.classes[first.owner].places : 1;
      const std::size_t dimensions = group.dimensions.size() - (first.owner.valid() ? 1 : 0);
      if (group.count > places)
        parts = dimensions == 0 ? "the same field of it" : "the same element of it";
    }
    if (unshared.empty()) return;
    const bool one = unshared.size() == 1;
    add(WarningKind::SingleThread,
        fmt::format("{} {} shared, but no two threads use {}", some_of(unshared),
                    one ? "is" : "are", one ? parts : "the same one"),
        instances.front().range);
  });
}

// Known before the search: a place in the text where a thread certainly owns none of the locks. A
// declaration gets one warning.
void Warnings::unlocked_notifies() {
  std::vector<ir::GroupId> told;
  for (const ir::ThreadId thread : system_.threads.ids()) {
    const ir::Code& code = system_.threads[thread].code;
    const std::vector<bool> reached = ir::reachable(code);
    for (ir::Pc pc = 0; pc < code.instructions.size(); ++pc) {
      const auto* notify = std::get_if<ir::Notify>(&code.instructions[pc].node);
      if (notify == nullptr || !notify->of_condition || !reached[pc]) continue;
      const ir::Object& condition = system_.objects[notify->set.base];
      bool may_own = false;
      ir::for_each_object(notify->set, [&](ir::ObjectId id) {
        may_own = may_own || held_.perhaps(thread, pc, *system_.objects[id].lock);
      });
      if (may_own || std::find(told.begin(), told.end(), condition.group) != told.end()) continue;
      told.push_back(condition.group);
      const std::string lock = system_.objects[*condition.lock].name;
      add(WarningKind::UnlockedNotify,
          fmt::format("{} notifies {} without {}: a thread that has looked and is about to wait "
                      "may miss it",
                      system_.threads[thread].name, system_.groups[condition.group].name,
                      system_.objects[*condition.lock].owner.valid() ? "its lock" : lock),
          code.instructions[pc].range);
    }
  }
}

}  // namespace

// Threads of a family are one warning.
std::vector<Warning> never_ending(const ir::System& system,
                                  const std::vector<ir::ThreadId>& threads) {
  std::vector<Warning> result;
  std::vector<std::vector<std::string>> names;
  for (const ir::ThreadId id : threads) {
    const ir::Thread& thread = system.threads[id];
    const auto known = std::find_if(result.begin(), result.end(), [&](const Warning& warning) {
      return warning.location == thread.range;
    });
    const auto at = static_cast<std::size_t>(known - result.begin());
    if (at == names.size()) {
      result.push_back({std::string(name(WarningKind::NeverEnds)), "", thread.range});
      names.emplace_back();
    }
    names[at].push_back(thread.name);
  }
  for (std::size_t i = 0; i < result.size(); ++i)
    result[i].message = fmt::format(
        "{} can come to a point from which {} for ever and never {}, though the code "
        "can end there",
        some_of(names[i]), names[i].size() == 1 ? "it works" : "they work",
        names[i].size() == 1 ? "ends" : "end");
  return result;
}

std::vector<Warning> warnings(const ir::System& system, const ir::Layout& layout,
                              const ir::HeldLocks& held, const Monitors& monitors, bool complete) {
  return Warnings(system, layout, held, monitors).all(complete);
}

}  // namespace cml::checker
