// Checks the text of a model, for tests of what a search says.
#pragma once

#include <doctest/doctest.h>
#include <string>

#include "checker/check.h"
#include "tests/ir/lowered.h"

namespace cml::test {

inline checker::Result check_text(const std::string& text, const checker::Options& options = {}) {
  const LoweredModel lowered = lowered_model(text);
  checker::Result result = checker::check(lowered.system, lowered.sources, options);
  CHECK_FALSE(result.internal_error);
  return result;
}

}  // namespace cml::test
