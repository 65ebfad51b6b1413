// Writes a file atomically: a process that reads it meanwhile sees the old text or the new one, and
// no temporary file is left if the disk is full or a signal (other than SIGKILL) ends the program.
// Permissions stay; a symbolic link stays one, and the file behind it is replaced. A file that may
// not be written is refused, although its folder would allow the replacement.
#pragma once

#include <string>
#include <string_view>

#include "support/expected.h"

namespace cml::app {

/// Of a regular file that is there. The error is a sentence.
[[nodiscard]] Expected<void, std::string> replace_file(const std::string& path,
                                                       std::string_view text);

/// Of a file that may be there or not. What is no regular file (a terminal, a pipe, /dev/null) is
/// written to as it is, and so is a file in a folder that may not be changed. The error is a
/// sentence.
[[nodiscard]] Expected<void, std::string> write_file(const std::string& path,
                                                     std::string_view text);

}  // namespace cml::app
