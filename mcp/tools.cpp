#include "mcp/tools.h"

#include <algorithm>
#include <fmt/format.h>
#include <optional>
#include <utility>
#include <variant>
#include <vector>

#include "frontend/diagnostic.h"
#include "frontend/format.h"
#include "report/explain_pages.h"
#include "support/suggest.h"

namespace cml::mcp {
namespace {

using rpc::Answer;
using rpc::Failure;

constexpr double kUsualSeconds = 60;
constexpr double kMostSeconds = 3600;

Json told(const std::string& text, bool is_error = false) {
  return {{"content", Json::array({{{"type", "text"}, {"text", text}}})}, {"isError", is_error}};
}

// ---- what they take ----------------------------------------------------------------------------

Json typed(const char* type, const char* description) {
  return {{"type", type}, {"description", description}};
}

Json model_properties() {
  Json constants = typed("object", "values for constants of the model: {\"N\": 3}");
  constants["additionalProperties"] = {{"type", {"integer", "boolean", "string"}}};
  return {
      {"text", typed("string", "the model, as text; this or `path`")},
      {"path", typed("string", "a file with the model, ending in .cml; this or `text`")},
      {"constants", std::move(constants)},
      {"max_time", typed("number", "seconds, 60 by default; what takes longer is inconclusive")}};
}

Json tool(const char* name, const char* description, Json properties,
          const Json& required = Json::array()) {
  return {{"name", name},
          {"description", description},
          {"inputSchema",
           {{"type", "object"},
            {"properties", std::move(properties)},
            {"required", required},
            {"additionalProperties", false}}},
          {"annotations", {{"readOnlyHint", true}, {"openWorldHint", false}}}};
}

// ---- those that answer at once -----------------------------------------------------------------

Json explain(const Json& arguments) {
  const auto name = arguments.at("name").get<std::string>();
  if (const auto* page = report::find_explain_page(name)) return told(std::string(page->text));
  std::vector<std::string_view> names;
  for (const report::ExplainPage& page : report::explain_pages())
    names.push_back(page.name);
  const auto near = suggest(name, names);
  return told(fmt::format("there is no page about `{}`{}", name,
                          near ? fmt::format("; did you mean `{}`?", *near) : std::string()),
              true);
}

Json format_text(const Json& arguments) {
  SourceSet sources;
  Diagnostics diagnostics;
  const FileId file = sources.add("-", arguments.at("text").get<std::string>());
  if (const auto formatted = format(sources, file, diagnostics)) return told(*formatted);
  std::string text = "it is not formatted, since it does not parse:\n";
  for (const Diagnostic& one : diagnostics.all()) {
    const LineColumn at = sources.file(file).line_column(one.where.begin);
    text += fmt::format("line {}, column {}: {}{}\n", at.line, at.column, one.message,
                        one.hint.empty() ? "" : " (" + one.hint + ")");
  }
  return told(text, true);
}

// ---- those that run a program ------------------------------------------------------------------

std::optional<std::string> wrong_with_model(const Json& arguments) {
  const bool has_path = arguments.contains("path");
  if (has_path == arguments.contains("text")) return "either `text` or `path` is needed";
  if (has_path && !arguments["path"].get<std::string>().ends_with(".cml"))
    return "a model is a file whose name ends in .cml";
  return std::nullopt;
}

/// The command line.
std::vector<std::string> words_of(const std::string& command, const Json& arguments) {
  const double seconds =
      std::clamp(arguments.value("max_time", kUsualSeconds), 0.001, kMostSeconds);
  std::vector<std::string> words = {
      command, "--format", "json", "--progress", "never", "--max-time", fmt::format("{}", seconds)};
  const Json constants = arguments.value("constants", Json::object());
  for (const auto& constant : constants.items()) {
    const Json& value = constant.value();
    const std::string text = value.is_string() ? value.get<std::string>() : value.dump();
    words.insert(words.end(), {"-D", constant.key() + "=" + text});
  }
  if (arguments.value("all", false)) words.emplace_back("--all");
  for (const char* option : {"runs", "steps", "seed"})
    if (arguments.contains(option))
      words.insert(words.end(), {fmt::format("--{}", option),
                                 fmt::format("{}", arguments[option].get<std::uint64_t>())});
  const std::string path = arguments.value("path", std::string("-"));
  words.push_back(path.starts_with('-') && path != "-" ? "./" + path : path);
  return words;
}

}  // namespace

Json Tools::list() {
  Json simulated = model_properties();
  simulated["runs"] = typed("integer", "walks, 1000 by default");
  simulated["steps"] = typed("integer", "of each walk, 1000 by default");
  simulated["seed"] = typed("integer", "the same seed is the same walks");
  Json checked = model_properties();
  checked["all"] = typed("boolean", "all violations, not just the first that is found");
  return Json::array(
      {tool("check",
            "Explores all executions of a CML model of a concurrent program. The answer begins "
            "with VERIFIED, VIOLATED (with the steps that lead there) or INCONCLUSIVE, which is no "
            "success.",
            std::move(checked)),
       tool("simulate",
            "Random walks through a CML model, for those too large to check. The answer begins "
            "with VIOLATED or INCONCLUSIVE: walks that find nothing prove nothing.",
            std::move(simulated)),
       tool("explain",
            "What a kind of violation (deadlock, lock-discipline), a warning or an error code "
            "(E0301) means, with an example and its cure.",
            {{"name", typed("string", "what to explain")}}, {"name"}),
       tool("format", "A CML model in its canonical layout.",
            {{"text", typed("string", "the model")}}, {"text"})});
}

Answer Tools::call(const Json& params, const Json& id) {
  const auto name = params.at("name").get<std::string>();
  const Json arguments = params.value("arguments", Json::object());
  const Json known = list();
  const auto found = std::find_if(known.begin(), known.end(),
                                  [&](const Json& one) { return one["name"] == name; });
  if (found == known.end())
    return Failure{rpc::kInvalidParams, fmt::format("there is no tool `{}`", name)};
  for (const auto& entry : arguments.items())
    if (!(*found)["inputSchema"]["properties"].contains(entry.key()))
      return Failure{rpc::kInvalidParams, fmt::format("`{}` takes no `{}`", name, entry.key())};
  if (name == "explain") return explain(arguments);
  if (name == "format") return format_text(arguments);
  return run(name, arguments, id);
}

Answer Tools::run(const std::string& command, const Json& arguments, const Json& id) {
  if (const auto wrong = wrong_with_model(arguments)) return Failure{rpc::kInvalidParams, *wrong};
  const auto done = [this, id](const rpc::ProgramResult& result) { ended(id, result); };
  if (!programs_.start(id, words_of(command, arguments), "", arguments.value("text", std::string()),
                       done))
    return Failure{rpc::kInternalError, "there is no process to be had"};
  return rpc::Later();
}

void Tools::cancel(const Json& id) {
  if (programs_.stop(id)) server_.forget(id);
}

void Tools::ended(const Json& id, const rpc::ProgramResult& result) {
  const Json document = Json::parse(result.out, nullptr, false);
  if (!document.is_object()) {
    const std::string why = result.status < 0 ? "the check has crashed, or was killed" : result.err;
    server_.respond(id, told("no result: " + why, true));
    return;
  }
  Json answer = told(answer_of(document), !document.contains("verdict"));
  answer["structuredContent"] = structure_of(document);
  server_.respond(id, answer);
}

}  // namespace cml::mcp
