#include "checker/liveness/automaton.h"

#include <algorithm>
#include <map>
#include <set>
#include <tuple>
#include <utility>

#include "support/mutation.h"

namespace cml::checker {
namespace {

/// In negation normal form, each formula once.
using Id = std::uint32_t;
enum class Op : std::uint8_t { False, True, Atom, NoAtom, And, Or, Until, Release };

struct Node {
  Op op = Op::True;
  Id left = 0;  // the atom's number
  Id right = 0;

  friend auto operator<=>(const Node&, const Node&) = default;
};

class Formulas {
 public:
  static constexpr Id kFalse = 0;
  static constexpr Id kTrue = 1;

  Formulas() {
    (void)intern({Op::False, 0, 0});
    (void)intern({Op::True, 0, 0});
  }

  [[nodiscard]] const Node& operator[](Id id) const { return nodes_[id]; }

  /// The last of the parts, or its negation.
  Id normal_form(const std::vector<ir::Formula>& parts, bool is_negated) {
    std::vector<std::uint32_t> atoms;
    std::uint32_t count = 0;
    for (const ir::Formula& part : parts)
      atoms.push_back(is_atom(part.kind) ? count++ : 0);
    // Of each part, the formula and its negation.
    std::vector<std::pair<Id, Id>> made;
    for (std::size_t i = 0; i < parts.size(); ++i) {
      const ir::Formula& part = parts[i];
      const auto operand = [&made](std::uint32_t number) {
        return number < made.size() ? made[number] : std::pair<Id, Id>();
      };
      const auto [left, no_left] = operand(part.left);
      const auto [right, no_right] = operand(part.right);
      switch (part.kind) {
        case FormulaKind::Condition:
        case FormulaKind::Ended:
        case FormulaKind::At:
          made.emplace_back(intern({Op::Atom, atoms[i], 0}), intern({Op::NoAtom, atoms[i], 0}));
          break;
        case FormulaKind::Not:
          made.emplace_back(no_right, right);
          break;
        case FormulaKind::And:
          made.emplace_back(both(left, right), either(no_left, no_right));
          break;
        case FormulaKind::Or:
          made.emplace_back(either(left, right), both(no_left, no_right));
          break;
        case FormulaKind::Implies:
          made.emplace_back(either(no_left, right), both(left, no_right));
          break;
        case FormulaKind::Until:
          made.emplace_back(until(left, right), release(no_left, no_right));
          break;
        case FormulaKind::Release:
          made.emplace_back(release(left, right), until(no_left, no_right));
          break;
        case FormulaKind::Always:
          made.emplace_back(release(kFalse, right), until(kTrue, no_right));
          break;
        case FormulaKind::Eventually:
          made.emplace_back(until(kTrue, right), release(kFalse, no_right));
          break;
      }
    }
    return is_negated ? made.back().second : made.back().first;
  }

