#include "app/check_models.h"

#include <algorithm>
#include <chrono>
#include <fmt/format.h>
#include <optional>
#include <utility>

#include "app/check_model.h"
#include "app/child_process.h"
#include "app/model_input.h"
#include "report/check_list.h"
#include "report/result_sarif.h"

namespace cml::app {
namespace {

using report::Json;
using report::ListedCheck;

double seconds_since(std::chrono::steady_clock::time_point began) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - began).count();
}

/// What is about one search only.
std::optional<UsageError> refused(const std::vector<PlannedCheck>& checks,
                                  const CheckOptions& options) {
  const bool is_one = checks.size() == 1;
  const auto alone = [](std::string_view what) {
    return UsageError{fmt::format("{} is about one check, not several", what),
                      "check one model with one value for each constant"};
  };
  if (options.format == Format::Html) return alone("`--format html`");
  if (options.stats) return alone("`--stats`");
  if (options.coverage) return alone("`--coverage`");
  if (options.progress == ProgressMode::Json) return alone("`--progress json`");
  if (options.lists_alike && options.format != Format::Junit) return alone("`--all=verbose`");
  const auto reads_input = [](const PlannedCheck& check) { return check.model == "-"; };
  if (!is_one && std::any_of(checks.begin(), checks.end(), reads_input))
    return UsageError{"standard input can be read only once",
                      "write the model to a file, and name that"};
  return std::nullopt;
}

/// What a child is asked for: a document on its standard output.
CheckOptions part_of(const PlannedCheck& check, const CheckOptions& options, std::size_t jobs) {
  CheckOptions part = options;
  part.model = check.model;
  part.definitions = check.definitions;
  part.is_part = true;
  part.tells_errors = options.format == Format::Text || options.format == Format::Junit;
  part.format = options.format == Format::Junit ? Format::Junit : Format::Json;
  part.progress = ProgressMode::Never;
  if (part.has_usual_memory && part.search.limits.max_memory != UINT64_MAX)
    part.search.limits.max_memory /= jobs;
  return part;
}

ListedCheck listed(const PlannedCheck& check, const ChildResult& result) {
  ListedCheck item{check.model, check.varied};
  item.document = Json::parse(result.out, nullptr, false);
  if (item.document.is_discarded() || !result.failure.empty()) {
    item.document = nullptr;
    item.failure = result.failure.empty() ? "no result" : result.failure;
    item.has_failed = result.status == ExitStatus::Internal || result.status == ExitStatus::Wrong;
    return item;
  }
  if (const auto text = item.document.find("text"); text != item.document.end()) {
    item.text = *text;
    item.document.erase(text);
  }
  return item;
}

/// What is in the list of documents: with what sets it apart, and if there is none, why.
Json listed_document(const PlannedCheck& check, const ListedCheck& item) {
  Json document = item.document.is_null() ? report::result_head(check.model) : item.document;
  document["definitions"] = check.definitions;
  if (item.document.is_null()) document["failure"] = item.failure;
  return document;
}

/// One log with a run for each.
Json joined_sarif(const std::vector<ListedCheck>& items) {
  Json log;
  for (const ListedCheck& item : items) {
    const Json document = item.document.is_null()
                              ? report::read_error_json("no result: " + item.failure, item.model)
                              : item.document;
    Json one = report::result_sarif(document);
    if (log.is_null())
      log = std::move(one);
    else
      log["runs"].push_back(std::move(one["runs"][0]));
  }
  return log;
}

std::string document_of(const std::vector<PlannedCheck>& checks,
                        const std::vector<ListedCheck>& items, const CheckOptions& options,
                        double seconds) {
  if (options.format == Format::Junit) return report::checks_junit(items, seconds);
  if (options.format == Format::Sarif) return report::json_text(joined_sarif(items));
  Json list = Json::array();
  for (std::size_t i = 0; i < items.size(); ++i)
    list.push_back(listed_document(checks[i], items[i]));
  return report::json_text(list);
}

}  // namespace

ExitStatus worse(ExitStatus a, ExitStatus b) {
  for (const ExitStatus status :
       {ExitStatus::Internal, ExitStatus::Wrong, ExitStatus::Violated, ExitStatus::Inconclusive})
    if (a == status || b == status) return status;
  return ExitStatus::Verified;
}

ExitStatus check_models(const std::vector<PlannedCheck>& checks, const CheckOptions& options,
                        std::uint64_t jobs, Console& console) {
  if (const auto error = refused(checks, options)) {
    console.error(error->message, error->help);
    return ExitStatus::Wrong;
  }
  for (const PlannedCheck& check : checks)
    if (overwrites(options, check.model, console)) return ExitStatus::Wrong;
  const auto began = std::chrono::steady_clock::now();
  const std::size_t at_a_time =
      std::min<std::size_t>(jobs == 0 ? processors() : jobs, checks.size());
  const bool is_text = options.format == Format::Text;
  const bool streams = is_text && !options.quiet && !options.writes_file();
  const report::TextStyle style = options.writes_file() ? report::TextStyle() : console.out_style();

  report::ListColumns columns;
  for (const PlannedCheck& check : checks)
    report::make_room(columns, {check.model, check.varied});
  ExitStatus status = ExitStatus::Verified;
  std::vector<ListedCheck> items;
  std::string text;
  std::string last_said;
  bool writes = true;  // over no file that a model is read from
  const auto tell = [&](const std::string& line) {
    if (!is_text || options.quiet) return;
    if (streams)
      console.out(line);
    else
      text += line;
  };
  run_in_children(
      checks.size(), at_a_time,
      [&](std::size_t i) { return check_model(part_of(checks[i], options, at_a_time), console); },
      [&](std::size_t i, const ChildResult& result) {
        status = worse(status, result.status);
        items.push_back(listed(checks[i], result));
        if (result.status == ExitStatus::Wrong && result.out.empty()) writes = false;
        if (result.err != last_said) console.err(result.err);  // an error in each of a sweep
        last_said = result.err;
        tell(report::check_line(items.back(), columns, style));
        if (streams) console.flush();
        if (is_text) items.back().document = {{"verdict", report::outcome(items.back())}};
      });

  tell("\n" + report::check_summary(items, seconds_since(began), style));
  if (streams || !writes) return status;
  if (!is_text) text = document_of(checks, items, options, seconds_since(began));
  return deliver(text, options, console) ? status : ExitStatus::Wrong;
}

}  // namespace cml::app
