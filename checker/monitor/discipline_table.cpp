// The discipline table: what protects what, with the elements of an array merged where they agree.
#include <algorithm>
#include <fmt/format.h>

#include "checker/monitor/discipline.h"

namespace cml::checker {
namespace {

bool agree(const DisciplineEntry& a, const DisciplineEntry& b) {
  return a.status == b.status && a.locks == b.locks && a.of_each == b.of_each &&
         a.established == b.established;
}

/// `cell[0..3]`, `grid[0..1][0..2]`: the whole group, or a run of the elements of a one-dimensional
/// one.
std::string merged_name(const ir::Group& group, std::uint32_t first, std::uint32_t last) {
  std::string name = group.name;
  if (group.dimensions.size() == 1) return fmt::format("{}[{}..{}]", name, first, last);
  for (const std::uint32_t size : group.dimensions)
    name += size == 1 ? "[0]" : fmt::format("[0..{}]", size - 1);
  return name;
}

}  // namespace

// Of a field: that of any object.
std::string DisciplineMonitor::name_of(ir::ObjectId id) const {
  const ir::Object& object = system_.objects[id];
  if (!object.owner.valid()) return object.name;
  const std::string& name = system_.objects[ir::representative(system_, id)].name;
  const std::string& of = system_.classes[object.owner].name;
  return of + name.substr(of.size() + 2);  // without "#0"
}

// In the order of precedence (docs/reference.md, "The lock discipline").
DisciplineEntry DisciplineMonitor::discipline_row(ir::ObjectId id, bool complete,
                                                  const HasRace& has_race) const {
  const ir::Object& object = system_.objects[id];
  DisciplineEntry result;
  result.object = name_of(id);
  result.location = system_.groups[object.group].range;
  result.is_field = object.owner.valid();
  result.partial = !complete;
  result.established = "dynamically";
  if (statics_.is_unshared(id)) {
    result.status = "unshared";
    if (statics_.proves() || statics_.has_proved_claim(id)) result.established = "statically";
    return result;
  }
  if (form_ == Discipline::Races) {
    race_row(id, result);
    const bool breaks_guard = index_[id] && global_[*index_[id]].guard_broken;
    if (breaks_guard || init_order_broken_[id] || has_race(id)) {
      result.status = "violated";
      result.locks.clear();
      result.established = "dynamically";
    } else if (object.guarded_by) {
      result.status = "declared";
      result.locks = {name_of(*object.guarded_by)};
      const bool proved = statics_.proof(id) != Proof::None && statics_.keeps_guard(id);
      result.established = proved ? "statically" : "dynamically";
    }
    return result;
  }
  // An entry is marked as proved only if the proof says the same: if an additional lock happened to
  // be held, or no write was executed, the entry says what the search saw.
  bool proved = false;
  const Candidates& candidates = global_[*index_[id]];
  if (candidates.broken || candidates.guard_broken || init_order_broken_[id]) {
    result.status = "violated";
  } else if (object.guarded_by) {
    result.status = "declared";
    result.locks.push_back(name_of(*object.guarded_by));
    proved = statics_.proof(id) != Proof::None && statics_.keeps_guard(id);
  } else if (candidates.written) {
    result.status = "protected";
    const std::vector<ir::ObjectId> held = locks(candidates.locks.data());
    for (const ir::ObjectId lock : held)
      result.locks.push_back(name_of(lock));
    if (held.empty()) result.of_each = relations_.texts(candidates.relations.data());
    proved = statics_.proof(id) == Proof::Protected && held == statics_.locks(id);
  } else {
    result.status = "read-only";
    proved = statics_.proof(id) == Proof::ReadOnly;
  }
  if (proved) result.established = "statically";
  return result;
}

/// What no lock protects is ordered by something else.
void DisciplineMonitor::race_row(ir::ObjectId id, DisciplineEntry& row) const {
  const Proof proof = statics_.proof(id);
  if (proof != Proof::None) row.established = "statically";
  if (proof == Proof::Protected) {
    row.status = "protected";
    for (const ir::ObjectId lock : statics_.locks(id))
      row.locks.push_back(name_of(lock));
  } else if (proof == Proof::ReadOnly) {
    row.status = "read-only";
  } else if (const Candidates& candidates = global_[*index_[id]]; candidates.is_followed) {
    row.status = "ordered";
  } else if (candidates.written) {
    row.status = "protected";
    for (const ir::ObjectId lock : locks(candidates.locks.data()))
      row.locks.push_back(name_of(lock));
  } else {
    row.status = "read-only";
  }
}

std::vector<DisciplineEntry> DisciplineMonitor::table(bool complete,
                                                      const HasRace& has_race) const {
  std::vector<DisciplineEntry> result;
  if (form_ == Discipline::Off) return result;
  for (const ir::Group& group : system_.groups) {
    if (group.count == 0 || system_.objects[group.first].kind != ir::ObjectKind::Shared) continue;
    // A row for all objects of a class.
    const ir::Object& at_first = system_.objects[group.first];
    if (at_first.is_constant) continue;
    const bool of_class = at_first.owner.valid();
    const std::uint32_t count =
        of_class ? group.count / system_.classes[at_first.owner].places : group.count;
    std::vector<DisciplineEntry> entries;
    for (std::uint32_t i = 0; i < count; ++i)
      entries.push_back(discipline_row(ir::ObjectId(group.first.index + i), complete, has_race));
    std::uint32_t elements = 1;
    for (const std::uint32_t size : group.dimensions)
      elements *= size;
    const bool mergeable = !of_class && !group.dimensions.empty() && elements == group.count;
    const bool line = mergeable && group.dimensions.size() == 1;
    const bool all_agree =
        std::all_of(entries.begin(), entries.end(),
                    [&entries](const DisciplineEntry& e) { return agree(e, entries.front()); });
    for (std::uint32_t first = 0; first < count;) {
      std::uint32_t last = first;
      if (mergeable && (line || all_agree))
        while (last + 1 < count && agree(entries[last + 1], entries[first]))
          ++last;
      DisciplineEntry merged = entries[first];
      if (last > first) merged.object = merged_name(group, first, last);
      result.push_back(std::move(merged));
      first = last + 1;
    }
  }
  return result;
}

}  // namespace cml::checker
