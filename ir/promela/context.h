// What the parts of one export share.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "ir/analysis/analyses.h"
#include "ir/promela/decision_tree.h"
#include "ir/promela/names.h"
#include "ir/promela/objects.h"
#include "ir/promela/promela.h"
#include "ir/unsupported.h"

namespace cml::ir::promela {

/// An invariant as an inline that is called where something it reads has changed.
struct Check {
  std::string name;
  std::vector<bool> reads;  // by object
};

/// What the text calls a thread.
struct ProcessNames {
  std::string process;
  std::string forget;  // the inline that resets its slots; empty: it has none
};

struct Context {
  const System& system;
  const SourceSet& sources;
  Names names;  // global ones
  Objects objects;
  Analyses analyses;
  IdVector<ThreadId, ProcessNames> processes;
  std::vector<Check> checks;
  std::map<std::string, std::string> violations;  // the variable, what it stands for
  std::string running;                            // how many threads have not ended
  std::string waits_for;                          // by thread: the lock, or NOTIFIED
  std::string depth_of;                           // by thread: what a waiter remembers
  std::optional<Unsupported> refused;
  bool states_agree = true;
  bool daemons_go_on = true;  // no daemon can stop or diverge

  Context(const System& exported, const SourceSet& texts)
      : system(exported), sources(texts), objects(exported, names), analyses(exported) {}

  void refuse(std::string message, SourceRange range) {
    if (!refused) refused = Unsupported{std::move(message), range};
  }
  /// "assert(range_at_12_5);"
  [[nodiscard]] std::string violation(FaultKind kind, SourceRange range);
  /// "12: fork[i].acquire()", as a comment.
  [[nodiscard]] std::string comment(SourceRange range) const;
};

/// Writes the asserts of a tree of decisions.
void write_checks(Context& context, const Decision& decision, Writer& out);

}  // namespace cml::ir::promela
