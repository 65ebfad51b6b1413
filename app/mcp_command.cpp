// `cml mcp`.
#include "app/mcp_command.h"

#include "app/server_streams.h"
#include "mcp/server.h"

namespace cml::app {

CommandHelp McpCommand::help() const {
  return {
      .summary = "a tool server for agents, on standard input and output",
      .arguments = "",
      .description =
          "An agent starts it and speaks the model context protocol with it. Its tools check, "
          "simulate, explain and format models; it can read the language reference.",
      .examples = {{"cml mcp", "what an agent runs"}},
  };
}

void McpCommand::declare(Arguments& arguments) { (void)arguments; }

ExitStatus McpCommand::run(Console& console) {
  (void)console;
  const ServerStreams streams;
  mcp::serve(streams.in(), streams.out());
  return ExitStatus::Verified;
}

}  // namespace cml::app
