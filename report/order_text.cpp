#include "report/order_text.h"

#include <fmt/format.h>

#include "report/source_excerpt.h"
#include "report/terminal_text.h"

namespace cml::report {
namespace {

std::string step_text(const SourceSet& sources, const checker::NamedStep& step) {
  const std::string operation = fmt::format("`{}`", printable(step.operation));
  if (!step.location.file.valid()) return operation;
  return fmt::format("{} ({})", operation, place_text(sources, step.location));
}

std::string last_order(const SourceSet& sources, const checker::LastOrder& order) {
  const auto& [before, after] = order;
  if (before.thread == after.thread)
    return fmt::format("the last that orders the two threads is {} by {}",
                       step_text(sources, before), printable(before.thread));
  return fmt::format("the last that orders the two threads: {} by {} comes before {} by {}",
                     step_text(sources, before), printable(before.thread),
                     step_text(sources, after), printable(after.thread));
}

std::string no_race(const checker::Violation& violation) {
  std::string by;
  for (const std::string& name : violation.ordered_by)
    by += fmt::format("{}`{}`", by.empty() ? "" : ", ", printable(name));
  return fmt::format(
      "but no two accesses race, {}: if that is meant, check with `--discipline races`, or say "
      "`discipline races;` in the model",
      by.empty() ? "as something else than one lock keeps them apart"
                 : "as every access is ordered by " + by);
}

}  // namespace

std::vector<std::string> order_text(const SourceSet& sources, const checker::Violation& violation) {
  std::vector<std::string> result;
  if (violation.last_order) result.push_back(last_order(sources, *violation.last_order));
  if (violation.race == checker::RaceBehind::Race)
    result.emplace_back("and it is a data race: nothing orders two of the accesses");
  if (violation.race == checker::RaceBehind::None) result.push_back(no_race(violation));
  return result;
}

}  // namespace cml::report
