// Rules that need whole functions: they are analyses of the checked model and report into it.
//
//   purity      conditions, invariants and `finally` have no effects      "Expressions"
//   lock state  `held` where a thread asks, `owner` and `free` elsewhere  "Properties"
//   atomic      only the first operation of an atomic block may block     "Statements"
//   flow        missing `return`, code that is never reached              "Functions"
//   fields      const and non-null fields are initialised by `init`       "Classes"
//   isolation   processes share no memory, across function calls          "Threads and processes"
//
// On the right, the section of docs/reference.md that states the rule.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "frontend/model.h"
#include "frontend/sema/effects.h"
#include "frontend/sema/reporter.h"

namespace cml::sema {

/// A piece of code that runs: the body of a function, a thread or `finally`.
struct CodeBody {
  const model::Body* body = nullptr;
  std::optional<model::ProcessId> process;
  std::optional<model::FunctionId> function;
  bool is_finally = false;
  NoteId note;
};

struct RuleContext {
  const model::Model& model;
  Reporter& reporter;
  const EffectTable& effects;
  std::vector<CodeBody> bodies;
  std::vector<model::ClassId> classes;
};

/// What the rules are about. Of a function that is not known yet, there is a signature alone, and
/// of a class fields without initial values.
struct Known {
  IdVector<model::FunctionId, bool> functions;
  IdVector<model::ClassId, bool> classes;
};

/// `notes` says of each function which instantiation it belongs to. Of what is not known nothing is
/// said; null: all is.
void check_rules(const model::Model& model, Reporter& reporter, std::span<const NoteId> notes,
                 const Known* known = nullptr);

void check_purity(const RuleContext& context);
void check_lock_state(const RuleContext& context);
void check_atomic_blocks(const RuleContext& context);
void check_atomic_classes(const RuleContext& context);
void check_flow(const RuleContext& context);
void check_fields(const RuleContext& context);
void check_isolation(const RuleContext& context);

}  // namespace cml::sema
