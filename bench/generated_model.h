// A correct model of a given length, for measuring how long reading takes.
//
// It looks like what people write: declarations with comments, functions, structs, enums, a class,
// threads with loops, branches, critical sections and messages, all of them used. It is made of
// sections that differ in their names; nobody should explore it.
#pragma once

#include <string>

namespace cml::bench {

/// At least `lines` lines, and less than a section more.
[[nodiscard]] std::string generated_model(int lines);

}  // namespace cml::bench
