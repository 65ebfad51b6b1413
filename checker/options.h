// What the user asked for: one const value, passed down. The names and defaults are those of the
// command line (`cml check --help`).
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "frontend/temporal.h"

namespace cml::checker {

enum class Granularity : std::uint8_t { Access, Sync };
enum class Composition : std::uint8_t { None, InvisibleFirst, Composed };
enum class Store : std::uint8_t { Stateful, Stateless };
/// How a state is stored: as it is executed on, or each field in the bits that it needs.
enum class StateForm : std::uint8_t { Bytes, Bits };
/// Depth-first: the threads one after the other, or in an order that is drawn in each state.
enum class Order : std::uint8_t { DepthFirst, BreadthFirst, Random };
enum class Engine : std::uint8_t { Jit, Interpreter };
/// How a stateless search backtracks: a copy of the state, all transitions again from the initial
/// state, or a log of the bytes that changed.
enum class Undo : std::uint8_t { Checkpoint, Replay, Reverse };
/// Which threads are explored from a state. From Clock on, dynamic ones: they learn from what was
/// executed (reduction/dynamic/), the last two from what lies behind stored states, too.
enum class Sets : std::uint8_t {
  None,
  Persistent,
  Stubborn,
  SafeSet,
  Clock,
  Source,
  Optimal,
  Parsimonious,
  EagerSource,
  LazySource,
};
/// What is demanded of shared objects: a common lock (over all executions, or in each), that no two
/// accesses race, or nothing.
enum class Discipline : std::uint8_t { Global, PerExecution, Races, Off };
[[nodiscard]] constexpr bool demands_locks(Discipline discipline) {
  return discipline == Discipline::Global || discipline == Discipline::PerExecution;
}

struct ReductionOptions {
  Sets sets = Sets::None;
  bool sleep = false;  // sleep sets, alone or on top
  /// Sets that leave out next to nothing in so many states are given up
  /// (reduction/static/usefulness.h).
  std::uint64_t give_up_after = 1024;
  /// Synchronisation that commutes still orders what threads did before, and that order decides:
  /// set where happens-before is part of the states (monitor/race_monitor.h).
  bool keeps_order = false;
  /// States that are passed through one after the other, at most; less in tests.
  std::uint32_t longest_chain = 256;

  [[nodiscard]] bool any() const { return sets != Sets::None || sleep; }
  [[nodiscard]] bool is_dynamic() const { return sets >= Sets::Clock; }
  /// A dynamic one that needs a store.
  [[nodiscard]] bool is_stateful() const { return sets >= Sets::EagerSource; }
};

struct Limits {
  std::uint64_t max_depth = 10'000'000;
  std::uint64_t max_states = UINT64_MAX;
  std::uint64_t max_memory = UINT64_MAX;  // bytes
  double max_seconds = 0;                 // 0: none
  std::uint64_t max_invisible = 1'000'000;
  /// For how many spawned threads the System has room; it was lowered so.
  std::uint64_t max_threads = 64;
  /// For how many objects of each class, and how many calls of functions that call themselves, the
  /// System may have room. One that was lowered with less is searched until that is not enough.
  std::uint64_t max_heap = 64;
  std::uint64_t max_stack = 500;
  bool can_have_more_room = false;
  /// How many states, sleep sets and the like can have numbers; less in tests.
  std::uint64_t most_numbers = UINT32_MAX;
};

struct Options {
  Granularity granularity = Granularity::Access;
  Composition composition = Composition::None;
  Store store = Store::Stateful;
  StateForm state_form = StateForm::Bytes;  // stateful
  std::optional<Undo> undo;                 // stateless; else nothing is undone
  ReductionOptions reduction;
  Order order = Order::DepthFirst;
  std::uint64_t seed = 0;  // of the order of threads, depth-first (reduction/thread_order.h)
  Discipline discipline = Discipline::Global;
  bool all = false;       // continue after the first violation
  bool shortest = false;  // minimise the trace that was found
  bool spurious_wakeups = false;
  /// Whether threads that are lost are looked for where a complete search has found nothing else
  /// (checker/search/hang_check.h).
  bool hang_check = true;
  /// Which executions properties speak of that do not say so themselves; none: as the model says.
  std::optional<Fairness> fairness;
  bool static_analyses = true;  // false: nothing is proved before the search (static_discipline.h)
  Engine engine = Engine::Jit;
  std::uint64_t jit_after = 4'000;  // transitions; 0: from the first on
  bool perf_map = false;            // names for profilers
  Limits limits;

  /// Whether a transition of the search is more than one micro-transition.
  [[nodiscard]] bool composes() const {
    return granularity == Granularity::Sync && composition != Composition::None;
  }
};

}  // namespace cml::checker
