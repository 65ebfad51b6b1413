// This program once more, with other arguments, in a process of its own: `cml check --format json`
// beside a server. It has its text on standard input; what it writes is collected in memory, and a
// descriptor becomes readable when it has ended. It ends with its parent.
#pragma once

#include <memory>
#include <string>
#include <sys/types.h>
#include <vector>

namespace cml::rpc {

struct ProgramResult {
  int status = -1;  // as the exit status; -1: a signal ended it
  std::string out;
  std::string err;
};

class Program {
 public:
  /// Null: there is no process to be had. `folder`: where it runs; empty: here.
  [[nodiscard]] static std::unique_ptr<Program> start(const std::vector<std::string>& arguments,
                                                      const std::string& folder,
                                                      const std::string& input);
  ~Program();
  Program(const Program&) = delete;
  Program& operator=(const Program&) = delete;

  /// Readable once it has ended.
  [[nodiscard]] int ended() const { return ended_; }
  /// Waits for its end.
  [[nodiscard]] ProgramResult result();

 private:
  Program() = default;

  pid_t process_ = -1;
  int out_ = -1;
  int err_ = -1;
  int ended_ = -1;
};

}  // namespace cml::rpc
