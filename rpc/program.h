// This program once more, with other arguments, in a process of its own: `cml check --format json`
// beside a server. It has its text on standard input; what it writes is collected, and a descriptor
// becomes readable when it has ended (support/child.h). It ends with its parent.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "support/child.h"

namespace cml::rpc {

struct ProgramResult {
  int status = -1;  // as the exit status; -1: a signal ended it
  std::string out;
  std::string err;
};

class Program {
 public:
  /// Null: there is no process to be had, or a word cannot be an argument, since it has a zero in
  /// it. `folder`: where it runs; empty: here.
  [[nodiscard]] static std::unique_ptr<Program> start(const std::vector<std::string>& arguments,
                                                      const std::string& folder,
                                                      const std::string& input);
  ~Program();
  Program(const Program&) = delete;
  Program& operator=(const Program&) = delete;

  /// Readable once it has ended.
  [[nodiscard]] int ended() const { return child_.ended(); }
  /// Waits for its end.
  [[nodiscard]] ProgramResult result();

 private:
  explicit Program(Child child) : child_(std::move(child)) {}

  Child child_;
  bool is_waited_for_ = false;
};

}  // namespace cml::rpc
