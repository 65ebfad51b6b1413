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

inline constexpr std::string_view kSame = "the same";

/// Whether the file (its path below tests/) holds exactly this text, or both texts; writes the file
/// when asked to.
[[nodiscard]] std::string compare_with_golden(std::string_view file, std::string_view text);

}  // namespace cml::test

#define CHECK_GOLDEN(file, text) \
  CHECK(::cml::test::compare_with_golden(file, text) == ::cml::test::kSame)
