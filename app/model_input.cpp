// Reading models for commands, and writing their results.
#include "app/model_input.h"

#include <filesystem>
#include <fmt/core.h>
#include <system_error>

#include "report/diagnostics_text.h"
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

}  // namespace

ExitStatus refuse(const LoadedModel& input, const ir::Unsupported& why, Console& console) {
  const SourceFile& file = input.sources.file(why.range.file);
  const LineColumn at = file.line_column(why.range.begin);
  console.error(fmt::format("{}:{}:{}: {}", file.name(), at.line, at.column, why.message), "");
  return ExitStatus::Inconclusive;
}

bool deliver(const std::string& text, const CheckOptions& options, Console& console) {
  if (!options.output) {
    console.out(text);
    return true;
  }
  const auto written = write_file(*options.output, text);
  if (!written) console.error(written.error());
  return written.has_value();
}

Expected<std::unique_ptr<LoadedModel>, ExitStatus> load(const CheckOptions& options,
                                                        Console& console) {
  const bool json = options.format == Format::Json;
  auto loaded = std::make_unique<LoadedModel>();
  const auto main = read_file(loaded->sources, options.model);
  if (!main) {
    console.error(main.error().message, similar_file(options.model));
    if (json) {
      (void)deliver(report::json_text(report::read_error_json(main.error().message, options.model)),
                    options, console);
    }
    return Unexpected(ExitStatus::Wrong);
  }

  loaded->model = load_model(loaded->sources, *main, options.definitions, loaded->warnings);
  Diagnostics& diagnostics = loaded->warnings;
  diagnostics.sort();
  if (diagnostics.has_errors() && json) {
    (void)deliver(
        report::json_text(report::model_error_json(loaded->sources, diagnostics, options.model)),
        options, console);
  } else if (diagnostics.has_errors() || (!json && !options.quiet)) {
    console.err(report::diagnostics_text(loaded->sources, diagnostics, console.err_style()));
  }
  if (diagnostics.has_errors()) return Unexpected(ExitStatus::Wrong);
  return loaded;
}

}  // namespace cml::app