 private:
  Id intern(const Node& node) {
    const auto [at, is_new] = ids_.emplace(node, static_cast<Id>(nodes_.size()));
    if (is_new) nodes_.push_back(node);
    return at->second;
  }
  Id both(Id a, Id b) {
    if (a == kFalse || b == kFalse) return kFalse;
    if (a == kTrue || a == b) return b;
    if (b == kTrue) return a;
    if (const auto [x, y] = always_both(a, b); x != kFalse) return release(kFalse, both(x, y));
    return intern({Op::And, std::min(a, b), std::max(a, b)});
  }
  Id either(Id a, Id b) {
    if (a == kTrue || b == kTrue) return kTrue;
    if (a == kFalse || a == b) return b;
    if (b == kFalse) return a;
    if (const auto [x, y] = eventually_both(a, b); x != kFalse) return until(kTrue, either(x, y));
    return intern({Op::Or, std::min(a, b), std::max(a, b)});
  }
  /// Of two that are `always x` and `always y`, or `eventually` both, x and y: one eventuality
  /// stands for both. Else false.
  [[nodiscard]] std::pair<Id, Id> always_both(Id a, Id b) const {
    const bool both_are = nodes_[a].op == Op::Release && nodes_[b].op == Op::Release &&
                          nodes_[a].left == kFalse && nodes_[b].left == kFalse;
    return both_are ? std::pair(nodes_[a].right, nodes_[b].right) : std::pair(kFalse, kFalse);
  }
  [[nodiscard]] std::pair<Id, Id> eventually_both(Id a, Id b) const {
    const bool both_are = nodes_[a].op == Op::Until && nodes_[b].op == Op::Until &&
                          nodes_[a].left == kTrue && nodes_[b].left == kTrue;
    return both_are ? std::pair(nodes_[a].right, nodes_[b].right) : std::pair(kFalse, kFalse);
  }
  Id until(Id a, Id b) {
    if (b == kTrue || b == kFalse || a == kFalse || a == b) return b;
    const Node& right = nodes_[b];  // a until (a until c), true until (x until c)
    if (right.op == Op::Until && right.left == a) return b;
    if (right.op == Op::Until && a == kTrue) return until(kTrue, right.right);
    return intern({Op::Until, a, b});
  }
  Id release(Id a, Id b) {
    if (b == kTrue || b == kFalse || a == kTrue || a == b) return b;
    const Node& right = nodes_[b];
    if (right.op == Op::Release && right.left == a) return b;
    if (right.op == Op::Release && a == kFalse) return release(kFalse, right.right);
    return intern({Op::Release, a, b});
  }

  std::vector<Node> nodes_;
  std::map<Node, Id> ids_;
};

using Obligation = std::set<Id>;

/// A way of meeting an obligation.
struct Way {
  AtomSet holds;
  AtomSet fails;
  std::uint64_t accepts = 0;
  Obligation next;

  friend auto operator<=>(const Way&, const Way&) = default;
};

bool is_part_of(const AtomSet& small, const AtomSet& large) {
  for (std::size_t i = 0; i < small.size(); ++i)
    if ((small[i] & ~(i < large.size() ? large[i] : 0)) != 0) return false;
  return true;
}

/// Whether it asks for no more, now and later, and fulfils no less.
bool asks_less(const Way& a, const Way& b) {
  return is_part_of(a.holds, b.holds) && is_part_of(a.fails, b.fails) &&
         (b.accepts & ~a.accepts) == 0 &&
         std::includes(b.next.begin(), b.next.end(), a.next.begin(), a.next.end());
}

class Tableau {
 public:
  Tableau(const Formulas& formulas, Id whole, const StopToken& stop)
      : formulas_(formulas), stop_(stop) {
    find_untils(whole);
    is_too_large_ = untils_.size() > Automaton::kMostConditions;
  }

  std::optional<Automaton> run(Id whole) {
    automaton_.conditions = static_cast<std::uint32_t>(untils_.size());
    if (is_too_large_) return std::nullopt;
    automaton_.initial = set_of({whole});
    for (std::size_t i = 0; i < waiting_.size() && !is_too_large_; ++i) {
      const Obligation obligation = waiting_[i];
      std::vector<std::uint32_t> successors;
      for (const Way& way : ways(obligation))
        successors.push_back(state_of(way));
      automaton_.sets[i] = std::move(successors);
    }
    if (is_too_large_) return std::nullopt;
    return std::move(automaton_);
  }

 private:
  static constexpr std::uint64_t kMostSteps = 2'000'000;

  void find_untils(Id whole) {
    std::set<Id> seen;
    std::vector<Id> waiting{whole};
    while (!waiting.empty()) {
      const Id id = waiting.back();
      waiting.pop_back();
      const Node& node = formulas_[id];
      if (node.op < Op::And || !seen.insert(id).second) continue;
      if (node.op == Op::Until) untils_.emplace(id, untils_.size());
      waiting.push_back(node.left);
      waiting.push_back(node.right);
    }
  }

  std::uint32_t set_of(const Obligation& obligation) {
    const auto [at, is_new] =
        sets_.emplace(obligation, static_cast<std::uint32_t>(automaton_.sets.size()));
    if (is_new) {
      automaton_.sets.emplace_back();
      waiting_.push_back(obligation);
    }
    return at->second;
  }

