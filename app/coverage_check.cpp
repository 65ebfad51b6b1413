#include "app/coverage_check.h"

#include <optional>

#include "app/check_model.h"
#include "app/interruption.h"
#include "checker/check.h"
#include "checker/coverage.h"
#include "report/coverage.h"

namespace cml::app {

void declare_coverage(Arguments& arguments, CheckOptions& options) {
  arguments.flag_with_word(
      "--coverage", options.coverage, "source", options.lists_coverage,
      "say what never happens: statements that nobody reaches, conditions that are always the "
      "same, waits that nobody enters, locks that nobody finds taken, channels that are never "
      "full; that looks at all interleavings, and takes its time. `--coverage=source` shows it "
      "beside the source");
}

// Where the check begins again with more room, so does this.
ExitStatus check_with_coverage(const CheckOptions& options, Console& console) {
  if (!options.coverage) return check_model(options, console);
  std::optional<checker::Coverage> coverage;
  const SourceSet* of = nullptr;
  Exploration how;
  how.run = [&](const ir::System& system, const SourceSet& sources, const checker::Options& search,
                const checker::Context& context) {
    checker::Result result = checker::check(system, sources, search, context);
    coverage = checker::coverage(system, sources, search, Interruption::flag());
    of = &sources;
    return result;
  };
  how.add_members = [&](report::Json& document) {
    document["coverage"] = coverage ? report::coverage_json(*of, *coverage) : report::Json(nullptr);
  };
  how.more_text = [&](const report::TextStyle& style) {
    if (!coverage) return std::string();
    return options.lists_coverage ? report::coverage_listing(*of, *coverage, style)
                                  : report::coverage_text(*of, *coverage, style);
  };
  return check_model(options, console, how);
}

}  // namespace cml::app
