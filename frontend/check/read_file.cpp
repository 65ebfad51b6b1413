// Reading a whole file. Failures are told in the words of the operating system; what is too large
// or no regular file is refused before it fills the memory.
#include <cerrno>
#include <cstdio>
#include <filesystem>
#include <fmt/format.h>
#include <memory>
#include <system_error>

#include "frontend/check.h"

namespace cml {
namespace {

constexpr std::size_t kMaxFileSize = std::size_t{16} << 20;

struct Close {
  void operator()(std::FILE* file) const {
    if (file != stdin) std::fclose(file);
  }
};

std::string reason(int error) { return std::generic_category().message(error); }

}  // namespace

Expected<FileId, ReadError> read_file(SourceSet& sources, const std::string& path) {
  const auto failure = [&](const std::string& why) {
    return Unexpected(ReadError{fmt::format("cannot read `{}`: {}", path, why)});
  };
  if (path.empty() || path.find('\0') != std::string::npos) return failure("this names no file");
  const bool standard_input = path == "-";
  if (!standard_input) {
    std::error_code error;
    if (std::filesystem::is_directory(path, error)) return failure("it is a directory");
  }
  const std::unique_ptr<std::FILE, Close> file(standard_input ? stdin
                                                              : std::fopen(path.c_str(), "rb"));
  if (!file) return failure(reason(errno));
  std::string text;
  char buffer[64 * 1024];
  while (const std::size_t got = std::fread(buffer, 1, sizeof buffer, file.get())) {
    text.append(buffer, got);
    if (text.size() > kMaxFileSize) return failure("it is larger than 16 MiB");
  }
  if (std::ferror(file.get()) != 0) return failure(reason(errno));
  return sources.add(path, std::move(text));
}

}  // namespace cml
