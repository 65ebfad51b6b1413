// What the last check of a text has found, in the text: violations and warnings as diagnostics, the
// trace as their related places, how shared objects are protected beside their declarations, and
// the verdict above the model. It is gone when the text changes.
#include <algorithm>
#include <fmt/format.h>
#include <utility>

#include "lsp/declarations.h"
#include "lsp/protocol.h"
#include "lsp/requests.h"
#include "rpc/documents.h"

namespace cml::lsp {
namespace {

using rpc::joined;
using rpc::text_of;

constexpr std::size_t kMaxSteps = 200;  // of a trace, beside a diagnostic
constexpr std::size_t kMaxHint = 60;    // bytes
constexpr std::size_t kMaxTitle = 100;

/// "fork[0] = Philosopher[0], n = 3"
std::string changes_of(const Json& step) {
  std::string text;
  for (const auto& change : step.at("changes").items())
    text +=
        fmt::format("{}{} = {}", text.empty() ? "" : ", ", change.key(), text_of(change.value()));
  return text;
}

Json steps_of(Workspace& workspace, const Document& document, const Json& violation) {
  Json related = Json::array();
  std::size_t number = 0;
  for (const Json& step : violation.at("trace")) {
    ++number;
    if (step.at("location").is_null() || number > kMaxSteps) continue;
    std::string message = fmt::format("{}. {}: {}", number, step["thread"].get<std::string>(),
                                      step["operation"].get<std::string>());
    if (const std::string changes = changes_of(step); !changes.empty()) message += "; " + changes;
    related.push_back(
        {{"location", workspace.place_of(document, step["location"])}, {"message", message}});
  }
  for (const Json& thread : violation.at("threads")) {
    if (!thread.at("stuck").get<bool>() || thread.at("location").is_null()) continue;
    std::string message = thread["thread"].get<std::string>() + " is blocked for ever";
    if (thread.at("blocked_on").is_string())
      message += " in " + thread["blocked_on"].get<std::string>();
    related.push_back(
        {{"location", workspace.place_of(document, thread["location"])}, {"message", message}});
  }
  return related;
}

/// At the place of a finding in this text; elsewhere, at its beginning.
Json range_of(Workspace& workspace, const Document& document, const Json& location) {
  Json nowhere = {{"start", position_json({})}, {"end", position_json({})}};
  if (location.is_null()) return nowhere;
  const Json place = workspace.place_of(document, location);
  const Analysis& analysis = workspace.analysis(document);
  return place["uri"] == analysis.uri(analysis.main()) ? place["range"] : nowhere;
}

/// Whole words of it.
std::string shortened(std::string text, std::size_t bytes) {
  if (text.size() > bytes) text = text.substr(0, text.rfind(' ', bytes)) + " …";
  return text;
}

std::string_view plural(std::size_t count) { return count == 1 ? "" : "s"; }

/// What the last check has said; null: there was none of the texts as they are.
const Json* result_of(const Document& document) {
  return document.result ? &document.result->document : nullptr;
}

/// "guarded by m", "read only"
std::string text_of_entry(const Json& entry) {
  const auto status = entry.at("status").get<std::string>();
  std::string locks = joined(entry.at("locks"));
  if (locks.empty()) locks = joined(entry.at("of_each"));
  std::string text = status;
  if ((status == "protected" || status == "declared") && !locks.empty())
    text = "guarded by " + locks;
  if (status == "ordered") text = "every two accesses are ordered";
  if (status == "read-only") text = "read only";
  if (status == "unshared") text = "used by one thread";
  if (status == "violated") text = "not protected";
  if (entry.value("partial", false)) text += ", so far";
  return text;
}

}  // namespace

Json result_diagnostics(Workspace& workspace, const Document& document) {
  Json list = Json::array();
  const Json* const result = result_of(document);
  if (result == nullptr || !result->contains("verdict")) return list;
  for (const Json& violation : result->at("violations"))
    list.push_back({{"range", range_of(workspace, document, violation["location"])},
                    {"severity", DiagnosticSeverity::Error},
                    {"code", violation["kind"]},
                    {"source", "cml check"},
                    {"message", violation["message"]},
                    {"relatedInformation", steps_of(workspace, document, violation)}});
  for (const Json& warning : result->at("warnings"))
    list.push_back({{"range", range_of(workspace, document, warning["location"])},
                    {"severity", DiagnosticSeverity::Warning},
                    {"code", warning["kind"]},
                    {"source", "cml check"},
                    {"message", warning["message"]},
                    {"relatedInformation", Json::array()}});
  return list;
}

std::string summary(const Json& result) {
  if (!result.contains("verdict")) {
    if (result.contains("failure")) return "no result: " + result["failure"].get<std::string>();
    return "the model has errors";
  }
  const auto verdict = result["verdict"].get<std::string>();
  const Json& stats = result.at("stats");
  if (verdict == "violated") {
    const Json& all = result.at("violations");
    std::string text = "violated: " + all.at(0).at("kind").get<std::string>() + ": " +
                       all.at(0).at("message").get<std::string>();
    if (all.size() > 1) text += fmt::format(" (and {} more)", all.size() - 1);
    return text;
  }
  if (verdict == "verified")
    return fmt::format("verified: {} state{}, no violation of what is checked",
                       stats.at("states").get<std::size_t>(),
                       plural(stats.at("states").get<std::size_t>()));
  return "inconclusive: " + rpc::why_inconclusive(result);
}

std::string protection(const Analysis& analysis, const Document& document, SourceRange declared) {
  const Json* const result = result_of(document);
  if (result == nullptr || !result->contains("discipline")) return {};
  std::string text;
  for (const Json& entry : result->at("discipline")) {
    const auto object = entry.at("object").get<std::string>();
    if (place_of_object(analysis, object) != declared) continue;
    const std::string one = text_of_entry(entry);
    if (text.find(one) == text.npos) text += (text.empty() ? "" : "; ") + one;
  }
  return text;
}

Json inlay_hints(Workspace& workspace, const Json& params) {
  const Document& document = workspace.document(params);
  Json hints = Json::array();
  const Json* const result = result_of(document);
  if (result == nullptr || !result->contains("discipline")) return hints;
  const Analysis& analysis = workspace.analysis(document);
  const std::uint32_t begin = analysis.offset(params.at("range").at("start"));
  const std::uint32_t end = analysis.offset(params.at("range").at("end"));
  for (const Declared& name : analysis.names().declared) {
    if (name.where.file != analysis.main() || name.where.begin < begin || name.where.end > end)
      continue;
    std::string text = protection(analysis, document, name.where);
    if (text.empty()) continue;
    const std::string whole = text;
    text = shortened(std::move(text), kMaxHint);
    const Json place = analysis.range(name.where);
    hints.push_back({{"position", place["end"]},
                     {"label", "/* " + text + " */"},
                     {"paddingLeft", true},
                     {"paddingRight", true},
                     {"tooltip", whole}});
  }
  return hints;
}

Json code_lenses(Workspace& workspace, const Json& params) {
  const Document& document = workspace.document(params);
  const Analysis& analysis = workspace.analysis(document);
  const ast::Ast& tree = analysis.tree();
  // Above the title, or else the first declaration; a file to be imported has none.
  std::optional<SourceRange> where;
  bool is_model = false;
  for (const ast::DeclId item : tree.items) {
    const ast::Decl& decl = tree.decls[item];
    const bool is_title = std::holds_alternative<ast::ModelDecl>(decl.node);
    is_model = is_model || is_title || std::holds_alternative<ast::ThreadDecl>(decl.node) ||
               std::holds_alternative<ast::ProcessDecl>(decl.node);
    if (!where || is_title) where = decl.range;
  }
  Json lenses = Json::array();
  if (!is_model || !where) return lenses;
  const Json start = analysis.range(*where)["start"];
  const Json range = {{"start", start}, {"end", start}};
  const auto lens = [&](const std::string& title, const char* command) {
    lenses.push_back(
        {{"range", range},
         {"command",
          {{"title", title}, {"command", command}, {"arguments", Json::array({document.uri})}}}});
  };
  lens("Check", "cml.check");
  lens("Simulate", "cml.simulate");
  if (const Json* const result = result_of(document))
    lens(shortened(summary(*result), kMaxTitle), "cml.check");
  return lenses;
}

}  // namespace cml::lsp
