// Checks of open texts: `cml check --format json` in a process of its own, so that other requests
// are answered meanwhile. The text is what the editor has, saved or not; files that it imports are
// read from the disk.
#pragma once

#include <functional>
#include <map>
#include <string>

#include "lsp/workspace.h"
#include "rpc/programs.h"
#include "rpc/server.h"

namespace cml::lsp {

class Checks {
 public:
  /// `found`: the result of a document as it is now has come.
  Checks(rpc::Server& server, Workspace& workspace, std::function<void(Document&)> found)
      : server_(server), workspace_(workspace), found_(std::move(found)), programs_(server) {}

  /// `cml.check`, `cml.simulate`, `cml.report`: the URI, and a list of more options. Answers later.
  [[nodiscard]] rpc::Answer execute(const Json& params, const Json& id);
  void cancel(const Json& id);
  /// The text is closed: its check, if one is under way, has nobody to tell.
  void stop_of(const std::string& uri);
  void stop_all();

  [[nodiscard]] static Json commands() { return {"cml.check", "cml.simulate", "cml.report"}; }

 private:
  struct Running {
    std::string command;
    std::string uri;
    CheckedTexts texts;
  };
  void ended(const Json& id, const Running& run, rpc::ProgramResult result);
  void stop(const Json& id, const std::string& why);
  [[nodiscard]] Json answer(const Running& run, rpc::ProgramResult result);

  rpc::Server& server_;
  Workspace& workspace_;
  std::function<void(Document&)> found_;
  rpc::Programs programs_;
  std::map<std::string, Json> running_;  // requests, by the URIs of what is checked
};

}  // namespace cml::lsp
