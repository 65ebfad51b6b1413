// Every model in examples/, examples/structures/ and examples/std/ says which verdict it must get,
// and gets it.
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

TEST_CASE(
    "each module of the standard library has an example, a wrong use and a place in the page") {
  const std::string page = read_file(CML_SOURCE_DIR "/docs/standard-library.md");
  CHECK(models_in("stdlib").size() >= 27);
  CHECK(models_in("examples/std").size() == 2 * models_in("stdlib").size());
  for (const auto& path : models_in("stdlib")) {
    const std::string name = path.stem();
    CAPTURE(name);
    const std::string text = read_file(path);
    // Its first line is what `cml std` says of it.
    CHECK(text.starts_with("// "));
    const std::string first = text.substr(0, text.find('\n'));
    CHECK((first.ends_with(".") && first.size() <= 100));
    CHECK(page.find("| `std." + name + "` |") != std::string::npos);
    const std::filesystem::path folder = CML_SOURCE_DIR "/examples/std";
    const std::string use = read_file(folder / (name + ".cml"));
    const std::string wrong = read_file(folder / (name + "_wrong.cml"));
    CHECK(use.starts_with("// std." + name + ": "));
    CHECK(wrong.starts_with("// std." + name + ", wrongly used: "));
    for (const std::string& model : {use, wrong})
      CHECK(model.find("\nimport std." + name + ";\n") != std::string::npos);
    REQUIRE(expectation(use).has_value());
    REQUIRE(expectation(wrong).has_value());
    CHECK(expectation(use)->verdict == "verified");
    CHECK(expectation(wrong)->verdict == "violated");
  }
}

CML_TEST_PARTS("the standard library does what it says, and its wrong uses are found") {
  for (const auto& path : part.models("examples/std")) {
    CAPTURE(path.filename());
    const Expectation expected = *expectation(read_file(path));
    const CheckAnswer first = check_model(path, {});
    CAPTURE(first.err);
    CHECK(first.verdict() == expected.verdict);
    if (expected.verdict == "verified") {
      CHECK(first.warnings() == expected.warnings);
      CHECK(check_model(path, {"--granularity", "access", "--reduction", "none"}).verdict() ==
            "verified");
    } else {
      REQUIRE_FALSE(first.kinds().empty());
      CHECK(first.kinds().front() == expected.kinds.front());
    }
  }
}

}  // namespace
