// Every model in examples/ and examples/structures/ says which verdict it must get, and gets it.
#include <doctest/doctest.h>
#include <filesystem>
#include <set>
#include <string>
#include <vector>

#include "tests/harness/expectation.h"
#include "tests/harness/parts.h"
#include "tests/harness/process.h"

namespace {

using namespace cml::test;

TEST_CASE("there are examples, and each says what it shows and what must come out") {
  CHECK(models_in("examples").size() >= 30);
  for (const auto& path : models_in("examples")) {
    CAPTURE(path.filename());
    const std::string text = read_file(path);
    const auto expected = expectation(text);
    REQUIRE(expected.has_value());
    CHECK((expected->verdict == "violated") == !expected->kinds.empty());
    CHECK((expected->verdict == "violated" || expected->verdict == "verified"));
    CHECK(text.starts_with("// "));
    CHECK_FALSE(text.starts_with("// expect"));
  }
}

CML_TEST_PARTS("examples get the verdict that they must get") {
  for (const auto& path : part.models("examples")) {
    const std::string name = path.stem();
    CAPTURE(name);
    const Expectation expected = *expectation(read_file(path));
    const CheckAnswer first = check_model(path, {});
    CAPTURE(first.err);
    CHECK(first.verdict() == expected.verdict);
    CHECK(first.status == exit_status(expected.verdict));
    if (expected.verdict == "verified") {
      CHECK(first.warnings() == expected.warnings);
      continue;
    }
    REQUIRE_FALSE(first.kinds().empty());
    CHECK(first.kinds().front() == expected.kinds.front());

    // All examples but the philosophers are far smaller; a violation beats the limit.
    // What else goes wrong in a model that breaks the discipline, only `access` finds for certain.
    const std::vector<std::string> found =
        check_model(path, {"--all", "--max-states", "20000", "--granularity", "access"}).kinds();
    CHECK(std::set<std::string>(found.begin(), found.end()) ==
          std::set<std::string>(expected.kinds.begin(), expected.kinds.end()));
  }
}

TEST_CASE("there are data structures, each of which says what it shows and that it is right") {
  CHECK(models_in("examples/structures").size() >= 6);
  for (const auto& path : models_in("examples/structures")) {
    CAPTURE(path.filename());
    const std::string text = read_file(path);
    const auto expected = expectation(text);
    REQUIRE(expected.has_value());
    CHECK(expected->verdict == "verified");
    CHECK(text.starts_with("// "));
    CHECK_FALSE(text.starts_with("// expect"));
  }
}

CML_TEST_PARTS("structures are verified by default and with all interleavings of accesses") {
  for (const auto& path : part.models("examples/structures")) {
    CAPTURE(path.filename());
    const CheckAnswer answer = check_model(path, {});
    CAPTURE(answer.err);
    CHECK(answer.verdict() == "verified");
    CHECK(answer.warnings().empty());
    CHECK(check_model(path, {"--granularity", "access", "--reduction", "none"}).verdict() ==
          "verified");
  }
}

}  // namespace
