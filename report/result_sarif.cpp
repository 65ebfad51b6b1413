#include "report/result_sarif.h"

#include <fmt/format.h>
#include <string>
#include <string_view>

#include "report/explain_pages.h"

namespace cml::report {
namespace {

/// A path as a URI: what is no letter, digit or one of a few marks is written in percent.
std::string uri_of(std::string_view path) {
  constexpr std::string_view kMarks = "-._~/";
  std::string uri;
  for (const char c : path) {
    const bool is_plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
                          (c >= '0' && c <= '9') || kMarks.find(c) != std::string_view::npos;
    if (is_plain) {
      uri += c;
    } else {
      uri += fmt::format("%{:02X}", static_cast<unsigned char>(c));
    }
  }
  return uri;
}

Json message(const std::string& text) { return {{"text", text}}; }

/// Modules of the standard library are no files.
bool is_file(const std::string& name) { return !name.starts_with("std."); }

Json location(const Json& place, const Json& text = nullptr) {
  Json result = Json::object();
  const std::string file = place.is_null() ? "" : place["file"].get<std::string>();
  if (!file.empty() && is_file(file)) {
    Json region = {{"startLine", place["line"]}, {"startColumn", place["column"]}};
    region["endLine"] = place["end_line"];
    region["endColumn"] = place["end_column"];
    result["physicalLocation"] = {{"artifactLocation", {{"uri", uri_of(file)}}},
                                  {"region", std::move(region)}};
  } else if (!file.empty()) {
    result["logicalLocations"] = Json::array(
        {{{"fullyQualifiedName", fmt::format("{}:{}", file, place["line"].get<int>())}}});
  }
  if (!text.is_null()) result["message"] = message(text);
  return result;
}

class Sarif {
 public:
  explicit Sarif(const Json& document) : document_(document) {}

  Json run() {
    for (const Json& diagnostic : document_["diagnostics"])
      add_diagnostic(diagnostic);
    for (const char* list : {"violations", "warnings"})
      if (document_.contains(list))
        for (const Json& one : document_[list])
          add(one, std::string_view(list) == "violations" ? "error" : "warning");
    const bool is_model = document_.contains("verdict");
    Json invocation = {{"executionSuccessful", is_model}};
    if (is_model && document_["verdict"] == "inconclusive")
      invocation["toolExecutionNotifications"] = Json::array(
          {{{"level", "warning"},
            {"message", message("inconclusive: the search did not come to its end, so what is not "
                                "reported may be wrong all the same")}}});
    Json properties = {{"model", document_["model"]}};
    if (is_model) properties["verdict"] = document_["verdict"];
    return {{"tool",
             {{"driver",
               {{"name", "cml"},
                {"version", document_["tool"]["version"]},
                {"rules", std::move(rules_)}}}}},
            {"invocations", Json::array({std::move(invocation)})},
            {"columnKind", "unicodeCodePoints"},
            {"results", std::move(results_)},
            {"properties", std::move(properties)}};
  }

 private:
  /// The number of the rule, which is called like a page of `cml explain`.
  std::size_t rule(const std::string& name) {
    for (std::size_t i = 0; i < rules_.size(); ++i)
      if (rules_[i]["id"] == name) return i;
    Json rule = {{"id", name}};
    if (const ExplainPage* page = find_explain_page(name)) {
      rule["shortDescription"] = message(std::string(page_title(*page)));
      rule["help"] = {{"text", page->text}, {"markdown", page->text}};
    }
    rules_.push_back(std::move(rule));
    return rules_.size() - 1;
  }

  Json& add(const std::string& name, std::string_view level, const std::string& text,
            const Json& place) {
    Json result = {{"ruleId", name}, {"ruleIndex", rule(name)}, {"level", level}};
    result["message"] = message(text);
    result["locations"] = Json::array();
    if (!place.is_null()) result["locations"].push_back(location(place));
    results_.push_back(std::move(result));
    return results_.back();
  }

  void add_diagnostic(const Json& diagnostic) {
    const Json& code = diagnostic["code"];
    std::string text = diagnostic["message"];
    if (!diagnostic["hint"].is_null()) text += "; " + diagnostic["hint"].get<std::string>();
    Json& result = add(code.is_null() ? "unreadable" : code.get<std::string>(),
                       diagnostic["severity"].get<std::string>(), text, diagnostic["location"]);
    for (const Json& related : diagnostic["related"])
      result["relatedLocations"].push_back(location(related["location"], related["message"]));
  }

  void add(const Json& finding, std::string_view level) {
    Json& result = add(finding["kind"], level, finding["message"], finding["location"]);
    if (!finding.contains("trace")) return;
    Json flows = Json::array();
    if (!finding["trace"].empty()) flows.push_back(flow(finding["trace"]));
    for (const Json& access : finding["accesses"])
      if (!access["trace"].empty()) flows.push_back(flow(access["trace"]));
    if (!flows.empty()) result["codeFlows"] = std::move(flows);
  }

  /// A flow for each thread; the numbers of the steps say in which order they happened.
  static Json flow(const Json& trace) {
    Json threads = Json::array();
    int order = 0;
    for (const Json& step : trace) {
      Json* of = nullptr;
      for (Json& known : threads)
        if (known["id"] == step["thread"]) of = &known;
      if (of == nullptr) {
        threads.push_back({{"id", step["thread"]}, {"locations", Json::array()}});
        of = &threads.back();
      }
      Json state = Json::object();
      for (const auto& [name, value] : step["changes"].items())
        state[name] =
            message(value.is_string() ? value.get<std::string>()
                                      : value.dump(-1, ' ', false, Json::error_handler_t::replace));
      Json place = {{"location", location(step["location"], step["operation"])},
                    {"executionOrder", ++order}};
      if (!state.empty()) place["state"] = std::move(state);
      (*of)["locations"].push_back(std::move(place));
    }
    return {{"threadFlows", std::move(threads)}};
  }

  const Json& document_;
  Json rules_ = Json::array();
  Json results_ = Json::array();
};

}  // namespace

Json result_sarif(const Json& document) {
  return {{"$schema", "https://json.schemastore.org/sarif-2.1.0.json"},
          {"version", "2.1.0"},
          {"runs", Json::array({Sarif(document).run()})}};
}

}  // namespace cml::report
