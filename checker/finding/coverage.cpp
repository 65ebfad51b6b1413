// A small search that looks at every state and at which way control goes; then the code is asked
// what could have been seen.
#include "checker/coverage.h"

#include <algorithm>
#include <fmt/format.h>
#include <map>
#include <set>
#include <string_view>
#include <tuple>
#include <utility>

#include "checker/finding/small_search.h"
#include "checker/waiting.h"
#include "ir/analysis/code_flow.h"
#include "ir/describe.h"
#include "ir/exec/watch.h"

namespace cml::checker {
namespace {

using Item = CoverageItem;

struct ByPlace {
  bool operator()(const SourceRange& a, const SourceRange& b) const {
    return std::tuple(a.file.index, a.begin, a.end) < std::tuple(b.file.index, b.begin, b.end);
  }
};
template <class Of>
using PlaceMap = std::map<SourceRange, Of, ByPlace>;
using PlaceSet = std::set<SourceRange, ByPlace>;

bool lies_in(const SourceRange& part, const SourceRange& whole) {
  return part.file == whole.file && whole.begin <= part.begin && part.end <= whole.end;
}

/// Waits for something else than a lock that is taken.
bool waits(const ir::Instruction& instruction) {
  struct Visitor : ir::Description {
    bool result = false;
    void waits_for(const ir::Place&, std::initializer_list<ir::Awaited> all) {
      result = result || std::any_of(all.begin(), all.end(),
                                     [](ir::Awaited one) { return one != ir::Awaited::Lock; });
    }
    void waits_until(ir::ExprId) { result = true; }
  };
  Visitor visitor;
  ir::describe(instruction, visitor);
  return visitor.result;
}

class Collector {
 public:
  Collector(const ir::System& system, const SourceSet& sources, const Options& options,
            const std::atomic<bool>& stop)
      : system_(system), sources_(sources), search_(system, options, stop) {
    IdVector<ir::PointId, bool> is_of_property(system.points.size(), false);
    for_each_property([&](const ir::Code& code) { mark(code, true, is_of_property); });
    for (const ir::Thread& thread : system.threads)
      mark(thread.code, false, is_of_property);
    for (const ir::PointId point : system.points.ids())
      if (system.points[point].range.file.valid() && !is_of_property[point])
        points_[system.points[point].range] = false;
    for (const ir::PointId point : system.reached)
      reach(point);
  }

  Coverage run() {
    ir::Watch watch;
    watch.only_changes = watch.wants_branches = true;
    search_.step.watch(&watch);
    std::vector<std::uint8_t> first(ir::stride(search_.layout.size()));
    ir::Record beginning;
    search_.step.initial(first.data(), beginning);
    take(beginning);
    take(watch);
    Coverage result;
    result.is_whole = search_.run(
        [&](std::size_t, const std::uint8_t* state, const Buffer<ir::Action>& actions, bool) {
          take(watch);
          look(state, actions);
        },
        [&](std::size_t, ir::Action, std::size_t) { take(search_.record()); });
    search_.step.watch(nullptr);
    result.states = search_.states();
    tell(result.items);
    return result;
  }

 private:
  struct Ways {
    bool was_true = false;
    bool was_false = false;
  };

  /// Properties are evaluated elsewhere; what they share with threads, as functions, is of these.
  template <class Look>
  void for_each_property(Look look) const {
    for (const auto* const list : {&system_.finals, &system_.invariants})
      for (const ir::Invariant& property : *list)
        look(property.code);
    for (const ir::Property& property : system_.properties)
      for (const ir::Invariant& condition : property.conditions)
        look(condition.code);
  }
  static void mark(const ir::Code& code, bool value, IdVector<ir::PointId, bool>& points) {
    for (const ir::Instruction& instruction : code.instructions)
      if (const auto* const at = std::get_if<ir::Mark>(&instruction.node))
        points[at->point] = value;
  }

  void reach(ir::PointId point) {
    const auto at = points_.find(system_.points[point].range);
    if (at != points_.end()) at->second = true;
  }
  void take(const ir::Record& record) {
    for (const ir::PointId point : record.marks)
      reach(point);
  }
  void take(ir::Watch& watch) {
    for (const ir::Watch::Branched& one : watch.branches) {
      if (!one.thread.valid()) continue;
      const ir::Instruction& at = system_.threads[one.thread].code.instructions[one.pc];
      (one.is_true ? ways_[at.range].was_true : ways_[at.range].was_false) = true;
    }
    watch.branches.clear();
    watch.changes.clear();
  }

