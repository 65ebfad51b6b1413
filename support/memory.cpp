#include "support/memory.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdlib>
#include <fcntl.h>
#include <fstream>
#include <malloc.h>
#include <sstream>
#include <string_view>
#include <sys/resource.h>
#include <unistd.h>

namespace cml {
namespace {

namespace fs = std::filesystem;

std::uint64_t physical_memory() {
  const long pages = sysconf(_SC_PHYS_PAGES);
  const long page = sysconf(_SC_PAGE_SIZE);
  if (pages <= 0 || page <= 0) return UINT64_MAX;
  return static_cast<std::uint64_t>(pages) * static_cast<std::uint64_t>(page);
}

std::uint64_t resource_limit(__rlimit_resource resource) {
  rlimit limit = {};
  if (getrlimit(resource, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY) return UINT64_MAX;
  return limit.rlim_cur;
}

/// The number that a file holds; UINT64_MAX where there is no such file, or it says "max".
std::uint64_t number_in(const fs::path& file) {
  std::ifstream in(file);
  std::uint64_t number = 0;
  return in >> number ? number : UINT64_MAX;
}

/// The least that a group and those above it may have. `mount` is where their hierarchy is; where
/// it shows a part of it only, as in containers, the group's path need not exist below.
std::uint64_t least_of(const fs::path& mount, fs::path group,
                       std::initializer_list<const char*> files) {
  std::uint64_t least = UINT64_MAX;
  for (;;) {
    for (const char* file : files)
      least = std::min(least, number_in(mount / group / file));
    if (group.empty()) return least;
    group = group.parent_path();
  }
}

}  // namespace

// Lines are ID:CONTROLLERS:PATH; v2 has the ID 0 and no controllers.
std::optional<std::uint64_t> memory_of_control_groups(const fs::path& root) {
  std::uint64_t least = UINT64_MAX;
  std::ifstream groups(root / "proc/self/cgroup");
  for (std::string line; std::getline(groups, line);) {
    const std::size_t first = line.find(':');
    const std::size_t second = line.find(':', first + 1);
    if (first == std::string::npos || second == std::string::npos) continue;
    const std::string controllers = "," + line.substr(first + 1, second - first - 1) + ",";
    const fs::path group = fs::path(line.substr(second + 1)).relative_path();
    if (controllers == ",,") {
      least =
          std::min(least, least_of(root / "sys/fs/cgroup", group, {"memory.max", "memory.high"}));
    } else if (controllers.find(",memory,") != std::string::npos) {
      least = std::min(least,
                       least_of(root / "sys/fs/cgroup/memory", group, {"memory.limit_in_bytes"}));
    }
  }
  // v1 says "no limit" by a number near 2^63.
  if (least >= std::uint64_t{1} << 62) return std::nullopt;
  return least;
}

std::uint64_t available_memory() {
  return std::min({physical_memory(), resource_limit(RLIMIT_AS), resource_limit(RLIMIT_DATA),
                   memory_of_control_groups().value_or(UINT64_MAX)});
}

// /proc/self/statm: pages in all, in memory, and of these in files. Read without anything that
// allocates.
std::uint64_t resident_memory() {
  const int file = open("/proc/self/statm", O_RDONLY | O_CLOEXEC);
  if (file < 0) return 0;
  std::array<char, 128> text = {};
  const ssize_t length = read(file, text.data(), text.size());
  close(file);
  if (length <= 0) return 0;
  const char* at = text.data();
  const char* const end = at + length;
  std::array<std::uint64_t, 3> pages = {};
  for (std::uint64_t& number : pages) {
    while (at != end && *at == ' ')
      ++at;
    at = std::from_chars(at, end, number).ptr;
  }
  return (pages[1] - std::min(pages[1], pages[2])) *
         static_cast<std::uint64_t>(sysconf(_SC_PAGE_SIZE));
}

void give_back_memory() {
#ifdef __GLIBC__
  malloc_trim(0);
#endif
}

}  // namespace cml
