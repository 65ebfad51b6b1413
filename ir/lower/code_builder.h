// Builds the code of one thread: emits instructions, hands out slots, patches jumps.
//
// Labels stand in the place of Pcs until `finish`. Instructions behind a jump that no label makes
// reachable again are not emitted: so constant conditions prune what they rule out.
// Free slots hold 0 (the code that frees one has reset it, or resets it next), and a slot is used
// again only for words of the same width.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "ir/lower/context.h"
#include "ir/system.h"

namespace cml::ir::lowering {

using Label = Pc;

class CodeBuilder {
 public:
  explicit CodeBuilder(Context& context) : context_(context) {}

  // ---- control flow
  [[nodiscard]] bool reachable() const { return reachable_; }
  /// What follows cannot be reached: the last instruction always stops the thread.
  void set_unreachable() { reachable_ = false; }
  [[nodiscard]] Label new_label();
  void bind(Label label);
  /// The same; what jumps there is emitted later.
  void bind_reachable(Label label);
  void jump(Label label, SourceRange range);
  void branch(ExprId condition, Label if_true, Label if_false, SourceRange range);
  void either(const std::vector<Label>& targets, SourceRange range);
  void select(Select select, SourceRange range);  // its targets are labels
  void atomic(Label end, SourceRange range);
  /// Emitted even if it cannot be reached: every region has an end.
  void atomic_end(Label end, SourceRange range);
  void end(SourceRange range);

  /// Any instruction without targets.
  void emit(Operation node, SourceRange range, std::string_view kind = {});

  // ---- slots
  /// A run of free slots for these words; they hold 0.
  [[nodiscard]] Slot allocate(const std::vector<WordType>& words, SourceRange range);
  /// New slots, which are never handed out again.
  [[nodiscard]] Slot reserve(const std::vector<WordType>& words, SourceRange range);
  /// Those that are handed out, but for the reserved ones.
  [[nodiscard]] std::vector<Slot> live() const;
  [[nodiscard]] Slot slots() const { return static_cast<Slot>(code_.slots.size()); }
  [[nodiscard]] const WordType& type(Slot slot) const { return code_.slots[slot].type; }
  /// Makes a slot able to hold this, too.
  void widen(Slot slot, const WordType& type);
  void name(Slot slot, TextId name);
  void free(Slot slot);
  /// Allocates a slot again that was freed and is still free.
  void claim(Slot slot) { in_use_[slot] = true; }
  [[nodiscard]] bool in_use(Slot slot) const { return in_use_[slot]; }

  /// The instruction that was emitted last: its place, and what to change later.
  [[nodiscard]] Pc last() const { return static_cast<Pc>(code_.instructions.size() - 1); }
  [[nodiscard]] Operation& node(Pc at) { return code_.instructions[at].node; }

  /// Resolves labels and removes superfluous jumps.
  [[nodiscard]] Code finish();

 private:
  void reference(Label label);

  Context& context_;
  Code code_;
  std::vector<Pc> label_pc_;
  std::vector<bool> label_referenced_;
  std::vector<bool> in_use_;
  std::vector<bool> is_reserved_;
  bool reachable_ = true;
};

/// Removes jumps to the next instruction and shortens chains of jumps.
void remove_superfluous_jumps(Code& code);

}  // namespace cml::ir::lowering
