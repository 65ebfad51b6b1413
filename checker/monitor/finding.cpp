// Identities, and which findings are reported.
#include "checker/monitor/finding.h"

#include <algorithm>
#include <compare>
#include <tuple>

#include "support/mutation.h"

namespace cml::checker {
namespace {

constexpr std::uint64_t kMostWaiting = 100'000;  // states
// Enough for some findings without their paths; small enough for the allocator's free memory.
constexpr std::size_t kReserve = 64 * 1024;

bool is_stuck(ViolationKind kind) {
  return kind == ViolationKind::Deadlock || kind == ViolationKind::PartialDeadlock;
}

std::strong_ordering order(const Path& a, const Path& b) {
  if (a.size() != b.size()) return a.size() <=> b.size();
  return std::lexicographical_compare_three_way(
      a.begin(), a.end(), b.begin(), b.end(), [](ir::Action x, ir::Action y) {
        return std::pair(x.thread, x.choice) <=> std::pair(y.thread, y.choice);
      });
}

/// Of two findings with one identity: a total order.
bool is_better(const Finding& a, const Finding& b) {
  if (a.kind != b.kind) return a.kind == ViolationKind::Deadlock;
  if (a.is_path_lost != b.is_path_lost) return b.is_path_lost;
  if (const auto paths = order(a.path, b.path); paths != 0) return paths < 0;
  const auto event = [](const Finding& f) { return std::pair(f.event.thread, f.event.pc); };
  if (event(a) != event(b)) return event(a) < event(b);
  return a.accesses < b.accesses;
}

}  // namespace

bool operator<(const DisciplineAccess& a, const DisciplineAccess& b) {
  if (const auto paths = order(a.path, b.path); paths != 0) return paths < 0;
  const auto rest = [](const DisciplineAccess& access) {
    return std::tie(access.thread, access.pc, access.is_write, access.pending, access.held);
  };
  return rest(a) < rest(b);
}

// By kind: the object (discipline, guard, init-order, linearizability), the thread or the property
// (divergence, livelock), or the property and the place in the text and, where there is one, the
// object.
Findings::Identity Findings::identity(const Finding& f) {
  const std::uint32_t object = f.event.object.index;
  const auto by = [&f](std::uint32_t property, std::uint32_t file, std::uint32_t begin,
                       std::uint32_t end, std::uint32_t last) {
    return Identity(f.kind, f.source, property, file, begin, end, last);
  };
  const SourceRange& range = f.event.range;
  switch (f.kind) {
    case ViolationKind::LockDiscipline:
    case ViolationKind::Guard:
    case ViolationKind::InitOrder:
    case ViolationKind::Linearizability:  // of two responses, whichever comes last is the wrong one
      return by(0, 0, 0, 0, object);
    case ViolationKind::Divergence:
    case ViolationKind::Livelock:
      return by(f.property, 0, 0, 0, f.event.thread.index);
    default:
      return by(f.property, range.file.index, range.begin, range.end, object);
  }
}

bool Findings::is_new(const Finding& finding) const {
  if (is_stuck(finding.kind)) {
    const auto found = stuck_.find(finding.stuck);
    return found == stuck_.end() || (found->second.kind == ViolationKind::PartialDeadlock &&
                                     finding.kind == ViolationKind::Deadlock);
  }
  return !items_.contains(identity(finding));
}

Findings::Findings(bool all, bool shortest)
    : all_(all), shortest_(shortest), reserve_(std::make_unique<char[]>(kReserve)) {}

void Findings::add_without_path(Finding finding) {
  reserve_.reset();
  finding.is_path_lost = true;
  finding.path.clear();
  finding.accesses.clear();
  add(std::move(finding));
}

void Findings::add(Finding finding) {
  if (is_stuck(finding.kind)) {
    StuckVector vector = finding.stuck;
    has_deadlock_ = has_deadlock_ || finding.kind == ViolationKind::Deadlock;
    stuck_.insert_or_assign(std::move(vector), std::move(finding));
    return;
  }
  const Identity id = identity(finding);
  // A property has no part in the discipline.
  if (finding.kind == ViolationKind::Divergence && finding.source == Source::Thread)
    waits_for_discipline_ = true;
  items_.emplace(id, Item{std::move(finding), static_cast<std::uint32_t>(items_.size())});
}

void Findings::join(const Findings& other) {
  for (const auto& [id, theirs] : other.items_) {
    const auto [at, is_new] = items_.emplace(id, theirs);
    if (is_new) continue;
    Item& mine = at->second;
    mine.rank = std::min(mine.rank, theirs.rank);
    if (is_better(theirs.finding, mine.finding)) mine.finding = theirs.finding;
  }
  for (const auto& [vector, theirs] : other.stuck_) {
    const auto [at, is_new] = stuck_.emplace(vector, theirs);
    if (!is_new && is_better(theirs, at->second)) at->second = theirs;
  }
  waits_for_discipline_ = waits_for_discipline_ || other.waits_for_discipline_;
  has_deadlock_ = has_deadlock_ || other.has_deadlock_;
  waited_ = std::max(waited_, other.waited_);
}

std::vector<Findings::Identity> Findings::in_order() const {
  std::vector<Identity> result;
  for (const auto& [id, item] : items_)
    result.push_back(id);
  std::stable_sort(result.begin(), result.end(), [this](const Identity& a, const Identity& b) {
    return items_.at(a).rank < items_.at(b).rank;
  });
  return result;
}

bool Findings::is_enough() const {
  if (waited_ >= kMostWaiting) return true;
  if (items_.empty()) return !waits_for_deadlock();
  const bool keeps_discipline = std::all_of(items_.begin(), items_.end(), [](const auto& item) {
    return item.second.finding.kind != ViolationKind::LockDiscipline;
  });
  return !waits_for_discipline_ || !keeps_discipline;
}

const Finding* Findings::nearest_partial() const {
  const Finding* result = nullptr;
  for (const auto& [vector, finding] : stuck_) {
    if (finding.kind != ViolationKind::PartialDeadlock) continue;
    if (result == nullptr || finding.path.size() < result->path.size()) result = &finding;
  }
  return result;
}

std::vector<Finding> Findings::report() const {
  std::vector<Finding> result;
  const std::vector<Identity> order = in_order();
  if (!all_) {
    const auto first = [&order](ViolationKind kind) {
      return std::find_if(order.begin(), order.end(),
                          [kind](const Identity& id) { return std::get<0>(id) == kind; });
    };
    // A violated `guarded by` says more than that no candidate is left.
    if (const auto guard = first(ViolationKind::Guard); guard != order.end()) {
      result.push_back(items_.at(*guard).finding);
    } else if (const auto discipline = first(ViolationKind::LockDiscipline);
               discipline != order.end()) {
      result.push_back(items_.at(*discipline).finding);
    } else if (!order.empty()) {
      result.push_back(items_.at(order.front()).finding);
    } else if (const auto deadlock = std::find_if(
                   stuck_.begin(), stuck_.end(),
                   [](const auto& item) { return item.second.kind == ViolationKind::Deadlock; });
               deadlock != stuck_.end()) {
      result.push_back(deadlock->second);
    } else if (const Finding* partial = nearest_partial()) {
      result.push_back(*partial);
    }
    return result;
  }
  for (const Identity& id : order)
    result.push_back(items_.at(id).finding);
  std::stable_partition(result.begin(), result.end(), [](const Finding& finding) {
    return finding.kind == ViolationKind::LockDiscipline;
  });
  for (const auto& [vector, finding] : stuck_) {
    // A deadlock stays one, though more threads are stuck elsewhere, while others go on.
    const bool is_deadlock = finding.kind == ViolationKind::Deadlock;
    const bool is_largest =
        std::none_of(stuck_.begin(), stuck_.end(), [&, &stuck = vector](const auto& other) {
          return other.first.size() > stuck.size() &&
                 (!is_deadlock || other.second.kind == ViolationKind::Deadlock) &&
                 std::includes(other.first.begin(), other.first.end(), stuck.begin(), stuck.end());
        });
    if (is_largest || CML_MUTATION("all-stuck-vectors-not-the-largest")) result.push_back(finding);
  }
  return result;
}

}  // namespace cml::checker
