#include "checker/monitor/lock_relations.h"

#include <algorithm>
#include <fmt/format.h>

#include "support/mutation.h"

namespace cml::checker {
namespace {

/// "[0..3]", of the elements that one object has.
std::string range_text(const ir::Group& group, bool of_class) {
  std::string text;
  for (std::size_t i = of_class ? 1 : 0; i < group.dimensions.size(); ++i)
    text += group.dimensions[i] == 1 ? "[0]" : fmt::format("[0..{}]", group.dimensions[i] - 1);
  return text;
}

const ir::Class* class_of(const ir::System& system, const ir::Group& group) {
  const ir::ClassId owner = system.objects[group.first].owner;
  return owner.valid() ? &system.classes[owner] : nullptr;
}

/// Of a class: "m[0..3]", "monitor".
std::string field_text(const ir::Group& group, const ir::Class& of) {
  if (group.name == of.name) return "monitor";
  return group.name.substr(of.name.size() + 1) + range_text(group, true);
}

bool is_array(const ir::Group& group, const ir::Class* of) {
  return group.dimensions.size() > (of == nullptr ? 0U : 1U);
}

}  // namespace

std::string one_lock_of(const ir::System& system, ir::GroupId id) {
  const ir::Group& group = system.groups[id];
  const ir::Class* const of = class_of(system, group);
  const bool several = is_array(group, of);
  if (of == nullptr) return (several ? "one of " : "") + group.name + range_text(group, false);
  return fmt::format("{} {} of one {}", several ? "one" : "the", field_text(group, *of), of->name);
}

LockRelations::LockRelations(const ir::System& system, const ir::Layout& layout) : system_(system) {
  for (const ir::ObjectId id : layout.locks()) {
    const ir::Object& lock = system.objects[id];
    if (groups_.empty() || groups_.back() != lock.group) groups_.push_back(lock.group);
    locks_.push_back({static_cast<std::uint32_t>(groups_.size() - 1), lock.owner, lock.position});
  }
}

void LockRelations::add(const std::uint8_t* locks, std::size_t bytes, const ir::Object& object,
                        std::uint64_t* to) const {
  for (std::size_t byte = 0; byte < bytes; ++byte)
    for (unsigned left = locks[byte], bit = 0; left != 0; left >>= 1, ++bit) {
      if ((left & 1) == 0) continue;
      const Lock& lock = locks_[byte * 8 + bit];
      const std::uint32_t number = 2 * lock.group;
      to[number / 64] |= std::uint64_t{1} << (number % 64);
      if (!lock.of.valid() || lock.of != object.owner ||
          (lock.place != object.position && !CML_MUTATION("every-lock-of-its-class-is-its-own")))
        continue;
      to[number / 64] |= std::uint64_t{2} << (number % 64);
    }
}

std::vector<std::string> LockRelations::texts(const std::uint64_t* relations) const {
  std::vector<std::string> result;
  for (std::size_t i = 0; i < groups_.size(); ++i) {
    const std::uint64_t both = relations[2 * i / 64] >> (2 * i % 64) & 3;
    if (both == 0) continue;
    const ir::Group& group = system_.groups[groups_[i]];
    const ir::Class* const of = class_of(system_, group);
    if ((both & 2) == 0 || of == nullptr)
      result.push_back(one_lock_of(system_, groups_[i]));
    else if (is_array(group, of))
      result.push_back(fmt::format("one {} of its own", field_text(group, *of)));
    else
      result.push_back("its own " + field_text(group, *of));
  }
  return result;
}

}  // namespace cml::checker
