// The phases as app/ puts them together, without the command line.
#include "tests/fuzz/pipeline.h"

#include <algorithm>
#include <array>
#include <fmt/format.h>

#include "checker/check.h"
#include "checker/combinations.h"
#include "frontend/format.h"
#include "frontend/load_model.h"
#include "ir/lower/lower.h"
#include "ir/promela/promela.h"
#include "ir/text/text.h"
#include "jit/program.h"
#include "report/diagnostics_text.h"
#include "report/result_json.h"
#include "report/result_text.h"
#include "report/statistics_text.h"

namespace cml::fuzz {
namespace {

using checker::Options;

constexpr const char* kFile = "fuzz.cml";

/// Too little for most models to be explored fully, and enough to get everywhere in them. No limit
/// of memory: it is about the whole process, which sanitizers fill.
checker::Limits small_limits() {
  checker::Limits limits;
  limits.max_depth = 300;
  limits.max_states = 300;
  limits.max_seconds = 1;
  limits.max_invisible = 1'000;
  return limits;
}

Options full_search() {
  Options options;
  options.all = true;
  options.engine = checker::Engine::Interpreter;
  options.limits = small_limits();
  return options;
}

Options default_search() {
  Options options = full_search();
  options.granularity = checker::Granularity::Sync;
  options.composition = checker::Composition::Composed;
  options.order = checker::Order::BreadthFirst;
  options.reduction.sets = checker::Sets::Stubborn;
  return options;
}

/// One of all combinations of options; the default where it is one that is refused.
Options some_search(std::uint64_t seed) {
  const auto draw = [&seed](unsigned n) {
    const std::uint64_t drawn = seed % n;
    seed /= n;
    return drawn;
  };
  Options options = full_search();
  options.granularity = static_cast<checker::Granularity>(draw(2));
  options.composition = static_cast<checker::Composition>(draw(3));
  options.store = static_cast<checker::Store>(draw(2));
  const auto undo = static_cast<checker::Undo>(draw(3));
  if (options.store == checker::Store::Stateless) options.undo = undo;
  options.reduction.sets = static_cast<checker::Sets>(draw(10));
  options.reduction.sleep = draw(2) != 0;
  if (options.reduction.is_dynamic() && !options.reduction.is_stateful())
    options.store = checker::Store::Stateless;
  options.order = static_cast<checker::Order>(draw(3));
  options.discipline = static_cast<checker::Discipline>(draw(3));
  options.all = draw(2) != 0;
  options.shortest = draw(2) != 0;
  options.spurious_wakeups = draw(4) == 0;
  options.static_analyses = draw(4) != 0;
  if (draw(4) == 0) {  // the compiler takes longer than all the rest
    options.engine = checker::Engine::Jit;
    options.jit_after = draw(2) == 0 ? 0 : 20;
  }
  return checker::refused(options) ? default_search() : options;
}

/// What decides whether two verdicts have to be the same.
struct Answer {
  bool is_final = false;
  checker::Verdict verdict = checker::Verdict::Inconclusive;
};

class Pipeline {
 public:
  Pipeline(const std::string& text, std::uint64_t seed)
      : main_(sources_.add(kFile, text)), seed_(seed) {}

  PipelineReport run() {
    if (seed_ % 4 == 0) format_twice();  // parsing is what takes longest
    const model::Model model = load_model(sources_, main_, {}, diagnostics_);
    diagnostics_.sort();
    if (report::diagnostics_text(sources_, diagnostics_, {}).empty() && diagnostics_.has_errors())
      broken("errors without a text");
    parse(report::json_text(report::model_error_json(sources_, diagnostics_, kFile)));
    if (diagnostics_.has_errors()) return report_;
    report_.is_model = true;
    const auto system = ir::lower(model, sources_);
    if (!system) return report_;
    report_.runs = true;
    if (seed_ % 2 == 0) intermediate(*system);
    check(*system, model);
    return report_;
  }

 private:
  void broken(std::string what) {
    if (report_.broken.empty()) report_.broken = std::move(what);
  }

  void format_twice() {
    Diagnostics ignored;
    const auto once = format(sources_, main_, ignored);
    if (!once) {
      if (once.error() == FormatError::Internal) broken("fmt would change what the model means");
      return;
    }
    SourceSet sources;
    const FileId file = sources.add(kFile, *once);
    const auto twice = format(sources, file, ignored);
    if (!twice || *twice != *once) broken("fmt changes what it has formatted");
  }

  void intermediate(const ir::System& system) {
    ir::PrintOptions with_ranges;
    with_ranges.ranges = true;
    for (const ir::PrintOptions& options : {ir::PrintOptions(), with_ranges}) {
      const std::string printed = print(system, options);
      const auto parsed = ir::parse_system(printed);
      if (!parsed) {
        broken(fmt::format("the IR does not parse, line {}: {}", parsed.error().line,
                           parsed.error().message));
      } else if (print(*parsed, options) != printed) {
        broken("the IR is another one after it was parsed");
      }
    }
    (void)ir::to_promela(system, sources_, "cml export", "fuzz.pml");
    if (seed_ % 8 == 0) {
      const ir::Analyses analyses(system);
      const ir::Layout layout(analyses);
      (void)jit::llvm_text(analyses, layout, {}, jit::Effort::Quick);
    }
  }

  void check(const ir::System& system, const model::Model& model) {
    const Answer full = answer(system, model, full_search());
    const Answer reduced = answer(system, model, default_search());
    compare(full, reduced, "the default search");
    const Options options = some_search(seed_);
    const Answer third = answer(system, model, options);
    const Options plain = full_search();
    if (options.discipline == plain.discipline &&
        options.spurious_wakeups == plain.spurious_wakeups)
      compare(full, third, report::statistics_text(options, {}));
  }

  void compare(const Answer& a, const Answer& b, const std::string& what) {
    if (a.is_final && b.is_final && a.verdict != b.verdict)
      broken(
          fmt::format("the full search: {}, but {}: {}", name(a.verdict), what, name(b.verdict)));
  }

  static std::string_view name(checker::Verdict verdict) {
    static constexpr auto kNames =
        std::to_array<std::string_view>({"verified", "violated", "inconclusive"});
    return kNames[static_cast<std::size_t>(verdict)];
  }

  Answer answer(const ir::System& system, const model::Model& model, const Options& options) {
    const checker::Result result = checker::check(system, sources_, options);
    if (result.internal_error) broken("internal error: " + *result.internal_error);
    for (const checker::Violation& violation : result.violations)
      report_.property_diverges =
          report_.property_diverges ||
          (violation.kind == checker::ViolationKind::Divergence && !violation.thread);
    if (report::result_text(sources_, kFile, result, {}).empty()) broken("a result without a text");
    (void)report::statistics_text(options, result.stats);
    parse(report::json_text(
        report::result_json(sources_, kFile, model, diagnostics_, options, result)));
    const bool is_final = result.verdict == checker::Verdict::Violated || result.stats.complete;
    return {is_final, result.verdict};
  }

  void parse(const std::string& text) {
    const report::Json document = report::Json::parse(text, nullptr, false);
    if (document.is_discarded() || !document.contains("schema")) broken("the JSON does not parse");
  }

  SourceSet sources_;
  FileId main_;
  std::uint64_t seed_;
  Diagnostics diagnostics_;
  PipelineReport report_;
};

}  // namespace

PipelineReport run_pipeline(const std::string& text, std::uint64_t seed) {
  return Pipeline(text, seed).run();
}

}  // namespace cml::fuzz
