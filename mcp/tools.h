// The tools of `cml mcp`: check, simulate, explain and format. The first two run `cml` in a process
// of its own, and are answered when it has ended.
#pragma once

#include <string>

#include "mcp/answers.h"
#include "rpc/programs.h"
#include "rpc/server.h"

namespace cml::mcp {

class Tools {
 public:
  explicit Tools(rpc::Server& server) : server_(server), programs_(server) {}

  /// tools/list
  [[nodiscard]] static Json list();
  /// tools/call
  [[nodiscard]] rpc::Answer call(const Json& params, const Json& id);
  /// Not wanted any more; there is no answer then.
  void cancel(const Json& id);

 private:
  [[nodiscard]] rpc::Answer run(const std::string& command, const Json& arguments, const Json& id);
  void ended(const Json& id, const rpc::ProgramResult& result);

  rpc::Server& server_;
  rpc::Programs programs_;
};

}  // namespace cml::mcp