  std::uint32_t state_of(const Way& way) {
    const auto [at, is_new] =
        states_.emplace(way, static_cast<std::uint32_t>(automaton_.states.size()));
    if (is_new) {
      automaton_.states.push_back({way.holds, way.fails, way.accepts, set_of(way.next)});
      is_too_large_ = is_too_large_ || automaton_.states.size() > Automaton::kMostStates;
    }
    return at->second;
  }

  std::vector<Way> ways(const Obligation& obligation) {
    found_.clear();
    Branch branch;
    branch.todo.assign(obligation.begin(), obligation.end());
    expand(std::move(branch));
    std::vector<Way> result;
    for (const Way& way : found_) {
      stop_.poll(found_.size());
      const auto is_better = [&](const Way& other) {
        return &other != &way && asks_less(other, way);
      };
      if (CML_MUTATION("every-way-of-meeting-an-obligation") ||
          std::none_of(found_.begin(), found_.end(), is_better))
        result.push_back(way);
    }
    return result;
  }

  struct Branch {
    std::vector<Id> todo;
    std::set<Id> done;
    Way way;
  };

  /// Decides what is to be done; a disjunction makes two branches, the second of which waits.
  void expand(Branch first) {
    std::vector<Branch> branches{std::move(first)};
    while (!branches.empty() && !is_too_large_) {
      Branch branch = std::move(branches.back());
      branches.pop_back();
      bool is_possible = true;
      while (is_possible && !branch.todo.empty()) {
        stop_.poll(branch.done.size() + 1);
        if (++steps_ > kMostSteps) is_too_large_ = true;
        if (is_too_large_) return;
        const Id id = branch.todo.back();
        branch.todo.pop_back();
        if (!branch.done.insert(id).second) continue;
        const Node& node = formulas_[id];
        switch (node.op) {
          case Op::False:
            is_possible = false;
            break;
          case Op::True:
            break;
          case Op::Atom:
            is_possible = !has_atom(branch.way.fails, node.left);
            add_atom(branch.way.holds, node.left);
            break;
          case Op::NoAtom:
            is_possible = !has_atom(branch.way.holds, node.left);
            add_atom(branch.way.fails, node.left);
            break;
          case Op::And:
            branch.todo.push_back(node.left);
            branch.todo.push_back(node.right);
            break;
          case Op::Or:
            branches.push_back(branch);
            branches.back().todo.push_back(node.right);
            branch.todo.push_back(node.left);
            break;
          case Op::Until:  // right, or left and from the next state on the same
            branches.push_back(branch);
            branches.back().todo.push_back(node.left);
            branches.back().way.next.insert(id);
            branch.todo.push_back(node.right);
            break;
          case Op::Release:  // right and left, or right and from the next state on the same
            branches.push_back(branch);
            branches.back().todo.push_back(node.right);
            branches.back().way.next.insert(id);
            branch.todo.push_back(node.right);
            branch.todo.push_back(node.left);
            break;
        }
      }
      if (is_possible) finish(branch);
    }
  }

  void finish(Branch& branch) {
    for (const auto& [until, number] : untils_) {
      const bool is_asked = branch.done.contains(until);
      const bool is_fulfilled =
          branch.done.contains(formulas_[until].right) || formulas_[until].right == Formulas::kTrue;
      if (!is_asked || is_fulfilled || CML_MUTATION("an-until-that-never-comes"))
        branch.way.accepts |= std::uint64_t{1} << number;
    }
    found_.insert(std::move(branch.way));
  }

  const Formulas& formulas_;
  const StopToken& stop_;
  std::map<Id, std::size_t> untils_;  // and their acceptance conditions
  Automaton automaton_;
  std::map<Obligation, std::uint32_t> sets_;
  std::vector<Obligation> waiting_;  // by set
  std::map<Way, std::uint32_t> states_;
  std::set<Way> found_;
  std::uint64_t steps_ = 0;
  bool is_too_large_ = false;
};

}  // namespace

std::optional<Automaton> automaton_of_negation(const std::vector<ir::Formula>& parts,
                                               const StopToken& stop) {
  Formulas formulas;
  const Id whole = formulas.normal_form(parts, true);
  return Tableau(formulas, whole, stop).run(whole);
}

}  // namespace cml::checker
