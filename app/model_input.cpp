// Reading models for commands, and writing their results.
#include "app/model_input.h"

#include <filesystem>
#include <fmt/core.h>
#include <sys/stat.h>
#include <system_error>
#include <unistd.h>

#include "app/definitions.h"
#include "app/replace_file.h"
#include "ir/lower/lower.h"
#include "report/diagnostics_text.h"
#include "report/result_sarif.h"
#include "support/suggest.h"

namespace cml::app {
namespace {

namespace fs = std::filesystem;

// For a file that is not there: one in the same folder with nearly that name.
std::string similar_file(const std::string& path) {
  std::error_code error;
  if (path == "-" || fs::exists(path, error)) return {};
  if (fs::exists(path + ".cml", error)) return fmt::format("did you mean `{}.cml`?", path);
  const fs::path wanted(path);
  const fs::path folder = wanted.has_parent_path() ? wanted.parent_path() : fs::path(".");
  constexpr int kEnough = 2000;  // entries to look at; a hint is not worth more
  std::vector<std::string> names;
  fs::directory_iterator entry(folder, error);
  for (int i = 0; !error && i < kEnough && entry != fs::directory_iterator(); ++i) {
    if (entry->path().extension() == ".cml") names.push_back(entry->path().filename().string());
    entry.increment(error);
  }
  const std::vector<std::string_view> known(names.begin(), names.end());
  const auto near = suggest(wanted.filename().string(), known);
  if (!near) return {};
  const fs::path found = wanted.has_parent_path() ? folder / std::string(*near) : fs::path(*near);
  return fmt::format("did you mean `{}`?", found.string());
}

bool same_file(const struct stat& a, const struct stat& b) {
  return a.st_dev == b.st_dev && a.st_ino == b.st_ino;
}

bool is_overwritten(const CheckOptions& options, const std::string& source) {
  struct stat target = {};
  struct stat read = {};
  if (!options.writes_file() || ::stat(options.output->c_str(), &target) != 0) return false;
  const int failed = source == "-" ? ::fstat(STDIN_FILENO, &read) : ::stat(source.c_str(), &read);
  return failed == 0 && S_ISREG(target.st_mode) && same_file(target, read);
}

}  // namespace

bool overwrites(const CheckOptions& options, const std::string& source, Console& console) {
  if (!is_overwritten(options, source)) return false;
  console.error(fmt::format("`--output {}` would overwrite the model", *options.output));
  return true;
}

void declare_imports(Arguments& arguments, CheckOptions& options) {
  arguments.flag("--allow-imports-outside", options.imports_outside,
                 "imports may name files outside the model's folder, for models that you trust");
}

void declare_definitions(Arguments& arguments, std::vector<std::string>& definitions,
                         CheckOptions& options) {
  arguments.values("-D", "NAME=value", definitions,
                   "set a constant of the model's main file; may be repeated");
  declare_imports(arguments, options);
}

void declare_output(Arguments& arguments, CheckOptions& options) {
  arguments.value("-o,--output", "FILE", options.output,
                  "write to FILE instead of standard output");
}

bool take_definitions(const std::vector<std::string>& words, CheckOptions& options,
                      Console& console) {
  auto definitions = parse_definitions(words);
  if (!definitions) {
    console.error(definitions.error().message, definitions.error().help);
    return false;
  }
  options.definitions = *std::move(definitions);
  return true;
}

Expected<LoweredModel, ExitStatus> load_and_lower(const std::vector<std::string>& definitions,
                                                  CheckOptions& options, Console& console) {
  if (!take_definitions(definitions, options, console)) return Unexpected(ExitStatus::Wrong);
  auto loaded = load(options, console);
  if (!loaded) return Unexpected(loaded.error());
  auto system = ir::lower((*loaded)->model, (*loaded)->sources);
  if (!system) return Unexpected(refuse(**loaded, system.error(), console));
  return LoweredModel{*std::move(loaded), *std::move(system)};
}

ExitStatus refuse(const LoadedModel& input, const ir::Unsupported& why, Console& console) {
  const SourceFile& file = input.sources.file(why.range.file);
  const LineColumn at = file.line_column(why.range.begin);
  console.error(fmt::format("{}:{}:{}: {}", file.name(), at.line, at.column, why.message), "");
  return ExitStatus::Inconclusive;
}

bool deliver(const std::string& text, const CheckOptions& options, Console& console) {
  if (!options.writes_file() || options.is_part) {
    console.out(text);
    return true;
  }
  const auto written = write_file(*options.output, text);
  if (!written) console.error(written.error());
  return written.has_value();
}

std::string document_text(const report::Json& document, Format format) {
  return report::json_text(format == Format::Sarif ? report::result_sarif(document) : document);
}

Expected<std::unique_ptr<LoadedModel>, ExitStatus> load(const CheckOptions& options,
                                                        Console& console) {
  const bool json = options.format != Format::Text && options.format != Format::Html;
  const bool tells_errors = !json || options.tells_errors;
  if (overwrites(options, options.model, console)) return Unexpected(ExitStatus::Wrong);
  auto loaded = std::make_unique<LoadedModel>();
  const auto main = read_file(loaded->sources, options.model);
  if (!main) {
    const std::string& cure = main.error().cure;
    console.error(main.error().message, cure.empty() ? similar_file(options.model) : cure);
    if (json) {
      (void)deliver(document_text(report::read_error_json(main.error().message, options.model),
                                  options.format),
                    options, console);
    }
    return Unexpected(ExitStatus::Wrong);
  }

  loaded->model = load_model(loaded->sources, *main, options.definitions, loaded->warnings,
                             options.imports_outside ? Imports::Anywhere : Imports::Inside);
  for (std::uint32_t i = 0; i < loaded->sources.size(); ++i)
    if (overwrites(options, loaded->sources.file(FileId(i)).name(), console))
      return Unexpected(ExitStatus::Wrong);
  Diagnostics& diagnostics = loaded->warnings;
  diagnostics.sort();
  if (diagnostics.has_errors() && json) {
    (void)deliver(
        document_text(report::model_error_json(loaded->sources, diagnostics, options.model),
                      options.format),
        options, console);
  }
  if (diagnostics.has_errors() ? tells_errors : !json && !options.quiet) {
    console.err(report::diagnostics_text(loaded->sources, diagnostics, console.err_style()));
  }
  if (diagnostics.has_errors()) return Unexpected(ExitStatus::Wrong);
  return loaded;
}

}  // namespace cml::app
