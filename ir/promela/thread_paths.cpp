// The paths of a transition: local instructions, and those of an atomic block, up to the next
// location. Every path ends with a value of `at`, so all of them are in tail position and the text
// nests; where paths meet, the first one there has a label, and the others jump to it.
#include <algorithm>
#include <fmt/format.h>
#include <variant>

#include "ir/analysis/control_flow.h"
#include "ir/promela/thread.h"

namespace cml::ir::promela {

bool ThreadWriter::is_terminal(Pc pc) const {
  return code_.pc_location[pc] >= kFirstLocation || loops_.is_cut[pc];
}

/// Past what has no effect.
Pc ThreadWriter::settled(Pc pc) const {
  while (!is_terminal(pc)) {
    const auto& node = code_.instructions[pc].node;
    if (const auto* jump = std::get_if<Jump>(&node)) {
      pc = jump->target;
    } else if (const auto* guard = std::get_if<Guard>(&node)) {  // it is true, or has no value
      if (!faults_of(guard->condition).empty()) break;
      ++pc;
    } else if (std::holds_alternative<Mark>(node) ||
               (std::holds_alternative<AtomicEnd>(node) && body_.checks.empty())) {
      ++pc;
    } else {
      break;
    }
  }
  return pc;
}

void ThreadWriter::body(const std::vector<Pc>& roots) {
  body_.entries.assign(code_.instructions.size(), 0);
  body_.written.assign(code_.instructions.size(), false);
  for (const Pc root : roots) {
    if (is_terminal(root)) {  // a loop that is cut begins here
      std::vector<Pc> next;
      successors(code_, root, next);
      for (const Pc pc : next)
        count_entries(pc);
    } else {
      count_entries(root);
    }
  }
}

void ThreadWriter::count_entries(Pc begin) {
  std::vector<Pc> work{begin};
  std::vector<Pc> next;
  while (!work.empty()) {
    const Pc pc = settled(work.back());
    work.pop_back();
    if (is_terminal(pc) || ++body_.entries[pc] > 1) continue;
    next.clear();
    successors(code_, pc, next);
    work.insert(work.end(), next.begin(), next.end());
  }
}

void ThreadWriter::path(Pc pc, bool is_root) {
  const unsigned before = std::exchange(opened_, 0);
  for (bool more = true; more; is_root = false) {
    if (!is_root) {
      pc = settled(pc);
      if (is_terminal(pc)) {
        out_.line(fmt::format("at = {};", number(pc)));
        break;
      }
      if (body_.entries[pc] > 1) {
        const std::string label = fmt::format("meet_{}_{}", transitions_, pc);
        if (body_.written[pc]) {
          out_.line(fmt::format("goto {};", label));
          break;
        }
        body_.written[pc] = true;
        out_.line(label + ":");
      }
    }
    const Instruction& instruction = code_.instructions[pc];
    if (const auto* jump = std::get_if<Jump>(&instruction.node)) {
      pc = jump->target;
    } else if (const auto* branch = std::get_if<Branch>(&instruction.node)) {
      if (!check(faults_of(branch->condition), instruction.range)) break;
      const Value when = value(branch->condition);
      if (const auto known = when.constant()) {
        pc = *known != 0 ? branch->if_true : branch->if_false;
        continue;
      }
      out_.if_(when.text);
      path(branch->if_true);
      out_.or_("else");
      path(branch->if_false);
      out_.fi();
      more = false;
    } else if (const auto* either = std::get_if<Either>(&instruction.node)) {
      out_.line("if");
      out_.in();
      for (const Pc next : either->targets) {
        out_.out();
        out_.option("true");
        path(next);
      }
      out_.fi();
      more = false;
    } else if (const auto* select = std::get_if<Select>(&instruction.node)) {
      select_inside(*select);
      more = false;
    } else if (std::holds_alternative<AtomicEnd>(instruction.node)) {
      make_checks(body_.checks);
      ++pc;
    } else if (const auto* guard = std::get_if<Guard>(&instruction.node)) {
      more = check(faults_of(guard->condition), instruction.range);
      ++pc;
    } else if (std::holds_alternative<End>(instruction.node)) {
      leave("ENDED");
      more = false;
    } else {
      more = effect(instruction);
      ++pc;
    }
  }
  for (; opened_ > 0; --opened_)
    out_.fi();
  opened_ = before;
}

// One case can go, or the block would be blocked.
void ThreadWriter::select_inside(const Select& node) {
  Value none = constant(1);
  out_.line("if");
  out_.in();
  for (const Select::Case& item : node.cases) {
    const Value can = ready(item, objects_, frame_);
    none = both(none, negated(can));
    out_.out();
    out_.option(can.text);
    const unsigned before = std::exchange(opened_, 0);
    if (select_case(item)) path(item.next);
    for (; opened_ > 0; --opened_)
      out_.fi();
    opened_ = before;
  }
  if (node.otherwise) {
    out_.or_("else");
    path(*node.otherwise);
  }
  out_.fi();
}

std::vector<Fault> ThreadWriter::faults_of(ExprId expr) const {
  std::vector<Fault> found;
  faults(system_, expr, frame_, found);
  return found;
}

bool ThreadWriter::check(const std::vector<Fault>& found, SourceRange range) {
  return std::ranges::all_of(found, [&](const Fault& fault) {
    return check(fault.condition, fault.kind, fault.range.file.valid() ? fault.range : range);
  });
}

bool ThreadWriter::check(const Value& when, FaultKind kind, SourceRange range) {
  const auto known = when.constant();
  if (known && *known == 0) return true;
  if (known) {
    stop(kind, range);
    return false;
  }
  out_.if_(when.text);
  stop(kind, range);
  out_.or_("else");
  ++opened_;
  return true;
}

void ThreadWriter::stop(FaultKind kind, SourceRange range) {
  may_stop_ = true;
  out_.line(context_.violation(kind, range));
  leave("STOPPED");
  make_checks(body_.checks);  // what the block has done so far stays
}

void ThreadWriter::leave(std::string_view where) {
  out_.line(fmt::format("at = {};", where));
  if (!forget_.empty()) out_.line(forget_ + "();");
  if (where == "ENDED" && !thread_.is_daemon)
    out_.line(context_.running + " = " + context_.running + " - 1;");
}

void ThreadWriter::make_checks(const std::vector<const Check*>& checks) {
  for (const Check* check : checks)
    out_.line(check->name + "();");
}

}  // namespace cml::ir::promela
