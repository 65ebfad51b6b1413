// Both orders of all pairs of calls, by looking up what the calls do.
#include "checker/commutes.h"

#include <algorithm>
#include <array>
#include <compare>
#include <fmt/format.h>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "checker/object_calls.h"
#include "support/mutation.h"

namespace cml::checker {
namespace {

using Arguments = ObjectCalls::Arguments;
using CallResult = ObjectCalls::Result;
using Values = ObjectCalls::Values;

struct Call {
  std::uint32_t method = 0;
  std::size_t arguments = 0;
};

/// What two calls come to, in any order.
struct End {
  std::array<std::optional<CallResult>, 2> results;  // none: blocked
  Values after = 0;

  [[nodiscard]] bool is_blocked() const { return !results[0] || !results[1]; }
  friend auto operator<=>(const End&, const End&) = default;
};

class Verifier {
 public:
  Verifier(const ir::System& system, const ir::CommutingClass& of, ObjectCalls& calls)
      : system_(system), class_(of), calls_(calls) {}

  /// A violation if it is false.
  std::optional<Violation> verify(const ir::Commutes& declared);
  /// Of the last one, which was not false: why that is not proved; empty: it is.
  [[nodiscard]] std::string_view doubt() const {
    return calls_.left_out().empty() ? doubt_ : calls_.left_out();
  }
  /// Of the last one, if it was not false: both orders reach the same statements and labels.
  [[nodiscard]] bool reaches_the_same() const { return reaches_the_same_; }

 private:
  /// All ways in which the calls can end, where calls[first] goes first; none: it is not known.
  std::optional<std::set<End>> ends(Values values, const std::array<Call, 2>& calls,
                                    std::size_t first);
  std::optional<Violation> compare(const ir::Commutes& declared, Values values,
                                   const std::array<Call, 2>& calls);
  Violation violation(const ir::Commutes& declared, Values values, const std::array<Call, 2>& calls,
                      const std::array<End, 2>& shown);
  [[nodiscard]] std::string text(const Call& call, const std::optional<CallResult>& result) const;

