// Names for profilers: /tmp/perf-PID.map, which `perf report` reads for code that belongs to no
// file. A line is an address, a size and a name; names are those of the model's threads.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace cml::jit {

struct MappedFunction {
  std::string name;
  std::uint64_t address = 0;
};

/// Appends the functions, each as long as up to the next one. What cannot be written is left out: a
/// profile without names is better than no run. Nor is anything written through a link, or to a
/// file of somebody else's.
void append_perf_map(std::vector<MappedFunction> functions);

}  // namespace cml::jit
