// Stateless search (Stoller's framework §3, Figure 1): no store, only the present path. Every
// execution is explored that the reduction does not exclude; with a cycle in the graph executions
// are endless, so the depth limit makes the verdict inconclusive.
//
// To backtrack to the state before the last transition (`undo`), it keeps
//
//   checkpoint  a copy of each state on the path
//   replay      nothing; the path is executed again from the initial state
//   reverse     a log of the bytes that each transition changed, with their old values
//
// `executions` counts paths to a state where no action is enabled, `blocked_executions` those that
// end because all enabled actions sleep.
#pragma once

#include <algorithm>
#include <memory>
#include <vector>

#include "checker/reduction/reduction.h"
#include "checker/search/search.h"

namespace cml::checker {

class Stateless final : public Search {
 public:
  explicit Stateless(const SearchInput& input);

  void run() override;
  [[nodiscard]] Path path() const override;
  [[nodiscard]] Statistics statistics() const override;

  /// Nodes of the tree so far, for the limit.
  [[nodiscard]] std::uint64_t states() const override { return nodes_; }
  [[nodiscard]] std::uint64_t waiting() const override { return frames_.size(); }
  [[nodiscard]] std::uint64_t memory() const override;
  [[nodiscard]] std::uint64_t numbers() const override { return reduction_->numbers(); }

 private:
  struct Frame {
    ir::Action taken;      // invalid thread: none yet
    std::size_t undo = 0;  // in checkpoints_ or log_: where what restores it begins
  };
  struct Change {
    std::uint32_t offset = 0;
    std::uint8_t old = 0;
  };

  /// Of the state of the explorer, which is that of the top frame.
  void push(ir::ThreadId moved);
  void pop();
  void step(ir::Action action);
  /// Notes that the model has a cycle, if the present path contains one.
  void look_for_cycle();
  /// Moves on to the state that was reached, and keeps what restores the top frame's.
  void advance(Frame& top);
  void go_back(const Frame& top);
  /// Keeps what lies between here and the end of the state.
  void keep(Frame& top, const std::uint8_t* from);

  std::unique_ptr<Reduction> reduction_;
  std::vector<std::uint8_t> initial_;  // replay
  std::vector<std::uint8_t> checkpoints_;
  std::vector<Change> log_;
  std::uint64_t nodes_ = 0;
  std::vector<Frame> frames_;
  std::uint64_t executions_ = 0;
  std::uint64_t blocked_executions_ = 0;
  bool is_cyclic_ = false;
  ir::Record record_;
};

}  // namespace cml::checker
