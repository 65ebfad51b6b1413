// Emission, slots, and the clean-up of jumps.
#include "ir/lower/code_builder.h"

#include <algorithm>
#include <bit>
#include <fmt/format.h>
#include <utility>

#include "ir/describe.h"

namespace cml::ir::lowering {
namespace {

unsigned width(const WordType& type) {
  return static_cast<unsigned>(std::bit_width(static_cast<std::uint32_t>(
      static_cast<std::int64_t>(type.hi) - static_cast<std::int64_t>(type.lo))));
}

/// Every slot holds 0 at some time.
WordType with_zero(WordType type) {
  type.lo = std::min(type.lo, 0);
  type.hi = std::max(type.hi, 0);
  return type;
}

WordType join(const WordType& a, const WordType& b) {
  return {a.kind, std::min(a.lo, b.lo), std::max(a.hi, b.hi), a.names, a.of};
}

bool can_share(const WordType& a, const WordType& b) {
  return a.kind == b.kind && a.names == b.names && a.of == b.of && width(a) == width(b) &&
         width(join(a, b)) == width(a);
}

}  // namespace

Label CodeBuilder::new_label() {
  label_pc_.push_back(0);
  label_referenced_.push_back(false);
  return static_cast<Label>(label_pc_.size() - 1);
}

void CodeBuilder::bind(Label label) {
  label_pc_[label] = static_cast<Pc>(code_.instructions.size());
  reachable_ = reachable_ || label_referenced_[label];
}

void CodeBuilder::bind_reachable(Label label) {
  bind(label);
  reachable_ = true;
}

void CodeBuilder::reference(Label label) {
  if (reachable_) label_referenced_[label] = true;
}

void CodeBuilder::emit(Operation node, SourceRange range, std::string_view kind) {
  if (!reachable_ || context_.failed()) return;
  code_.instructions.push_back({std::move(node), range, kind});
  if (++context_.instructions > kMaxInstructions || context_.system.exprs.size() > kMaxExpressions)
    context_.unsupported(
        fmt::format("the model is too large once it is specialised: more than {} instructions",
                    kMaxInstructions),
        range);
}

void CodeBuilder::jump(Label label, SourceRange range) {
  reference(label);
  emit(Jump{label}, range);
  reachable_ = false;
}

void CodeBuilder::branch(ExprId condition, Label if_true, Label if_false, SourceRange range) {
  reference(if_true);
  reference(if_false);
  emit(Branch{condition, if_true, if_false}, range);
  reachable_ = false;
}

void CodeBuilder::either(const std::vector<Label>& targets, SourceRange range) {
  for (const Label target : targets)
    reference(target);
  emit(Either{targets}, range);
  reachable_ = false;
}

void CodeBuilder::select(Select select, SourceRange range) {
  for (const Select::Case& c : select.cases)
    reference(c.next);
  if (select.otherwise) reference(*select.otherwise);
  emit(std::move(select), range);
  reachable_ = false;
}

void CodeBuilder::atomic(Label end, SourceRange range) { emit(Atomic{end}, range); }

void CodeBuilder::atomic_end(Label end, SourceRange range) {
  bind(end);
  const bool reachable = reachable_;
  reachable_ = true;
  emit(AtomicEnd{}, range);
  reachable_ = reachable;
}

void CodeBuilder::end(SourceRange range) {
  // Also behind an instruction that always stops the thread, so that control never runs off the
  // code.
  const bool runs_off = code_.instructions.empty() ||
                        code_.instructions.back().opcode() == Opcode::Assert ||
                        code_.instructions.back().opcode() == Opcode::Assume ||
                        code_.instructions.back().opcode() == Opcode::Set ||
                        code_.instructions.back().opcode() == Opcode::AtomicEnd;
  reachable_ = reachable_ || runs_off;
  emit(End{}, range);
  reachable_ = false;
}

Slot CodeBuilder::allocate(const std::vector<WordType>& words, SourceRange range) {
  std::vector<SlotInfo>& slots = code_.slots;
  const auto fits_at = [&](std::size_t first) {
    for (std::size_t k = 0; k < words.size() && first + k < slots.size(); ++k)
      if (in_use_[first + k] || !can_share(slots[first + k].type, with_zero(words[k])))
        return false;
    return true;
  };
  std::size_t first = 0;
  while (first < slots.size() && !fits_at(first))
    ++first;
  if (first + words.size() > kMaxSlots) {
    context_.unsupported(fmt::format("the local variables and intermediate values of a thread take "
                                     "more than {} words here; large arrays can be `shared`",
                                     kMaxSlots),
                         range);
    first = 0;  // the code will not be used, but its slots must exist
  }
  for (std::size_t k = 0; k < words.size(); ++k) {
    const WordType type = with_zero(words[k]);
    if (first + k == slots.size()) {
      slots.push_back({type, {}});
      in_use_.push_back(true);
      is_reserved_.push_back(false);
    } else {
      slots[first + k].type = join(slots[first + k].type, type);
      in_use_[first + k] = true;
    }
  }
  return static_cast<Slot>(first);
}

Slot CodeBuilder::reserve(const std::vector<WordType>& words, SourceRange range) {
  const auto first = static_cast<Slot>(code_.slots.size());
  if (first + words.size() > kMaxSlots) {
    context_.unsupported(
        fmt::format("the stack of a thread takes more than {} words here; allow fewer calls with "
                    "`--max-stack`",
                    kMaxSlots),
        range);
    return 0;
  }
  for (const WordType& word : words) {
    code_.slots.push_back({with_zero(word), {}});
    in_use_.push_back(true);
    is_reserved_.push_back(true);
  }
  return first;
}

std::vector<Slot> CodeBuilder::live() const {
  std::vector<Slot> result;
  for (Slot slot = 0; slot < in_use_.size(); ++slot)
    if (in_use_[slot] && !is_reserved_[slot]) result.push_back(slot);
  return result;
}

void CodeBuilder::widen(Slot slot, const WordType& type) {
  code_.slots[slot].type = join(code_.slots[slot].type, with_zero(type));
}

void CodeBuilder::name(Slot slot, TextId name) {
  if (!code_.slots[slot].name.valid()) code_.slots[slot].name = name;
}

void CodeBuilder::free(Slot slot) { in_use_[slot] = false; }

Code CodeBuilder::finish() {
  for (Instruction& instruction : code_.instructions)
    for_each_pc(instruction, [&](Pc& target) { target = label_pc_[target]; });
  remove_superfluous_jumps(code_);
  return std::move(code_);
}

void remove_superfluous_jumps(Code& code) {
  std::vector<Instruction>& instructions = code.instructions;
  const auto count = static_cast<Pc>(instructions.size());
  const auto jump_at = [&](Pc pc) {
    return pc < count ? std::get_if<Jump>(&instructions[pc].node) : nullptr;
  };
  // Chains of jumps first. A chain that returns to itself is an empty loop and stays.
  for (Instruction& instruction : instructions) {
    if (instruction.opcode() == Opcode::Atomic) continue;
    for_each_pc(instruction, [&](Pc& target) {
      Pc end = target;
      for (Pc steps = 0; jump_at(end) != nullptr && steps < 64; ++steps)
        end = jump_at(end)->target;
      if (jump_at(end) == nullptr) target = end;
    });
  }
  // Then, backwards, jumps to the instruction that follows when the removed ones are gone, and
  // jumps that control never reaches.
  std::vector<bool> is_target(count + 1, false);
  for (Instruction& instruction : instructions)
    for_each_pc(instruction, [&](Pc& target) { is_target[target] = true; });
  std::vector<bool> removed(count, false);
  Pc next = count;
  for (Pc pc = count; pc-- > 0;) {
    const Jump* jump = jump_at(pc);
    const bool follows_jump = pc > 0 && jump_at(pc - 1) != nullptr;
    if (jump != nullptr &&
        ((jump->target > pc && jump->target <= next) || (follows_jump && !is_target[pc])))
      removed[pc] = true;
    else
      next = pc;
  }
  std::vector<Pc> new_pc(count + 1);
  Pc kept = 0;
  for (Pc pc = 0; pc < count; ++pc) {
    new_pc[pc] = kept;
    if (removed[pc]) continue;
    if (kept != pc) instructions[kept] = std::move(instructions[pc]);
    ++kept;
  }
  new_pc[count] = kept;
  instructions.resize(kept);
  for (Instruction& instruction : instructions)
    for_each_pc(instruction, [&](Pc& target) { target = new_pc[target]; });
}

}  // namespace cml::ir::lowering
