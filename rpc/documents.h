// What documents of `cml check` and `cml simulate` say (docs/schema/result.json), in words: the
// parts that both servers tell.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

namespace cml::rpc {

/// A string without its quotes; anything else as JSON.
[[nodiscard]] std::string text_of(const nlohmann::json& value);
/// The elements of a list, with commas.
[[nodiscard]] std::string joined(const nlohmann::json& list);

/// Why a result is inconclusive. There is always a reason to tell, so that it is not read as
/// success.
[[nodiscard]] std::string why_inconclusive(const nlohmann::json& result);

}  // namespace cml::rpc