  /// Who is blocked, and at what; and which channels are full.
  void look(const std::uint8_t* state, const Buffer<ir::Action>& actions) {
    std::vector<bool> can_go(system_.threads.size(), false);
    for (const ir::Action action : actions)
      can_go[action.thread.index] = true;
    for (const ir::ThreadId thread : system_.threads.ids()) {
      const ir::Location at = search_.layout.location(state, thread);
      if (at < ir::kFirstLocation) continue;
      const bool is_waiting = checker::is_waiting(system_, search_.layout, state, thread);
      if (is_waiting || !can_go[thread.index]) {
        const ir::Code& code = system_.threads[thread].code;
        waited_.insert(code.instructions[code.location_pc[at]].range);
      }
      if (!is_waiting) look_at_locks(state, thread, !can_go[thread.index]);
    }
    for (const ir::ObjectId id : system_.objects.ids()) {
      const ir::Object& object = system_.objects[id];
      if (object.kind != ir::ObjectKind::Channel || object.capacity == 0) continue;
      const std::int32_t field = search_.layout.object(id).fields[0].load(state);
      const ir::ChannelContent content = ir::channel_content(object, field);
      if (content.count == static_cast<std::int32_t>(object.capacity)) met(id);
    }
  }

  void look_at_locks(const std::uint8_t* state, ir::ThreadId thread, bool is_blocked) {
    record_.clear();
    search_.step.pending(state, thread, record_);
    for (const ir::Touch& touch : record_.touches) {
      if (touch.effect != ir::Effect::Take && touch.effect != ir::Effect::Look) continue;
      const ir::Object& object = system_.objects[touch.object];
      if (object.kind != ir::ObjectKind::Lock) continue;
      const ir::ObjectId lock = object.read_of.value_or(touch.object);
      taken_.insert(place_of(lock));
      const ir::ThreadId owner = search_.layout.owner(state, touch.object);
      const bool is_anothers = owner.valid() && owner != thread && !object.read_of;
      if (is_blocked || is_anothers) met(lock);
    }
  }

  [[nodiscard]] SourceRange place_of(ir::ObjectId object) const {
    return system_.groups[system_.objects[object].group].range;
  }
  void met(ir::ObjectId object) { met_.insert(place_of(object)); }

  // ---- what could have been seen ---------------------------------------------------------------

  void tell(std::vector<Item>& items) {
    tell_statements(items);
    PlaceSet waiting;
    tell_waits(items, waiting);
    tell_conditions(items, waiting);
    tell_objects(items);
    std::stable_sort(items.begin(), items.end(), [](const Item& a, const Item& b) {
      return ByPlace()(a.location, b.location);
    });
  }

  void tell_statements(std::vector<Item>& items) const {
    for (const auto& [range, is_reached] : points_)
      items.push_back({Item::Kind::Statement, range, "", is_reached ? "" : "is never reached"});
  }

  void tell_waits(std::vector<Item>& items, PlaceSet& waiting) const {
    for_each_instruction([&](const ir::Code& code, ir::Pc pc) {
      if (code.instructions[pc].opcode() == ir::Opcode::Guard) return;  // of the block around it
      const auto* const block = std::get_if<ir::Atomic>(&code.instructions[pc].node);
      if (block == nullptr ? waits(code.instructions[pc]) : has_guard(code, pc))
        waiting.insert(code.instructions[pc].range);
    });
    for (const SourceRange& range : waiting)
      if (is_reached(range))
        items.push_back(
            {Item::Kind::Wait, range, "", waited_.contains(range) ? "" : "is never waited at"});
  }

  /// Conditions of `if`, `while` and the like: not of what waits, of what is asserted, nor what
  /// stands for no condition of the text, as the choice among the words of an array.
  void tell_conditions(std::vector<Item>& items, const PlaceSet& waiting) const {
    PlaceSet others = waiting;
    for_each_instruction([&](const ir::Code& code, ir::Pc pc) {
      const ir::Instruction& at = code.instructions[pc];
      if (at.opcode() == ir::Opcode::Assert || at.opcode() == ir::Opcode::Assume)
        others.insert(at.range);
    });
    for (const auto& [range, ways] : ways_) {
      const SourceRange& own = range;
      const bool is_part = std::any_of(others.begin(), others.end(),
                                       [&own](const auto& other) { return lies_in(own, other); });
      if (is_part || points_.contains(range) || !is_condition(range)) continue;
      const char* never = "";
      if (!ways.was_true) never = "is never true";
      if (!ways.was_false) never = "is never false";
      items.push_back({Item::Kind::Condition, range, "", never});
    }
  }

