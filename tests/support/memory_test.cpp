// Limits of control groups as systems show them, and how much the process has.
#include "support/memory.h"

#include <algorithm>
#include <doctest/doctest.h>
#include <string>
#include <vector>

#include "support/pages.h"
#include "tests/harness/process.h"
#include "tests/harness/sanitized.h"

namespace cml {
namespace {

struct File {
  std::string path;
  std::string text;
};

std::optional<std::uint64_t> limit(const std::vector<File>& files) {
  const test::TemporaryFolder root;
  for (const File& file : files)
    (void)root.write(file.path, file.text);
  return memory_of_control_groups(root.path());
}

TEST_CASE("memory: the least limit of the control groups is found, of both versions") {
  CHECK_FALSE(limit({}));
  CHECK_FALSE(limit({{"proc/self/cgroup", "0::/\n"}}));
  CHECK_FALSE(limit({{"proc/self/cgroup", "0::/a\n"}, {"sys/fs/cgroup/a/memory.max", "max\n"}}));
  CHECK(limit({{"proc/self/cgroup", "0::/a/b\n"},
               {"sys/fs/cgroup/a/b/memory.max", "max\n"},
               {"sys/fs/cgroup/a/memory.max", "300000000\n"}}) == 300'000'000);
  CHECK(limit({{"proc/self/cgroup", "0::/a\n"},
               {"sys/fs/cgroup/a/memory.max", "300000000\n"},
               {"sys/fs/cgroup/a/memory.high", "200000000\n"}}) == 200'000'000);
  // In a container: the path is the one outside, and its files are at the top.
  CHECK(limit({{"proc/self/cgroup", "0::/../docker/7\n"},
               {"sys/fs/cgroup/memory.max", "100000000\n"}}) == 100'000'000);
  const std::string v1 = "12:cpu,cpuacct:/x\n5:memory:/docker/7\n1:name=systemd:/y\n";
  CHECK(limit({{"proc/self/cgroup", v1},
               {"sys/fs/cgroup/memory/memory.limit_in_bytes", "64000000\n"}}) == 64'000'000);
  CHECK(limit({{"proc/self/cgroup", v1},
               {"sys/fs/cgroup/memory/memory.limit_in_bytes", "9223372036854771712\n"},
               {"sys/fs/cgroup/memory/docker/7/memory.limit_in_bytes", "32000000\n"}}) ==
        32'000'000);
  CHECK_FALSE(limit({{"proc/self/cgroup", v1},
                     {"sys/fs/cgroup/memory/memory.limit_in_bytes", "9223372036854771712\n"}}));
  CHECK_FALSE(limit({{"proc/self/cgroup", "nonsense\n:\n\n"}}));
}

TEST_CASE("memory: what is touched counts") {
  if (test::kSanitized) return;
  constexpr std::size_t kBytes = std::size_t{64} << 20;
  const std::uint64_t before = resident_memory();
  CHECK(before > 0);
  const Pages pages(kBytes, Pages::Size::Small);
  const std::uint64_t mapped = resident_memory();
  std::fill_n(pages.data(), kBytes, std::uint8_t{1});
  const std::uint64_t touched = resident_memory();
  CHECK(mapped < before + kBytes / 4);
  CHECK(touched >= before + kBytes / 10 * 9);
}

}  // namespace
}  // namespace cml
