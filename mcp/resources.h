// What agents can read: the language reference and other pages about it, the pages of `cml
// explain`, and the modules of the standard library.
#pragma once

#include <nlohmann/json.hpp>

#include "rpc/server.h"

namespace cml::mcp {

/// resources/list
[[nodiscard]] rpc::Json resources();
/// resources/read
[[nodiscard]] rpc::Answer resource(const rpc::Json& params);

}  // namespace cml::mcp
