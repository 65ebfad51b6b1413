// A temporary file beside the old one, renamed to it when it is complete.
#include "app/replace_file.h"

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fmt/core.h>
#include <sys/stat.h>
#include <system_error>
#include <unistd.h>

namespace cml::app {
namespace {

bool write_all(int descriptor, std::string_view text) {
  while (!text.empty()) {
    const ssize_t written = ::write(descriptor, text.data(), text.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) return false;
    text.remove_prefix(static_cast<std::size_t>(written));
  }
  return true;
}

/// Whether the group stays depends on who we are; it is worth a try. The mode is set last, because
/// a change of the owner may clear bits of it.
bool copy_attributes(int descriptor, const struct stat& from) {
  [[maybe_unused]] const int ignored = ::fchown(descriptor, from.st_uid, from.st_gid);
  return ::fchmod(descriptor, from.st_mode & 07777U) == 0;
}

}  // namespace

Expected<void, std::string> replace_file(const std::string& path, std::string_view text) {
  const auto failure = [&](int reason) {
    return Unexpected(fmt::format("cannot write `{}`: {}", path, std::strerror(reason)));
  };
  std::error_code error;
  const std::filesystem::path target = std::filesystem::canonical(path, error);
  if (error) return failure(error.value());
  struct stat attributes = {};
  if (::stat(target.c_str(), &attributes) != 0) return failure(errno);
  if (!S_ISREG(attributes.st_mode)) {
    return Unexpected(fmt::format("cannot write `{}`: it is no regular file", path));
  }
  if (::access(target.c_str(), W_OK) != 0) return failure(errno);

  std::string name = (target.parent_path() / ".cml-fmt-XXXXXX").string();
  const int descriptor = ::mkstemp(name.data());
  if (descriptor < 0) return failure(errno);
  const bool written = write_all(descriptor, text) && copy_attributes(descriptor, attributes) &&
                       ::fsync(descriptor) == 0;
  int reason = errno;
  const bool closed = ::close(descriptor) == 0;
  if (written && !closed) reason = errno;
  if (written && closed) {
    if (::rename(name.c_str(), target.c_str()) == 0) return {};
    reason = errno;
  }
  ::unlink(name.c_str());
  return failure(reason);
}

}  // namespace cml::app
