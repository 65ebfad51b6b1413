// Long tests in parts, so that the shards of a run of the test program share them (tests/main.cpp).
//
//   CML_TEST_PARTS("models come out the same under every combination") {
//     for (const fs::path& path : part.models("tests/models")) …
//   }
//
// registers the test cases "… (part 1 of 12)" to "… (part 12 of 12)". Each takes every twelfth seed
// or model. A seed or model is in the part of the same number in every test, and a shard runs all
// parts of a number: so one process sees a model in all its tests, and finds out only once what is
// true of it (tests/differential/subject.h).
#pragma once

#include <cstdint>
#include <doctest/doctest.h>
#include <filesystem>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

namespace cml::test {

inline constexpr unsigned kParts = 12;

struct Part {
  unsigned number = 0;  // below kParts

  [[nodiscard]] bool has(std::uint64_t item) const { return item % kParts == number; }
  /// Those of the models in a folder of the project, in order, that belong to this part.
  [[nodiscard]] std::vector<std::filesystem::path> models(std::string_view folder) const;
};

/// All of them.
[[nodiscard]] std::vector<std::filesystem::path> models_in(std::string_view folder);

/// How a test case is called that is the part of a test; it lives as long as the program.
[[nodiscard]] const char* part_name(const char* test, unsigned number);
/// The number of the part that a test case is.
[[nodiscard]] std::optional<unsigned> part_number(std::string_view test_case);

template <void (*Test)(const Part&), unsigned Number>
void run_part() {
  Test(Part{Number});
}

template <void (*Test)(const Part&), unsigned... Numbers>
int register_parts(const char* name, const char* file, unsigned line,
                   std::integer_sequence<unsigned, Numbers...> /*numbers*/) {
  (doctest::detail::regTest(doctest::detail::TestCase(&run_part<Test, Numbers>, file, line,
                                                      doctest::detail::TestSuite()) *
                            part_name(name, Numbers)),
   ...);
  return 0;
}

}  // namespace cml::test

#define CML_TEST_PARTS_AS(name, function)                                                         \
  static void function(const ::cml::test::Part& part);                                            \
  [[maybe_unused]] static const int DOCTEST_CAT(function, _registered) =                          \
      ::cml::test::register_parts<&(function)>(                                                   \
          name, __FILE__, __LINE__, std::make_integer_sequence<unsigned, ::cml::test::kParts>()); \
  static void function([[maybe_unused]] const ::cml::test::Part& part)
#define CML_TEST_PARTS(name) CML_TEST_PARTS_AS(name, DOCTEST_CAT(cml_test_in_parts_, __COUNTER__))
