// The frame of a process: its variables, its loop, and the guard of each transition.
#include "ir/promela/thread.h"

#include <algorithm>
#include <fmt/format.h>
#include <utility>
#include <variant>

#include "ir/analysis/code_flow.h"
#include "ir/describe.h"
#include "ir/promela/zero_slots.h"

namespace cml::ir::promela {
namespace {

struct SlotArray {
  Slot first = 0;
  Slot end = 0;
};

void find_arrays(const System& system, ExprId id, std::vector<SlotArray>& out) {
  const Expr& expr = system.exprs[id];
  if (expr.op == ExprOp::LocalAt) {
    const auto first = static_cast<Slot>(expr.value);
    out.push_back({first, first + static_cast<Slot>(system.exprs[expr.a].value)});
  }
  for (const ExprId part : {expr.a, expr.b, expr.c})
    if (part.valid()) find_arrays(system, part, out);
}

/// The ranges of slots that an index selects from; overlapping ones are joined.
std::vector<SlotArray> slot_arrays(const System& system, const Code& code) {
  std::vector<SlotArray> found;
  for (const Instruction& instruction : code.instructions) {
    for_each_expr(instruction, [&](ExprId expr) { find_arrays(system, expr, found); });
    for_each_target(instruction, [&](const LocalPlace& place, Assigned) {
      if (place.index) found.push_back({place.slot, place.slot + place.count});
    });
  }
  std::ranges::sort(found, {}, &SlotArray::first);
  std::vector<SlotArray> merged;
  for (const SlotArray& array : found) {
    if (!merged.empty() && array.first < merged.back().end) {
      merged.back().end = std::max(merged.back().end, array.end);
    } else {
      merged.push_back(array);
    }
  }
  return merged;
}

}  // namespace

ThreadWriter::ThreadWriter(Context& context, const Beginning& beginning, ThreadId thread)
    : context_(context),
      system_(context.system),
      objects_(context.objects),
      beginning_(beginning),
      id_(thread),
      thread_(context.system.threads[thread]),
      code_(thread_.code),
      loops_(context.system, code_),
      names_(context.names),
      forget_(context.processes[thread].forget),
      cuts_(code_.instructions.size(), 0),
      next_cut_(cuts_begin()),
      is_pending_(code_.instructions.size(), false) {
  body_.entries.assign(code_.instructions.size(), 0);
  body_.written.assign(code_.instructions.size(), false);
  name_slots();
}

void ThreadWriter::name_slots() {
  const std::vector<SlotArray> arrays = slot_arrays(system_, code_);
  auto array = arrays.begin();
  std::string array_name;
  for (Slot slot = 0; slot < code_.slots.size(); ++slot) {
    const SlotInfo& info = code_.slots[slot];
    std::string name = info.name.valid() ? system_.texts[info.name] : fmt::format("tmp{}", slot);
    Frame::Slot entry;
    entry.value.lo = std::min(info.type.lo, 0);
    entry.value.hi = std::max(info.type.hi, 0);
    while (array != arrays.end() && array->end <= slot)
      ++array;
    if (array != arrays.end() && array->first <= slot) {
      if (array->first == slot) array_name = names_.unique(name.substr(0, name.find('[')));
      entry.array = array_name;
      entry.position = slot - array->first;
      entry.value.text = fmt::format("{}[{}]", array_name, entry.position);
    } else {
      entry.value.text = names_.unique(name);
    }
    frame_.slots.push_back(std::move(entry));
  }
}

void ThreadWriter::declare_slots(Writer& out) const {
  const auto& fields = beginning_.layout.thread(id_).slots;
  const auto initial = [&](Slot slot) {
    return constant(fields[slot].load(beginning_.state.data())).text;
  };
  for (Slot slot = 0; slot < frame_.slots.size(); ++slot) {
    const Frame::Slot& entry = frame_.slots[slot];
    if (entry.array.empty()) {
      out.line(fmt::format("{} {} = {};", type_name(entry.value.lo, entry.value.hi),
                           entry.value.text, initial(slot)));
      continue;
    }
    std::int64_t lo = 0;
    std::int64_t hi = 2;
    Slot end = slot;
    std::string values;
    bool are_equal = true;
    for (; end < frame_.slots.size() && frame_.slots[end].array == entry.array; ++end) {
      lo = std::min(lo, frame_.slots[end].value.lo);
      hi = std::max(hi, frame_.slots[end].value.hi);
      are_equal = are_equal && initial(end) == initial(slot);
      values += (end == slot ? "" : ", ") + initial(end);
    }
    out.line(fmt::format("{} {}[{}] = {};", type_name(lo, hi), entry.array, end - slot,
                         are_equal ? initial(slot) : "{ " + values + " }"));
    if (!are_equal && values.find('-') != std::string::npos)
      context_.refuse("Promela has no local array that begins with different negative values",
                      thread_.range);
    slot = end - 1;
  }
}

std::string ThreadWriter::number(Pc pc) {
  if (!is_pending_[pc]) {
    is_pending_[pc] = true;
    pending_.push_back(pc);
  }
  if (code_.pc_location[pc] >= kFirstLocation) return std::to_string(code_.pc_location[pc]);
  if (cuts_[pc] == 0) {
    cuts_[pc] = next_cut_++;
    context_.states_agree = false;
  }
  return std::to_string(cuts_[pc]);
}

std::string ThreadWriter::write() {
  const Location begin = location(beginning_.layout, beginning_.state.data(), id_);
  if (loops_.endless)
    context_.refuse("an `atomic` block that may loop for ever has no counterpart in Promela",
                    code_.instructions[*loops_.endless].range);
  if (begin >= kFirstLocation) (void)number(code_.location_pc[begin]);
  out_.in();
  while (!pending_.empty() && !context_.refused) {
    const auto least = std::ranges::min_element(pending_);
    const Pc pc = *least;
    pending_.erase(least);
    transition(pc);
  }
  out_.out();
  std::string began;
  for (const Event& event : beginning_.record.events)
    if (event.thread == id_ && event.kind != FaultKind::Divergence)
      began += " " + context_.violation(event.kind, event.range);
  if (!began.empty() || may_stop_ || begin == kStopped)
    out_.line(began.empty() ? "   :: at == STOPPED"
                            : fmt::format("   :: d_step {{ at == STOPPED ->{} }}", began));
  if (may_assume_ || begin == kAssumed) out_.line("   :: at == ASSUMED");
  if (begin == kDiverged) out_.line("   :: at == DIVERGED");
  if (begin == kEnded) out_.line("   :: at != ENDED");

  const bool goes_on = began.empty() && !may_stop_ && !may_assume_ && next_cut_ == cuts_begin() &&
                       (begin >= kFirstLocation || begin == kEnded) && !may_diverge(system_, code_);
  if (thread_.is_daemon && !goes_on) context_.daemons_go_on = false;

  Writer head;
  if (!forget_.empty()) {
    head.line(fmt::format("inline {}() {{", forget_));
    head.in();
    for (const Frame::Slot& slot : frame_.slots)
      head.line(slot.value.text + " = 0;");
    head.out();
    head.line("}");
    head.line("");
  }
  const std::string daemon = thread_.is_daemon ? "daemon " : "";
  head.line(fmt::format("/* {}thread {} */", daemon, thread_.name));
  head.line(fmt::format("active proctype {}() {{", context_.processes[id_].process));
  head.in();
  head.line(fmt::format("{} at = {};", type_name(0, std::max<std::int64_t>(next_cut_, 2)), begin));
  declare_slots(head);
  for (const std::string& name : kept_names_)
    head.line(fmt::format("int {} = 0;", name));
  head.out();
  return head.text() + "\n   do\n" + out_.text() + "   od\n}\n";
}

// ---- transitions -------------------------------------------------------------------------------

void ThreadWriter::comment(const Instruction& instruction) {
  out_.line(context_.comment(instruction.range));
}

void ThreadWriter::open(const char* kind, Pc pc, const Value& guard) {
  std::string text = fmt::format(":: {} {{ at == {}", kind, number(pc));
  const auto known = guard.constant();
  if (!known || *known == 0) text += " && " + guard.operand(Level::And);
  out_.line(text + " ->");
  out_.in(5);
}

void ThreadWriter::close() {
  out_.out(2);
  out_.line("}");
  out_.out(3);
}

void ThreadWriter::close_opened(unsigned before) {
  for (; opened_ > 0; --opened_)
    out_.fi();
  opened_ = before;
}

void ThreadWriter::transition(Pc pc) {
  const Instruction& instruction = code_.instructions[pc];
  ++transitions_;
  comment(instruction);
  if (code_.pc_location[pc] < kFirstLocation) return cut(pc);
  std::visit(
      Cases{
          [&](const Atomic& node) { region(pc, node); },
          [&](const Either& node) {
            for (const Pc next : node.targets) {
              open("d_step", pc, constant(1));
              body({next});
              path(next);
              close();
            }
          },
          [&](const Select& node) { select(pc, node); },
          [&](const Rewait& node) {
            operation(pc,
                      condition(fmt::format("{}[{}] == NOTIFIED && free({})", context_.waits_for,
                                            id_.index, objects_.reference(node.lock, frame_))));
          },
          [&](const auto&) { operation(pc, enabled(instruction, objects_, frame_)); },
          [&](const AnyOf<Set, Jump, Branch, Assert, Assume, Mark, Guard, AtomicEnd, End> auto&) {
            context_.refuse("no operation stands where this thread does", instruction.range);
          },
      },
      instruction.node);
}

void ThreadWriter::cut(Pc pc) {
  open("d_step", pc, constant(1));
  body({pc});
  path(pc, true);
  close();
}

// A d_step may not contain a choice: the choice is then in an atomic, and the rest in a d_step.
void ThreadWriter::operation(Pc pc, const Value& guard) {
  const Instruction& instruction = code_.instructions[pc];
  const bool chooses = is_choice(instruction);
  open(chooses ? "atomic" : "d_step", pc, guard);
  body({pc + 1});
  const unsigned before = std::exchange(opened_, 0);
  if (effect(instruction)) {
    if (chooses) {
      out_.line("d_step {");
      out_.in();
    }
    make_checks(checks_of(instruction));
    path(pc + 1);
    if (chooses) {
      out_.out();
      out_.line("}");
    }
  }
  close_opened(before);
  close();
}

void ThreadWriter::select(Pc pc, const Select& node) {
  Value none = constant(1);
  for (const Select::Case& item : node.cases) {
    const Value can = ready(item, objects_, frame_);
    none = both(none, negated(can));
    open("d_step", pc, can);
    body({item.next});
    const unsigned before = std::exchange(opened_, 0);
    if (select_case(item)) {
      make_checks(checks_of(item.place));
      path(item.next);
    }
    close_opened(before);
    close();
  }
  if (!node.otherwise) return;
  open("d_step", pc, none);
  body({*node.otherwise});
  path(*node.otherwise);
  close();
}

// ---- atomic blocks -----------------------------------------------------------------------------

void ThreadWriter::region(Pc pc, const Atomic& node) {
  refuse_region(pc, node);
  const std::vector<std::vector<bool>> zero = zero_slots(system_, code_);
  Frame known = frame_;
  for (Slot slot = 0; slot < known.slots.size(); ++slot)
    if (zero[pc][slot] && known.slots[slot].array.empty()) known.slots[slot].value = constant(0);
  const auto decision = Decisions(system_, objects_, code_,
                                  {Question::Kind::Block, "whether this `atomic` block may go",
                                   code_.instructions[pc].range})
                            .from(pc + 1, std::move(known));
  if (!decision) return context_.refuse(decision.error().message, decision.error().range);
  bool chooses = false;
  std::vector<const Check*> checks;
  for (Pc inside = pc + 1; inside < node.end; ++inside) {
    chooses = chooses || is_choice(code_.instructions[inside]);
    for (const Check* check : checks_of(code_.instructions[inside]))
      if (std::ranges::find(checks, check) == checks.end()) checks.push_back(check);
  }
  open(chooses ? "atomic" : "d_step", pc, is_enabled(**decision));
  body_.checks = checks;
  body({pc + 1});
  path(pc + 1);
  body_.checks.clear();
  close();
}

// The guard is evaluated once, before the block: nothing behind its first effect may block. The
// front end checks that, but with less precision; what it has let through is refused here.
void ThreadWriter::refuse_region(Pc pc, const Atomic& node) {
  const std::size_t size = code_.instructions.size();
  std::vector<std::vector<bool>> seen(2, std::vector<bool>(size, false));
  std::vector<std::pair<Pc, bool>> work{{pc + 1, false}};  // and whether there was an effect
  std::vector<Pc> next;
  while (!work.empty()) {
    const auto [at, acted] = work.back();
    work.pop_back();
    if (at >= node.end || seen[acted ? 1 : 0][at]) continue;
    seen[acted ? 1 : 0][at] = true;
    const Instruction& instruction = code_.instructions[at];
    if (acted && may_block(instruction))
      return context_.refuse(
          "what may block behind the first operation of an `atomic` block has no counterpart in "
          "Promela",
          instruction.range);
    next.clear();
    successors(code_, at, next);
    for (const Pc to : next)
      work.emplace_back(to, acted || !only_looks(instruction));
  }
}

}  // namespace cml::ir::promela
