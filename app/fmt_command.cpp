// `cml fmt`.
//
// A file is rewritten only if its text changes, and in one step: readers see the old text or the
// new one (replace_file.h). A file with errors stays as it is; the others are formatted all the
// same.
#include "app/fmt_command.h"

#include <algorithm>
#include <filesystem>
#include <fmt/core.h>
#include <system_error>

#include "app/replace_file.h"
#include "frontend/format.h"
#include "frontend/load_model.h"
#include "report/diagnostics_text.h"

namespace cml::app {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kStandardInput = "-";

struct Files {
  std::vector<std::string> paths;
  bool complete = true;
};

// Folders that people do not look into, such as .git, are passed over.
bool is_hidden(const fs::path& path) { return path.filename().string().starts_with('.'); }

/// All models below a folder, sorted.
Expected<std::vector<std::string>, std::string> models_below(const std::string& folder) {
  std::vector<std::string> paths;
  std::error_code error;
  fs::recursive_directory_iterator entry(folder, error);
  for (; !error && entry != fs::recursive_directory_iterator(); entry.increment(error)) {
    std::error_code ignored;
    const fs::path& path = entry->path();
    if (entry->is_directory(ignored) && is_hidden(path)) entry.disable_recursion_pending();
    if (path.extension() == ".cml" && !is_hidden(path) && entry->is_regular_file(ignored)) {
      paths.push_back(path.string());
    }
  }
  if (error) return Unexpected(fmt::format("cannot read `{}`: {}", folder, error.message()));
  std::ranges::sort(paths);
  return paths;
}

Files find_files(const std::vector<std::string>& arguments, Console& console) {
  Files files;
  for (const std::string& argument : arguments) {
    std::error_code ignored;
    if (argument == kStandardInput || !fs::is_directory(argument, ignored)) {
      files.paths.push_back(argument);
      continue;
    }
    const auto found = models_below(argument);
    if (found) {
      files.paths.insert(files.paths.end(), found->begin(), found->end());
    } else {
      console.error(found.error());
      files.complete = false;
    }
  }
  return files;
}

}  // namespace

CommandHelp FmtCommand::help() const {
  return {
      .summary = "format models: one layout for all",
      .arguments = "[options] PATH...",
      .description =
          "Rewrites the files in place. Comments stay, and what a model means does not "
          "change. A file with syntax errors is left as it is.",
      .examples =
          {
              {"cml fmt model.cml", "rewrite a file"},
              {"cml fmt --check .", "list the models in and below this folder that would change"},
              {"cml fmt - < model.cml", "write the formatted text to standard output"},
          },
      .notes = "Exit status: 0 if all is well, 1 if `--check` found something, 2 after an error.\n",
  };
}

void FmtCommand::declare(Arguments& arguments) {
  arguments.positionals("PATH", paths_, "a model, a folder with models, or `-` for standard input");
  arguments.section("Options");
  arguments.flag("--check", check_, "change nothing; list the files that are not formatted");
}

ExitStatus FmtCommand::run(Console& console) {
  const Files files = find_files(paths_, console);
  bool changed = false;
  ExitStatus failure = files.complete ? ExitStatus::Verified : ExitStatus::Wrong;
  for (const std::string& path : files.paths) {
    const auto outcome = format_file(path, console);
    if (!outcome) {
      failure = std::max(failure, outcome.error());
    } else {
      changed = changed || *outcome == Outcome::Changed;
    }
  }
  if (failure != ExitStatus::Verified) return failure;
  return check_ && changed ? ExitStatus::Violated : ExitStatus::Verified;
}

Expected<FmtCommand::Outcome, ExitStatus> FmtCommand::format_file(const std::string& path,
                                                                  Console& console) const {
  SourceSet sources;
  const auto file = read_file(sources, path);
  if (!file) {
    console.error(file.error().message);
    return Unexpected(ExitStatus::Wrong);
  }
  Diagnostics diagnostics;
  const auto text = format(sources, *file, diagnostics);
  if (!text && text.error() == FormatError::Syntax) {
    diagnostics.sort();
    console.err(report::diagnostics_text(sources, diagnostics, console.err_style()));
    return Unexpected(ExitStatus::Wrong);
  }
  if (!text) {
    console.error(
        fmt::format("`{}` is left as it is: formatting would have changed its meaning", path),
        "this is a mistake in cml; please report it, with the model");
    return Unexpected(ExitStatus::Internal);
  }
  const bool same = *text == sources.file(*file).text();
  if (check_) {
    if (!same) console.out(fmt::format("{}\n", sources.file(*file).name()));
  } else if (path == kStandardInput) {
    console.out(*text);
  } else if (!same) {
    if (const auto replaced = replace_file(path, *text); !replaced) {
      console.error(replaced.error());
      return Unexpected(ExitStatus::Wrong);
    }
  }
  return same ? Outcome::Same : Outcome::Changed;
}

}  // namespace cml::app
