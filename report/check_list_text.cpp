// The lines and the summary.
#include <algorithm>
#include <array>
#include <fmt/format.h>
#include <map>

#include "report/check_list.h"
#include "report/counted.h"

namespace cml::report {
namespace {

constexpr std::array<std::string_view, 5> kOutcomes = {"verified", "violated", "inconclusive",
                                                       "wrong", "failed"};
constexpr int kOutcomeWidth = 12;

std::string place(const Json& location) {
  if (location.is_null()) return {};
  return fmt::format(" at {}:{}", location["line"].get<int>(), location["column"].get<int>());
}

/// "deadlock at 18:5", "3 violations: deadlock, 2 assertion".
std::string violations_text(const Json& violations) {
  if (violations.size() == 1)
    return violations[0]["kind"].get<std::string>() + place(violations[0]["location"]);
  std::map<std::string, int> kinds;
  for (const Json& violation : violations)
    ++kinds[violation["kind"].get<std::string>()];
  std::string text = counted(violations.size(), "violation") + ":";
  const char* between = " ";
  for (const auto& [kind, count] : kinds) {
    text += between + (count > 1 ? fmt::format("{} {}", count, kind) : kind);
    between = ", ";
  }
  return text;
}

std::string errors_text(const Json& diagnostics) {
  std::uint64_t errors = 0;
  const Json* first = nullptr;
  for (const Json& diagnostic : diagnostics) {
    if (diagnostic["severity"] != "error") continue;
    if (errors++ == 0) first = &diagnostic;
  }
  if (first == nullptr) return {};
  if ((*first)["location"].is_null()) return (*first)["message"];
  return fmt::format("{}, {}{}", counted(errors, "error"), (*first)["code"].get<std::string>(),
                     place((*first)["location"]));
}

std::string limits_text(const Json& document) {
  if (!document["unsupported"].is_null()) return document["unsupported"]["message"];
  std::string text;
  for (const Json& limit : document["stats"]["limits_hit"]) {
    if (limit == "interrupted") return limit;
    text += (text.empty() ? "ended at " : ", ") + limit.get<std::string>();
  }
  return text.empty() ? "not everything was explored" : text;
}

std::string detail(const ListedCheck& check) {
  const std::string_view what = outcome(check);
  if (!check.failure.empty()) return check.failure;
  if (what == "wrong") return errors_text(check.document["diagnostics"]);
  if (what == "violated") return violations_text(check.document["violations"]);
  return what == "inconclusive" ? limits_text(check.document) : "";
}

Paint paint_of(std::string_view what) {
  if (what == "verified") return Paint::Help;
  return what == "inconclusive" ? Paint::Warning : Paint::Error;
}

}  // namespace

std::string_view outcome(const ListedCheck& check) {
  if (check.document.is_null()) return check.has_failed ? "failed" : "inconclusive";
  const auto verdict = check.document.find("verdict");
  if (verdict == check.document.end()) return "wrong";
  const auto* const known =
      std::find(kOutcomes.begin(), kOutcomes.end(), verdict->get_ref<const std::string&>());
  return known == kOutcomes.end() ? "failed" : *known;
}

void make_room(ListColumns& columns, const ListedCheck& check) {
  columns.model = std::max(columns.model, display_width(printable(check.model)));
  columns.varied = std::max(columns.varied, display_width(printable(check.varied)));
}

std::string check_line(const ListedCheck& check, const ListColumns& columns,
                       const TextStyle& style) {
  const std::string_view what = outcome(check);
  std::string line = padded(printable(check.model), columns.model) + "  ";
  if (columns.varied > 0) line += padded(printable(check.varied), columns.varied) + "  ";
  int column = display_width(line) + kOutcomeWidth;
  line += style.colours(paint_of(what), what) + std::string(kOutcomeWidth - what.size(), ' ');
  // Where there is little room, the time goes first.
  const auto add = [&](const std::string& number) {
    if (style.fits_tables && column + static_cast<int>(number.size()) > style.width) return;
    line += number;
    column += static_cast<int>(number.size());
  };
  if (check.document.contains("stats")) {
    const Json& stats = check.document["stats"];
    const bool has_states = stats["search"] == "stateful";
    add(fmt::format("  {:>15}",
                    has_states ? counted(stats["states"].get<std::uint64_t>(), "state")
                               : counted(stats["executions"].get<std::uint64_t>(), "execution")));
    add(fmt::format("  {:>8.3f} s", stats["seconds"]["total"].get<double>()));
  }
  if (const std::string more = detail(check); !more.empty()) {
    const bool fits = !style.fits_tables || column + 2 + display_width(more) <= style.width;
    constexpr int kIndent = 4;
    if (!fits) line.erase(line.find_last_not_of(' ') + 1);
    line += fits ? "  " + printable(more)
                 : "\n" + std::string(kIndent, ' ') +
                       wrapped(printable(more), style.width, kIndent, kIndent);
  }
  return line.substr(0, line.find_last_not_of(' ') + 1) + "\n";
}

std::string check_summary(std::span<const ListedCheck> checks, double seconds,
                          const TextStyle& style) {
  std::string text;
  for (const std::string_view what : kOutcomes) {
    const auto count =
        std::count_if(checks.begin(), checks.end(),
                      [what](const ListedCheck& check) { return outcome(check) == what; });
    if (count > 0) text += fmt::format("{}{} {}", text.empty() ? "" : ", ", count, what);
  }
  text = style.colours(Paint::Strong,
                       fmt::format("{} checked: {}; {:.1f} s", checks.size(), text, seconds)) +
         "\n";
  const auto violated = std::find_if(checks.begin(), checks.end(), [](const ListedCheck& check) {
    return outcome(check) == "violated";
  });
  if (violated == checks.end()) return text;
  std::string command = "cml check";
  for (std::size_t begin = 0; begin < violated->varied.size();) {
    const std::size_t end = std::min(violated->varied.find(' ', begin), violated->varied.size());
    command += " -D " + violated->varied.substr(begin, end - begin);
    begin = end + 1;
  }
  return text +
         wrapped(fmt::format("how it comes to that, a check of one model tells: `{} {}`",
                             printable(command), printable(violated->model)),
                 style.width) +
         "\n";
}

}  // namespace cml::report
