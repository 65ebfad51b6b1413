// The lock-order graph, and its cycles that no execution closed (language.md §8): a warning that a
// deadlock may be one change away.
//
// An edge a → b: a thread that holds a is about to acquire b. It keeps the thread and all the locks
// that it holds. A cycle counts if its edges come from different threads, no two of which hold a
// lock in common: such a gate lock keeps them from meeting.
//
// Cost: one look at each thread per state; the cycles are enumerated once, up to a fixed number of
// steps.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <tuple>
#include <vector>

#include "checker/result.h"
#include "ir/step.h"

namespace cml::checker {

class LockOrder {
 public:
  explicit LockOrder(ir::Step& step);
  void state(const std::uint8_t* state);
  [[nodiscard]] std::vector<Warning> warnings() const;

 private:
  struct Edge {
    ir::ObjectId from, to;
    ir::ThreadId thread;
    std::vector<ir::ObjectId> held;
    friend auto operator<=>(const Edge&, const Edge&) = default;
  };
  using Cycle = std::vector<ir::ObjectId>;  // its locks, sorted
  struct Acquisition {
    ir::ObjectId lock;
    std::vector<ir::ObjectId> held;
  };
  [[nodiscard]] bool is_known(ir::ThreadId thread, ir::Location at, ir::ObjectId lock);
  void close_cycles(const std::uint8_t* state);
  void extend(std::vector<const Edge*>& chain, std::map<Cycle, std::vector<const Edge*>>& found,
              std::size_t& steps) const;

  ir::Step& step_;
  const ir::System& system_;
  const ir::Layout& layout_;
  std::map<Edge, SourceRange> edges_;
  std::multimap<ir::ObjectId, const Edge*> from_;
  std::set<Cycle> closed_;
  ir::Record record_;
  std::vector<std::vector<ir::ObjectId>> held_;  // scratch, by thread
  std::vector<ir::ObjectId> wanted_;             // scratch: locks of others that threads wait for
  // By thread and location: the acquisitions whose edges are there.
  std::vector<std::vector<std::vector<Acquisition>>> known_;
};

}  // namespace cml::checker
