#include "mcp/server.h"

#include <algorithm>
#include <array>
#include <memory>
#include <string>

#include "mcp/resources.h"
#include "mcp/tools.h"
#include "support/version.h"

namespace cml::mcp {
namespace {

using rpc::Answer;
using rpc::Failure;

// The newest first. The one between them has batches of messages, which no other has.
constexpr auto kVersions = std::to_array<std::string_view>({"2025-06-18", "2024-11-05"});

constexpr std::string_view kInstructions =
    "CML describes what the threads of a concurrent program do to each other; `check` tries every "
    "order in which they can do it. Read cml://language/tour before writing a model. An answer "
    "that begins with INCONCLUSIVE is no success.";

Answer initialize(const Json& params) {
  const auto asked = params.value("protocolVersion", std::string());
  const bool is_known = std::find(kVersions.begin(), kVersions.end(), asked) != kVersions.end();
  return Json{{"protocolVersion", is_known ? asked : std::string(kVersions[0])},
              {"capabilities", {{"tools", Json::object()}, {"resources", Json::object()}}},
              {"serverInfo", {{"name", "cml"}, {"version", kVersion}}},
              {"instructions", kInstructions}};
}

}  // namespace

void serve(int in, int out) {
  rpc::Server server(std::make_unique<rpc::LineFraming>(), in, out);
  Tools tools(server);
  bool is_initialized = false;
  server.cancelled_by("notifications/cancelled", "requestId", false);
  server.answer_all();  // also to a script that writes its requests and ends
  server.on_cancelled([&](const Json& id) { tools.cancel(id); });
  server.guard([&](std::string_view method) -> std::variant<std::monostate, Failure> {
    if (!is_initialized && method != "initialize" && method != "ping")
      return Failure{rpc::kInvalidRequest, "`initialize` comes first"};
    return {};
  });
  server.on("initialize", [&](const Json& params, const Json&) {
    Answer answer = initialize(params);
    is_initialized = true;  // not if the parameters are wrong
    return answer;
  });
  server.on("ping", [](const Json&, const Json&) -> Answer { return Json::object(); });
  server.on("tools/list", [](const Json&, const Json&) -> Answer {
    return Json{{"tools", Tools::list()}};
  });
  server.on("tools/call",
            [&](const Json& params, const Json& id) { return tools.call(params, id); });
  server.on("resources/list", [](const Json&, const Json&) -> Answer { return resources(); });
  server.on("resources/templates/list", [](const Json&, const Json&) -> Answer {
    return Json{{"resourceTemplates", Json::array()}};
  });
  server.on("resources/read", [](const Json& params, const Json&) { return resource(params); });
  server.run();
}

}  // namespace cml::mcp
