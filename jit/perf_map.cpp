#include "jit/perf_map.h"

#include <algorithm>
#include <cstdio>
#include <fmt/format.h>
#include <unistd.h>

namespace cml::jit {
namespace {

constexpr std::uint64_t kLongest = 1U << 16;  // of the last function, whose end nobody says

}  // namespace

void append_perf_map(std::vector<MappedFunction> functions) {
  std::sort(functions.begin(), functions.end(),
            [](const auto& a, const auto& b) { return a.address < b.address; });
  std::FILE* file = std::fopen(fmt::format("/tmp/perf-{}.map", getpid()).c_str(), "a");
  if (file == nullptr) return;
  for (std::size_t i = 0; i < functions.size(); ++i) {
    const bool is_last = i + 1 == functions.size();
    const std::uint64_t size =
        is_last ? kLongest : std::min(kLongest, functions[i + 1].address - functions[i].address);
    fmt::print(file, "{:x} {:x} {}\n", functions[i].address, size, functions[i].name);
  }
  std::fclose(file);
}

}  // namespace cml::jit
