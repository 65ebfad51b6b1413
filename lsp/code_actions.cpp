// textDocument/codeAction: the cures of diagnostics as edits.
//
// A cure is a sentence for people, with text in quotes: `did you mean `count`?`, `add `;` here`.
// What it may mean as an edit is tried, and offered only if the error is gone then and nothing new
// is wrong. So there are fewer actions than cures, and each works.
#include <algorithm>
#include <fmt/format.h>
#include <set>
#include <string_view>
#include <vector>

#include "lsp/requests.h"

namespace cml::lsp {
namespace {

// Each edit that is tried costs an analysis of the model. A request may look at so many bytes,
// which takes some 30 ms; at one edit in any case. What a person wants to have cured is where the
// cursor is, so there it begins; and a client that asks about a whole text gets the first cures.
constexpr std::size_t kMaxBytes = std::size_t{96} << 10;
constexpr std::size_t kMaxTried = 8;  // for one diagnostic

struct Edit {
  std::uint32_t begin;
  std::uint32_t end;
  std::string text;
};

std::vector<std::string> quoted(std::string_view hint) {
  std::vector<std::string> found;
  for (std::size_t at = hint.find('`'); at != hint.npos; at = hint.find('`', at)) {
    const std::size_t end = hint.find('`', at + 1);
    if (end == hint.npos) break;
    found.emplace_back(hint.substr(at + 1, end - at - 1));
    at = end + 1;
  }
  return found;
}

/// What a cure may mean, the most likely first.
std::vector<Edit> edits_of(const Diagnostic& diagnostic, std::string_view text) {
  std::vector<Edit> edits;
  const SourceRange where = diagnostic.where;
  const std::string_view hint = diagnostic.hint;
  const std::string_view is = text.substr(where.begin, where.end - where.begin);
  constexpr std::string_view kRest = "…";
  for (const std::string& word : quoted(hint)) {
    if (word == "var" && !diagnostic.related.empty()) {
      // The declaration says `let`.
      const std::uint32_t name = diagnostic.related.front().where.begin;
      const std::size_t let = text.rfind("let", name);
      if (let != text.npos)
        edits.push_back(
            {static_cast<std::uint32_t>(let), static_cast<std::uint32_t>(let + 3), word});
      continue;
    }
    std::string whole = word;
    if (const std::size_t rest = whole.find(kRest); rest != whole.npos)
      whole.replace(rest, kRest.size(), is);
    if (whole.find(kRest) != whole.npos) continue;
    if (whole.starts_with('.')) whole.erase(0, 1);
    edits.push_back({where.begin, where.end, whole});
    // `m.held()` is `m.held`.
    if (text.substr(where.end, 2) == "()") edits.push_back({where.begin, where.end + 2, whole});
    if (whole.ends_with(';') && whole.size() > 1)
      edits.push_back({where.begin, where.end, whole.substr(0, whole.size() - 1)});
    edits.push_back({where.end, where.end, whole});
    edits.push_back({where.begin, where.begin, whole});
  }
  if (hint.find("delete it") != hint.npos || hint.find("remove") != hint.npos)
    edits.push_back({where.begin, where.end, ""});
  if (edits.size() > kMaxTried) edits.resize(kMaxTried);
  return edits;
}

/// What is wrong with a text. Of many errors only the first are known one by one
/// (Diagnostics::kMaxErrors).
struct Wrong {
  explicit Wrong(const Diagnostics& diagnostics)
      : errors(diagnostics.error_count()), are_all_known(diagnostics.suppressed() == 0) {
    for (const Diagnostic& one : diagnostics.all())
      codes.insert(one.code);
  }

  std::multiset<Code> codes;
  std::size_t errors;
  bool are_all_known;
};

/// Whether one that was there is gone, and none is there that was not.
bool cures(const Wrong& before, const Wrong& after, Code code) {
  if (before.are_all_known && after.are_all_known)
    return after.codes.count(code) < before.codes.count(code) &&
           std::ranges::includes(before.codes, after.codes);
  // Where one is gone, the next one is known instead.
  return after.errors < before.errors &&
         std::ranges::all_of(after.codes, [&](Code one) { return before.codes.contains(one); });
}

std::string title_of(const Edit& edit, std::string_view text) {
  const std::string_view was = text.substr(edit.begin, edit.end - edit.begin);
  if (edit.text.empty()) return fmt::format("delete `{}`", was);
  if (was.empty()) return fmt::format("insert `{}`", edit.text);
  return fmt::format("replace `{}` by `{}`", was, edit.text);
}

std::uint32_t distance(SourceRange where, std::uint32_t offset) {
  if (offset < where.begin) return where.begin - offset;
  return offset > where.end ? offset - where.end : 0;
}

/// Those with a cure that overlap a range, the nearest to its beginning first.
std::vector<const Diagnostic*> curable_in(const Analysis& analysis, std::uint32_t begin,
                                          std::uint32_t end) {
  std::vector<const Diagnostic*> found;
  for (const Diagnostic& one : analysis.diagnostics().all())
    if (one.where.file == analysis.main() && !one.hint.empty() && one.where.begin <= end &&
        one.where.end >= begin)
      found.push_back(&one);
  std::ranges::stable_sort(found, {},
                           [&](const Diagnostic* one) { return distance(one->where, begin); });
  return found;
}

Json action_of(const Analysis& analysis, const Document& document, const Diagnostic& cured,
               const Edit& edit, const Json& known) {
  const Json range = analysis.range({analysis.main(), edit.begin, edit.end});
  const Json edits = Json::array({{{"range", range}, {"newText", edit.text}}});
  Json told = Json::array();
  for (const Json& one : known)
    if (one.value("code", Json()) == code_text(cured.code) &&
        one.value("range", Json()) == analysis.range(cured.where))
      told.push_back(one);
  return {{"title", title_of(edit, document.text.text())},
          {"kind", "quickfix"},
          {"diagnostics", std::move(told)},
          {"isPreferred", true},
          {"edit", {{"changes", {{document.uri, edits}}}}}};
}

}  // namespace

Json code_actions(Workspace& workspace, const Json& params) {
  const Document& document = workspace.document(params);
  const Analysis& analysis = workspace.analysis(document);
  const std::string& text = document.text.text();
  const std::uint32_t begin = analysis.offset(params.at("range").at("start"));
  const std::uint32_t end = analysis.offset(params.at("range").at("end"));
  const Json known = params.at("context").value("diagnostics", Json::array());
  const Wrong before(analysis.diagnostics());
  std::size_t left =
      std::max<std::size_t>(kMaxBytes / std::max<std::size_t>(analysis.size(), 1), 1);
  Json actions = Json::array();
  for (const Diagnostic* const one : curable_in(analysis, begin, end))
    for (const Edit& edit : edits_of(*one, text)) {
      if (left == 0) return actions;
      --left;
      std::string changed = text;
      changed.replace(edit.begin, edit.end - edit.begin, edit.text);
      const Wrong after(workspace.what_if(document, changed).diagnostics());
      if (!cures(before, after, one->code)) continue;
      actions.push_back(action_of(analysis, document, *one, edit, known));
      break;
    }
  return actions;
}

}  // namespace cml::lsp