  void tell_objects(std::vector<Item>& items) const {
    PlaceSet told;
    for (const ir::Group& group : system_.groups) {
      if (group.count == 0 || !group.range.file.valid()) continue;
      const ir::Object& object = system_.objects[group.first];
      const bool is_lock = object.kind == ir::ObjectKind::Lock && !object.read_of;
      const bool is_channel = object.kind == ir::ObjectKind::Channel && object.capacity > 0;
      if (!(is_lock && taken_.contains(group.range)) && !is_channel) continue;
      if (!told.insert(group.range).second) continue;
      const bool is_met = met_.contains(group.range);
      const char* const never = is_lock ? "is never contended" : "is never full";
      items.push_back({is_lock ? Item::Kind::Lock : Item::Kind::Channel, group.range, group.name,
                       is_met ? "" : never});
    }
  }

  template <class Look>
  void for_each_instruction(Look look) const {
    for (const ir::Thread& thread : system_.threads) {
      const std::vector<bool> is_reachable = ir::reachable(thread.code);
      for (ir::Pc pc = 0; pc < thread.code.instructions.size(); ++pc)
        if (is_reachable[pc] && thread.code.instructions[pc].range.file.valid())
          look(thread.code, pc);
    }
  }

  /// Whether what begins here as a block may have to wait, and not for a lock, as for reading.
  static bool has_guard(const ir::Code& code, ir::Pc begin) {
    bool found = false;
    for (ir::Pc pc = begin + 1; pc < code.instructions.size(); ++pc) {
      const ir::Opcode opcode = code.instructions[pc].opcode();
      if (opcode == ir::Opcode::Acquire) return false;
      if (opcode == ir::Opcode::AtomicEnd) break;
      found = found || opcode == ir::Opcode::Guard;
    }
    return found;
  }

  /// The innermost statement around it was.
  [[nodiscard]] bool is_reached(const SourceRange& range) const {
    const std::pair<const SourceRange, bool>* innermost = nullptr;
    for (const auto& point : points_)
      if (lies_in(range, point.first) &&
          (innermost == nullptr || lies_in(point.first, innermost->first)))
        innermost = &point;
    return innermost == nullptr || innermost->second;
  }

  /// Whether the text there is an expression.
  [[nodiscard]] bool is_condition(const SourceRange& range) const {
    const std::string_view text = std::string_view(sources_.file(range.file).text())
                                      .substr(range.begin, range.end - range.begin);
    if (text.find_first_of(";{") != std::string_view::npos) return false;
    constexpr std::string_view kOthers[] = {"case", "default", "for", "select", "with"};
    const std::string_view word = text.substr(0, text.find_first_of(" :("));
    return std::find(std::begin(kOthers), std::end(kOthers), word) == std::end(kOthers);
  }

  const ir::System& system_;
  const SourceSet& sources_;
  SmallSearch search_;
  ir::Record record_;
  PlaceMap<bool> points_;  // statements, and whether they were reached
  PlaceMap<Ways> ways_;    // of branches
  PlaceSet waited_;        // operations at which somebody was blocked
  PlaceSet taken_;         // locks, by their declarations
  PlaceSet met_;           // locks that were found taken, channels that were full
};

}  // namespace

const char* name(CoverageItem::Kind kind) {
  switch (kind) {
    case Item::Kind::Statement:
      return "statement";
    case Item::Kind::Condition:
      return "condition";
    case Item::Kind::Wait:
      return "wait";
    case Item::Kind::Lock:
      return "lock";
    case Item::Kind::Channel:
      return "channel";
  }
  return "";
}

// Whoever asks for limits of a search of its own has them; else there is a bound, since this
// search is a slow one.
Coverage coverage(const ir::System& system, const SourceSet& sources, const Options& options,
                  const std::atomic<bool>& stop) {
  constexpr std::uint64_t kMostStates = 1'000'000;
  Options search = options;
  search.granularity = Granularity::Access;
  search.composition = Composition::None;
  search.reduction = {};
  search.limits.max_states = std::min(search.limits.max_states, kMostStates);
  return Collector(system, sources, search, stop).run();
}

}  // namespace cml::checker
