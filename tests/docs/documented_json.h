// The members of the JSON that docs/command-line.md describes: headings of four `#` name objects by
// their paths, and the tables below them list the members.
#pragma once

#include <map>
#include <set>
#include <string>

namespace cml::test {

/// Members by the path of the object: "violations[].trace[]"; "location" is one for all paths.
using DocumentedJson = std::map<std::string, std::set<std::string>>;

[[nodiscard]] DocumentedJson documented_json();

}  // namespace cml::test
