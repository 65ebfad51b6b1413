#include "frontend/name_index.h"

#include <algorithm>
#include <tuple>

namespace cml {
namespace {

using Place = std::tuple<std::uint32_t, std::uint32_t, std::uint32_t>;

Place place(SourceRange range) { return {range.file.index, range.begin, range.end}; }

bool touches(SourceRange range, FileId file, std::uint32_t offset) {
  return range.file == file && range.begin <= offset && offset <= range.end;
}

}  // namespace

void NameIndex::finish() {
  // Of several types, those of instances, the first is kept; one that is known wins.
  std::ranges::stable_sort(declared, [](const Declared& a, const Declared& b) {
    return std::tuple(place(a.where), a.type.empty()) < std::tuple(place(b.where), b.type.empty());
  });
  const auto same = std::ranges::unique(
      declared, [](const Declared& a, const Declared& b) { return a.where == b.where; });
  declared.erase(same.begin(), same.end());

  const auto of_use = [](const Use& use) {
    return std::pair(place(use.where), place(use.declared));
  };
  std::ranges::sort(uses, {}, of_use);
  const auto again = std::ranges::unique(uses, {}, of_use);
  uses.erase(again.begin(), again.end());

  const auto of_operation = [](const OperationUse& use) { return place(use.where); };
  std::ranges::sort(operations, {}, of_operation);
  const auto twice = std::ranges::unique(operations, {}, of_operation);
  operations.erase(twice.begin(), twice.end());
}

const Declared* NameIndex::declared_at(SourceRange where) const {
  const auto found = std::ranges::lower_bound(declared, place(where), {},
                                              [](const Declared& one) { return place(one.where); });
  return found != declared.end() && found->where == where ? &*found : nullptr;
}

std::optional<NameIndex::Found> NameIndex::at(FileId file, std::uint32_t offset) const {
  for (const Use& use : uses)
    if (touches(use.where, file, offset)) return Found{use.where, use.declared};
  for (const Declared& one : declared)
    if (touches(one.where, file, offset)) return Found{one.where, one.where};
  return std::nullopt;
}

const OperationUse* NameIndex::operation_at(FileId file, std::uint32_t offset) const {
  const auto found = std::ranges::find_if(
      operations, [&](const OperationUse& use) { return touches(use.where, file, offset); });
  return found == operations.end() ? nullptr : &*found;
}

}  // namespace cml
