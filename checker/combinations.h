// Which values the options of a search have, and which combinations of them there are: one list
// (combinations.def), for the command line, JSON, the documentation and the tests.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "checker/options.h"

namespace cml::checker {

/// A store, and how its states are stored.
struct StoreKind {
  Store store = Store::Stateful;
  StateForm form = StateForm::Bytes;

  friend bool operator==(const StoreKind&, const StoreKind&) = default;
};

template <class T>
using Named = std::pair<std::string_view, T>;

/// All values, by their words on the command line. For Granularity, Composition, ReductionOptions,
/// StoreKind, Undo, Order, Discipline and Engine.
template <class T>
[[nodiscard]] std::span<const Named<T>> values();

/// "stubborn+sleep", "bfs".
template <class T>
[[nodiscard]] std::string_view name(const T& value);

/// Options that cannot be combined.
struct Refusal {
  bool (*refuses)(const Options& options);
  std::string_view example;  // of a command line
  std::string_view reason;
  std::string_view help;
};
[[nodiscard]] std::span<const Refusal> all_refusals();
/// Why these cannot be, and what to do; null if they can.
[[nodiscard]] const Refusal* refused(const Options& options);

/// As Markdown: all values, and what cannot be combined (docs/reductions.md).
[[nodiscard]] std::string combinations_table();

}  // namespace cml::checker
