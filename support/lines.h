// Where the lines of a text begin. One rule for all that counts lines: the front end, whose places
// people read, and the language server, whose protocol says it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

namespace cml {

/// At 0, and behind each \n, \r\n and \r.
[[nodiscard]] inline std::vector<std::uint32_t> line_starts(std::string_view text) {
  std::vector<std::uint32_t> starts = {0};
  for (std::size_t at = 0; at < text.size(); ++at)
    if (text[at] == '\n' || (text[at] == '\r' && text.substr(at + 1, 1) != "\n"))
      starts.push_back(static_cast<std::uint32_t>(at + 1));
  return starts;
}

}  // namespace cml
