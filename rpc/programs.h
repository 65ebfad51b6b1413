// Programs that run beside a server, each for a request that is answered when it has ended. A few
// run at the same time; the others wait for their turn.
#pragma once

#include <cstddef>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "rpc/program.h"
#include "rpc/server.h"

namespace cml::rpc {

struct Invocation {
  std::vector<std::string> arguments;
  std::string folder;  // where it runs; empty: here
  std::string input;
};

class Programs {
 public:
  using Done = std::function<void(ProgramResult)>;

  /// A search takes a processor, and what memory it needs.
  explicit Programs(Server& server);

  /// `done` answers the request with this id. Where there is no process to be had, that is its
  /// answer.
  void start(const Json& id, Invocation invocation, Done done);
  /// Ends the one that runs for this request, or waits to, which is not answered then. False: there
  /// is none.
  bool stop(const Json& id);

 private:
  struct Waiting {
    Json id;
    Invocation invocation;
    Done done;
  };
  struct Running {
    Json id;
    std::unique_ptr<Program> program;
    Done done;
  };
  void start_waiting();
  void ended(int descriptor);

  Server& server_;
  std::size_t at_a_time_;
  std::deque<Waiting> waiting_;
  std::map<int, Running> running_;  // by the descriptor that tells of their ends
};

}  // namespace cml::rpc
