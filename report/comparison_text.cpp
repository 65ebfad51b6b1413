#include "report/comparison_text.h"

#include <algorithm>
#include <fmt/format.h>
#include <set>
#include <utility>
#include <vector>

namespace cml::report {
namespace {

using checker::Compared;
using checker::Result;
using checker::Standing;
using checker::Verdict;

std::string verdict_text(const Compared& one) {
  if (one.refusal != nullptr) return "refused";
  switch (one.result.verdict) {
    case Verdict::Verified:
      return "verified";
    case Verdict::Violated:
      return "violated";
    case Verdict::Inconclusive:
      return "inconclusive";
  }
  return "";
}

std::string kinds_text(const Result& result) {
  std::set<std::string_view> kinds;
  for (const checker::Violation& violation : result.violations)
    kinds.insert(checker::name(violation.kind));
  std::string text;
  for (const std::string_view kind : kinds)
    (text += text.empty() ? "" : ", ") += kind;
  return text;
}

std::string memory_text(std::uint64_t bytes) {
  return fmt::format("{:.1f} MB", static_cast<double>(bytes) / 1e6);
}

// Of the transitions of the first search, so many.
std::string ratio_text(std::uint64_t transitions, const Compared& first) {
  const std::uint64_t of = first.refusal != nullptr ? 0 : first.result.stats.transitions;
  if (of == 0) return "";
  const double ratio = static_cast<double>(transitions) / static_cast<double>(of);
  return ratio < 0.01 ? fmt::format("{:.2g}", ratio) : fmt::format("{:.2f}", ratio);
}

using Row = std::vector<std::string>;

Row row(const Compared& one, const Compared& first) {
  Row cells{checker::short_name(one.options), verdict_text(one)};
  if (one.refusal != nullptr) return cells;
  const checker::Statistics& stats = one.result.stats;
  const bool is_stateless = one.options.store == checker::Store::Stateless;
  const auto only = [](bool shown, std::uint64_t number) {
    return shown ? std::to_string(number) : std::string();
  };
  cells.insert(cells.end(),
               {only(!is_stateless, stats.states), std::to_string(stats.transitions),
                ratio_text(stats.transitions, first), only(is_stateless, stats.executions),
                only(is_stateless, stats.blocked_executions), std::to_string(stats.max_depth),
                memory_text(stats.peak_memory_bytes), fmt::format("{:.3f} s", stats.seconds_total),
                kinds_text(one.result)});
  return cells;
}

bool is_number(std::size_t column, std::size_t columns) {
  return column >= 2 && column + 1 < columns;
}

std::string table(const std::vector<Row>& rows) {
  const std::size_t columns = rows.front().size();
  std::vector<std::size_t> widths(columns);
  for (const Row& cells : rows)
    for (std::size_t i = 0; i < cells.size(); ++i)
      widths[i] = std::max(widths[i], cells[i].size());
  std::string text;
  for (const Row& cells : rows) {
    std::string line;
    for (std::size_t i = 0; i < cells.size(); ++i) {
      line += fmt::format(fmt::runtime(is_number(i, columns) ? "  {:>{}}" : "  {:<{}}"), cells[i],
                          widths[i]);
    }
    line.erase(line.find_last_not_of(' ') + 1);
    text += line + "\n";
  }
  return text;
}

/// Those that are not sound, by the reasons.
std::string notes_text(std::span<const Compared> all, const TextStyle& style) {
  std::vector<std::pair<std::string, std::string>> names;  // by the reason
  for (const Compared& one : all) {
    if (one.standing() == Standing::Sound) continue;
    const std::string why =
        fmt::format("{}: {}", checker::name(one.standing()), standing_text(one));
    const auto known =
        std::find_if(names.begin(), names.end(), [&](const auto& is) { return is.first == why; });
    const std::string name = checker::short_name(one.options);
    if (known == names.end()) {
      names.emplace_back(why, name);
    } else {
      known->second += ", " + name;
    }
  }
  std::string text;
  for (const auto& [why, of] : names)
    text += "  " + wrapped(fmt::format("{}: {}", of, why), style.width, 4, 2) + "\n";
  return text;
}

}  // namespace

std::string disagreement_text(const Compared& one, const Compared& other) {
  const auto told = [](const Compared& which) {
    const std::string kinds = kinds_text(which.result);
    return fmt::format("`{}` says {}{}", checker::short_name(which.options), verdict_text(which),
                       kinds.empty() ? "" : fmt::format(" ({})", kinds));
  };
  return fmt::format("{}, {}", told(one), told(other));
}

std::string standing_text(const Compared& one) {
  if (one.refusal != nullptr) return std::string(one.refusal->reason);
  if (one.standing() == Standing::Sound) return {};
  const Result& result = one.result;
  if (result.unsupported) return result.unsupported->message;
  if (!result.stats.limits_hit.empty()) {
    std::string limits;
    for (const std::string& limit : result.stats.limits_hit)
      limits += (limits.empty() ? "" : ", ") + limit;
    return fmt::format("it ended at {}{}", limits,
                       result.stats.is_cyclic
                           ? ": the model is cyclic, and a search without a store goes round"
                           : "");
  }
  return "granularity `sync` relies on the discipline, which the model breaks: there may be "
         "more to find";
}

std::string comparison_text(const std::string& model, std::span<const Compared> all,
                            const TextStyle& style) {
  const auto is_conclusive = [](const Compared& one) {
    return one.refusal == nullptr && one.result.verdict != Verdict::Inconclusive;
  };
  std::string text = style.colours(Paint::Strong, printable(model)) +
                     fmt::format(": {} of {} searches are conclusive\n\n",
                                 std::count_if(all.begin(), all.end(), is_conclusive), all.size());
  std::vector<Row> rows{{"search", "verdict", "states", "transitions", "of first", "executions",
                         "blocked", "depth", "memory", "time", "found"}};
  for (const Compared& one : all)
    rows.push_back(row(one, all.front()));
  text += table(rows);
  const std::string notes = notes_text(all, style);
  if (!notes.empty()) text += "\n" + notes;
  if (const auto two = checker::disagreement(all))
    text += "\n" + style.colours(Paint::Error, "  THESE CONTRADICT EACH OTHER: ") +
            disagreement_text(all[two->first], all[two->second]) + "\n";
  return text;
}

}  // namespace cml::report
