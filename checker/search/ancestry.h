// Ancestry: how each state was found: by which transition of which state, and by a chain of further
// ones through states that are not stored. For searches that do not otherwise keep it.
//
//   predecessors   │ by 0, a │ by 1, a │ by 1, a │     of each state
//   chains         │         │ a a     │ a       │     of those that have one, in their order
#pragma once

#include <algorithm>
#include <span>

#include "checker/path.h"
#include "checker/search/expansion.h"
#include "checker/store/column.h"
#include "checker/store/state_number.h"
#include "support/log.h"

namespace cml::checker {

class Ancestry {
 public:
  /// Of the next state; the chain is behind the action.
  void add(const Predecessor& by, std::span<const ir::Action> chain) {
    if (!chain.empty()) {
      chained_.push_back(static_cast<StateNumber>(predecessors_.size()));
      begins_.push_back(chains_.size());
      chains_.append(chain);
    }
    predecessors_.add(by);
  }
  [[nodiscard]] StateNumber predecessor(StateNumber state) const {
    return predecessors_[state].state;
  }
  [[nodiscard]] Path path_to(StateNumber state) const {
    Path result;  // backwards
    std::uint64_t chain = chained_.size();
    for (; state != 0; state = predecessors_[state].state) {
      // A state has a smaller number than those behind it.
      while (chain > 0 && chained_[chain - 1] > state)
        --chain;
      if (chain > 0 && chained_[chain - 1] == state)
        for (std::uint64_t i = chain < begins_.size() ? begins_[chain] : chains_.size();
             i-- > begins_[chain - 1];)
          result.push_back(chains_[i]);
      result.push_back(predecessors_[state].action);
    }
    std::reverse(result.begin(), result.end());
    return result;
  }
  [[nodiscard]] std::uint64_t memory() const {
    return predecessors_.memory() + chained_.memory() + begins_.memory() + chains_.memory();
  }

 private:
  Column<Predecessor> predecessors_;
  Log<StateNumber> chained_;
  Log<std::uint64_t> begins_;
  Log<ir::Action> chains_;
};

}  // namespace cml::checker
