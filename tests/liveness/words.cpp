#include "tests/liveness/words.h"

#include <algorithm>

namespace cml::liveness {

bool holds(const std::vector<ir::Formula>& parts, const Word& word) {
  const std::size_t length = word.letters.size();
  std::vector<std::vector<bool>> values;  // of each part, by position
  std::size_t atoms = 0;
  for (const ir::Formula& part : parts) {
    const std::size_t atom = atoms;
    if (checker::is_atom(part.kind)) ++atoms;
    std::vector<bool> here(length);
    const auto left = [&](std::size_t at) -> bool { return values[part.left][at]; };
    const auto right = [&](std::size_t at) -> bool { return values[part.right][at]; };
    for (std::size_t at = 0; at < length; ++at) {
      // All positions from here on, the nearest first; after `length` steps they repeat.
      const auto sometime = [&](auto is, auto before) {
        std::size_t position = at;
        for (std::size_t steps = 0; steps <= length; ++steps) {
          if (is(position)) return true;
          if (!before(position)) return false;
          position = word.next(position);
        }
        return false;
      };
      const auto always = [](std::size_t) { return true; };
      switch (part.kind) {
        case FormulaKind::Condition:
        case FormulaKind::Ended:
        case FormulaKind::At:
          here[at] = word.letters[at][atom];
          break;
        case FormulaKind::Not:
          here[at] = !right(at);
          break;
        case FormulaKind::And:
          here[at] = left(at) && right(at);
          break;
        case FormulaKind::Or:
          here[at] = left(at) || right(at);
          break;
        case FormulaKind::Implies:
          here[at] = !left(at) || right(at);
          break;
        case FormulaKind::Until:
          here[at] = sometime(right, left);
          break;
        case FormulaKind::Release:
          here[at] = !sometime([&](std::size_t i) { return !right(i); },
                               [&](std::size_t i) { return !left(i); });
          break;
        case FormulaKind::Always:
          here[at] = !sometime([&](std::size_t i) { return !right(i); }, always);
          break;
        case FormulaKind::Eventually:
          here[at] = sometime(right, always);
          break;
      }
    }
    values.push_back(std::move(here));
  }
  return values.back().front();
}

bool accepts(const checker::Automaton& automaton, const Word& word) {
  const std::size_t width = automaton.states.size();
  const std::size_t count = width * word.letters.size();
  const auto can_be = [&](std::size_t state, std::size_t position) {
    const std::vector<bool>& letter = word.letters[position];
    for (std::size_t atom = 0; atom < letter.size(); ++atom) {
      if (checker::has_atom(automaton.states[state].holds, atom) && !letter[atom]) return false;
      if (checker::has_atom(automaton.states[state].fails, atom) && letter[atom]) return false;
    }
    return true;
  };
  std::vector<std::vector<std::size_t>> next(count);
  for (std::size_t position = 0; position < word.letters.size(); ++position)
    for (std::size_t state = 0; state < width; ++state)
      for (const std::uint32_t to : automaton.sets[automaton.states[state].successors])
        if (can_be(to, word.next(position)))
          next[position * width + state].push_back(word.next(position) * width + to);
  const auto reached = [&](const std::vector<std::size_t>& from) {
    std::vector<bool> seen(count);
    std::vector<std::size_t> waiting = from;
    while (!waiting.empty()) {
      const std::size_t at = waiting.back();
      waiting.pop_back();
      if (seen[at]) continue;
      seen[at] = true;
      waiting.insert(waiting.end(), next[at].begin(), next[at].end());
    }
    return seen;
  };
  std::vector<std::size_t> initial;
  for (const std::uint32_t to : automaton.sets[automaton.initial])
    if (can_be(to, 0)) initial.push_back(to);
  const std::vector<bool> is_reached = reached(initial);
  for (std::size_t at = 0; at < count; ++at) {
    if (!is_reached[at]) continue;
    const std::vector<bool> behind = reached(next[at]);
    if (!behind[at]) continue;
    std::uint64_t met = 0;
    for (std::size_t other = 0; other < count; ++other)
      if (behind[other] && reached({other})[at]) met |= automaton.states[other % width].accepts;
    if (met == automaton.all()) return true;
  }
  return false;
}

}  // namespace cml::liveness
