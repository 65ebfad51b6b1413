// The pages of the language reference that agents can read: of docs/, embedded in the program
// (docs/CMakeLists.txt).
#pragma once

#include <span>
#include <string_view>

namespace cml::mcp {

struct Page {
  std::string_view name;  // "reference"
  std::string_view text;  // Markdown
};

[[nodiscard]] std::span<const Page> pages();

}  // namespace cml::mcp
