// Names for profilers: /tmp/perf-PID.map, which `perf report` reads for code that belongs to no
// file. A line is an address, a size and a name: the name of a thread of the model.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace cml::jit {

struct MappedFunction {
  std::string name;
  std::uint64_t address = 0;
};

/// Appends the functions, each of which ends where the next one begins. Errors are ignored: a run
/// without profile is better than none. Nothing is written through a link, or to a file of another
/// user.
void append_perf_map(std::vector<MappedFunction> functions);

}  // namespace cml::jit
