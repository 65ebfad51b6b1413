#include "app/check_model.h"

#include <chrono>
#include <memory>
#include <new>
#include <string>
#include <utility>

#include "app/model_input.h"
#include "report/result_html.h"
#include "report/result_json.h"
#include "report/result_text.h"
#include "report/statistics_text.h"

namespace cml::app {
namespace {

std::string text_report(const LoadedModel& input, const checker::Result& result,
                        const CheckOptions& options, const Exploration& how,
                        report::TextStyle style) {
  style.lists_alike = options.lists_alike;
  if (options.width > 0) {
    style.width = report_width(options.width);
    style.fits_tables = true;
  }
  std::string text = report::result_text(input.sources, options.model, result, style);
  if (options.stats)
    text += report::statistics_text(result.searched_with.value_or(options.search), result.stats);
  if (how.more_text) text += how.more_text(style);
  return text;
}

std::string result_text(const LoadedModel& input, const checker::Result& result,
                        const CheckOptions& options, const Exploration& how,
                        const Console& console) {
  if (options.format == Format::Text) {
    if (options.quiet) return {};
    return text_report(input, result, options, how,
                       options.writes_file() ? report::TextStyle() : console.out_style());
  }
  report::Json document = report::result_json(input.sources, options.model, input.model,
                                              input.warnings, options.search, result);
  if (how.add_members) how.add_members(document);
  if (options.format == Format::Html) return report::result_html(input.sources, document);
  if (options.format == Format::Junit)
    document["text"] = text_report(input, result, options, how, {});
  return document_text(document, options.format);
}

/// False: the result cannot be written. Where there is no memory for the traces, they are left out.
bool deliver_result(const LoadedModel& input, checker::Result& result, const CheckOptions& options,
                    const Exploration& how, Console& console) {
  std::string text;
  try {
    text = result_text(input, result, options, how, console);
  } catch (const std::bad_alloc&) {
    // The traces are what is large.
    for (checker::Violation& violation : result.violations)
      violation.lose_trace();
    text = result_text(input, result, options, how, console);
  }
  return deliver(text, options, console);
}

}  // namespace

// Where memory runs out, what was found by then is the result: inconclusive or violated.
ExitStatus check_model(const CheckOptions& options, Console& console, const Exploration& how) {
  const auto started = std::chrono::steady_clock::now();
  std::unique_ptr<LoadedModel> input;
  checker::Result result;
  try {
    auto loaded = load(options, console);
    if (!loaded) return loaded.error();
    input = *std::move(loaded);
    const double front_seconds =
        std::chrono::duration<double>(std::chrono::steady_clock::now() - started).count();
    result = explore(*input, options, console, front_seconds, how.run);
    warn_of_interpreter(result, console);
  } catch (const std::bad_alloc&) {
    result.run_out_of_memory();
    input = std::make_unique<LoadedModel>();
  }
  if (result.internal_error) {
    console.error("internal error: " + *result.internal_error,
                  "this is a mistake of cml, not of the model; please report it with the model");
    return ExitStatus::Internal;
  }
  if (!deliver_result(*input, result, options, how, console)) return ExitStatus::Wrong;
  switch (result.verdict) {
    case checker::Verdict::Verified:
      return ExitStatus::Verified;
    case checker::Verdict::Violated:
      return ExitStatus::Violated;
    case checker::Verdict::Inconclusive:
      break;
  }
  return ExitStatus::Inconclusive;
}

}  // namespace cml::app
