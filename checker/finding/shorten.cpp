// Attempts, from large to small.
#include "checker/finding/shorten.h"

#include <algorithm>
#include <map>
#include <unordered_map>
#include <utility>
#include <vector>

#include "support/mutation.h"

namespace cml::checker {
namespace {

/// States along a path as numbers: equal for equal bytes, as far as hashing tells.
struct Marks {
  std::vector<std::size_t> states;   // one more than steps
  std::vector<std::size_t> threads;  // of what belongs to the threads, in each of them
  /// Of the thread that makes the step, before the step, and behind it.
  std::vector<std::size_t> before, behind;
};

class Shortening {
 public:
  Shortening(Replayer& replayer, Path path, const Leads& leads, const Goal& goal,
             std::uint64_t& budget)
      : replayer_(replayer), leads_(leads), goal_(goal), path_(std::move(path)), budget_(budget) {}

  Path run() {
    (void)attempt(path_, true);
    for (bool again = true; again && !is_over();) {
      const std::size_t before = path_.size();
      cut_cycles();
      drop_ends();
      drop_rounds();
      cut_rounds();
      take_shortcut();
      again = path_.size() < before;
    }
    while (!is_over() && (run_on() || join_parts())) {
    }
    return std::move(path_);
  }

 private:
  [[nodiscard]] bool is_over() const { return budget_ == 0; }

  /// Takes the path if it leads there too, and is shorter, or as long with fewer switches.
  bool attempt(Path path, bool may_be_same = false) {
    if (is_over()) return false;
    budget_ -= std::min<std::uint64_t>(budget_, path.size() + 1);
    const auto length = CML_MUTATED("shorter-traces-are-not-executed", leads_(path),
                                    std::optional<std::size_t>(path.size()));
    if (!length) return false;
    path.resize(std::min(path.size(), *length));
    const auto cost = [](const Path& one) { return std::pair(one.size(), switches(one)); };
    const bool is_better = path.size() <= path_.size() && switches(path) <= switches(path_) &&
                           cost(path) < cost(path_);
    if (!is_better && !may_be_same) return false;
    path_ = std::move(path);
    return true;
  }
  // A long path is not even copied when the budget is gone.
  bool attempt_without(std::size_t from, std::size_t to) {
    if (is_over()) return false;
    Path path(path_.begin(), path_.begin() + static_cast<std::ptrdiff_t>(from));
    path.insert(path.end(), path_.begin() + static_cast<std::ptrdiff_t>(to), path_.end());
    return attempt(std::move(path));
  }
  /// Without those steps of a thread that are, among its own, in [from, to).
  bool attempt_without(ir::ThreadId thread, std::size_t from, std::size_t to) {
    if (is_over()) return false;
    Path path;
    std::size_t own = 0;
    for (const ir::Action action : path_) {
      const bool is_own = action.thread == thread;
      if (!is_own || own < from || own >= to) path.push_back(action);
      own += is_own ? 1 : 0;
    }
    return attempt(std::move(path));
  }

  [[nodiscard]] Marks marks() {
    const ir::Layout& layout = replayer_.context().layout;
    Marks result;
    std::vector<std::size_t> own(layout.threads());  // of each thread, in the last state
    const auto hash_of = [](std::size_t seed, const std::uint8_t* bytes, std::size_t count) {
      const std::string_view text(reinterpret_cast<const char*>(bytes), count);
      return seed * 0x9E3779B97F4A7C15U + std::hash<std::string_view>()(text);
    };
    const auto field = [&](std::size_t seed, const ir::Field& one, const std::uint8_t* state) {
      return hash_of(seed, state + one.offset, one.width);
    };
    const auto look = [&](const ir::Record& record, const std::uint8_t* state) {
      std::size_t all = 0;
      for (std::uint32_t i = 0; i < own.size(); ++i) {
        const ir::ThreadFields& fields = layout.thread(ir::ThreadId(i));
        std::size_t hash = field(1, fields.location, state);
        if (fields.wait) hash = field(hash, *fields.wait, state);
        if (fields.depth) hash = field(hash, *fields.depth, state);
        for (const ir::Field& slot : fields.slots)
          hash = field(hash, slot, state);
        all = all * 31 + hash;
        const bool moves = !record.micros.empty() && record.micros[0].action.thread.index == i;
        if (moves) {
          result.before.push_back(own[i]);
          result.behind.push_back(hash);
        }
        own[i] = hash;
      }
      result.states.push_back(hash_of(0, state, layout.size()));
      result.threads.push_back(all);
      return false;
    };
    budget_ -= std::min<std::uint64_t>(budget_, path_.size() + 1);
    (void)replayer_.replay(path_, look, Replayer::Steps::None);
    return result;
  }

  /// With no more switches, or it is not taken.
  void take_shortcut() {
    if (is_over()) return;
    Path path = with_shortcut(replayer_, path_, goal_, budget_);
    if (path.size() < path_.size()) (void)attempt(std::move(path));
  }

  /// All at once, which is right unless the violation depends on more than the state.
  void cut_cycles() {
    const Marks now = marks();
    if (now.states.size() != path_.size() + 1) return;
    std::unordered_map<std::size_t, std::size_t> last;
    for (std::size_t i = 0; i < now.states.size(); ++i)
      last[now.states[i]] = i;
    Path path;
    for (std::size_t i = last[now.states[0]]; i < path_.size(); i = last[now.states[i + 1]])
      path.push_back(path_[i]);
    if (path.size() < path_.size()) (void)attempt(std::move(path));
  }