  const ir::System& system_;
  const ir::CommutingClass& class_;
  ObjectCalls& calls_;
  std::string_view doubt_;
  bool reaches_the_same_ = true;
  std::array<std::vector<ir::PointId>, 2> reached_;  // by who goes first
};

std::optional<Violation> Verifier::verify(const ir::Commutes& declared) {
  doubt_ = {};
  reaches_the_same_ = true;
  const auto [a, b] = declared.methods;
  const std::size_t of_a = calls_.arguments(a).size();
  const std::size_t of_b = calls_.arguments(b).size();
  if (calls_.count() == 0 || of_a * of_b == 0) doubt_ = "there is nothing to try it with";
  std::uint64_t combinations = 0;
  for (Values values = 0; values < calls_.count(); ++values) {
    for (std::size_t i = 0; i < of_a; ++i) {
      for (std::size_t j = 0; j < of_b; ++j) {
        if (++combinations > kMostCombinations) {
          doubt_ = "there are too many combinations of values and arguments to try them all";
          return std::nullopt;
        }
        if (declared.when &&
            !calls_.holds(*declared.when, values, calls_.arguments(a)[i], calls_.arguments(b)[j]))
          continue;
        if (auto found = compare(declared, values, {{{a, i}, {b, j}}})) return found;
      }
    }
  }
  return std::nullopt;
}

std::optional<std::set<End>> Verifier::ends(Values values, const std::array<Call, 2>& calls,
                                            std::size_t first) {
  const Call& one = calls[first];
  const Call& other = calls[1 - first];
  std::set<End> result;
  std::vector<ir::PointId>& reached = reached_[first];
  reached.clear();
  const auto reaches = [&reached](const ObjectCalls::Outcome& outcome) {
    reached.insert(reached.end(), outcome.marks.begin(), outcome.marks.end());
  };
  const ObjectCalls::Outcomes& firsts = calls_.call(values, one.method, one.arguments);
  if (firsts.is_unknown) return std::nullopt;
  for (const ObjectCalls::Outcome& before : firsts.all) {
    const ObjectCalls::Outcomes& seconds = calls_.call(before.after, other.method, other.arguments);
    if (seconds.is_unknown) return std::nullopt;
    reaches(before);
    End end;
    end.results[first] = before.result;
    end.after = before.after;
    if (seconds.all.empty()) result.insert(end);
    for (const ObjectCalls::Outcome& after : seconds.all) {
      end.results[1 - first] = after.result;
      end.after = after.after;
      result.insert(end);
      reaches(after);
    }
  }
  std::sort(reached.begin(), reached.end());
  reached.erase(std::unique(reached.begin(), reached.end()), reached.end());
  return result;
}

std::optional<Violation> Verifier::compare(const ir::Commutes& declared, Values values,
                                           const std::array<Call, 2>& calls) {
  const auto forth = ends(values, calls, 0);
  const auto back = ends(values, calls, 1);
  if (!forth || !back || forth->empty() || back->empty()) return std::nullopt;
  const auto blocks = [](const End& end) { return end.is_blocked(); };
  const bool is_blocked = std::ranges::any_of(*forth, blocks) || std::ranges::any_of(*back, blocks);
  if (!is_blocked && *forth == *back) {
    reaches_the_same_ = reaches_the_same_ && reached_[0] == reached_[1];
    return std::nullopt;
  }
  // What the other order cannot come to, if there is something.
  const auto shown = [&](const std::set<End>& of, const std::set<End>& other) {
    for (const End& end : of)
      if (end.is_blocked() || !other.contains(end)) return end;
    return *of.begin();
  };
  return violation(declared, values, calls, {shown(*forth, *back), shown(*back, *forth)});
}

std::string Verifier::text(const Call& call, const std::optional<CallResult>& result) const {
  const std::string made = calls_.text(call.method, calls_.arguments(call.method)[call.arguments]);
  const std::string how = result ? calls_.text(call.method, *result) : "is blocked";
  return how.empty() ? made : made + " " + how;
}

Violation Verifier::violation(const ir::Commutes& declared, Values values,
                              const std::array<Call, 2>& calls, const std::array<End, 2>& shown) {
  Violation result;
  result.kind = ViolationKind::FalseCommute;
  const std::string& a = class_.methods[declared.methods[0]].name;
  const std::string& b = class_.methods[declared.methods[1]].name;
  const std::string both =
      a == b ? fmt::format("two calls of `{}`", a) : fmt::format("`{}` and `{}`", a, b);
  const std::string& of = system_.classes[class_.of].name;
  result.message = fmt::format("{} of `{}` do not commute", both, of);
  result.location = declared.range;
  result.object = of;
  result.before = calls_.text(values);
  for (const std::size_t first : {std::size_t{0}, std::size_t{1}}) {
    OrderOfCalls order;
    for (const std::size_t which : {first, 1 - first})
      order.calls.push_back(text(calls[which], shown[first].results[which]));
    order.after = calls_.text(shown[first].after);
    result.orders.push_back(std::move(order));
  }
  return result;
}

}  // namespace

CommutesFindings verify_commutes(const ir::System& system, bool all, const StopToken& stop) {
  CommutesFindings findings;
  if (system.commuting.empty()) return findings;
  const ir::Layout layout(system);
  for (const ir::CommutingClass& of : system.commuting) {
    ObjectCalls calls(system, layout, of, stop);
    Verifier verifier(system, of, calls);
    for (const ir::Commutes& declared : of.commutes) {
      if (auto violation = verifier.verify(declared)) {
        findings.violations.push_back(std::move(*violation));
        if (!all) return findings;
        if (CML_MUTATION("false-declarations-are-used"))
          findings.proved.push_back({of.of, declared.methods});
      } else if (!verifier.doubt().empty()) {
        findings.warnings.push_back(
            {std::string(name(WarningKind::UnprovedCommutes)),
             fmt::format("no counterexample to this `commutes` of `{}` was found, but it is not "
                         "proved: {}",
                         system.classes[of.of].name, verifier.doubt()),
             declared.range});
      } else if (!declared.when || CML_MUTATION("declarations-hold-without-their-conditions")) {
        if (verifier.reaches_the_same() || CML_MUTATION("commuting-calls-reach-what-they-like"))
          findings.proved.push_back({of.of, declared.methods});
      }
    }
    findings.lacks_stack = findings.lacks_stack || calls.lacks_stack();
  }
  return findings;
}

}  // namespace cml::checker
