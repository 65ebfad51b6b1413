// The line `// expect: …` of a model: the verdict that it must get.
//
//     // expect: verified
//     // expect: violated lock-discipline assertion
//
//     // warns: lock-order
//
// After `violated` stand the kinds of violation that the model contains; a check that stops at the
// first one reports the one at the head. `warns` is there if a complete check warns of something.
#pragma once

#include <nlohmann/json.hpp>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace cml::test {

struct Expectation {
  std::string verdict;             // "verified", "violated", "inconclusive"
  std::vector<std::string> kinds;  // only if violated
  std::vector<std::string> warnings;
};

/// None if the text has no such line.
[[nodiscard]] std::optional<Expectation> expectation(std::string_view text);

/// What a check of a model answered, by `cml check --format json`.
struct CheckAnswer {
  int status = -1;
  std::string err;
  nlohmann::json result;  // discarded where stdout was no JSON

  [[nodiscard]] std::string verdict() const;
  /// Of the violations, in the order in which they are reported.
  [[nodiscard]] std::vector<std::string> kinds() const;
  [[nodiscard]] std::vector<std::string> warnings() const;
};
[[nodiscard]] CheckAnswer check_model(const std::string& path,
                                      const std::vector<std::string>& options);

/// The exit status that goes with a verdict.
[[nodiscard]] int exit_status(std::string_view verdict);

}  // namespace cml::test
