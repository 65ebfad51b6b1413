// `cml explain`.
#include "app/explain_command.h"

#include <algorithm>
#include <fmt/core.h>

#include "checker/violation_kind.h"
#include "report/explain_pages.h"
#include "report/markdown_text.h"
#include "support/suggest.h"

namespace cml::app {
namespace {

using report::ExplainPage;
using report::Paint;

constexpr int kReadable = 90;  // columns; running text is hard to read in longer lines

// A heading and a line for each page, in the given order.
std::string section(std::string_view title, const std::vector<const ExplainPage*>& pages,
                    const report::TextStyle& style) {
  if (pages.empty()) return {};
  std::string text = style.colours(Paint::Strong, title) + "\n";
  for (const ExplainPage* page : pages) {
    text += fmt::format("  {}{}\n", style.colours(Paint::Code, fmt::format("{:<18}", page->name)),
                        report::page_title(*page));
  }
  return text + "\n";
}

// Kinds in the order of their lists, then the codes by number.
std::string listing(const report::TextStyle& style) {
  std::vector<const ExplainPage*> violations;
  for (const checker::ViolationKind kind : checker::all_violation_kinds()) {
    if (const auto* page = report::find_explain_page(name(kind))) violations.push_back(page);
  }
  std::vector<const ExplainPage*> warnings;
  for (const checker::WarningKind kind : checker::all_warning_kinds()) {
    if (const auto* page = report::find_explain_page(name(kind))) warnings.push_back(page);
  }
  std::vector<const ExplainPage*> codes;
  for (const ExplainPage& page : report::explain_pages()) {
    if (!checker::violation_kind(page.name) && !checker::warning_kind(page.name)) {
      codes.push_back(&page);
    }
  }
  return section("What can go wrong when a model runs", violations, style) +
         section("What deserves a look after a model has run", warnings, style) +
         section("What can be wrong with the text of a model", codes, style) +
         "`cml explain NAME` shows an example and its cure.\n";
}

std::string joined(const std::vector<std::string>& words) {
  std::string text;
  for (const std::string& word : words)
    text += (text.empty() ? "" : " ") + word;
  return text;
}

}  // namespace

CommandHelp ExplainCommand::help() const {
  return {
      .summary = "what a violation, a warning or an error code means, and its cure",
      .arguments = "[NAME...]",
      .examples =
          {
              {"cml explain deadlock", "a violation, with an example"},
              {"cml explain E0301", "an error code; `e0301` and `301` do as well"},
              {"cml explain", "all there is"},
          },
  };
}

void ExplainCommand::declare(Arguments& arguments) {
  arguments.positionals("NAME", subject_,
                        "violations, warnings or codes; all are listed without it", false);
}

ExitStatus ExplainCommand::run(Console& console) {
  report::TextStyle style = console.out_style();
  style.width = std::min(style.width, kReadable);
  if (subject_.empty()) {
    console.out(listing(style));
    return ExitStatus::Verified;
  }
  // `lock discipline` is one name in two words; else each word is a name.
  std::vector<std::string> subjects = subject_;
  if (std::string all = joined(subject_); report::find_explain_page(all) != nullptr)
    subjects = {std::move(all)};
  std::string text;
  for (const std::string& subject : subjects) {
    const ExplainPage* page = report::find_explain_page(subject);
    if (page == nullptr) return refuse(subject, console);
    text += (text.empty() ? "" : "\n") + report::markdown_text(page->text, style);
  }
  console.out(text);
  return ExitStatus::Verified;
}

ExitStatus ExplainCommand::refuse(const std::string& subject, Console& console) const {
  std::vector<std::string_view> names;
  for (const ExplainPage& page : report::explain_pages())
    names.emplace_back(page.name);
  // A misspelt name in two words is meant rather than two names.
  const std::string all = joined(subject_);
  auto near = suggest(all, names);
  const bool is_one_name = near.has_value();
  if (!near) near = suggest(subject, names);
  console.error(fmt::format("there is no page about `{}`", is_one_name ? all : subject),
                near ? fmt::format("did you mean `cml explain {}`?", *near)
                     : std::string("`cml explain` lists all pages"));
  return ExitStatus::Wrong;
}

}  // namespace cml::app
