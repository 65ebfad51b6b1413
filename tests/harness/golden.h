// Golden files: what a person sees, kept under tests/ and compared byte by byte.
//
//   CHECK_GOLDEN("cli/golden/help.txt", result.out);
//
// With CML_UPDATE_GOLDEN=1 in the environment the files are written instead of compared, for review
// with `git diff`.
#pragma once

#include <doctest/doctest.h>
#include <string>
#include <string_view>

namespace cml::test {

/// Whether the file (its path below tests/) holds exactly this text; writes it when asked to.
[[nodiscard]] bool matches_golden(std::string_view file, std::string_view text);

/// The text of the golden file.
[[nodiscard]] std::string golden_text(std::string_view file);

}  // namespace cml::test

#define CHECK_GOLDEN(file, text)                               \
  do {                                                         \
    const std::string golden_actual_(text);                    \
    if (!::cml::test::matches_golden(file, golden_actual_))    \
      CHECK(golden_actual_ == ::cml::test::golden_text(file)); \
  } while (false)
