// Walks over the instructions of each thread to decide what code will be generated.
#include "jit/plan.h"

#include <algorithm>
#include <variant>

#include "ir/analysis/code_flow.h"
#include "ir/analysis/late_starts.h"
#include "ir/describe.h"
#include "jit/meetings.h"
#include "support/mutation.h"

namespace cml::jit {
namespace {

using ir::Opcode;
using ir::Pc;

constexpr std::uint32_t kMostFuel = 30;  // below the loop detector's first copy
constexpr std::uint32_t kMostLoops = 10'000;
constexpr std::uint32_t kMostRoom = 1U << 14;  // touches for which room is reserved at once

/// The edges of a graph of instructions, by Pc.
using Edges = std::vector<std::vector<Pc>>;

/// By Pc: whether a backward edge to it is part of a cycle. Every cycle has such an edge.
std::vector<bool> find_loop_heads(const Edges& edges) {
  std::vector<bool> heads(edges.size(), false);
  std::vector<bool> reached;
  std::vector<Pc> open;
  for (std::size_t i = 0; i < edges.size(); ++i) {
    for (const Pc target : edges[i]) {
      if (target > i || heads[target]) continue;
      reached.assign(edges.size(), false);
      open.assign(1, target);
      reached[target] = true;
      while (!open.empty() && !reached[i]) {
        const Pc pc = open.back();
        open.pop_back();
        for (const Pc next : edges[pc]) {
          if (reached[next]) continue;
          reached[next] = true;
          open.push_back(next);
        }
      }
      heads[target] = reached[i];
    }
  }
  return heads;
}

/// By Pc: whether one of `marked` can be reached from there.
std::vector<bool> reaches(const Edges& edges, std::vector<bool> marked) {
  for (bool changed = true; changed;) {
    changed = false;
    for (std::size_t pc = edges.size(); pc-- > 0;) {
      const auto is_marked = [&marked](Pc to) { return marked[to]; };
      if (marked[pc] || std::none_of(edges[pc].begin(), edges[pc].end(), is_marked)) continue;
      marked[pc] = true;
      changed = true;
    }
  }
  return marked;
}

/// Runs of local instructions.
Edges local_edges(const ir::Code& code) {
  Edges edges(code.instructions.size());
  std::vector<Pc> targets;
  for (Pc pc = 0; pc < edges.size(); ++pc) {
    if (ir::is_operation(code.instructions[pc].opcode())) continue;
    targets.clear();
    ir::successors(code, pc, targets);
    for (const Pc to : targets)
      if (!ir::is_operation(code.instructions[to].opcode())) edges[pc].push_back(to);
  }
  return edges;
}

class Planner {
 public:
  Planner(const ir::System& system, const ir::Layout& layout, const ir::Visibility& visibility,
          const PlainMeetings& meetings, ir::ThreadId thread)
      : system_(system),
        layout_(layout),
        visibility_(visibility),
        meetings_(meetings),
        thread_(thread),
        code_(system.threads[thread].code),
        evaluates_guard_(ir::evaluates_guard(code_)) {}

  ThreadPlan run();

 private:
  void region(Pc begin, LocationPlan& location);
  [[nodiscard]] bool always_guards(Pc begin, const Edges& edges) const;
  void enabled(LocationPlan& location) const;
  [[nodiscard]] Visible access_visible(const ir::Place& place, bool is_write) const;
  [[nodiscard]] Visible visible(Pc pc) const;
  [[nodiscard]] Visible visible_inside(Pc pc) const;
  [[nodiscard]] Visible any_visible(const ir::Place& place, bool is_write) const;
  [[nodiscard]] bool is_tried(const ir::Place& lock) const;
  [[nodiscard]] bool regular(const ir::Place& place) const;
  [[nodiscard]] bool regular(const ir::Instruction& instruction) const;
  [[nodiscard]] bool looks(const ir::Instruction& instruction) const;
  [[nodiscard]] static std::uint32_t touches(const ir::Instruction& instruction);

