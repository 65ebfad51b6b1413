// Checks the text of a model, for tests of what a search says.
#pragma once

#include <doctest/doctest.h>
#include <string>

#include "checker/check.h"
#include "frontend/load_model.h"
#include "ir/lower/lower.h"

namespace cml::test {

inline checker::Result check_text(const std::string& text, const checker::Options& options = {}) {
  SourceSet sources;
  const FileId file = sources.add("model.cml", text);
  Diagnostics diagnostics;
  const model::Model model = load_model(sources, file, {}, diagnostics);
  REQUIRE_FALSE(diagnostics.has_errors());
  const auto system = ir::lower(model, sources);
  REQUIRE(system.has_value());
  checker::Result result = checker::check(*system, sources, options);
  CHECK_FALSE(result.internal_error);
  return result;
}

}  // namespace cml::test
