// A trace for people: one line per transition, a lane per thread.
//
//       line  source                     0 1   what it did
//         13  fork[i].acquire();         ●     fork[0].acquire()      fork[0] = Philosopher[0]
//         13  fork[i].acquire();           ●   fork[1].acquire()      fork[1] = Philosopher[1]
//
//   lanes: 0 Philosopher[0], 1 Philosopher[1]
//
// A lane that moves sideways is a context switch. Threads that take no step have no lane. On a
// terminal, the source is cut first where there is not enough room, then what a transition did goes
// on in further lines of its columns.
#pragma once

#include <string>
#include <vector>

#include "checker/result.h"
#include "frontend/source.h"
#include "report/terminal_text.h"

namespace cml::report {

/// Lines that end in '\n', each beginning with two spaces.
[[nodiscard]] std::string trace_text(const SourceSet& sources,
                                     const std::vector<checker::TraceStep>& trace,
                                     const TextStyle& style);

/// How often the thread that moves changes.
[[nodiscard]] std::size_t context_switches(const std::vector<checker::TraceStep>& trace);

}  // namespace cml::report
