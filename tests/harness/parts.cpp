#include "tests/harness/parts.h"

#include <algorithm>
#include <deque>
#include <fmt/format.h>
#include <string>

namespace cml::test {
namespace {

constexpr std::string_view kOpening = " (part ";

}  // namespace

std::vector<std::filesystem::path> models_in(std::string_view folder) {
  std::vector<std::filesystem::path> models;
  for (const auto& entry :
       std::filesystem::directory_iterator(fmt::format("{}/{}", CML_SOURCE_DIR, folder)))
    if (entry.path().extension() == ".cml") models.push_back(entry.path());
  std::ranges::sort(models);
  return models;
}

std::vector<std::filesystem::path> Part::models(std::string_view folder) const {
  const std::vector<std::filesystem::path> all = models_in(folder);
  std::vector<std::filesystem::path> mine;
  for (std::size_t i = 0; i < all.size(); ++i)
    if (has(i)) mine.push_back(all[i]);
  return mine;
}

const char* part_name(const char* test, unsigned number) {
  static std::deque<std::string> names;
  return names.emplace_back(fmt::format("{}{}{} of {})", test, kOpening, number + 1, kParts))
      .c_str();
}

std::optional<unsigned> part_number(std::string_view test_case) {
  const std::size_t at = test_case.rfind(kOpening);
  if (at == std::string_view::npos) return std::nullopt;
  return static_cast<unsigned>(std::stoul(std::string(test_case.substr(at + kOpening.size())))) - 1;
}

}  // namespace cml::test
