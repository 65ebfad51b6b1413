#include "checker/comparison.h"

#include <algorithm>
#include <fmt/format.h>
#include <set>

namespace cml::checker {
namespace {

bool asks_the_same(const Options& a, const Options& b) {
  return a.discipline == b.discipline && a.spurious_wakeups == b.spurious_wakeups &&
         a.fairness == b.fairness && a.limits.max_stack == b.limits.max_stack;
}

bool is_lost_in_graph(const Violation& violation) {
  return violation.is_of_graph || violation.kind == ViolationKind::Livelock;
}

/// What it has found that the other one has looked for, too. Which of the deadlocks are partial
/// depends on where they are seen first.
std::set<ViolationKind> found(const Compared& one, const Compared& other) {
  std::set<ViolationKind> kinds;
  for (const Violation& violation : one.result.violations) {
    if (is_lost_in_graph(violation) && !other.result.checked_hangs) continue;
    const bool is_partial = violation.kind == ViolationKind::PartialDeadlock;
    kinds.insert(is_partial ? ViolationKind::Deadlock : violation.kind);
  }
  return kinds;
}

bool is_sound(const Compared& one) { return one.standing() == Standing::Sound; }

/// What is found is so, however the search ended; that nothing is, only of a sound one.
bool agree(const Compared& a, const Compared& b) {
  if (!asks_the_same(a.options, b.options)) return true;
  const std::set<ViolationKind> by_a = found(a, b);
  const std::set<ViolationKind> by_b = found(b, a);
  if (is_sound(a) && is_sound(b) && a.options.all && b.options.all &&
      a.result.checked_hangs == b.result.checked_hangs)
    return by_a == by_b;
  return (by_b.empty() || !by_a.empty() || !is_sound(a)) &&
         (by_a.empty() || !by_b.empty() || !is_sound(b));
}

}  // namespace

std::string_view name(Standing standing) {
  switch (standing) {
    case Standing::Sound:
      return "sound";
    case Standing::Incomplete:
      return "incomplete";
    case Standing::Refused:
      return "refused";
  }
  return "";
}

Standing Compared::standing() const {
  if (refusal != nullptr) return Standing::Refused;
  const bool is_cut = result.verdict == Verdict::Inconclusive || result.assumption_broken ||
                      !result.stats.limits_hit.empty();
  return is_cut ? Standing::Incomplete : Standing::Sound;
}

std::string short_name(const Options& options) {
  std::string text{name(options.granularity)};
  const auto add = [&text](std::string_view word) { (text += ' ') += word; };
  const bool is_sync = options.granularity == Granularity::Sync;
  const Composition usual = is_sync ? Composition::Composed : Composition::None;
  if (options.composition != usual)
    add(is_sync && options.composition == Composition::None ? "not-composed"
                                                            : name(options.composition));
  add(name(options.reduction));
  const bool is_stateless = options.store == Store::Stateless;
  const bool is_depth_first = is_stateless || options.reduction.is_stateful();
  if (options.order != (is_depth_first ? Order::DepthFirst : Order::BreadthFirst))
    add(name(options.order));
  if (options.seed != 0) text += fmt::format(" seed {}", options.seed);
  if (is_stateless || options.state_form != StateForm::Bytes)
    add(name(StoreKind{options.store, options.state_form}));
  if (options.undo && *options.undo != Undo::Checkpoint) add(name(*options.undo));
  if (options.discipline != Discipline::Global)
    (text += " discipline ") += name(options.discipline);
  if (options.engine != Engine::Jit) add(name(options.engine));
  if (options.shortest) add("shortest");
  if (options.spurious_wakeups) add("spurious-wakeups");
  if (!options.hang_check) add("no-hang-check");
  return text;
}

std::optional<std::pair<std::size_t, std::size_t>> disagreement(std::span<const Compared> all) {
  for (std::size_t b = 0; b < all.size(); ++b)
    for (std::size_t a = 0; a < b; ++a)
      if (all[a].refusal == nullptr && all[b].refusal == nullptr && !agree(all[a], all[b]))
        return std::pair(a, b);
  return std::nullopt;
}

}  // namespace cml::checker
