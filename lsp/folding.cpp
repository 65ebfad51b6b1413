// textDocument/foldingRange: what stands between braces, comments of several lines, and imports.
// Only words are looked at, so text with errors folds, too.
#include <vector>

#include "lsp/requests.h"

namespace cml::lsp {

Json folding_ranges(Workspace& workspace, const Json& params) {
  const Analysis& analysis = workspace.analysis(params);
  const Text& text = analysis.text(analysis.main());
  Json ranges = Json::array();
  const auto fold = [&](std::uint32_t begin, std::uint32_t end, const char* kind) {
    if (end <= begin) return;
    Json range = {{"startLine", begin}, {"endLine", end}};
    if (kind != nullptr) range["kind"] = kind;
    ranges.push_back(std::move(range));
  };
  struct Run {  // of lines
    std::uint32_t begin = 0;
    std::uint32_t end = 0;
    bool is_open = false;
  };
  Run comments;
  Run imports;
  const auto close = [&](Run& run, const char* kind) {
    if (run.is_open) fold(run.begin, run.end, kind);
    run.is_open = false;
  };
  const auto extend = [&](Run& run, std::uint32_t begin, std::uint32_t end, const char* kind) {
    if (run.is_open && begin > run.end + 1) close(run, kind);
    if (!run.is_open) run = {begin, end, true};
    run.end = end;
  };
  std::vector<std::uint32_t> braces;
  for (const Word& word : analysis.words()) {
    const std::uint32_t begin = text.position(word.where.begin).line;
    const std::uint32_t end = text.position(word.where.end).line;
    const std::string_view is = analysis.text(word.where);
    if (word.kind == WordKind::Comment) {
      extend(comments, begin, end, "comment");
      continue;
    }
    if (comments.is_open && begin > comments.end) close(comments, "comment");
    if (is == "import") extend(imports, begin, end, "imports");
    if (is == "{") braces.push_back(begin);
    if (is != "}" || braces.empty()) continue;
    if (end > 0) fold(braces.back(), end - 1, nullptr);  // the closing brace stays
    braces.pop_back();
  }
  close(comments, "comment");
  close(imports, "imports");
  return ranges;
}

}  // namespace cml::lsp
