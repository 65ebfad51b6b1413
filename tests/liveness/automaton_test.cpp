// The automaton of a formula accepts the words that violate it, and no others: for all formulas up
// to a size over two atoms, and all ultimately periodic words up to a size.
#include "checker/liveness/automaton.h"

#include <atomic>
#include <cstdint>
#include <doctest/doctest.h>
#include <string>
#include <vector>

#include "tests/harness/sanitized.h"
#include "tests/liveness/words.h"

namespace cml::liveness {
namespace {

using Parts = std::vector<ir::Formula>;

Parts atom(std::size_t number) {
  // The second atom has a first before it: `false && a` and the like would be another formula, so
  // the atoms stand in front, and the formula says which it means by its operands.
  Parts parts(2);
  ir::Formula whole;
  whole.kind = FormulaKind::And;
  whole.left = whole.right = static_cast<std::uint32_t>(number);
  parts.push_back(whole);
  return parts;
}

/// Both with the two atoms in front.
Parts joined(FormulaKind kind, const Parts& left, const Parts& right) {
  Parts parts = left;
  const auto shift = static_cast<std::uint32_t>(left.size() - 2);
  for (std::size_t i = 2; i < right.size(); ++i) {
    ir::Formula part = right[i];
    if (part.left >= 2) part.left += shift;
    if (part.right >= 2) part.right += shift;
    parts.push_back(part);
  }
  ir::Formula whole;
  whole.kind = kind;
  whole.left = static_cast<std::uint32_t>(left.size() - 1);
  whole.right = static_cast<std::uint32_t>(parts.size() - 1);
  parts.push_back(whole);
  return parts;
}

Parts made(FormulaKind kind, const Parts& right) {
  Parts parts = right;
  ir::Formula whole;
  whole.kind = kind;
  whole.right = static_cast<std::uint32_t>(right.size() - 1);
  parts.push_back(whole);
  return parts;
}

/// All of so many operators and atoms.
std::vector<std::vector<Parts>> formulas_up_to(std::size_t size) {
  std::vector<std::vector<Parts>> result(size + 1);
  result[1] = {atom(0), atom(1)};
  for (std::size_t n = 2; n <= size; ++n) {
    for (const FormulaKind kind : {FormulaKind::Not, FormulaKind::Always, FormulaKind::Eventually})
      for (const Parts& right : result[n - 1])
        result[n].push_back(made(kind, right));
    for (const FormulaKind kind : {FormulaKind::And, FormulaKind::Or, FormulaKind::Implies,
                                   FormulaKind::Until, FormulaKind::Release})
      for (std::size_t left = 1; left + 1 < n; ++left)
        for (const Parts& a : result[left])
          for (const Parts& b : result[n - 1 - left])
            result[n].push_back(joined(kind, a, b));
  }
  return result;
}

std::vector<Word> words_up_to(std::size_t stem, std::size_t loop) {
  std::vector<Word> result;
  for (std::size_t before = 0; before <= stem; ++before) {
    for (std::size_t around = 1; around <= loop; ++around) {
      const std::size_t length = before + around;
      for (std::size_t bits = 0; bits < std::size_t{1} << (2 * length); ++bits) {
        Word word;
        word.loop = before;
        for (std::size_t i = 0; i < length; ++i)
          word.letters.push_back({(bits >> (2 * i) & 1) != 0, (bits >> (2 * i + 1) & 1) != 0});
        result.push_back(std::move(word));
      }
    }
  }
  return result;
}

std::string text(const Parts& parts, std::size_t at) {
  const ir::Formula& part = parts[at];
  if (at < 2) return at == 0 ? "a" : "b";
  const std::string right = text(parts, part.right);
  if (part.kind == FormulaKind::And && part.left == part.right && part.left < 2) return right;
  switch (part.kind) {
    case FormulaKind::Not:
    case FormulaKind::Always:
    case FormulaKind::Eventually:
      return std::string(spelling(part.kind)) + " " + right;
    default:
      return "(" + text(parts, part.left) + " " + std::string(spelling(part.kind)) + " " + right +
             ")";
  }
}

std::string text(const Word& word) {
  std::string result;
  for (std::size_t i = 0; i < word.letters.size(); ++i) {
    if (i == word.loop) result += "| ";
    result += std::string(word.letters[i][0] ? "a" : "-") + (word.letters[i][1] ? "b " : "- ");
  }
  return result;
}

TEST_CASE("the automaton accepts the words that violate the formula, and no others") {
  const std::size_t largest = 5;
  const std::size_t each = test::kSanitized ? 97 : 9;  // of the largest ones
  const std::vector<Word> words = words_up_to(2, 2);
  const auto all = formulas_up_to(largest);
  std::size_t number = 0;
  std::size_t compared = 0;
  std::size_t most_states = 0;
  for (std::size_t size = 1; size <= largest; ++size) {
    for (const Parts& parts : all[size]) {
      if (++number % each != 0 && (size == largest || test::kSanitized)) continue;
      const auto automaton = checker::automaton_of_negation(parts);
      REQUIRE(automaton.has_value());
      most_states = std::max(most_states, automaton->states.size());
      for (const Word& word : words) {
        ++compared;
        if (accepts(*automaton, word) != holds(parts, word)) continue;
        FAIL_CHECK(text(parts, parts.size() - 1)
                   << " on " << text(word) << "is " << holds(parts, word));
        return;
      }
    }
  }
  MESSAGE(compared << " pairs, automata of up to " << most_states << " states");
}

TEST_CASE("known formulas have small automata") {
  const auto states = [](const Parts& parts) {
    return checker::automaton_of_negation(parts)->states.size();
  };
  using K = FormulaKind;
  const Parts a = atom(0);
  const Parts b = atom(1);
  CHECK(states(made(K::Always, a)) <= 3);
  CHECK(states(made(K::Always, made(K::Eventually, a))) <= 2);
  CHECK(states(made(K::Always, joined(K::Implies, a, made(K::Eventually, b)))) <= 3);
  CHECK(states(joined(K::Until, a, b)) <= 3);
}

/// A part with one operand, or two, behind those that there are.
std::uint32_t add(Parts& parts, FormulaKind kind, std::uint32_t left, std::uint32_t right) {
  ir::Formula part;
  part.kind = kind;
  part.left = left;
  part.right = right;
  parts.push_back(part);
  return static_cast<std::uint32_t>(parts.size() - 1);
}

/// `kind` of `count` formulas `first second atom`, each with an atom of its own.
Parts many(FormulaKind kind, std::uint32_t count, FormulaKind first, FormulaKind second) {
  Parts parts(count);
  std::uint32_t whole = 0;
  for (std::uint32_t i = 0; i < count; ++i) {
    const std::uint32_t one = add(parts, first, 0, add(parts, second, 0, i));
    whole = i == 0 ? one : add(parts, kind, whole, one);
  }
  return parts;
}

TEST_CASE("that one of many comes is one eventuality") {
  using K = FormulaKind;
  // The negation of `terminates;`, of a hundred threads, and that of a hundred invariants.
  for (const Parts& parts :
       {many(K::And, 100, K::Always, K::Eventually), many(K::And, 100, K::Always, K::Always)}) {
    const auto automaton = checker::automaton_of_negation(parts);
    REQUIRE(automaton.has_value());
    CHECK(automaton->conditions <= 1);
  }
}

TEST_CASE("the translation of a formula ends when it is asked to") {
  const std::atomic<bool> asked = true;
  const StopToken stop(&asked, std::nullopt);
  const Parts parts = many(FormulaKind::Or, 12, FormulaKind::Eventually, FormulaKind::Always);
  CHECK_THROWS_AS((void)checker::automaton_of_negation(parts, stop), Stopped);
}

TEST_CASE("a formula that is too large has no automaton") {
  Parts parts = made(FormulaKind::Eventually, atom(0));
  for (int i = 0; i < 80; ++i)
    parts = joined(FormulaKind::And,
                   made(FormulaKind::Eventually, joined(FormulaKind::Until, atom(i % 2), parts)),
                   parts.size() > 2000 ? atom(0) : made(FormulaKind::Always, parts));
  CHECK_FALSE(checker::automaton_of_negation(parts).has_value());
}

}  // namespace
}  // namespace cml::liveness
