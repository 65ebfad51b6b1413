// JUnit's XML. There is no standard; what is written here is what is common to those who describe
// it: one testsuite, a testcase for each check with at most one failure or error inside.
#include <fmt/format.h>

#include "report/check_list.h"

namespace cml::report {
namespace {

/// U+FFFE and U+FFFF, which XML cannot hold, are replaced.
std::string without_noncharacters(std::string text) {
  for (std::size_t at = text.find("\xEF\xBF"); at != std::string::npos;
       at = text.find("\xEF\xBF", at + 1))
    if (at + 2 < text.size() && (text[at + 2] == '\xBE' || text[at + 2] == '\xBF'))
      text[at + 2] = '\xBD';
  return text;
}

/// Text between tags or in an attribute. What XML cannot hold, as control characters, is replaced.
std::string xml(std::string_view text, bool is_attribute) {
  std::string out;
  for (const char c : without_noncharacters(printable(text))) {
    switch (c) {
      case '&':
        out += "&amp;";
        break;
      case '<':
        out += "&lt;";
        break;
      case '>':
        out += "&gt;";
        break;
      case '"':
        out += "&quot;";
        break;
      case '\n':
      case '\t':  // in an attribute they would be read as spaces
        out += is_attribute ? fmt::format("&#{};", static_cast<int>(c)) : std::string(1, c);
        break;
      default:
        out += c;
    }
  }
  return out;
}

std::string attribute(std::string_view name, std::string_view value) {
  return fmt::format(" {}=\"{}\"", name, xml(value, true));
}

double seconds_of(const ListedCheck& check) {
  const bool is_known = !check.document.is_null() && check.document.contains("stats");
  return is_known ? check.document["stats"]["seconds"]["total"].get<double>() : 0;
}

/// What went wrong, as type and message.
std::pair<std::string, std::string> reason(const ListedCheck& check) {
  const std::string_view what = outcome(check);
  if (!check.failure.empty()) return {std::string(what), check.failure};
  if (what == "violated") {
    const Json& violations = check.document["violations"];
    const Json& first = violations.front();
    std::string message = first["message"];
    if (violations.size() > 1) message += fmt::format(" (and {} more)", violations.size() - 1);
    return {first["kind"], message};
  }
  if (what == "wrong") {
    const Json& diagnostics = check.document["diagnostics"];
    for (const Json& diagnostic : diagnostics)
      if (diagnostic["severity"] == "error")
        return {diagnostic["code"].is_null() ? "unreadable" : diagnostic["code"].get<std::string>(),
                diagnostic["message"]};
    return {"wrong", "the model has errors"};
  }
  std::string limits;
  for (const Json& limit : check.document["stats"]["limits_hit"])
    limits += (limits.empty() ? "ended at " : ", ") + limit.get<std::string>();
  const Json& unsupported = check.document["unsupported"];
  if (!unsupported.is_null()) limits = unsupported["message"];
  return {"inconclusive", limits.empty() ? "not everything was explored" : limits};
}

std::string testcase(const ListedCheck& check) {
  const std::string_view what = outcome(check);
  const std::string name = check.varied.empty() ? check.model : check.model + " " + check.varied;
  std::string text = "    <testcase" + attribute("classname", check.model) +
                     attribute("name", name) + attribute("file", check.model) +
                     attribute("time", fmt::format("{:.3f}", seconds_of(check)));
  if (what == "verified") return text + "/>\n";
  const char* const tag = what == "violated" ? "failure" : "error";
  const auto [type, message] = reason(check);
  return text + fmt::format(">\n      <{}{}{}>{}</{}>\n    </testcase>\n", tag,
                            attribute("type", type), attribute("message", message),
                            xml(check.text, false), tag);
}

}  // namespace

std::string checks_junit(std::span<const ListedCheck> checks, double seconds) {
  std::size_t failures = 0;
  std::size_t errors = 0;
  std::string cases;
  for (const ListedCheck& check : checks) {
    const std::string_view what = outcome(check);
    if (what == "violated") ++failures;
    if (what != "violated" && what != "verified") ++errors;
    cases += testcase(check);
  }
  const std::string counts =
      fmt::format(" tests=\"{}\" failures=\"{}\" errors=\"{}\"", checks.size(), failures, errors);
  const std::string time = attribute("time", fmt::format("{:.3f}", seconds));
  return "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites name=\"cml\"" + counts + time +
         ">\n  <testsuite name=\"cml check\"" + counts + " skipped=\"0\"" + time + ">\n" + cases +
         "  </testsuite>\n</testsuites>\n";
}

}  // namespace cml::report