  /// From where all threads stand to where they stand again, whatever the objects are.
  void cut_rounds() {
    Marks now = marks();
    for (std::size_t from = 0; from < path_.size() && !is_over(); ++from) {
      if (now.threads.size() != path_.size() + 1) return;
      for (std::size_t to = path_.size(); to > from && !is_over(); --to) {
        if (now.threads[to] != now.threads[from]) continue;
        if (!attempt_without(from, to)) continue;
        now = marks();
        break;
      }
    }
  }

  [[nodiscard]] std::map<ir::ThreadId, std::size_t> steps_of_threads() const {
    std::map<ir::ThreadId, std::size_t> result;
    for (const ir::Action action : path_)
      ++result[action.thread];
    return result;
  }

  /// Threads that the end does not need so far.
  void drop_ends() {
    for (const auto& [thread, count] : steps_of_threads()) {
      std::size_t left = std::min(count, steps_of_threads()[thread]);
      for (std::size_t size = left; size > 0 && !is_over();) {
        if (attempt_without(thread, left - size, left)) {
          left = steps_of_threads()[thread];
          size = std::min(size, left);
        } else {
          size /= 2;
        }
      }
    }
  }

  /// Rounds of one thread, whatever the others do meanwhile.
  void drop_rounds() {
    for (const auto& [thread, count] : steps_of_threads()) {
      for (bool again = count > 0; again && !is_over();)
        again = drop_round(thread);
    }
  }
  bool drop_round(ir::ThreadId thread) {
    const Marks now = marks();
    if (now.before.size() != path_.size()) return false;
    std::vector<std::size_t> own;  // its states: before its first step, and behind each
    for (std::size_t i = 0; i < path_.size(); ++i) {
      if (path_[i].thread != thread) continue;
      if (own.empty()) own.push_back(now.before[i]);
      own.push_back(now.behind[i]);
    }
    for (std::size_t from = 0; from < own.size() && !is_over(); ++from)
      for (std::size_t to = own.size() - 1; to > from && to < own.size(); --to)
        if (own[to] == own[from] && attempt_without(thread, from, to)) return true;
    return false;
  }

  /// Each thread makes its steps for as long as it can.
  bool run_on() {
    std::map<ir::ThreadId, std::vector<ir::Action>> left;
    std::vector<ir::ThreadId> order;
    for (const ir::Action action : path_) {
      if (!left.contains(action.thread)) order.push_back(action.thread);
      left[action.thread].push_back(action);
    }
    ir::Interpreter& interpreter = replayer_.interpreter();
    std::vector<std::uint8_t> state(replayer_.context().layout.size());
    ir::Record record;
    std::vector<ir::Action> enabled;
    interpreter.initial(state.data(), record);
    Path path;
    std::map<ir::ThreadId, std::size_t> done;
    for (bool moved = true; moved;) {
      moved = false;
      for (const ir::ThreadId thread : order) {
        for (std::size_t& next = done[thread]; next < left[thread].size(); ++next) {
          const ir::Action action = left[thread][next];
          enabled.clear();
          interpreter.enabled(state.data(), thread, enabled);
          if (std::find(enabled.begin(), enabled.end(), action) == enabled.end()) break;
          record.clear();
          interpreter.execute(state.data(), action, record);
          path.push_back(action);
          moved = true;
        }
      }
    }
    budget_ -= std::min<std::uint64_t>(budget_, path.size());
    return path.size() == path_.size() && attempt(std::move(path));
  }

  /// Two parts of a thread, one of them moved to the other.
  bool join_parts() {
    struct Part {
      ir::ThreadId thread;
      std::size_t from, to;
    };
    std::vector<Part> parts;
    for (std::size_t i = 0; i < path_.size(); ++i) {
      if (parts.empty() || parts.back().thread != path_[i].thread)
        parts.push_back({path_[i].thread, i, i});
      parts.back().to = i + 1;
    }
    for (std::size_t i = 0; i < parts.size() && !is_over(); ++i) {
      const auto next =
          std::find_if(parts.begin() + static_cast<std::ptrdiff_t>(i) + 1, parts.end(),
                       [&](const Part& p) { return p.thread == parts[i].thread; });
      if (next == parts.end()) continue;
      const auto at = [this](std::size_t index) {
        return path_.begin() + static_cast<std::ptrdiff_t>(index);
      };
      Path earlier(path_.begin(), at(parts[i].to));
      earlier.insert(earlier.end(), at(next->from), at(next->to));
      earlier.insert(earlier.end(), at(parts[i].to), at(next->from));
      earlier.insert(earlier.end(), at(next->to), path_.end());
      if (attempt(std::move(earlier))) return true;
      Path later(path_.begin(), at(parts[i].from));
      later.insert(later.end(), at(parts[i].to), at(next->from));
      later.insert(later.end(), at(parts[i].from), at(parts[i].to));
      later.insert(later.end(), at(next->from), path_.end());
      if (attempt(std::move(later))) return true;
    }
    return false;
  }

  Replayer& replayer_;
  const Leads& leads_;
  const Goal& goal_;
  Path path_;
  std::uint64_t& budget_;
};

}  // namespace

std::size_t switches(const Path& path) {
  std::size_t result = 0;
  for (std::size_t i = 1; i < path.size(); ++i)
    result += path[i].thread == path[i - 1].thread ? 0 : 1;
  return result;
}

Path shortened(Replayer& replayer, Path path, const Leads& leads, const Goal& goal,
               std::uint64_t& budget) {
  return Shortening(replayer, std::move(path), leads, goal, budget).run();
}

}  // namespace cml::checker
