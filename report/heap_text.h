// The objects of the heap that a violation concerns, as a small picture: chains of references, and
// below them what else the objects hold.
//
//   objects in the end:
//     set.head ─next→ Node#1 ─next→ Node#2 ─next→ null
//     set.head  key = 0, m = Adder
//     Node#1    key = 3, m = Remover
#pragma once

#include <string>
#include <vector>

#include "checker/result.h"
#include "report/terminal_text.h"

namespace cml::report {

/// Empty if there are none; ends with a line break otherwise.
[[nodiscard]] std::string heap_text(const std::vector<checker::HeapObject>& objects,
                                    const TextStyle& style);

}  // namespace cml::report
