#include "report/result_html.h"

#include <string_view>

#include "report/viewer.h"

namespace cml::report {
namespace {

constexpr std::string_view kPlaceOfReport = "@REPORT@";

/// For an element of HTML: a text in it cannot end the element.
std::string embeddable(const Json& json) {
  std::string text = json.dump(-1, ' ', false, Json::error_handler_t::replace);
  std::string safe;
  safe.reserve(text.size());
  for (const char c : text) {
    if (c == '<') {
      safe += "\\u003c";
    } else {
      safe += c;
    }
  }
  return safe;
}

}  // namespace

std::string result_html(const SourceSet& sources, const Json& document) {
  Json files = Json::array();
  for (std::uint32_t i = 0; i < sources.size(); ++i) {
    const SourceFile& file = sources.file(FileId(i));
    files.push_back({{"file", file.name()}, {"text", file.text()}});
  }
  const std::string_view page = viewer_pages().front().text;
  const std::size_t at = page.find(kPlaceOfReport);
  std::string html(page.substr(0, at));
  html += embeddable({{"result", document}, {"sources", std::move(files)}});
  html += page.substr(at + kPlaceOfReport.size());
  return html;
}

}  // namespace cml::report
