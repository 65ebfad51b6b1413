// `cml compare`.
#include "app/compare_command.h"

#include <algorithm>
#include <array>
#include <fmt/format.h>
#include <new>
#include <sstream>
#include <string_view>
#include <utility>

#include "app/check_models.h"
#include "app/explore.h"
#include "report/comparison_json.h"
#include "report/comparison_text.h"

namespace cml::app {
namespace {

using checker::Compared;
using checker::Verdict;

// The full search first, which the others are compared with; then what changes one thing each.
constexpr std::array<std::string_view, 13> kUsual = {
    "--granularity access --reduction none",
    "--granularity access --reduction stubborn",
    "--granularity access --reduction safe-set",
    "--granularity access --reduction lazy-source",
    "--reduction none",
    "--reduction stubborn",
    "--reduction stubborn+sleep",
    "--reduction stubborn --composition invisible-first",
    "--reduction stubborn+sleep --store stateless",
    "--granularity access --reduction clock --store stateless",
    "--granularity access --reduction source --store stateless",
    "--granularity access --reduction optimal --store stateless",
    "--granularity access --reduction parsimonious --store stateless",
};
constexpr double kUsualSeconds = 10;  // for each search

std::vector<std::string> split(std::string_view text, char at) {
  std::vector<std::string> parts;
  std::istringstream stream{std::string(text)};
  for (std::string part; std::getline(stream, part, at);)
    if (!part.empty()) parts.push_back(part);
  return parts;
}

/// "--reduction none,sleep --store=stateless": all ways to choose a value from each list.
std::vector<std::vector<std::string>> expanded(std::string_view words) {
  std::vector<std::vector<std::string>> all = {{}};
  for (const std::string& word : split(words, ' ')) {
    const bool is_option = word.starts_with('-');
    const std::size_t begin = is_option ? std::min(word.find('='), word.size() - 1) + 1 : 0;
    std::vector<std::string> values = split(std::string_view(word).substr(begin), ',');
    if (values.empty()) values.emplace_back();
    std::vector<std::vector<std::string>> longer;
    for (const std::vector<std::string>& one : all)
      for (const std::string& value : values) {
        longer.push_back(one);
        longer.back().push_back(word.substr(0, begin) + value);
      }
    all = std::move(longer);
  }
  return all;
}

Expected<AskedSearch, UsageError> parse(const std::vector<std::string>& words,
                                        const CheckOptions& common) {
  CheckOptions options = common;
  Arguments arguments;
  declare_search(arguments, options);
  const std::string text = fmt::format("{}", fmt::join(words, " "));
  const auto parsed = arguments.parse(words);
  if (!parsed)
    return Unexpected(UsageError{fmt::format("--with \"{}\": {}", text, parsed.error().message),
                                 parsed.error().help.empty()
                                     ? "`cml check --help` shows the options of a search"
                                     : parsed.error().help});
  if (arguments.help_wanted())
    return Unexpected(UsageError{fmt::format("--with \"{}\" is no search", text),
                                 "`cml check --help` shows the options of a search"});
  // A refusal is a line of the table.
  (void)complete_search(options.search, options.words);
  return AskedSearch{text, std::move(options)};
}

ExitStatus status_of(const std::vector<Compared>& all) {
  const auto any = [&all](Verdict verdict) {
    return std::any_of(all.begin(), all.end(), [verdict](const Compared& one) {
      return one.refusal == nullptr && one.result.verdict == verdict;
    });
  };
  if (any(Verdict::Violated)) return ExitStatus::Violated;
  return any(Verdict::Verified) ? ExitStatus::Verified : ExitStatus::Inconclusive;
}

bool was_interrupted(const checker::Result& result) {
  const std::vector<std::string>& hit = result.stats.limits_hit;
  return std::find(hit.begin(), hit.end(), "interrupted") != hit.end();
}

}  // namespace

CompareCommand::CompareCommand() { options_.search.limits.max_seconds = kUsualSeconds; }

CommandHelp CompareCommand::help() const {
  return {
      .summary = "search a model in several ways, and show side by side what that costs",
      .arguments = "[options] MODEL.cml...",
      .description =
          "Each search is one of `cml check`; they differ in what they leave out and in what they "
          "keep. Without --with, there are thirteen: first the full search, with which the others "
          "are compared, then reductions with a store and without one.",
      .examples =
          {
              {"cml compare philosophers.cml", "what does each reduction save here?"},
              {"cml compare --with '--reduction none,stubborn' m.cml", "two searches"},
              {"cml compare --with '--store stateless --reduction source,optimal' "
               "--with '--reduction none' m.cml",
               "three"},
              {"cml compare --format json m.cml | jq '.[] | .stats.states'", "for a program"},
          },
      .notes =
          "Exit status:\n"
          "  0   verified, by all searches that came to their end\n"
          "  1   violated\n"
          "  2   the model or the command line is wrong\n"
          "  3   inconclusive: no search came to its end\n"
          "  4   two searches contradict each other, or another internal error (please report)\n",
  };
}

void CompareCommand::declare(Arguments& arguments) {
  arguments.positionals("MODEL.cml", models_, "models; `-` is standard input");
  arguments.section("Options");
  arguments.values("--with", "OPTIONS", with_,
                   "a search, in the options of `cml check`; a list of words, as in `--reduction "
                   "none,sleep`, is a search with each; may be repeated");
  declare_definitions(arguments, definitions_, options_);
  arguments.flag("--all", options_.search.all,
                 "all searches continue after the first violation, and must find the same kinds");
  arguments.choice("--format", {{"text", Format::Text}, {"json", Format::Json}}, options_.format,
                   "a table (the default), or a list of the results for programs");
  arguments.value("-o,--output", "FILE", options_.output,
                  "write the result to FILE instead of standard output");
  arguments.choice(
      "--progress",
      {{"auto", ProgressMode::Auto}, {"never", ProgressMode::Never}, {"json", ProgressMode::Json}},
      options_.progress, "how the progress of a long search is shown, as in `cml check`");
  arguments.section("Limits of each search");
  arguments.seconds("--max-time", options_.search.limits.max_seconds, "seconds (10)");
  arguments.count("--max-states", options_.search.limits.max_states, "states");
  arguments.count("--max-memory", options_.search.limits.max_memory,
                  "bytes (three quarters of what there is)");
}

Expected<std::vector<AskedSearch>, UsageError> CompareCommand::searches() const {
  std::vector<std::string> texts = with_;
  if (texts.empty()) texts.assign(kUsual.begin(), kUsual.end());
  std::vector<AskedSearch> all;
  for (const std::string& text : texts)
    for (const std::vector<std::string>& words : expanded(text)) {
      auto one = parse(words, options_);
      if (!one) return Unexpected(one.error());
      all.push_back(*std::move(one));
    }
  return all;
}

// Where memory runs out, what was found by then is the result.
Compared CompareCommand::search(const LoadedModel& input, const AskedSearch& asked,
                                Console& console) const {
  Compared one{asked.text, search_of(input, asked.options), nullptr, {}};
  one.refusal = checker::refused(one.options);
  if (one.refusal != nullptr) return one;
  try {
    one.result = explore(input, asked.options, console, 0);
  } catch (const std::bad_alloc&) {
    one.result.run_out_of_memory();
  }
  return one;
}

ExitStatus CompareCommand::run(Console& console) {
  if (!take_definitions(definitions_, options_, console)) return ExitStatus::Wrong;
  const auto asked = searches();
  if (!asked) {
    console.error(asked.error().message, asked.error().help);
    return ExitStatus::Wrong;
  }
  std::vector<std::unique_ptr<LoadedModel>> inputs;
  for (const std::string& model : models_) {
    options_.model = model;
    auto loaded = load(options_, console);
    if (!loaded) return loaded.error();
    inputs.push_back(*std::move(loaded));
  }

  ExitStatus status = ExitStatus::Verified;
  std::string text;
  report::Json list = report::Json::array();
  bool is_interrupted = false;
  for (std::size_t i = 0; i < models_.size() && !is_interrupted; ++i) {
    std::vector<Compared> all;
    for (const AskedSearch& search_asked : *asked) {
      Compared one = search(*inputs[i], search_asked, console);
      if (one.result.internal_error) {
        console.error(
            fmt::format("internal error: {}: {}", checker::short_name(one.options),
                        *one.result.internal_error),
            "this is a mistake of cml, not of the model; please report it with the model");
        return ExitStatus::Internal;
      }
      is_interrupted = was_interrupted(one.result);
      all.push_back(std::move(one));
      if (is_interrupted) break;
    }
    status = worse(status, status_of(all));
    if (const auto two = checker::disagreement(all)) {
      console.error(fmt::format("{}: searches contradict each other: {}", models_[i],
                                report::disagreement_text(all[two->first], all[two->second])),
                    "this is a mistake of cml, not of the model; please report it with the model");
      status = ExitStatus::Internal;
    }
    if (options_.format == Format::Json) {
      for (report::Json& document : report::comparison_json(
               inputs[i]->sources, models_[i], inputs[i]->model, inputs[i]->warnings, all))
        list.push_back(std::move(document));
    } else {
      text += (text.empty() ? "" : "\n") +
              report::comparison_text(models_[i], all, console.out_style());
    }
  }
  if (options_.format == Format::Json) text = report::json_text(list);
  return deliver(text, options_, console) ? status : ExitStatus::Wrong;
}

}  // namespace cml::app
