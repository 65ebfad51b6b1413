// The list of commands.
#include "app/check_command.h"
#include "app/command.h"
#include "app/compare_command.h"
#include "app/explain_command.h"
#include "app/export_command.h"
#include "app/fmt_command.h"
#include "app/graph_command.h"
#include "app/ir_command.h"
#include "app/lsp_command.h"
#include "app/mcp_command.h"
#include "app/replay_command.h"
#include "app/simulate_command.h"
#include "app/std_command.h"
#include "app/watch_command.h"

namespace cml::app {

std::vector<std::unique_ptr<Command>> all_commands() {
  std::vector<std::unique_ptr<Command>> commands;
  commands.push_back(std::make_unique<CheckCommand>());
  commands.push_back(std::make_unique<WatchCommand>());
  commands.push_back(std::make_unique<CompareCommand>());
  commands.push_back(std::make_unique<SimulateCommand>());
  commands.push_back(std::make_unique<ReplayCommand>());
  commands.push_back(std::make_unique<GraphCommand>());
  commands.push_back(std::make_unique<FmtCommand>());
  commands.push_back(std::make_unique<IrCommand>());
  commands.push_back(std::make_unique<ExportCommand>());
  commands.push_back(std::make_unique<ExplainCommand>());
  commands.push_back(std::make_unique<StdCommand>());
  commands.push_back(std::make_unique<LspCommand>());
  commands.push_back(std::make_unique<McpCommand>());
  return commands;
}

}  // namespace cml::app
