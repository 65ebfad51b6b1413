#include "ir/lower/properties.h"

#include <set>
#include <tuple>
#include <utility>

namespace cml::ir::lowering {
namespace {

using TextPlace = std::tuple<FileId, std::uint32_t, std::uint32_t>;

TextPlace text_place(SourceRange range) { return {range.file, range.begin, range.end}; }

/// Where the thread stands when it is at the label: at the empty atomic block that `label "cs";`
/// is.
std::vector<Pc> places_of(const Context& context, ThreadId thread, const std::string& label) {
  std::set<TextPlace> labels;
  for (const model::Stmt& stmt : context.model.stmts) {
    const auto* block = std::get_if<model::Atomic>(&stmt.node);
    if (block != nullptr && block->label == label) labels.insert(text_place(stmt.range));
  }
  std::vector<Pc> result;
  const std::vector<Instruction>& code = context.system.threads[thread].code.instructions;
  for (Pc pc = 0; pc < code.size(); ++pc)
    if (code[pc].opcode() == Opcode::Atomic && labels.contains(text_place(code[pc].range)))
      result.push_back(pc);
  return result;
}

/// Every thread that is no daemon ends. One that runs from the start has ended for ever then, so
/// these are one formula; one that is spawned may begin again.
void terminates(const Context& context, Property& property) {
  Formula at_start;
  at_start.kind = FormulaKind::Ended;
  std::vector<Formula> all;
  for (const ThreadId id : context.system.threads.ids()) {
    const Thread& thread = context.system.threads[id];
    if (thread.is_daemon) continue;
    if (!thread.is_spawned) {
      at_start.threads.push_back(id);
      continue;
    }
    Formula ends;
    ends.kind = FormulaKind::Ended;
    ends.threads = {id};
    all.push_back(std::move(ends));
  }
  all.insert(all.begin(), std::move(at_start));
  const auto push = [&](FormulaKind kind, std::uint32_t left, std::uint32_t right) {
    Formula part;
    part.kind = kind;
    part.left = left;
    part.right = right;
    part.range = property.range;
    property.parts.push_back(std::move(part));
    return static_cast<std::uint32_t>(property.parts.size() - 1);
  };
  std::optional<std::uint32_t> whole;
  for (Formula& ends : all) {
    ends.range = property.range;
    property.parts.push_back(std::move(ends));
    const auto ended = static_cast<std::uint32_t>(property.parts.size() - 1);
    const std::uint32_t again =
        push(FormulaKind::Always, 0, push(FormulaKind::Eventually, 0, ended));
    whole = whole ? push(FormulaKind::And, *whole, again) : again;
  }
}

}  // namespace

Property lower_property(Context& context, const model::Property& decl,
                        const LowerCondition& condition, const FindThread& thread) {
  Property result;
  result.name = decl.name;
  result.range = decl.range;
  result.is_termination = decl.is_termination;
  result.fairness = decl.fairness;
  if (decl.is_termination) terminates(context, result);
  for (const model::Formula& from : decl.parts) {
    Formula part;
    part.kind = from.kind;
    part.range = from.range;
    if (from.left.valid()) part.left = from.left.index;
    if (from.right.valid()) part.right = from.right.index;
    if (from.kind == FormulaKind::Condition) {
      part.condition = static_cast<std::uint32_t>(result.conditions.size());
      Code code = condition({"", from.range, std::nullopt, from.condition});
      result.conditions.push_back({"", from.range, std::move(code)});
    } else if (from.kind == FormulaKind::Ended || from.kind == FormulaKind::At) {
      part.threads = {thread(from)};
      if (from.kind == FormulaKind::At)
        part.pcs = places_of(context, part.threads.front(), from.label);
    }
    result.parts.push_back(std::move(part));
  }
  return result;
}

}  // namespace cml::ir::lowering
