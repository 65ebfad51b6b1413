// The paths of a transition: local instructions, and those of an atomic block, up to the next
// location. Every path ends with a value of `at`, so all of them are in tail position and the text
// nests; where paths meet, the first one there has a label, and the others jump to it.
#include <algorithm>
#include <fmt/format.h>
#include <variant>

#include "ir/analysis/code_flow.h"
#include "ir/describe.h"
#include "ir/promela/thread.h"

namespace cml::ir::promela {

bool ThreadWriter::is_terminal(Pc pc) const {
  return code_.pc_location[pc] >= kFirstLocation || loops_.is_cut[pc];
}

/// The next instruction from `pc` on that has an effect.
Pc ThreadWriter::skip_without_effect(Pc pc) const {
  for (std::optional<Pc> next = pc; next;) {
    pc = *next;
    if (is_terminal(pc)) break;
    const auto next_if = [pc](bool passes) {
      return passes ? std::optional(pc + 1) : std::nullopt;
    };
    next = std::visit(Cases{[](const Jump& node) { return std::optional(node.target); },
                            [&](const Guard& node) {  // it is true, or has no value
                              return next_if(faults_of(node.condition).empty());
                            },
                            [&](const Mark&) { return next_if(true); },
                            [&](const AtomicEnd&) { return next_if(body_.checks.empty()); },
                            [&](const auto&) { return next_if(false); }},
                      code_.instructions[pc].node);
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
    const Pc pc = skip_without_effect(work.back());
    work.pop_back();
    if (is_terminal(pc) || ++body_.entries[pc] > 1) continue;
    next.clear();
    successors(code_, pc, next);
    work.insert(work.end(), next.begin(), next.end());
  }
}

void ThreadWriter::path(Pc pc, bool is_root) {
  const unsigned before = std::exchange(opened_, 0);
  for (std::optional<Pc> next = pc; next; is_root = false) {
    pc = *next;
    if (!is_root) {
      pc = skip_without_effect(pc);
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
    next = step(pc);
  }
  close_opened(before);
}

std::optional<Pc> ThreadWriter::step(Pc pc) {
  using Next = std::optional<Pc>;
  const Instruction& instruction = code_.instructions[pc];
  const auto next_if = [pc](bool passes) { return passes ? Next(pc + 1) : std::nullopt; };
  return std::visit(
      Cases{[](const Jump& node) { return Next(node.target); },
            [&](const Branch& node) { return step_branch(instruction, node); },
            [&](const Either& node) { return step_either(node); },
            [&](const Select& node) {
              select_inside(node);
              return Next();
            },
            [&](const AtomicEnd&) {
              make_checks(body_.checks);
              return next_if(true);
            },
            [&](const Guard& node) {
              return next_if(check(faults_of(node.condition), instruction.range));
            },
            [&](const End&) {
              leave("ENDED");
              return Next();
            },
            [&](const Mark&) { return next_if(true); },
            [&](const auto&) { return next_if(effect(instruction)); },
            [&](const AnyOf<Wait, TimeOut, Rewait, Atomic> auto&) {
              context_.refuse(fmt::format("`{}` inside of an `atomic` block has no counterpart in "
                                          "Promela",
                                          mnemonic(instruction.opcode())),
                              instruction.range);
              return Next();
            }},
      instruction.node);
}

std::optional<Pc> ThreadWriter::step_branch(const Instruction& instruction, const Branch& node) {
  if (!check(faults_of(node.condition), instruction.range)) return {};
  const Value when = value(node.condition);
  if (const auto known = when.constant()) return *known != 0 ? node.if_true : node.if_false;
  out_.begin_if(when.text);
  path(node.if_true);
  out_.next_option("else");
  path(node.if_false);
  out_.fi();
  return {};
}

std::optional<Pc> ThreadWriter::step_either(const Either& node) {
  out_.line("if");
  out_.in();
  for (const Pc next : node.targets) {
    out_.out();
    out_.option("true");
    path(next);
  }
  out_.fi();
  return {};
}

// One case is enabled, or the block would be blocked.
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
    close_opened(before);
  }
  if (node.otherwise) {
    out_.next_option("else");
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
  out_.begin_if(when.text);
  stop(kind, range);
  out_.next_option("else");
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
