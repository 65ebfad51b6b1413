// Programs that run beside a server, each for a request that is answered when it has ended.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "rpc/program.h"
#include "rpc/server.h"

namespace cml::rpc {

class Programs {
 public:
  using Done = std::function<void(ProgramResult)>;

  explicit Programs(Server& server) : server_(server) {}

  /// `done` answers the request with this id. False: there is no process to be had.
  [[nodiscard]] bool start(const Json& id, const std::vector<std::string>& arguments,
                           const std::string& folder, const std::string& input, Done done);
  /// Ends the one that runs for this request, which is not answered then. False: there is none.
  bool stop(const Json& id);

 private:
  struct Running {
    Json id;
    std::unique_ptr<Program> program;
    Done done;
  };
  void ended(int descriptor);

  Server& server_;
  std::map<int, Running> running_;  // by the descriptor that tells of their ends
};

}  // namespace cml::rpc
