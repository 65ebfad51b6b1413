// Whether a sanitizer watches what is tested (tests/CMakeLists.txt): tests that take long do less
// then.
#pragma once

namespace cml::test {

#ifdef CML_SANITIZED
inline constexpr bool kSanitized = true;
#else
inline constexpr bool kSanitized = false;
#endif

}  // namespace cml::test
