// What the recorded calls of objects leave possible: the monitor of linearizability, as a part of
// the state.
//
// An object is linearizable if each of its executions' calls can be put into an order that keeps
// the order of calls that did not overlap, and in which the specification returns what was returned
// (Herlihy and Wing, "Linearizability: a correctness condition for concurrent objects", 1990).
// Which orders there are need not be known at the end: it suffices to keep all configurations that
// the calls so far can have led to. A configuration is a state of the specification and, for each
// call that has not returned, whether it has taken effect, and with which result (the construction
// is that of Wing and Gong, 1993, and of Lowe, "Testing for linearizability", 2017, for one
// history).
//
//   invocation of t   t is pending and has no effect yet; then whoever is pending may take effect
//   response r of t   only configurations remain in which t has had the effect r
//
// If none remains, no order explains the results: a violation, once; from then on, nothing that
// happens to the object makes a difference.
//
// The sets are closed: with a configuration, they contain those in which further pending calls have
// taken effect. So an invocation is a union of what it adds, a response is a filter, and two of the
// one kind commute, whichever threads they are of. A set of configurations says all about the past
// that matters for the future; equal sets have one number, which is the value of the object's
// history in the state. So a search with stored states, reduced or not, is complete for this
// property as for any assertion about the state.
//
// A number means the same in all states of a System, and is never used again. In which order
// numbers are given depends on the search; nothing else does.
//
// Cost: an event that was seen before is a look-up. A new one runs the specification once for each
// configuration and pending call, at most. For one thread.
#pragma once

#include <array>
#include <compare>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "ir/exec/free_calls.h"
#include "ir/system.h"

namespace cml::ir {

/// The number of a set of configurations.
using History = std::int32_t;
inline constexpr History kNoHistory = 0;  // of places in which there is no object
inline constexpr History kNotLinearizable = 1;

/// What calls are made of: words of arguments or results.
using Words = std::vector<std::int32_t>;

/// The table of all histories; and what calls of specifications do, as far as that was asked.
class Histories {
 public:
  explicit Histories(std::size_t specifications) : of_(specifications) { sets_.resize(2); }

  /// `calls` executes those of the specification. No value: a limit was reached.
  std::optional<History> construct(FreeCalls& calls, const System& system,
                                   std::uint32_t specification, const Words& arguments);
  std::optional<History> invoke(FreeCalls& calls, const System& system, History before,
                                std::uint32_t thread, std::uint32_t method, const Words& arguments);
  /// kNotLinearizable: that result cannot be explained, or none could before.
  History respond(History before, std::uint32_t thread, const Words& results);

  /// The limit that the last event without a value has reached.
  [[nodiscard]] LimitKind limit() const { return limit_; }

  /// The results that the pending call of a thread can have had, in the state of a history; each
  /// once, in order.
  [[nodiscard]] std::vector<Words> possible_results(History history, std::uint32_t thread) const;

  /// How many there are, for statistics.
  [[nodiscard]] std::size_t size() const { return sets_.size(); }
  /// Bytes that are known to be used.
  [[nodiscard]] std::uint64_t memory() const { return bytes_; }

 private:
  static constexpr std::size_t kMostConfigurations = 100'000;  // of one history
  static constexpr std::int32_t kNotYet = -1;
  using Event = std::array<std::uint32_t, 5>;  // history, kind, thread, method, words

  struct Pending {  // a call that has not returned
    std::uint32_t thread = 0;
    std::uint32_t depth = 1;  // calls that its method makes, by way of others, of the same object
    std::uint32_t method = 0;
    std::uint32_t arguments = 0;  // their number

    friend auto operator<=>(const Pending&, const Pending&) = default;
  };
  struct Configuration {
    std::uint32_t state = 0;            // of the specification: its number
    std::vector<std::int32_t> results;  // of each pending call: its number, or kNotYet

    friend auto operator<=>(const Configuration&, const Configuration&) = default;
  };
  struct Set {
    std::uint32_t specification = 0;
    std::vector<Pending> pending;               // by thread
    std::vector<Configuration> configurations;  // ascending

    friend auto operator<=>(const Set&, const Set&) = default;
  };
  struct Effect {
    std::int32_t result = 0;
    std::uint32_t state = 0;
  };
  struct OfSpecification {
    std::map<Words, std::uint32_t> state_numbers;
    std::vector<Words> states;
    /// By state, method and arguments.
    std::map<std::array<std::uint32_t, 3>, std::vector<Effect>> effects;
  };

  std::uint32_t number(const Words& words);
  std::uint32_t state_number(OfSpecification& of, const Words& values);
  History number(Set set);
  void remember(const Event& event, History after);
  /// What a call can do to the specification in a state; none: a limit was reached.
  const std::vector<Effect>* effects(FreeCalls& calls, const System& system,
                                     std::uint32_t specification, std::uint32_t state,
                                     const Pending& call);
  bool close(FreeCalls& calls, const System& system, Set& set);

  std::vector<OfSpecification> of_;
  std::map<Words, std::uint32_t> word_numbers_;
  std::vector<Words> words_;
  std::map<Set, History> numbers_;
  std::vector<const Set*> sets_;  // by number; none of the first two
  std::map<Event, History> after_;
  LimitKind limit_ = LimitKind::Histories;
  std::uint64_t bytes_ = 0;
};

}  // namespace cml::ir
