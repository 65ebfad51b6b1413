// The test program's main function; the tests themselves are in the *_test.cpp files.
//
//   cml_tests --shard=3/12     the third of twelve shards: every test case is in one of them
//
// Besides, it takes the options of doctest (--help).
#define DOCTEST_CONFIG_IMPLEMENT
#include <cstdio>
#include <doctest/doctest.h>
#include <string>
#include <string_view>
#include <vector>

#include "tests/harness/shards.h"

namespace {

/// What is in other shards is as if it had not been registered.
void keep(const cml::test::Shard& shard) {
  auto& registered = doctest::detail::getRegisteredTests();
  std::vector<std::string> names;
  for (const doctest::detail::TestCase& test : registered)
    names.emplace_back(test.m_name);
  const std::vector<unsigned> shards = cml::test::deal(names, shard.count);
  std::size_t i = 0;
  std::erase_if(registered, [&](const auto&) { return shards[i++] != shard.number; });
}

}  // namespace

int main(int argc, char** argv) {
  constexpr std::string_view kOption = "--shard=";
  for (int i = 1; i < argc; ++i) {
    const std::string_view argument = argv[i];
    if (!argument.starts_with(kOption)) continue;
    const auto shard = cml::test::Shard::parse(argument.substr(kOption.size()));
    if (!shard) {
      std::fputs("cml_tests: --shard takes a number and how many there are, such as 3/12\n",
                 stderr);
      return 2;
    }
    keep(*shard);
  }
  return doctest::Context(argc, argv).run();
}
