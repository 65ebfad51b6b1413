#include "rpc/documents.h"

#include <fmt/format.h>

namespace cml::rpc {

using Json = nlohmann::json;

std::string text_of(const Json& value) {
  return value.is_string() ? value.get<std::string>() : value.dump();
}

std::string joined(const Json& list) {
  std::string text;
  for (const Json& one : list)
    text += (text.empty() ? "" : ", ") + text_of(one);
  return text;
}

std::string why_inconclusive(const Json& result) {
  if (!result.at("unsupported").is_null())
    return "this model cannot be run: " + text_of(result["unsupported"].at("message"));
  if (result.contains("simulation"))
    return fmt::format("{} random walks have found nothing, which proves nothing",
                       result["simulation"].at("runs").dump());
  const Json& limits = result.at("stats").at("limits_hit");
  if (!limits.empty()) return "a limit was reached: " + joined(limits);
  return "the search did not look at everything";
}

}  // namespace cml::rpc
