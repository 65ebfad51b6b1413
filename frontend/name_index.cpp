#include "frontend/name_index.h"

#include <algorithm>
#include <tuple>
#include <utility>
#include <vector>

namespace cml {
namespace {

using Place = std::tuple<std::uint32_t, std::uint32_t, std::uint32_t>;

Place place(SourceRange range) { return {range.file.index, range.begin, range.end}; }

bool touches(SourceRange range, FileId file, std::uint32_t offset) {
  return range.file == file && range.begin <= offset && offset <= range.end;
}

/// Sorts by a key, and keeps one of each.
template <class T, class Key>
void sort_once(std::vector<T>& list, Key key) {
  std::sort(list.begin(), list.end(), [&](const T& a, const T& b) { return key(a) < key(b); });
  const auto is_same = [&](const T& a, const T& b) { return key(a) == key(b); };
  list.erase(std::unique(list.begin(), list.end(), is_same), list.end());
}

}  // namespace

void NameIndex::finish() {
  // Of several types, those of instances, the first is kept; one that is known wins.
  std::stable_sort(declared.begin(), declared.end(), [](const Declared& a, const Declared& b) {
    return std::tuple(place(a.where), a.type.empty()) < std::tuple(place(b.where), b.type.empty());
  });
  const auto is_same = [](const Declared& a, const Declared& b) { return a.where == b.where; };
  declared.erase(std::unique(declared.begin(), declared.end(), is_same), declared.end());
  sort_once(uses, [](const Use& use) { return std::pair(place(use.where), place(use.declared)); });
  sort_once(operations, [](const OperationUse& use) { return place(use.where); });
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
