// Ultimately periodic words, and which formulas they satisfy, by the definition: the second opinion
// on the automaton, and on executions that violate a property.
#pragma once

#include <cstddef>
#include <vector>

#include "checker/liveness/automaton.h"
#include "ir/system.h"

namespace cml::liveness {

/// A letter says of each atom whether it holds. Behind the last letter comes the one at `loop`.
struct Word {
  std::vector<std::vector<bool>> letters;
  std::size_t loop = 0;

  [[nodiscard]] std::size_t next(std::size_t at) const {
    return at + 1 < letters.size() ? at + 1 : loop;
  }
};

/// Whether the last of the parts holds of the word. The atoms are numbered as those of the
/// automaton.
[[nodiscard]] bool holds(const std::vector<ir::Formula>& parts, const Word& word);

/// Whether the automaton accepts the word.
[[nodiscard]] bool accepts(const checker::Automaton& automaton, const Word& word);

}  // namespace cml::liveness
