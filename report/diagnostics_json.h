// Diagnostics for programs: the `diagnostics` of a cml-result/1 document (docs/command-line.md).
//
// Columns count code points from 1; `end_line` and `end_column` are the place just behind. Text
// from files may hold any bytes: `json_text` writes U+FFFD for what is not UTF-8 and never throws
// for it.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "frontend/diagnostic.h"
#include "frontend/source.h"

namespace cml::report {

/// Objects keep the order in which their members were added.
using Json = nlohmann::ordered_json;

/// {"file", "line", "column", "end_line", "end_column"}
[[nodiscard]] Json location_json(const SourceSet& sources, SourceRange where);

/// [{"code", "severity", "message", "location", "related", "hint"}, …]
[[nodiscard]] Json diagnostics_json(const SourceSet& sources, const Diagnostics& diagnostics);

/// The members that every result document starts with: schema, tool and model.
[[nodiscard]] Json result_head(const std::string& model);

/// The result where a model could not be checked because of its errors.
[[nodiscard]] Json model_error_json(const SourceSet& sources, const Diagnostics& diagnostics,
                                    const std::string& model);

/// The result where the model's file could not be read: one diagnostic without code and place.
[[nodiscard]] Json read_error_json(const std::string& message, const std::string& model);

/// The text of a document, indented, with a line break at its end.
[[nodiscard]] std::string json_text(const Json& document);

}  // namespace cml::report
