// Warnings (language.md §8): they change no verdict; what says "never" is told only after a
// complete search.
#include <algorithm>
#include <cstdint>
#include <fmt/format.h>
#include <tuple>
#include <unordered_set>

#include "checker/monitors.h"
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
  const std::string kind(name(WarningKind::IdleLock));
  for (const ir::Group& group : system_.groups) {
    if (group.count == 0 || system_.objects[group.first].kind != ir::ObjectKind::Lock) continue;
    std::vector<ir::ObjectId> idle;
    for (std::uint32_t i = 0; i < group.count; ++i)
      if (const ir::ObjectId id(group.first.index + i); is_idle(id)) idle.push_back(id);
    if (idle.size() == group.count) {
      out.push_back({kind,
                     fmt::format("the lock {} protects nothing: no object is used while it is held",
                                 group.name),
                     group.range});
      continue;
    }
    for (const ir::ObjectId id : idle)
      out.push_back({kind,
                     fmt::format("the lock {} protects nothing: no object is used while it is held",
                                 system_.objects[id].name),
                     group.range});
  }
}

std::vector<Warning> Monitors::warnings(bool complete) const {
  std::vector<Warning> result;
  for (const auto& [thread, lock] : held_at_end_)
    result.push_back({std::string(name(WarningKind::LockHeld)),
                      fmt::format("{} ends while it holds {}", system_.threads[thread].name,
                                  system_.objects[lock].name),
                      system_.threads[thread].range});
  for (const ir::Group& group : system_.groups) {
    if (group.count == 0 || system_.objects[group.first].kind != ir::ObjectKind::Shared) continue;
    bool all_unshared = true;
    for (std::uint32_t i = 0; i < group.count; ++i)
      all_unshared = all_unshared && discipline_.is_unshared(ir::ObjectId(group.first.index + i));
    if (all_unshared)
      result.push_back({std::string(name(WarningKind::SingleThread)),
                        fmt::format("`{}` is shared, but no two threads use {}", group.name,
                                    group.count > 1 ? "the same element of it" : "it"),
                        group.range});
  }
  if (!complete) return result;
  unreached(result);
  for (Warning& warning : lock_order_.warnings())
    result.push_back(std::move(warning));
  idle_locks(result);
  return result;
}

}  // namespace cml::checker
