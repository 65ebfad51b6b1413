// Replaces a file's text in one step: who reads it meanwhile sees the old text or the new one, and
// nothing in between is left if the disk is full. Permissions stay; a symbolic link stays one, and
// the file behind it is replaced. A file that may not be written is refused, although its folder
// would allow the replacement.
#pragma once

#include <string>
#include <string_view>

#include "support/expected.h"

namespace cml::app {

/// The error is a sentence.
[[nodiscard]] Expected<void, std::string> replace_file(const std::string& path,
                                                       std::string_view text);

}  // namespace cml::app
