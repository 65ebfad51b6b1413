// HangCheck: after a complete search that has found nothing, looks for threads that are lost
// (docs/liveness.md): no daemons, not ended, and from some state on they neither end nor change an
// object, whatever happens. Those that are blocked in all states behind are stuck, the others spin.
//
//   1  states in which all threads have ended are marked, and all from which one can be reached
//      along the edges that the search has kept (backward_marks.h)
//   2  from a state without a mark it explores forward (futures.h): mostly some transitions show
//      that every thread still does something, and then that state is marked, and all before it;
//      else all that lies behind is explored, and known exactly
//   3  in what lies behind the first of those that are known, the nearest states with lost threads
//
// Cost where nobody is lost: two columns of numbers are walked once, and few transitions, since
// what can be reached from most states is the same.
//
// With another goal it says which threads work for ever though their code can end, for a warning.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "checker/monitor/finding.h"
#include "checker/monitor/stuck.h"
#include "checker/search/backward_marks.h"
#include "checker/search/futures.h"
#include "checker/search/search.h"
#include "checker/search/state_graph.h"
#include "ir/exec/interpreter.h"
#include "support/stop_token.h"

namespace cml::checker {

class HangCheck {
 public:
  /// `step` has the transitions of the search. All must outlive it.
  HangCheck(const SearchInput& input, StateGraph& graph, ir::Interpreter& step,
            const StopToken& stop);

  /// Threads that are lost: the nearest, or all (Options::all).
  [[nodiscard]] std::vector<Finding> lost();
  /// Threads that go on for ever, though their code can end. Empty also if there are too many
  /// states to look at.
  [[nodiscard]] std::vector<ir::ThreadId> never_ending();

 private:
  /// Marks the states from which all threads reach their goals; returns those, in ascending order,
  /// from which some thread does not. None: `most` states were not enough.
  [[nodiscard]] std::optional<std::vector<StateNumber>> resolve(Futures& futures,
                                                                BackwardMarks& marks,
                                                                std::uint64_t most);
  [[nodiscard]] Futures make_futures(Futures::Goal goal, BackwardMarks& marks);
  [[nodiscard]] Path without_detours(const Path& path);
  /// Null: the search has kept none that count.
  [[nodiscard]] const BackwardEdges* edges();
  void mark_where_all_have_ended(BackwardMarks& marks);

  const SearchInput& input_;
  StateGraph& graph_;
  ir::Interpreter& step_;
  const StopToken& stop_;
  std::optional<BackwardEdges> edges_;
  std::vector<std::uint8_t> state_;
  std::vector<std::uint8_t> alone_;
  ir::Record record_;
};

}  // namespace cml::checker
