#include "mcp/answers.h"

#include <fmt/format.h>

#include "rpc/documents.h"

namespace cml::mcp {
namespace {

using rpc::joined;
using rpc::text_of;

constexpr std::size_t kMaxSteps = 40;
constexpr std::size_t kMaxListed = 10;

/// " (line 17)", with the file if it is another one than the model.
std::string place_of(const Json& result, const Json& location) {
  if (location.is_null()) return {};
  const bool is_main = location.at("file") == result.at("model");
  return fmt::format(" ({}line {})", is_main ? "" : location["file"].get<std::string>() + ", ",
                     location.at("line").get<int>());
}

std::string step_of(const Json& result, const Json& step, std::size_t number) {
  std::string text =
      fmt::format("  {}. {}{}: {}", number, text_of(step.at("thread")),
                  place_of(result, step.at("location")), text_of(step.at("operation")));
  if (!step.at("result").is_null()) text += " → " + text_of(step["result"]);
  std::string changes;
  for (const auto& change : step.at("changes").items())
    changes += fmt::format("{}{} = {}", changes.empty() ? "; " : ", ", change.key(),
                           text_of(change.value()));
  return text + changes + "\n";
}

/// The first steps of a trace and the last ones, by their indices; in between, how many are left
/// out.
template <class Step, class Gap>
void for_each_told(const Json& trace, const Step& step, const Gap& gap) {
  for (std::size_t i = 0; i < trace.size(); ++i) {
    if (trace.size() > kMaxSteps && i == kMaxSteps / 2) {
      const std::size_t left_out = trace.size() - kMaxSteps;
      gap(left_out);
      i += left_out;
    }
    step(i);
  }
}

std::string trace_of(const Json& result, const Json& trace) {
  std::string text;
  for_each_told(
      trace, [&](std::size_t i) { text += step_of(result, trace[i], i + 1); },
      [&](std::size_t left_out) {
        text += fmt::format("  … {} steps are left out here …\n", left_out);
      });
  return text;
}

std::string threads_of(const Json& result, const Json& threads) {
  std::string text;
  for (const Json& thread : threads) {
    if (!thread.at("stuck").get<bool>()) continue;
    text += "  " + text_of(thread.at("thread")) + place_of(result, thread.at("location"));
    if (thread.at("blocked_on").is_string()) text += " waits at " + text_of(thread["blocked_on"]);
    if (!thread.at("holds").empty()) text += ", holds " + joined(thread["holds"]);
    if (thread.at("waits_for").is_string()) text += ", waits for " + text_of(thread["waits_for"]);
    text += "\n";
  }
  return text;
}

std::string violation_of(const Json& result, const Json& violation) {
  std::string text =
      fmt::format("{}{}: {}\n", text_of(violation.at("kind")),
                  place_of(result, violation.at("location")), text_of(violation.at("message")));
  if (!violation.at("values").empty()) text += "values: " + violation["values"].dump() + "\n";
  if (!violation.at("trace").empty())
    text += "how it comes to that:\n" + trace_of(result, violation["trace"]);
  for (const Json& access : violation.at("accesses"))
    text += fmt::format("access by {}{}: {}, holding {}\n", text_of(access.at("thread")),
                        place_of(result, access.at("location")), text_of(access.at("operation")),
                        access.at("locks").empty() ? "no lock" : joined(access["locks"]));
  if (const std::string stuck = threads_of(result, violation.at("threads")); !stuck.empty())
    text += "in the end:\n" + stuck;
  return text + fmt::format("(the tool `explain` with \"{}\" tells how it is cured)\n",
                            text_of(violation["kind"]));
}

std::string warnings_of(const Json& result) {
  std::string text;
  std::size_t count = 0;
  for (const Json& warning : result.at("warnings"))
    if (++count <= kMaxListed)
      text += fmt::format("warning: {}{}: {}\n", text_of(warning.at("kind")),
                          place_of(result, warning.at("location")), text_of(warning.at("message")));
  if (count > kMaxListed) text += fmt::format("and {} more warnings\n", count - kMaxListed);
  return text;
}

std::string searched(const Json& result) {
  const Json& stats = result.at("stats");
  return fmt::format("{} states, {} transitions, {:.1f} s", stats.at("states").dump(),
                     stats.at("transitions").dump(), stats.at("seconds").at("total").get<double>());
}

std::string inconclusive(const Json& result) {
  return fmt::format(
      "INCONCLUSIVE: {} ({}). This is no success: what was not looked at may be wrong.\n",
      rpc::why_inconclusive(result), searched(result));
}

std::string verified(const Json& result) {
  const Json& constants = result.at("constants");
  std::string text = fmt::format(
      "VERIFIED: no execution of the model{} has a violation ({}).\n",
      constants.empty() ? "" : ", with the constants " + constants.dump() + ",", searched(result));
  if (const Json& promise = result.at("promise"); !promise.is_null()) {
    if (!promise.at("holds").empty()) text += "it holds: " + joined(promise["holds"]) + "\n";
    if (!promise.at("not_checked").empty())
      text += "not checked: " + joined(promise["not_checked"]) + "\n";
  }
  for (const Json& entry : result.at("discipline"))
    if (!entry.at("locks").empty())
      text += fmt::format("{} is protected by {}\n", text_of(entry.at("object")),
                          joined(entry["locks"]));
  return text;
}

}  // namespace

std::string answer_of(const Json& result) {
  if (!result.contains("verdict")) return errors_of(result);
  const Json& verdict = result["verdict"];
  if (verdict == "inconclusive") return inconclusive(result) + warnings_of(result);
  if (verdict == "verified") return verified(result) + warnings_of(result);
  std::string text = "VIOLATED: ";
  std::size_t count = 0;
  for (const Json& violation : result.at("violations"))
    if (++count <= kMaxListed) text += (count > 1 ? "\n" : "") + violation_of(result, violation);
  if (count > kMaxListed) text += fmt::format("and {} more violations\n", count - kMaxListed);
  return text + warnings_of(result);
}

std::string errors_of(const Json& result) {
  if (result.contains("failure")) return "no result: " + text_of(result["failure"]);
  std::string text = "the model has errors, so it was not checked:\n";
  for (const Json& one : result.at("diagnostics")) {
    if (const Json& location = one.at("location"); !location.is_null())
      text += fmt::format("line {}, column {}: ", location.at("line").dump(),
                          location.at("column").dump());
    text += text_of(one.at("severity"));
    if (one.at("code").is_string()) text += " " + text_of(one["code"]);
    text += ": " + text_of(one.at("message"));
    if (one.at("hint").is_string()) text += " (" + text_of(one["hint"]) + ")";
    text += "\n";
  }
  return text;
}

Json structure_of(const Json& result) {
  Json structure = {{"verdict", result.value("verdict", Json(nullptr))}};
  if (!result.contains("verdict")) {
    structure["diagnostics"] = result.value("diagnostics", Json::array());
    return structure;
  }
  const auto line_of = [](const Json& where) {
    return where.at("location").is_null() ? Json(nullptr) : where["location"].at("line");
  };
  Json violations = Json::array();
  for (const Json& violation : result.at("violations")) {
    if (violations.size() == kMaxListed) break;
    const Json& trace = violation.at("trace");
    Json steps = Json::array();
    for_each_told(
        trace,
        [&](std::size_t i) {
          steps.push_back({{"step", i + 1},
                           {"thread", trace[i].at("thread")},
                           {"line", line_of(trace[i])},
                           {"operation", trace[i].at("operation")},
                           {"changes", trace[i].at("changes")}});
        },
        [](std::size_t) {});
    violations.push_back({{"kind", violation.at("kind")},
                          {"message", violation.at("message")},
                          {"line", line_of(violation)},
                          {"trace_length", trace.size()},
                          {"trace", std::move(steps)}});
  }
  structure["violations"] = std::move(violations);
  structure["violations_found"] = result["violations"].size();
  structure["states"] = result.at("stats").at("states");
  structure["limits_hit"] = result["stats"].at("limits_hit");
  return structure;
}

}  // namespace cml::mcp
