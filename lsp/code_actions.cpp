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

constexpr std::size_t kMaxTried = 8;  // for one diagnostic; each costs an analysis

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

std::multiset<Code> errors_of(const Analysis& analysis) {
  std::multiset<Code> codes;
  for (const Diagnostic& one : analysis.diagnostics().all())
    codes.insert(one.code);
  return codes;
}

/// Whether one that was there is gone, and none is there that was not.
bool cures(const std::multiset<Code>& before, const std::multiset<Code>& after, Code code) {
  return after.count(code) < before.count(code) && std::ranges::includes(before, after);
}

std::string title_of(const Edit& edit, std::string_view text) {
  const std::string_view was = text.substr(edit.begin, edit.end - edit.begin);
  if (edit.text.empty()) return fmt::format("delete `{}`", was);
  if (was.empty()) return fmt::format("insert `{}`", edit.text);
  return fmt::format("replace `{}` by `{}`", was, edit.text);
}

}  // namespace

Json code_actions(Workspace& workspace, const Json& params) {
  const Document& document = workspace.document(params);
  const Analysis& analysis = workspace.analysis(document);
  const std::string& text = document.text.text();
  const std::uint32_t begin = analysis.offset(params.at("range").at("start"));
  const std::uint32_t end = analysis.offset(params.at("range").at("end"));
  const std::multiset<Code> before = errors_of(analysis);
  Json actions = Json::array();
  for (const Diagnostic& one : analysis.diagnostics().all()) {
    if (one.where.file != analysis.main() || one.hint.empty()) continue;
    if (one.where.begin > end || one.where.end < begin) continue;
    for (const Edit& edit : edits_of(one, text)) {
      std::string changed = text;
      changed.replace(edit.begin, edit.end - edit.begin, edit.text);
      if (!cures(before, errors_of(workspace.what_if(document, changed)), one.code)) continue;
      const Json edits =
          Json::array({{{"range", analysis.range({analysis.main(), edit.begin, edit.end})},
                        {"newText", edit.text}}});
      Json told = Json::array();
      for (const Json& known : params.at("context").value("diagnostics", Json::array()))
        if (known.value("code", Json()) == code_text(one.code) &&
            known.value("range", Json()) == analysis.range(one.where))
          told.push_back(known);
      actions.push_back({{"title", title_of(edit, text)},
                         {"kind", "quickfix"},
                         {"diagnostics", std::move(told)},
                         {"isPreferred", true},
                         {"edit", {{"changes", {{document.uri, edits}}}}}});
      break;
    }
  }
  return actions;
}

}  // namespace cml::lsp
