// Comparing with golden files, and writing them.
#include "tests/harness/golden.h"

#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "tests/harness/process.h"

namespace cml::test {
namespace {

std::filesystem::path path_of(std::string_view file) {
  return std::filesystem::path(CML_SOURCE_DIR) / "tests" / file;
}

bool wants_update() {
  const char* value = std::getenv("CML_UPDATE_GOLDEN");
  return value != nullptr && *value != '\0' && std::string_view(value) != "0";
}

}  // namespace

std::string compare_with_golden(std::string_view file, std::string_view text) {
  const std::filesystem::path path = path_of(file);
  const bool exists = std::filesystem::exists(path);
  const std::string expected = exists ? read_file(path) : std::string();
  if (exists && expected == text) return std::string(kSame);
  if (wants_update()) {
    std::filesystem::create_directories(path.parent_path());
    std::ofstream(path, std::ios::binary) << text;
    return std::string(kSame);
  }
  return "tests/" + std::string(file) + " has (CML_UPDATE_GOLDEN=1 rewrites it):\n" + expected +
         "\nbut the text is:\n" + std::string(text);
}

}  // namespace cml::test
