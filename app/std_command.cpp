// `cml std`.
#include "app/std_command.h"

#include <fmt/core.h>

#include "frontend/stdlib_embedded.h"
#include "support/suggest.h"

namespace cml::app {
namespace {

constexpr std::string_view kPrefix = "std.";

/// What stands behind `std.`.
std::string_view short_name(const EmbeddedModule& module) {
  return module.name.substr(kPrefix.size());
}

/// The first line of a module, a comment, is what the list says of it.
std::string_view summary(const EmbeddedModule& module) {
  constexpr std::string_view kComment = "// ";
  std::string_view line = module.text.substr(0, module.text.find('\n'));
  if (line.starts_with(kComment)) line.remove_prefix(kComment.size());
  return line;
}

const EmbeddedModule* find(std::string_view name) {
  for (const EmbeddedModule& module : embedded_stdlib())
    if (module.name == name || short_name(module) == name) return &module;
  return nullptr;
}

std::string list_of_modules(const report::TextStyle& style) {
  std::string text = style.colours(report::Paint::Strong, "Modules of the standard library") + "\n";
  for (const EmbeddedModule& module : embedded_stdlib())
    text += fmt::format(
        "  {}{}\n", style.colours(report::Paint::Code, fmt::format("{:<14}", short_name(module))),
        summary(module));
  return text +
         "\n`import std.NAME;` in a model reads one; `cml std NAME` shows what it is for, how it\n"
         "is used, and its text.\n";
}

}  // namespace

CommandHelp StdCommand::help() const {
  return {
      .summary = "the modules of the standard library",
      .arguments = "[NAME...]",
      .examples =
          {
              {"cml std", "all modules, with a line on each"},
              {"cml std barrier", "what `import std.barrier;` reads, and how it is used"},
          },
  };
}

void StdCommand::declare(Arguments& arguments) {
  arguments.positionals("NAME", modules_, "modules; all are listed without it", false);
}

ExitStatus StdCommand::run(Console& console) {
  if (modules_.empty()) {
    console.out(list_of_modules(console.out_style()));
    return ExitStatus::Verified;
  }
  std::string text;
  for (const std::string& name : modules_) {
    const EmbeddedModule* module = find(name);
    if (module == nullptr) {
      std::vector<std::string_view> names;
      for (const EmbeddedModule& each : embedded_stdlib())
        names.push_back(short_name(each));
      const auto near = suggest(name, names);
      console.error(fmt::format("there is no module `{}` in the standard library", name),
                    near ? fmt::format("did you mean `cml std {}`?", *near)
                         : std::string("`cml std` lists all modules"));
      return ExitStatus::Wrong;
    }
    text += (text.empty() ? "" : "\n") + std::string(module->text);
  }
  console.out(text);
  return ExitStatus::Verified;
}

}  // namespace cml::app
