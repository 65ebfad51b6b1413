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

bool matches_golden(std::string_view file, std::string_view text) {
  const std::filesystem::path path = path_of(file);
  if (wants_update() && (!std::filesystem::exists(path) || read_file(path) != text)) {
    std::filesystem::create_directories(path.parent_path());
    std::ofstream(path, std::ios::binary) << text;
  }
  return std::filesystem::exists(path) && read_file(path) == text;
}

std::string golden_text(std::string_view file) {
  const std::filesystem::path path = path_of(file);
  if (!std::filesystem::exists(path)) {
    return "(no such golden file; CML_UPDATE_GOLDEN=1 writes it)";
  }
  return read_file(path);
}

}  // namespace cml::test
