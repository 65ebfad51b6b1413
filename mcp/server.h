// The tool server: `cml mcp`, for agents (https://modelcontextprotocol.io). Tools are in tools.h,
// what can be read in resources.h. Messages are lines; nothing else is written to `out`.
#pragma once

namespace cml::mcp {

/// Until the client is gone.
void serve(int in, int out);

}  // namespace cml::mcp
