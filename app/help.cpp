// Help texts, examples first (https://clig.dev).
#include "app/help.h"

#include <algorithm>
#include <fmt/core.h>

namespace cml::app {
namespace {

using report::Paint;
using report::TextStyle;

constexpr int kIndent = 2;
constexpr int kGap = 3;

struct Row {
  std::string left;
  std::string right;
};

// Two columns; where the left side is too wide for its column, the right side starts a line below.
std::string table(const std::vector<Row>& rows, Paint left_paint, const TextStyle& style) {
  const int most = style.width / 2;
  int left_width = 0;
  for (const Row& row : rows) {
    const int width = report::display_width(row.left);
    if (width <= most) left_width = std::max(left_width, width);
  }
  const int column = kIndent + left_width + kGap;
  std::string text;
  for (const Row& row : rows) {
    const int width = report::display_width(row.left);
    text += std::string(kIndent, ' ') + style.colours(left_paint, row.left);
    if (width > left_width) {
      text += "\n" + std::string(static_cast<std::size_t>(column), ' ');
    } else {
      text += std::string(static_cast<std::size_t>(column - kIndent - width), ' ');
    }
    text += report::wrapped(row.right, std::max(style.width, column + 30), column, column) + "\n";
  }
  return text;
}

std::string heading(std::string_view title, const TextStyle& style) {
  return "\n" + style.colours(Paint::Strong, fmt::format("{}:", title)) + "\n";
}

std::string command_table(const std::vector<std::unique_ptr<Command>>& commands,
                          const TextStyle& style) {
  std::vector<Row> rows;
  for (const auto& command : commands) {
    rows.push_back({std::string(command->name()), std::string(command->help().summary)});
  }
  return table(rows, Paint::Code, style);
}

constexpr std::string_view kSubject = "cml - a model checker for concurrent programs";

}  // namespace

std::string program_help(const std::vector<std::unique_ptr<Command>>& commands,
                         const TextStyle& style) {
  std::string text = fmt::format("{}\n", kSubject);
  text += heading("Usage", style);
  text += "  cml COMMAND [options] [arguments]\n";
  text += heading("Examples", style);
  std::vector<Row> examples;
  for (const auto& command : commands) {
    const CommandHelp help = command->help();
    if (help.examples.empty()) continue;
    examples.push_back(
        {std::string(help.examples.front().command), std::string(help.examples.front().meaning)});
  }
  text += table(examples, Paint::Code, style);
  text += heading("Commands", style);
  text += command_table(commands, style);
  text += "\n" + report::wrapped("`cml COMMAND --help` says more about each.", style.width) + "\n";
  text += heading("Options", style);
  text += table({{"-h, --help", "show this help"}, {"-V, --version", "show the version"}},
                Paint::Code, style);
  return text;
}

std::string short_help(const std::vector<std::unique_ptr<Command>>& commands,
                       const TextStyle& style) {
  std::string text = fmt::format("{}\n", kSubject);
  text += "\nUsage: cml COMMAND [options] [arguments]\n\n";
  text += command_table(commands, style);
  text += fmt::format("\nFor example `{}`. `cml --help` says more.\n",
                      commands.front()->help().examples.front().command);
  return text;
}

std::string command_help(const Command& command, const Arguments& arguments,
                         const TextStyle& style) {
  const CommandHelp help = command.help();
  std::string text = fmt::format("cml {} - {}\n", command.name(), help.summary);
  text += heading("Usage", style);
  text += fmt::format("  cml {} {}\n", command.name(), help.arguments);
  if (!help.description.empty()) {
    text += "\n" + report::wrapped(help.description, style.width) + "\n";
  }
  if (!help.examples.empty()) {
    text += heading("Examples", style);
    std::vector<Row> rows;
    for (const auto& example : help.examples) {
      rows.push_back({std::string(example.command), std::string(example.meaning)});
    }
    text += table(rows, Paint::Code, style);
  }
  bool help_is_listed = false;
  for (const Arguments::Section& section : arguments.sections()) {
    std::vector<Row> rows;
    for (const Arguments::Entry& entry : section.entries) {
      rows.push_back({entry.spelling, entry.description});
    }
    if (section.title == "Options") {
      rows.push_back({"-h, --help", "show this help"});
      help_is_listed = true;
    }
    if (rows.empty()) continue;
    text += heading(section.title, style) + table(rows, Paint::Code, style);
  }
  if (!help_is_listed) {
    text +=
        heading("Options", style) + table({{"-h, --help", "show this help"}}, Paint::Code, style);
  }
  if (!help.notes.empty()) text += fmt::format("\n{}", help.notes);
  return text;
}

}  // namespace cml::app
