// `cml lsp`.
#include "app/lsp_command.h"

#include "app/server_streams.h"
#include "lsp/server.h"

namespace cml::app {

CommandHelp LspCommand::help() const {
  return {
      .summary = "a language server for editors, on standard input and output",
      .arguments = "[--stdio]",
      .description =
          "An editor starts it and speaks the language server protocol with it: errors while you "
          "type and their cures, completion, what a name means and where it stands, renaming, "
          "formatting, and checks whose results are shown in the text.",
      .examples = {{"cml lsp", "what an editor runs"}},
      .notes =
          "Exit status:\n"
          "  0   the client has said `shutdown`, and `exit`\n"
          "  1   it was gone without\n",
  };
}

void LspCommand::declare(Arguments& arguments) {
  arguments.section("Options");
  arguments.flag("--stdio", stdio_, "as some editors ask for it; there is no other way");
}

ExitStatus LspCommand::run(Console& console) {
  (void)console;
  const ServerStreams streams;
  return lsp::serve(streams.in(), streams.out()) ? ExitStatus::Verified : ExitStatus::Violated;
}

}  // namespace cml::app
