// What the locks held at an access, or left of those of all accesses, mean in other executions, and
// for other objects of the class: names that can be intersected.
#pragma once

#include <map>
#include <set>
#include <string>

#include "tests/brute/world.h"

namespace cml::brute {

/// Names of locks that are the same in each execution: those at top level, and of the same object.
[[nodiscard]] std::set<std::string> lasting_locks(const World& world, const Access& access);
/// "the m of one List", "its own m": as in the report, but without the bounds of arrays.
[[nodiscard]] std::set<std::string> relations(const World& world, const Leaf& of,
                                              const std::set<Leaf>& locks);
/// Where "its own m" holds for all, "the m of one List" says nothing new.
[[nodiscard]] std::set<std::string> without_weaker(const std::set<std::string>& relations);
/// What is common to all that were given for this name.
void keep_common(std::map<std::string, std::set<std::string>>& all, const std::string& name,
                 const std::set<std::string>& now);

}  // namespace cml::brute
