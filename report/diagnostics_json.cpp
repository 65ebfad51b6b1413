// Diagnostics as JSON.
#include "report/diagnostics_json.h"

#include "support/version.h"

namespace cml::report {

Json location_json(const SourceSet& sources, SourceRange where) {
  const SourceFile& file = sources.file(where.file);
  const LineColumn begin = file.line_column(where.begin);
  const LineColumn end = file.line_column(where.end);
  return {{"file", file.name()},
          {"line", begin.line},
          {"column", begin.column},
          {"end_line", end.line},
          {"end_column", end.column}};
}

Json diagnostics_json(const SourceSet& sources, const Diagnostics& diagnostics) {
  Json list = Json::array();
  for (const Diagnostic& diagnostic : diagnostics.all()) {
    Json related = Json::array();
    for (const Related& place : diagnostic.related) {
      related.push_back(
          {{"message", place.message}, {"location", location_json(sources, place.where)}});
    }
    list.push_back(
        {{"code", code_text(diagnostic.code)},
         {"severity", info(diagnostic.code).severity == Severity::Error ? "error" : "warning"},
         {"message", diagnostic.message},
         {"location", location_json(sources, diagnostic.where)},
         {"related", std::move(related)},
         {"hint", diagnostic.hint.empty() ? Json(nullptr) : Json(diagnostic.hint)}});
  }
  return list;
}

Json result_head(const std::string& model) {
  return {{"schema", "cml-result/1"},
          {"tool", {{"name", "cml"}, {"version", kVersion}}},
          {"model", model}};
}

Json model_error_json(const SourceSet& sources, const Diagnostics& diagnostics,
                      const std::string& model) {
  Json document = result_head(model);
  document["diagnostics"] = diagnostics_json(sources, diagnostics);
  document["suppressed_errors"] = diagnostics.suppressed();
  return document;
}

Json read_error_json(const std::string& message, const std::string& model) {
  Json document = result_head(model);
  document["diagnostics"] = Json::array({{{"code", nullptr},
                                          {"severity", "error"},
                                          {"message", message},
                                          {"location", nullptr},
                                          {"related", Json::array()},
                                          {"hint", nullptr}}});
  document["suppressed_errors"] = 0;
  return document;
}

std::string json_text(const Json& document) {
  return document.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace cml::report
