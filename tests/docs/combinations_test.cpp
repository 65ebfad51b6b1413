// docs/reductions.md says of all options what they can be and what cannot be combined: the table is
// that of checker/combinations.def. CML_UPDATE_GOLDEN=1 writes it there.
#include "checker/combinations.h"

#include <cstdlib>
#include <doctest/doctest.h>
#include <fstream>
#include <string>

#include "tests/harness/process.h"

namespace {

using namespace cml;

constexpr const char* kPage = CML_SOURCE_DIR "/docs/reductions.md";
const std::string kBegin = "<!-- from checker/combinations.def -->\n";
const std::string kEnd = "<!-- end -->\n";

TEST_CASE("the table of what can be combined is that of the list") {
  std::string text = test::read_file(kPage);
  const std::size_t begin = text.find(kBegin);
  const std::size_t end = text.find(kEnd);
  REQUIRE(begin != std::string::npos);
  REQUIRE(end != std::string::npos);
  const std::size_t first = begin + kBegin.size();
  const std::string table = checker::combinations_table();
  const bool is_current = text.substr(first, end - first) == table;
  // NOLINTNEXTLINE(concurrency-mt-unsafe): not set here
  if (!is_current && std::getenv("CML_UPDATE_GOLDEN") != nullptr) {
    text.replace(first, end - first, table);
    std::ofstream(kPage, std::ios::binary) << text;
    return;
  }
  CHECK_MESSAGE(is_current, "the table in docs/reductions.md is another: CML_UPDATE_GOLDEN=1");
}

}  // namespace
