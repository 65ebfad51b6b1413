// How much memory there is for the process, and how much it uses.
//
// There is: the least of the machine's memory, the limits that the shell has set (`ulimit -v`,
// `ulimit -d`), and those of its control groups, as containers and batch systems set them (v1 and
// v2; a group's limit holds for those in it, so all above are asked, too).
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>

namespace cml {

/// How much there is, in bytes; UINT64_MAX: unknown.
[[nodiscard]] std::uint64_t available_memory();

/// The limit of the control groups, if any has one; `root` is where /proc and /sys are looked for.
[[nodiscard]] std::optional<std::uint64_t> memory_of_control_groups(
    const std::filesystem::path& root = "/");

/// Bytes of the process in memory that are no part of files: what it has allocated and touched.
/// Cost: one to three system calls, a microsecond. 0: the system does not say.
[[nodiscard]] std::uint64_t resident_memory();

/// Returns the allocator's free memory to the system. Cost: a walk over its free blocks.
void give_back_memory();

}  // namespace cml
