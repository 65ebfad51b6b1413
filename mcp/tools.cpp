#include "mcp/tools.h"

#include <algorithm>
#include <fmt/format.h>
#include <utility>
#include <vector>

#include "frontend/diagnostic.h"
#include "frontend/format.h"
#include "mcp/arguments.h"
#include "report/explain_pages.h"
#include "support/suggest.h"

namespace cml::mcp {
namespace {

using rpc::Answer;
using rpc::Failure;

Json told(const std::string& text, bool is_error = false) {
  return {{"content", Json::array({{{"type", "text"}, {"text", text}}})}, {"isError", is_error}};
}

// ---- what they take ----------------------------------------------------------------------------

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

Json counted(const char* description, int least) {
  Json schema = typed("integer", description);
  schema["minimum"] = least;
  return schema;
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

std::string why_none(const rpc::ProgramResult& result) {
  if (result.status < 0) return "the check has crashed, or was killed";
  return result.err.empty() ? fmt::format("it ended with status {}", result.status) : result.err;
}

}  // namespace

Json Tools::list() {
  Json simulated = model_properties();
  simulated["runs"] = counted("walks, 1000 by default", 1);
  simulated["steps"] = counted("of each walk, 1000 by default", 1);
  simulated["seed"] = counted("the same seed is the same walks", 0);
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
  if (const auto wrong = wrong_with((*found)["inputSchema"], arguments))
    return Failure{rpc::kInvalidParams, fmt::format("`{}`: {}", name, *wrong)};
  if (name == "explain") return explain(arguments);
  if (name == "format") return format_text(arguments);
  return run(name, arguments, id);
}

Answer Tools::run(const std::string& command, const Json& arguments, const Json& id) {
  if (const auto wrong = wrong_with_model(arguments)) return Failure{rpc::kInvalidParams, *wrong};
  programs_.start(id, {words_of(command, arguments), "", arguments.value("text", std::string())},
                  [this, id](const rpc::ProgramResult& result) { ended(id, result); });
  return rpc::Later();
}

void Tools::cancel(const Json& id) {
  if (programs_.stop(id)) server_.forget(id);
}

void Tools::ended(const Json& id, const rpc::ProgramResult& result) {
  const Json document = Json::parse(result.out, nullptr, false);
  if (!document.is_object()) {
    server_.respond(id, told("no result: " + why_none(result), true));
    return;
  }
  Json answer = told(answer_of(document), !document.contains("verdict"));
  answer["structuredContent"] = structure_of(document);
  server_.respond(id, answer);
}

}  // namespace cml::mcp
