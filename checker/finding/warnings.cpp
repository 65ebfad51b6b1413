// Warnings (language.md §8): they change no verdict; what says "never" is told only after a
// complete search.
#include <algorithm>
#include <cstdint>
#include <fmt/format.h>
#include <span>
#include <tuple>
#include <unordered_set>

#include "checker/finding/operation_text.h"
#include "checker/monitor/monitors.h"
#include "checker/violation_kind.h"

namespace cml::checker {
namespace {

/// Those without a label that are inside no other such point, apart from those of the same range.
/// In the order of their beginnings, with the longer ones first, what contains a point comes before
/// it.
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

/// Calls `tell` for the groups of each declaration of that kind: one for each instance of its
/// process.
template <class Tell>
void for_each_declaration(const ir::System& system, ir::ObjectKind kind, Tell tell) {
  std::vector<ir::Group> instances;
  for (const ir::Group& group : system.groups) {
    if (group.count == 0 || system.objects[group.first].kind != kind) continue;
    const bool is_same =
        !instances.empty() && group.range.file.valid() && instances.front().range == group.range;
    if (!instances.empty() && !is_same) {
      tell(std::span<const ir::Group>(instances));
      instances.clear();
    }
    instances.push_back(group);
  }
  if (!instances.empty()) tell(std::span<const ir::Group>(instances));
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

}  // namespace

std::vector<CoverEntry> Monitors::cover() const {
  std::vector<CoverEntry> result;
  for (const ir::PointId id : system_.points.ids()) {
    const ir::Point& point = system_.points[id];
    if (point.label) result.push_back({*point.label, point.range, is_reached(id)});
  }
  return result;
}

// Of statements inside each other, the outermost.
void Monitors::unreached(std::vector<Warning>& out) const {
  std::vector<const ir::Point*> points;
  for (const ir::PointId id : system_.points.ids())
    if (!is_reached(id)) points.push_back(&system_.points[id]);
  const std::unordered_set<const ir::Point*> outermost = cml::checker::outermost(points);
  for (const ir::Point* point : points) {
    const std::string kind(name(WarningKind::Unreached));
    if (point->label) {
      out.push_back(
          {kind, fmt::format("cover \"{}\" is never reached", *point->label), point->range});
      continue;
    }
    if (outermost.contains(point))
      out.push_back({kind, "this statement is never reached", point->range});
  }
}

void Monitors::idle_locks(std::vector<Warning>& out) const {
  const auto is_idle = [this](ir::ObjectId lock) {
    const std::uint32_t number = layout_.lock_number(lock);
    const std::uint64_t used = used_locks_[number / 64] | discipline_.used_locks()[number / 64];
    return (used >> (number % 64) & 1) == 0;
  };
  for_each_declaration(system_, ir::ObjectKind::Lock, [&](std::span<const ir::Group> instances) {
    std::vector<std::string> idle;
    for (const ir::Group& group : instances) {
      std::vector<std::string> elements;
      for (std::uint32_t i = 0; i < group.count; ++i)
        if (const ir::ObjectId id(group.first.index + i); is_idle(id))
          elements.push_back(system_.objects[id].name);
      if (elements.size() == group.count) elements = {group.name};
      idle.insert(idle.end(), elements.begin(), elements.end());
    }
    if (idle.empty()) return;
    const bool one = idle.size() == 1;
    out.push_back({std::string(name(WarningKind::IdleLock)),
                   fmt::format("the {} {} {} nothing: no object is used while {} held",
                               one ? "lock" : "locks", some_of(idle), one ? "protects" : "protect",
                               one ? "it is" : "they are"),
                   instances.front().range});
  });
}

void Monitors::held_at_end(std::vector<Warning>& out) const {
  // Those of a family that hold what one declaration names are one warning.
  struct Held {
    std::string text;
    SourceRange range;
    SourceRange lock;
    std::size_t others = 0;
  };
  std::vector<Held> all;
  for (const auto& [thread, lock] : held_at_end_) {
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
    out.push_back({std::string(name(WarningKind::LockHeld)), std::move(held.text), held.range});
  }
}

void Monitors::single_threads(std::vector<Warning>& out) const {
  for_each_declaration(system_, ir::ObjectKind::Shared, [&](std::span<const ir::Group> instances) {
    std::vector<std::string> unshared;
    const char* parts = "it";
    for (const ir::Group& group : instances) {
      bool all = true;
      for (std::uint32_t i = 0; i < group.count; ++i)
        all = all && discipline_.is_unshared(ir::ObjectId(group.first.index + i));
      if (!all) continue;
      unshared.push_back(fmt::format("`{}`", group.name));
      if (group.count > 1)
        parts = group.dimensions.empty() ? "the same field of it" : "the same element of it";
    }
    if (unshared.empty()) return;
    const bool one = unshared.size() == 1;
    out.push_back({std::string(name(WarningKind::SingleThread)),
                   fmt::format("{} {} shared, but no two threads use {}", some_of(unshared),
                               one ? "is" : "are", one ? parts : "the same one"),
                   instances.front().range});
  });
}

std::vector<Warning> Monitors::warnings(bool complete) const {
  std::vector<Warning> result;
  held_at_end(result);
  single_threads(result);
  if (!complete) return result;
  unreached(result);
  for (Warning& warning : lock_order_.warnings())
    result.push_back(std::move(warning));
  idle_locks(result);
  return result;
}

}  // namespace cml::checker
