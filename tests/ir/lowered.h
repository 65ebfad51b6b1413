// Models as text, lowered: for the tests of the IR and of the checker.
#pragma once

#include <string>
#include <string_view>

#include "frontend/load_model.h"
#include "frontend/model.h"
#include "ir/lower/lower.h"

namespace cml::test {

/// A model without errors that can be run: read, checked and lowered.
struct LoweredModel {
  SourceSet sources;
  model::Model model;
  ir::System system;
};
/// Fails the test if the model has errors or cannot be run.
[[nodiscard]] LoweredModel lowered_model(std::string_view text,
                                         const std::string& file = "model.cml");

/// The System of a model without errors, or what cannot be run. Imports are looked for beside
/// `file`.
[[nodiscard]] Expected<ir::System, ir::Unsupported> lowered(std::string_view model,
                                                            const std::string& file = "test.cml");
/// The System of a model that can be run; an empty one fails the test.
[[nodiscard]] ir::System system_of(std::string_view model);
/// The text of a file below tests/ or, with "../", of the project.
[[nodiscard]] std::string project_text(const std::string& file);

}  // namespace cml::test
