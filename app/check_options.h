// What `cml check` has been asked for: one value, passed down and never changed.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "frontend/check.h"

namespace cml::app {

enum class Format : std::uint8_t { Text, Json };

struct CheckOptions {
  std::string model;  // the main file's path; "-" is standard input
  Definitions definitions;
  Format format = Format::Text;
  std::optional<std::string> output;  // a file instead of standard output
  bool quiet = false;
};

}  // namespace cml::app
