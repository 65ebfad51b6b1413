// Code without effects as a decision tree over the state: for the guard of an atomic block (is it
// enabled?), for invariants and `finally` (do they hold?).
//
// The code is executed symbolically: a slot holds an expression over the objects instead of a
// number (King, "Symbolic execution and program testing", 1976). Loops with constant bounds are
// unrolled by that. Paths that reach the same instruction with the same values are merged, and
// branches with a target in common become one condition, so that `(a || b) && (c || d)` stays what
// it is. A model whose tree becomes too large is not exported.
//
// The guard of a block ends at its first effect: nothing behind it can block. A property has no
// effects, and is evaluated by no thread, so it holds no locks.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "ir/promela/objects.h"
#include "ir/promela/value.h"
#include "ir/promela/writer.h"
#include "ir/unsupported.h"
#include "support/expected.h"

namespace cml::ir::promela {

struct Decision {
  enum class Kind : std::uint8_t {
    Branch,
    Fault,    // a violation
    Blocked,  // a guard is false
    Done,     // the end, or an operation: `condition` is whether it is enabled
  };
  Kind kind = Kind::Done;
  Value condition;
  FaultKind fault = FaultKind::Assertion;
  SourceRange range;
  std::shared_ptr<const Decision> yes, no;  // Branch
  std::size_t size = 0;                     // of the text that it becomes, about
  std::size_t depth = 0;
};

/// Whose code it is, and its name in the message where it cannot be exported.
struct Question {
  enum class Kind : std::uint8_t { Block, Property };
  Kind kind = Kind::Block;
  std::string what;   // "this `invariant`"
  SourceRange range;  // of the whole
};

class Decisions {
 public:
  Decisions(const System& system, const Objects& objects, const Code& code, Question question)
      : system_(system), objects_(objects), code_(code), question_(std::move(question)) {}

  /// The tree from `pc` on; refused if it is too large, or if the code cannot be expressed.
  [[nodiscard]] Expected<std::shared_ptr<const Decision>, Unsupported> from(Pc pc, Frame frame);

 private:
  using Tree = std::shared_ptr<const Decision>;
  /// Where a path leaves the code before its end, and why.
  struct Exit {
    Value condition;
    bool if_true = true;  // else where the condition is false
    Tree end;
  };
  struct Path {
    Pc pc = 0;
    Frame frame;
    unsigned depth = 0;  // branches before it
    std::vector<Exit> exits;
  };

  [[nodiscard]] Tree leaf(Decision::Kind kind, Value condition = constant(1));
  [[nodiscard]] Tree fault(FaultKind kind, SourceRange range);
  [[nodiscard]] Tree branch(const Value& condition, const Tree& yes, const Tree& no);
  /// Joins branches that have a target in common to one condition.
  [[nodiscard]] Tree joined(const Tree& tree);
  /// An equal tree that exists already, else this one (hash consing).
  [[nodiscard]] Tree only(Decision decision);
  [[nodiscard]] Tree refuse(std::string message, SourceRange range);
  [[nodiscard]] Tree give_up();
  [[nodiscard]] Tree walk(Path path);

  // One instruction; `path.pc` is behind it already. None: the walk continues.
  [[nodiscard]] Tree visit(const Instruction& instruction, Path& path);
  [[nodiscard]] Tree assign(const Instruction& instruction, const Set& node, Path& path);
  [[nodiscard]] Tree fork(const Instruction& instruction, const Branch& node, Path& path);
  [[nodiscard]] Tree read(const Read& node, Path& path);
  [[nodiscard]] Tree held(const Instruction& instruction, const Held& node, Path& path);
  /// The walk continues where the condition holds; elsewhere the result is `otherwise`.
  [[nodiscard]] Tree demand(const Instruction& instruction, ExprId condition, Tree otherwise,
                            Path& path);
  [[nodiscard]] Tree refused(const Instruction& instruction);
  /// The first effect of a block.
  [[nodiscard]] Tree effect(const Instruction& instruction, Value can_go);
  /// The value of an expression; its faults become exits before it.
  [[nodiscard]] Value checked(ExprId expr, SourceRange range, Path& path);
  [[nodiscard]] Tree store(Path& path, const LocalPlace& target, const Value& stored);

  const System& system_;
  const Objects& objects_;
  const Code& code_;
  Question question_;
  std::size_t steps_ = 0;
  std::map<std::string, Tree> walked_;  // by where a path begins, and with what
  std::map<std::string, Tree> made_;
  std::map<Tree, Tree> joined_;
  std::optional<Unsupported> refused_;
};

/// Whether a block is enabled: it is not blocked (a violation does not block).
[[nodiscard]] Value is_enabled(const Decision& decision);

/// Whether an operation is enabled.
[[nodiscard]] Value enabled(const Instruction& instruction, const Objects& objects,
                            const Frame& frame);
[[nodiscard]] Value ready(const Select::Case& item, const Objects& objects, const Frame& frame);

}  // namespace cml::ir::promela
