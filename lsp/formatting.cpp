// textDocument/formatting: as `cml fmt`, in one edit from the first line that changes to the last.
// Text that does not parse stays as it is.
#include <algorithm>

#include "frontend/format.h"
#include "lsp/requests.h"

namespace cml::lsp {

Json formatting(Workspace& workspace, const Json& params) {
  const Document& document = workspace.document(params);
  const std::string& before = document.text.text();
  SourceSet sources;
  Diagnostics ignored;
  const FileId file = sources.add(document.path, before);
  const auto formatted = format(sources, file, ignored);
  if (!formatted) return nullptr;
  const std::string& after = *formatted;
  if (after == before) return Json::array();
  const std::size_t shorter = std::min(before.size(), after.size());
  std::size_t head = 0;
  while (head < shorter && before[head] == after[head])
    ++head;
  while (head > 0 && before[head - 1] != '\n')
    --head;
  std::size_t tail = 0;
  while (tail < shorter - head &&
         before[before.size() - 1 - tail] == after[after.size() - 1 - tail])
    ++tail;
  while (tail > 0 && before[before.size() - tail] != '\n')
    --tail;
  return Json::array({{{"range",
                        {{"start", position_json(document.text.position(head))},
                         {"end", position_json(document.text.position(before.size() - tail))}}},
                       {"newText", after.substr(head, after.size() - head - tail)}}});
}

}  // namespace cml::lsp
