// Classes whose objects no thread can ever refer to but the one that makes them, whatever is
// executed: an escape analysis by classes, which does not follow the flow of references.
//
//   thread A { let n = new Node(); … g = n; }      a Node is in a global: Node escapes
//   class Node { shared box: Box?; … }             a Box in a field of a Node: Box escapes, too
//   class Scratch { … }                            only locals refer to one: it is confined
//
// A reference gets to another thread by what is written to a global, sent, passed to `spawn`, or
// written to a field of a class that escapes. An object of the initial state is everybody's.
//
// What follows from it: nothing that is done to such objects depends on other threads; and where
// all objects of a class are made by `new unshared`, that claim is proved, and nothing is left to
// check (`drop_proved_claims`, which the lowering calls last).
//
// Left out: objects of one class that escape, and others that do not. Cost: linear in the code.
#pragma once

#include "ir/system.h"

namespace cml::ir {

[[nodiscard]] IdVector<ClassId, bool> confined_classes(const System& system);

/// Of classes that are confined, are made by `new unshared` alone, and are read by no property:
/// their objects are not claimed any more when they are made.
void drop_proved_claims(System& system);
/// Where that was done.
[[nodiscard]] IdVector<ClassId, bool> proved_claims(const System& system);

}  // namespace cml::ir
