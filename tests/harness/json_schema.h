// Validating a document against a JSON Schema, as far as the schemas in docs/schema go: `$ref` into
// `$defs`, `anyOf`, `type`, `enum`, `const`, `pattern`, `minimum`, `properties`, `required`,
// `additionalProperties` and `items` of draft 2020-12 (https://json-schema.org). A schema that says
// more is an error, so nothing that it says is passed over.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "tests/harness/process.h"

namespace cml::test {

/// What is wrong with the document, and where: "/violations/0/kind: …"; empty if it is valid.
[[nodiscard]] std::string schema_violation(const nlohmann::json& schema,
                                           const nlohmann::json& document);

/// What `cml check`, `compare` and `simulate` write with `--format json`.
[[nodiscard]] const nlohmann::json& result_schema();

/// If this was a run of cml that was to write a result as JSON, then what it wrote is valid. All
/// that tests run is looked at (tests/harness/process.cpp).
void check_written_json(const std::vector<std::string>& arguments, const ProcessOptions& options,
                        const ProcessResult& result);

}  // namespace cml::test
