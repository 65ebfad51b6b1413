// Work in processes of its own, several at a time: what one of them runs out of, or dies of,
// concerns no other. A child does what this process would do, with what it says on both streams
// collected; it is a copy of this process (fork), so nothing needs to be passed to it.
//
// A signal that ends this process ends the children: Ctrl-C reaches all processes of the terminal,
// so children ignore it, and are told by SIGTERM, upon which a search reports what it has found.
#pragma once

#include <cstddef>
#include <functional>
#include <string>

#include "app/exit_status.h"

namespace cml::app {

/// What has come of a piece of work.
struct ChildResult {
  ExitStatus status = ExitStatus::Inconclusive;
  std::string out;  // what it wrote to standard output, and to standard error
  std::string err;
  /// Why it has not come to its end: no process to be had, a crash, too little memory. Empty: it
  /// has.
  std::string failure;
};

struct ChildOptions {
  /// What children write is collected; else it goes where that of this process goes.
  bool collects = true;
  /// Asked now and then: whether the rest is not wanted any more. It then ends as if interrupted.
  std::function<bool()> is_over = {};
};

/// Does pieces of work 0 … `count` - 1, at most `at_a_time` of them at the same time. `done` is
/// called in this process, for each of them, in their order; from the interruption on, pieces that
/// have not begun are done without having been begun.
void run_in_children(std::size_t count, std::size_t at_a_time,
                     const std::function<ExitStatus(std::size_t)>& work,
                     const std::function<void(std::size_t, ChildResult)>& done,
                     const ChildOptions& options = {});

/// The processors that this process may use.
[[nodiscard]] std::size_t processors();

}  // namespace cml::app
