#include "mcp/resources.h"

#include <fmt/format.h>
#include <string>
#include <vector>

#include "frontend/stdlib_embedded.h"
#include "mcp/pages.h"
#include "report/explain_pages.h"

namespace cml::mcp {
namespace {

constexpr std::string_view kMarkdown = "text/markdown";

struct Resource {
  std::string uri;
  std::string title;
  std::string_view type;
  std::string_view text;
};

/// Without what begins a heading or a comment.
std::string_view first_line(std::string_view text) {
  text = text.substr(0, text.find('\n'));
  const std::size_t begin = text.find_first_not_of("#/ ");
  return begin == text.npos ? text : text.substr(begin);
}

std::vector<Resource> all() {
  std::vector<Resource> found;
  for (const Page& page : pages())
    found.push_back({fmt::format("cml://language/{}", page.name),
                     std::string(first_line(page.text)), kMarkdown, page.text});
  for (const EmbeddedModule& module : embedded_stdlib())
    found.push_back({fmt::format("cml://{}", module.name),
                     fmt::format("{}: {}", module.name, first_line(module.text)), "text/plain",
                     module.text});
  for (const report::ExplainPage& page : report::explain_pages())
    found.push_back({fmt::format("cml://explain/{}", page.name), std::string(first_line(page.text)),
                     kMarkdown, page.text});
  return found;
}

}  // namespace

rpc::Json resources() {
  rpc::Json list = rpc::Json::array();
  for (const Resource& one : all())
    list.push_back({{"uri", one.uri}, {"name", one.title}, {"mimeType", one.type}});
  return {{"resources", std::move(list)}};
}

rpc::Answer resource(const rpc::Json& params) {
  constexpr int kNotFound = -32002;
  const auto uri = params.at("uri").get<std::string>();
  for (const Resource& one : all()) {
    if (one.uri != uri) continue;
    const rpc::Json content = {{"uri", one.uri}, {"mimeType", one.type}, {"text", one.text}};
    return rpc::Json{{"contents", rpc::Json::array({content})}};
  }
  return rpc::Failure{kNotFound, fmt::format("there is no resource `{}`", uri)};
}

}  // namespace cml::mcp
