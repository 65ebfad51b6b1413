// What code without effects decides, as a tree over the state: for the guard of a block (may it
// go?), for invariants and `finally` (does it hold?).
//
// The code is run symbolically: a slot holds an expression over the objects instead of a number
// (King, "Symbolic execution and program testing", 1976). Constant loops unroll by themselves; a
// tree that does not stay small is given up.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "ir/promela/objects.h"
#include "ir/promela/value.h"
#include "ir/promela/writer.h"

namespace cml::ir::promela {

struct Decision {
  enum class Kind : std::uint8_t {
    Branch,
    Fault,    // a violation
    Blocked,  // a guard is false
    Done,     // the end, or an operation: `condition` is whether it can go
  };
  Kind kind = Kind::Done;
  Value condition;
  FaultKind fault = FaultKind::Assertion;
  SourceRange range;
  std::unique_ptr<Decision> yes, no;  // Branch
};

class Decisions {
 public:
  Decisions(const System& system, const Objects& objects, const Code& code)
      : system_(system), objects_(objects), code_(code) {}

  /// From `pc` on; none if the tree is too large, or an index is too clever.
  [[nodiscard]] std::unique_ptr<Decision> from(Pc pc, Frame frame);

 private:
  [[nodiscard]] std::unique_ptr<Decision> leaf(Decision::Kind kind, Value condition = constant(1));
  [[nodiscard]] std::unique_ptr<Decision> fault(FaultKind kind, SourceRange range);
  [[nodiscard]] std::unique_ptr<Decision> branch(Value condition, std::unique_ptr<Decision> yes,
                                                 std::unique_ptr<Decision> no);
  [[nodiscard]] std::unique_ptr<Decision> give_up() {
    too_large_ = true;
    return leaf(Decision::Kind::Done);
  }
  [[nodiscard]] std::unique_ptr<Decision> walk(Pc pc, Frame frame);
  /// The faults of an expression first, then what `rest` makes.
  template <class Rest>
  [[nodiscard]] std::unique_ptr<Decision> checked(ExprId expr, Frame& frame, SourceRange range,
                                                  Rest rest);
  [[nodiscard]] bool store(Frame& frame, const LocalPlace& target, Value stored);

  const System& system_;
  const Objects& objects_;
  const Code& code_;
  unsigned steps_ = 0;
  bool too_large_ = false;
};

/// Whether a block may go: it is not blocked (a violation is no blocking).
[[nodiscard]] Value may_go(const Decision& decision);
/// Whether an operation that stands at `instruction` can go.
[[nodiscard]] Value enabled(const Instruction& instruction, const Objects& objects,
                            const Frame& frame);
[[nodiscard]] Value ready(const Select::Case& item, const Objects& objects, const Frame& frame);

}  // namespace cml::ir::promela