  const ir::System& system_;
  const ir::Layout& layout_;
  const ir::Visibility& visibility_;
  const PlainMeetings& meetings_;
  ir::ThreadId thread_;
  const ir::Code& code_;
  std::vector<bool> evaluates_guard_;  // by Pc
  ThreadPlan plan_;
  std::uint32_t events_ = 0;  // of histories, in the whole code
};

ThreadPlan Planner::run() {
  const auto& code = code_.instructions;
  plan_.in_region.assign(code.size(), false);
  plan_.region_loops.assign(code.size(), false);
  const Edges edges = local_edges(code_);
  plan_.loop_heads = find_loop_heads(edges);
  plan_.may_loop_from = reaches(edges, plan_.loop_heads);
  plan_.initialises = layout_.thread(thread_).opens.has_value();
  for (const ir::Object& object : system_.objects)
    plan_.initialises = plan_.initialises || object.init_by == thread_;
  for (const ir::Instruction& instruction : code) {
    plan_.is_regular.push_back(regular(instruction));
    plan_.touches = std::max(plan_.touches, touches(instruction));
    if (instruction.opcode() == Opcode::Mark) ++plan_.marks;
    const Opcode opcode = instruction.opcode();
    if (opcode == Opcode::Invoke || opcode == Opcode::Respond) ++events_;
  }
  plan_.touches += events_;  // they are local, so that several may belong to one operation
  plan_.locations.resize(std::max<std::size_t>(code_.location_pc.size(), ir::kFirstLocation));
  for (std::size_t at = ir::kFirstLocation; at < code_.location_pc.size(); ++at) {
    LocationPlan& location = plan_.locations[at];
    location.pc = code_.location_pc[at];
    enabled(location);
    location.visible = visible(location.pc);
    // Who waits where is told by the locations of other threads.
    const bool arrives = visibility_.arrives(thread_, location.pc);
    location.meets = !arrives && meetings_.are_at(code[location.pc]);
    location.interpreted = arrives || (ir::meets(code_, location.pc) && !location.meets);
    if (location.is_region) {
      region(location.pc, location);
    } else if (location.meets) {
      location.enabledness = Enabledness::Meets;
    } else {
      location.interpreted = location.interpreted || !regular(code[location.pc]);
    }
    // There is no native code to ask what is pending, either.
    if (location.interpreted && location.pending == Pending::Native &&
        !CML_MUTATION("what-is-interpreted-is-pending-natively"))
      location.pending = Pending::Interpreted;
    if (location.interpreted) location.enabledness = Enabledness::Interpreted;
    location.is_rare =
        location.interpreted || location.meets || location.enabledness == Enabledness::Trials;
  }
  return std::move(plan_);
}

// One of each case of a select; of a lock that is waited at, two.
std::uint32_t Planner::touches(const ir::Instruction& instruction) {
  std::uint32_t places = 0;
  ir::for_each_place(instruction, [&places](const ir::Place&, ir::Effects) { ++places; });
  return std::max<std::uint32_t>(places, 2);
}

// Whether the instruction changes nothing but locals; reading an object that has a window changes
// its status.
bool Planner::looks(const ir::Instruction& instruction) const {
  bool has_window = false;
  ir::for_each_place(instruction, [&](const ir::Place& place, ir::Effects) {
    ir::for_each_object(place, [&](ir::ObjectId id) {
      has_window = has_window || system_.objects[id].init_by.has_value();
    });
  });
  return !has_window && ir::only_looks(instruction);
}

void Planner::region(Pc begin, LocationPlan& location) {
  const Pc end = std::get<ir::Atomic>(code_.instructions[begin].node).end;
  std::uint32_t most = 0;
  Edges edges(code_.instructions.size());
  bool decides = false;
  bool guards = false;
  bool all_regular = true;
  bool only_looks = !plan_.initialises;
  std::vector<Pc> targets;
  for (Pc pc = begin + 1; pc <= end; ++pc) {
    const ir::Instruction& instruction = code_.instructions[pc];
    const Opcode opcode = instruction.opcode();
    plan_.in_region[pc] = true;
    most += touches(instruction);
    guards = guards || opcode == Opcode::Guard;
    decides = decides || ir::chooses(instruction);
    all_regular = all_regular && regular(instruction) && opcode != Opcode::Rewait &&
                  opcode != Opcode::Invoke && opcode != Opcode::Respond;
    only_looks = only_looks && looks(instruction);
    targets.clear();
    ir::successors(code_, pc, targets);
    if (pc < end) edges[pc] = targets;
  }
  const std::vector<bool> heads = find_loop_heads(edges);
  bool loops = false;
  for (std::size_t pc = 0; pc < heads.size(); ++pc) {
    loops = loops || heads[pc];
    plan_.loop_heads[pc] = plan_.loop_heads[pc] || heads[pc];
  }
  plan_.touches = std::max(plan_.touches, most + events_);
  plan_.region_loops[begin] = loops;
  location.enabledness = decides                ? Enabledness::Trials
                         : only_looks && !loops ? Enabledness::Test
                                                : Enabledness::Trial;
  location.interpreted =
      location.interpreted || !all_regular || (loops && decides) || most > kMostRoom;
  const bool simple = guards && !loops && !decides && !plan_.initialises && all_regular &&
                      most <= kMostRoom && always_guards(begin, edges);
  if (simple) location.pending = Pending::Native;
}

// On each of its paths, a guard is what the block may block at (Execution::guard).
bool Planner::always_guards(Pc begin, const Edges& edges) const {
  const Pc end = std::get<ir::Atomic>(code_.instructions[begin].node).end;
  std::vector<bool> seen(code_.instructions.size(), false);
  std::vector<Pc> work{begin + 1};
  while (!work.empty()) {
    const Pc pc = work.back();
    work.pop_back();
    if (seen[pc]) continue;
    seen[pc] = true;
    const Opcode opcode = code_.instructions[pc].opcode();
    if (pc == end || (ir::is_operation(opcode) && !evaluates_guard_[pc])) return false;
    if (opcode != Opcode::Guard) work.insert(work.end(), edges[pc].begin(), edges[pc].end());
  }
  return true;
}

void Planner::enabled(LocationPlan& location) const {
  const ir::Instruction& instruction = code_.instructions[location.pc];
  const bool waits = ir::may_block(instruction);
  location.pending = waits ? Pending::Interpreted : Pending::Nothing;
  std::visit(ir::Cases{[&](const ir::Atomic&) { location.is_region = true; },
                       [&](const ir::Choose& node) {
                         const ir::Expr& lo = system_.exprs[node.lo];
                         const ir::Expr& hi = system_.exprs[node.hi];
                         location.enabledness = Enabledness::Count;
                         if (lo.op != ir::ExprOp::Constant || hi.op != ir::ExprOp::Constant) return;
                         const std::int64_t options = std::int64_t{hi.value} - lo.value + 1;
                         if (options < 0 || options > ir::kMaxChoices) return;
                         location.enabledness = Enabledness::Counted;
                         location.count = static_cast<std::uint32_t>(options);
                       },
                       [&](const ir::Either& node) {
                         location.count = static_cast<std::uint32_t>(node.targets.size());
                       },
                       [&](const ir::Select&) { location.enabledness = Enabledness::List; },
                       [&](const ir::Notify& node) {
                         if (!node.all) location.enabledness = Enabledness::List;
                       },
                       [&](const auto&) {  // it goes, or is blocked
                         if (waits) location.enabledness = Enabledness::Test;
                       }},
             instruction.node);
}

// Interpreter::visible, as far as it depends on the model alone.
Visible Planner::access_visible(const ir::Place& place, bool is_write) const {
  bool all = true;
  bool none = true;
  bool depends = false;
  ir::for_each_object(place, [&](ir::ObjectId id) {
    const bool always = system_.objects[id].kind != ir::ObjectKind::Shared ||
                        (is_write && visibility_.is_watched[id]);
    depends = depends || (!always && layout_.object(id).init);
    all = all && always;
    none = none && !always;
  });
  if (depends) return Visible::Test;
  return all ? Visible::Always : none ? Visible::Never : Visible::Test;
}

Visible Planner::visible(Pc pc) const {
  const ir::Instruction& instruction = code_.instructions[pc];
  if (ir::is_late_start(instruction, visibility_) || visibility_.arrives(thread_, pc))
    return Visible::Always;
  const auto [when, place] = ir::visibility_rule(instruction);
  switch (when) {
    case ir::VisibleWhen::Never:
      return Visible::Never;
    case ir::VisibleWhen::Always:
      return Visible::Always;
    case ir::VisibleWhen::Reading:
      return access_visible(*place, false);
    case ir::VisibleWhen::Writing:
      return access_visible(*place, true);
    case ir::VisibleWhen::Taking:
      if (system_.objects[place->base].is_mutex) return Visible::Always;
      return Visible::Test;
    case ir::VisibleWhen::Waking:
      return Visible::Test;
    case ir::VisibleWhen::Freeing:
    case ir::VisibleWhen::Leaving:
      return is_tried(*place) ? Visible::Test : Visible::Never;
    case ir::VisibleWhen::Inside: {
      Visible result = Visible::Never;  // the most visible of its parts
      const Pc end = std::get<ir::Atomic>(instruction.node).end;
      for (++pc; pc < end; ++pc) {
        const Visible part = visible_inside(pc);
        if (part == Visible::Always) return part;
        if (part == Visible::Test) result = part;
      }
      return result;
    }
  }
  return Visible::Always;
}

Visible Planner::visible_inside(Pc pc) const {
  const auto [when, place] = ir::visibility_rule(code_.instructions[pc]);
  switch (when) {
    case ir::VisibleWhen::Never:
      return Visible::Never;
    case ir::VisibleWhen::Reading:
      return any_visible(*place, false);
    case ir::VisibleWhen::Writing:
      return any_visible(*place, true);
    case ir::VisibleWhen::Freeing:
    case ir::VisibleWhen::Leaving:
      return is_tried(*place) ? Visible::Always : Visible::Never;
    case ir::VisibleWhen::Always:
    case ir::VisibleWhen::Taking:
    case ir::VisibleWhen::Waking:
    case ir::VisibleWhen::Inside:
      break;
  }
  return Visible::Always;
}

/// Of a place in a block: whichever object it means then.
Visible Planner::any_visible(const ir::Place& place, bool is_write) const {
  bool always = false;
  bool depends = false;
  ir::for_each_object(place, [&](ir::ObjectId id) {
    const bool visible = system_.objects[id].kind != ir::ObjectKind::Shared ||
                         (is_write && visibility_.is_watched[id]);
    always = always || visible;
    depends = depends || (!visible && layout_.object(id).init);
  });
  if (always) return Visible::Always;
  return depends ? Visible::Test : Visible::Never;
}

bool Planner::is_tried(const ir::Place& lock) const {
  bool any = false;
  ir::for_each_object(lock, [&](ir::ObjectId id) { any = any || visibility_.is_tried[id]; });
  return any;
}

bool Planner::regular(const ir::Place& place) const {
  if (!place.index) return true;
  const ir::Object& first = system_.objects[place.base];
  const std::size_t fields = layout_.object(place.base).fields.size();
  bool same = true;
  ir::for_each_object(place, [&](ir::ObjectId id) {
    const ir::Object& object = system_.objects[id];
    const bool is_checked = object.owner.valid() && system_.classes[object.owner].is_claimed;
    same = same && !is_checked && object.kind == first.kind && object.init_by == first.init_by &&
           object.max == first.max && layout_.object(id).fields.size() == fields &&
           layout_.object(id).init.has_value() == layout_.object(place.base).init.has_value() &&
           object.is_constant == first.is_constant;
  });
  for (std::size_t i = 0; same && i < fields; ++i)
    same = cells(layout_, place, i).has_value();
  return same;
}

bool Planner::regular(const ir::Instruction& instruction) const {
  // Which one of several it spawns, or what place is free, depends on what refers to them: the
  // whole state.
  const auto* spawn = std::get_if<ir::Spawn>(&instruction.node);
  const bool asks = spawn != nullptr && (spawn->any || system_.has_more_places);
  bool result = !asks && instruction.opcode() != Opcode::New && !ir::meets(instruction);
  ir::for_each_place(
      instruction, [&](const ir::Place& place, ir::Effects) { result = result && regular(place); });
  return result;
}

}  // namespace

std::optional<Cells> cells(const ir::Layout& layout, const ir::Place& place, std::size_t field) {
  Cells result{layout.object(place.base).fields[field], 0};
  const std::uint32_t count = place.index ? place.count : 1;
  for (std::uint32_t i = 1; i < count; ++i) {
    const ir::ObjectId id(place.base.index + i * place.stride);
    const ir::Field& other = layout.object(id).fields[field];
    if (i == 1) result.stride = std::int64_t{other.offset} - result.first.offset;
    const bool regular =
        other.width == result.first.width && other.lo == result.first.lo &&
        other.hi == result.first.hi &&
        std::int64_t{other.offset} == std::int64_t{result.first.offset} + i * result.stride;
    if (!regular) return std::nullopt;
  }
  return result;
}

Plan::Plan(const ir::Analyses& analyses, const ir::Layout& layout, const ir::StepConfig& config)
    : visibility(analyses.visibility()) {
  const ir::System& system = analyses.system();
  const PlainMeetings meetings(analyses);
  std::size_t longest = 1;
  std::uint32_t most_touches = 1;
  for (const ir::ThreadId id : system.threads.ids()) {
    threads.push(Planner(system, layout, visibility, meetings, id).run());
    longest = std::max(longest, system.threads[id].code.instructions.size());
    most_touches = std::max(most_touches, threads[id].touches);
  }
  is_possible = config.max_invisible >= longest;
  const std::uint64_t rounds = config.max_invisible / longest;
  loops =
      static_cast<std::uint32_t>(std::min<std::uint64_t>(kMostLoops, rounds > 0 ? rounds - 1 : 0));
  if (config.stop == ir::Stop::Visible)
    fuel = static_cast<std::uint32_t>(std::min<std::uint64_t>(
        {std::uint64_t{kMostFuel}, config.max_invisible, kMostRoom / most_touches}));
}

}  // namespace cml::jit
