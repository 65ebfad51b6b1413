// Reading a whole file. Failures are reported in the words of the operating system. What is too
// large is refused before it fills the memory; what is no regular file, before reading it would
// block (a FIFO without a writer).
#include <cerrno>
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <system_error>
#include <unistd.h>

#include "frontend/load_model.h"

namespace cml {
namespace {

constexpr std::size_t kMaxFileSize = std::size_t{16} << 20;

/// Closes what it has opened, and leaves standard input open.
class Descriptor {
 public:
  explicit Descriptor(const std::string& path)
      // Not even the opening of a FIFO may wait, nor that of a terminal make it ours.
      : number_(path == "-" ? STDIN_FILENO
                            : ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK)) {}
  ~Descriptor() {
    if (number_ > STDIN_FILENO) ::close(number_);
  }
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;

  [[nodiscard]] int number() const { return number_; }

 private:
  int number_;
};

std::string reason(int error) { return std::generic_category().message(error); }

}  // namespace

Expected<FileId, ReadError> read_file(SourceSet& sources, const std::string& path) {
  const auto failure = [&](const std::string& why, std::string cure = {}) {
    return Unexpected(ReadError{fmt::format("cannot read `{}`: {}", path, why), std::move(cure)});
  };
  if (path.empty() || path.find('\0') != std::string::npos) return failure("this names no file");
  const Descriptor file(path);
  if (file.number() < 0) return failure(reason(errno));
  struct stat status = {};
  if (::fstat(file.number(), &status) != 0) return failure(reason(errno));
  if (S_ISDIR(status.st_mode)) return failure("it is a directory");
  if (path != "-" && !S_ISREG(status.st_mode))
    return failure("it is no regular file", "`-` reads a model from standard input");
  std::string text;
  char buffer[64 * 1024];
  for (;;) {
    const ssize_t got = ::read(file.number(), buffer, sizeof buffer);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return failure(reason(errno));
    if (got == 0) break;
    text.append(buffer, static_cast<std::size_t>(got));
    if (text.size() > kMaxFileSize) return failure("it is larger than 16 MiB");
  }
  return sources.add(path, std::move(text));
}

}  // namespace cml
