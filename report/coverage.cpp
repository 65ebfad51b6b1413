#include "report/coverage.h"

#include <algorithm>
#include <fmt/format.h>
#include <map>
#include <string_view>
#include <vector>

#include "report/counted.h"
#include "report/source_excerpt.h"

namespace cml::report {
namespace {

using checker::Coverage;
using checker::CoverageItem;
using Kind = checker::CoverageItem::Kind;

/// The text of the place, if it is short and in one line.
std::string quoted(const SourceSet& sources, const SourceRange& where) {
  constexpr int kMost = 50;
  std::string_view text = sources.file(where.file).text();
  text = text.substr(where.begin, where.end - where.begin);
  const std::size_t end = text.find_first_of("\r\n");
  const std::string line = cut(printable(text.substr(0, end)), kMost);
  return fmt::format("`{}{}`", line, end != std::string_view::npos ? " …" : "");
}

/// "the condition `t == NIL` is never true".
std::string sentence(const SourceSet& sources, const CoverageItem& item) {
  const bool is_object = !item.object.empty();
  const std::string what =
      is_object ? "`" + printable(item.object) + "`" : quoted(sources, item.location);
  switch (item.kind) {
    case Kind::Statement:
      return fmt::format("{} {}", what, item.never);
    case Kind::Condition:
      return fmt::format("the condition {} {}", what, item.never);
    case Kind::Wait:
      return fmt::format("no thread has to wait at {}", what);
    case Kind::Lock:
      return fmt::format("the lock {} {}: no thread finds it taken", what, item.never);
    case Kind::Channel:
      return fmt::format("the channel {} {}", what, item.never);
  }
  return "";
}

bool contains(const SourceRange& whole, const SourceRange& part) {
  return whole.file == part.file && whole.begin <= part.begin && part.end <= whole.end;
}

/// What has not happened; of what lies inside a statement that nobody reaches, that statement.
std::vector<const CoverageItem*> missing(const Coverage& coverage) {
  std::vector<const CoverageItem*> found;
  for (const CoverageItem& item : coverage.items) {
    if (item.never.empty()) continue;
    const bool is_inside =
        std::any_of(coverage.items.begin(), coverage.items.end(), [&](const CoverageItem& other) {
          return &other != &item && other.kind == Kind::Statement && !other.never.empty() &&
                 contains(other.location, item.location) && other.location != item.location;
        });
    if (!is_inside) found.push_back(&item);
  }
  return found;
}

std::string heading(const Coverage& coverage) {
  return fmt::format("coverage, of {}{} at granularity access:\n",
                     coverage.is_whole ? "all " : "the first ", counted(coverage.states, "state"));
}

std::string totals(const Coverage& coverage, const TextStyle& style) {
  struct Total {
    Kind kind;
    const char* what;
    std::size_t all = 0;
    std::size_t met = 0;
  };
  Total totals[] = {{Kind::Statement, "statements are reached"},
                    {Kind::Condition, "conditions are both true and false"},
                    {Kind::Wait, "waits are entered"},
                    {Kind::Lock, "locks are contended"},
                    {Kind::Channel, "channels are full at times"}};
  std::string text;
  for (Total& total : totals) {
    for (const CoverageItem& item : coverage.items) {
      if (item.kind != total.kind) continue;
      ++total.all;
      if (item.never.empty()) ++total.met;
    }
    if (total.all > 0)
      text +=
          fmt::format("{}{} of {} {}", text.empty() ? "" : ", ", total.met, total.all, total.what);
  }
  if (text.empty()) text = "there is nothing that could happen";
  return "  " + wrapped(text, style.width - 2, 2, 2) + "\n";
}

}  // namespace

std::string coverage_text(const SourceSet& sources, const Coverage& coverage,
                          const TextStyle& style) {
  std::string text = "\n" + heading(coverage);
  for (const CoverageItem* const item : missing(coverage)) {
    const std::string place = "  " + place_text(sources, item->location) + ": ";
    text +=
        place + wrapped(sentence(sources, *item), style.width - 2, 4, display_width(place)) + "\n";
  }
  return text + totals(coverage, style);
}

std::string coverage_listing(const SourceSet& sources, const Coverage& coverage,
                             const TextStyle& style) {
  std::string text = "\n" + heading(coverage);
  const std::vector<const CoverageItem*> absent = missing(coverage);
  for (std::uint32_t i = 0; i < sources.size(); ++i) {
    const SourceFile& file = sources.file(FileId(i));
    std::map<std::uint32_t, bool> marks;  // whether all that begins there has happened
    for (const CoverageItem& item : coverage.items) {
      if (item.location.file != FileId(i)) continue;
      const auto [at, is_new] = marks.emplace(file.line_column(item.location.begin).line, true);
      at->second = at->second && item.never.empty();
    }
    if (marks.empty()) continue;
    text += fmt::format("\n  {}\n", printable(file.name()));
    const std::string_view whole = file.text();
    std::uint32_t last = file.line_column(static_cast<std::uint32_t>(whole.size())).line;
    if (whole.ends_with('\n')) --last;
    const std::size_t digits = std::to_string(last).size();
    for (std::uint32_t line = 1; line <= last; ++line) {
      const std::string source = printable(file.line_text(line));
      const auto mark = marks.find(line);
      const char* const sign = mark == marks.end() ? " " : mark->second ? "+" : "-";
      const std::string head = fmt::format("  {} {:>{}} | ", sign, line, digits);
      text += head + (style.fits_tables ? cut(source, style.width - display_width(head)) : source) +
              "\n";
      for (const CoverageItem* const item : absent)
        if (item->location.file == FileId(i) && file.line_column(item->location.begin).line == line)
          text += fmt::format("    {:>{}} |   {}\n", "", digits,
                              style.colours(Paint::Warning, sentence(sources, *item)));
    }
  }
  return text + "\n" + totals(coverage, style);
}

Json coverage_json(const SourceSet& sources, const Coverage& coverage) {
  Json items = Json::array();
  for (const CoverageItem& item : coverage.items)
    items.push_back({{"kind", checker::name(item.kind)},
                     {"location", location_json(sources, item.location)},
                     {"object", item.object.empty() ? Json(nullptr) : Json(item.object)},
                     {"never", item.never.empty() ? Json(nullptr) : Json(item.never)}});
  return {
      {"complete", coverage.is_whole}, {"states", coverage.states}, {"items", std::move(items)}};
}

}  // namespace cml::report
