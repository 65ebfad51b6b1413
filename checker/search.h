// The full search: stateful, depth-first or breadth-first, every entry of every state.
//
//     stack or queue of states ──▶ expand: entries, monitors look at the state
//            ▲                        │ each entry
//            └── new ◀── store ◀── fire: copy, execute, monitors look at the transition
//
// Depth-first keeps the numbers of the states on the stack and reads the states from the store
// (undo is "checkpoint": a state is copied before it is changed). Breadth-first keeps each state's
// predecessor, so that the path to any state is a shortest one.
//
// Divergence at granularity `access` is a cycle of the graph made of invisible transitions of one
// thread. The last edge of a cycle that is executed leads to a state already visited: only there
// the thread is run alone, to see whether it comes back.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <vector>

#include "checker/check.h"
#include "checker/monitors.h"
#include "checker/options.h"
#include "checker/path.h"
#include "checker/store.h"
#include "ir/step.h"

namespace cml::checker {

class Search final : public PathSource {
 public:
  Search(ir::Step& step, Monitors& monitors, const Options& options, const Context& context);

  void run();

  [[nodiscard]] Path path() const override;
  [[nodiscard]] bool complete() const { return limits_.empty() && !ended_early_; }
  [[nodiscard]] const std::vector<std::string>& limits() const { return limits_; }
  [[nodiscard]] Statistics statistics() const;

 private:
  struct Frame {
    StateNumber state = 0;
    std::size_t begin = 0;  // of its entries
    std::size_t next = 0;   // the entry to fire
    std::size_t end = 0;
  };
  struct Predecessor {
    StateNumber state = 0;
    ir::Entry entry;
  };

  bool start(StateNumber& first);
  void depth_first(StateNumber first);
  void breadth_first(StateNumber first);
  /// Appends the entries of a new state to entries_, and shows it to the monitors.
  void expand(StateNumber state);
  StateStore::Inserted fire(StateNumber from, ir::Entry entry);
  void check_divergence(ir::ThreadId thread);
  [[nodiscard]] bool stopped();
  void limit(const char* name);
  void tell_progress();
  [[nodiscard]] std::uint64_t memory() const;

  ir::Step& step_;
  Monitors& monitors_;
  const Options& options_;
  const Context& context_;
  std::size_t step_bytes_;
  StateStore store_;
  std::vector<std::vector<bool>> may_turn_;  // by thread and location
  std::vector<std::uint8_t> before_;
  std::vector<std::uint8_t> work_;
  std::vector<std::uint8_t> alone_;
  ir::Record record_;
  std::vector<bool> enabled_;
  std::vector<ir::Entry> entries_;         // of the frames, one after the other
  std::vector<Frame> frames_;              // depth-first
  std::vector<Predecessor> predecessors_;  // breadth-first, by state
  StateNumber current_ = 0;                // breadth-first: the state that is expanded
  bool firing_ = false;                    // breadth-first: and the entry
  ir::Entry entry_;
  std::vector<std::string> limits_;
  bool ended_early_ = false;
  std::uint64_t transitions_ = 0;
  std::uint64_t depth_ = 0;
  std::uint64_t max_depth_ = 0;
  std::uint64_t ticks_ = 0;
  std::chrono::steady_clock::time_point started_;
  std::chrono::steady_clock::time_point told_;
};

}  // namespace cml::checker
