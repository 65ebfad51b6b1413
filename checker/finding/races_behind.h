// Whether a data race stands behind a violation of the lock discipline, or every access is ordered
// by something else than one lock: most false alarms are that. A search of its own looks for races,
// with little time, once a violation is to be told.
//
// By what the accesses are ordered is found by leaving out: of all that ever told one thread of an
// access of another, a way is not needed if there is no race where it orders nothing. What tells
// the same then is tried next. So what is named is enough, and nothing of it can go. Cost: a search
// for each way, while there is time.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "checker/context.h"
#include "checker/monitor/followed_objects.h"
#include "checker/monitor/happens_before.h"
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

  /// Says of a violation what is known of its object. Searches when it is called first.
  void operator()(ir::ObjectId object, Violation& violation);

 private:
  using Ways = std::vector<HappensBefore::Way>;
  struct Races {
    bool is_complete = false;
    IdVector<ir::ObjectId, bool> has_race;
    IdVector<ir::ObjectId, Ways> told_by;  // where it was asked for
    std::vector<std::string> names;        // of all ways
  };

  /// Nothing if there is no memory or no time for it.
  [[nodiscard]] std::optional<Races> search(const Ways& ignored, bool notes_ways) const;
  [[nodiscard]] Races search(const FollowedObjects& followed, const Ways& ignored,
                             bool notes_ways) const;
  [[nodiscard]] std::vector<std::string> ordered_by(ir::ObjectId object) const;

  const ir::Analyses& analyses_;
  const ir::Layout& layout_;
  const Options& options_;
  const Context& context_;
  bool has_searched_ = false;
  StopToken::Clock::time_point deadline_;
  std::optional<Races> races_;
};

}  // namespace cml::checker
