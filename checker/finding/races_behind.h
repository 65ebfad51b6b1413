// Whether a data race stands behind a violation of the lock discipline, or every access is ordered
// by something else than one lock: most false alarms are that. A search of its own looks for races,
// with little time, once a violation is to be told.
#pragma once

#include <optional>

#include "checker/context.h"
#include "checker/options.h"
#include "checker/result.h"
#include "ir/analysis/analyses.h"
#include "ir/exec/state_layout.h"

namespace cml::checker {

class RacesBehind {
 public:
  /// All must outlive it. `options`: of the search that has found the violation.
  RacesBehind(const ir::Analyses& analyses, const ir::Layout& layout, const Options& options,
              const Context& context)
      : analyses_(analyses), layout_(layout), options_(options), context_(context) {}

  /// Searches when it is called first.
  [[nodiscard]] RaceBehind operator()(ir::ObjectId object);

 private:
  void search();

  const ir::Analyses& analyses_;
  const ir::Layout& layout_;
  const Options& options_;
  const Context& context_;
  bool has_searched_ = false;
  bool is_complete_ = false;
  IdVector<ir::ObjectId, bool> races_;
};

}  // namespace cml::checker
