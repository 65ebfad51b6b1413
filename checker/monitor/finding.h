// What a monitor has found: enough to reproduce it by replaying the path. Findings with the same
// identity are one violation (docs/reference.md, "Violations"): kind, and the assertion, object,
// operation or thread it belongs to; for stuck threads, which thread waits for what.
#pragma once

#include <compare>
#include <cstdint>
#include <map>
#include <memory>
#include <new>
#include <optional>
#include <tuple>
#include <utility>
#include <vector>

#include "checker/path.h"
#include "checker/violation_kind.h"
#include "ir/exec/step.h"

namespace cml::checker {

/// A blocked thread, its operation, and what it waits for: not its place in the text.
struct StuckThread {
  ir::ThreadId thread;
  ir::Opcode operation = ir::Opcode::Acquire;
  std::vector<ir::ObjectId> objects;  // sorted

  friend auto operator<=>(const StuckThread&, const StuckThread&) = default;
};
using StuckVector = std::vector<StuckThread>;  // by thread

/// One access to a shared object, as the lock discipline sees it.
struct DisciplineAccess {
  ir::ThreadId thread;
  ir::Pc pc = 0;
  bool is_write = false;
  bool pending = false;  // by a guard that is pending at the end of the path
  std::vector<ir::ObjectId> held;
  Path path;

  friend bool operator==(const DisciplineAccess&, const DisciplineAccess&) = default;
  /// Any total order, for results that must not depend on the order of observation.
  friend bool operator<(const DisciplineAccess& a, const DisciplineAccess& b);
};

/// Property: of executions; Condition: one in the formula of such a property.
enum class Source : std::uint8_t { Thread, Invariant, Final, Property, Condition };

struct Finding {
  ViolationKind kind = ViolationKind::Assertion;
  Source source = Source::Thread;
  std::uint32_t property = 0;             // which invariant, final or property
  std::uint32_t condition = 0;            // of Source::Condition: which of the property's
  std::optional<Fairness> fairness = {};  // of Source::Property: which executions count
  ir::Event event;                        // thread (of Source::Thread), place, message, object
  Path path;
  bool is_path_lost = false;  // there was no memory for it
  StuckVector stuck;
  /// Of threads that are lost: it was found in the graph of all states
  /// (checker/search/hang_check.h), and where they spin, the path goes on in this loop, which leads
  /// back to its beginning. So does that of an execution that violates a property; if there is no
  /// loop, it ends there.
  bool is_of_graph = false;
  Path loop;
  std::vector<ir::ObjectId> still_changing;  // by others, while it spins
  /// lock-discipline: the path alone breaks it, since the candidates are part of the state.
  bool is_on_path = false;
  /// Otherwise: every access that made the set of candidates smaller, in order, and a write.
  std::vector<DisciplineAccess> accesses;
};

class Findings {
 public:
  Findings(bool all, bool shortest);

  /// Whether there is no finding with this identity, so that its path should be asked for.
  [[nodiscard]] bool is_new(const Finding& finding) const;
  void add(Finding finding);
  /// `complete` fills in the paths. Where there is no memory for them, the finding is kept without,
  /// and std::bad_alloc is rethrown.
  template <class Complete>
  void add(Finding finding, Complete complete) {
    try {
      complete(finding);
    } catch (const std::bad_alloc&) {
      add_without_path(std::move(finding));
      throw;
    }
    add(std::move(finding));
  }
  void add(Finding finding, const PathSource& path) {
    add(std::move(finding), [&path](Finding& found) { found.path = path.path(); });
  }
  void add_without_path(Finding finding);
  /// Whether the search can end. After a divergence it continues for a while: a lock-discipline
  /// violation would be reported first (docs/reference.md, "Violations"). And after a partial
  /// deadlock, where the shortest trace is asked for: the first deadlock is the nearest.
  [[nodiscard]] bool enough() const { return !all_ && !empty() && is_enough(); }
  /// A state was visited: counts while `enough` waits.
  void visited() {
    if (waits_for_discipline_ || waits_for_deadlock()) ++waited_;
  }
  [[nodiscard]] bool empty() const { return items_.empty() && stuck_.empty(); }
  /// The partial deadlock with the shortest path; null: there is none.
  [[nodiscard]] const Finding* nearest_partial() const;

  /// Adds what another search has found. Of two findings with one identity the one with the shorter
  /// path is kept, and if they are equally long, the smaller. They are reported in the order in
  /// which one search has found them.
  void join(const Findings& other);

  /// The findings to report: all, of the stuck vectors only the largest ones; or the one to report.
  [[nodiscard]] std::vector<Finding> report() const;

 private:
  [[nodiscard]] bool is_enough() const;
  [[nodiscard]] bool waits_for_deadlock() const {
    return shortest_ && !stuck_.empty() && !has_deadlock_;
  }
  using Identity = std::tuple<ViolationKind, Source, std::uint32_t, std::uint32_t, std::uint32_t,
                              std::uint32_t, std::uint32_t>;
  [[nodiscard]] static Identity identity(const Finding& finding);
  struct Item {
    Finding finding;
    std::uint32_t rank = 0;  // of those that one search has found
  };
  /// Their identities, by rank.
  [[nodiscard]] std::vector<Identity> in_order() const;

  bool all_;
  bool shortest_;
  std::unique_ptr<char[]> reserve_;  // given back when memory has run out
  bool waits_for_discipline_ = false;
  bool has_deadlock_ = false;
  std::uint64_t waited_ = 0;
  std::map<Identity, Item> items_;
  std::map<StuckVector, Finding> stuck_;
};

}  // namespace cml::checker
