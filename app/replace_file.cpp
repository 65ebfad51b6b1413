// A temporary file beside the old one, renamed to it when it is complete.
#include "app/replace_file.h"

#include <array>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <filesystem>
#include <fmt/core.h>
#include <sys/stat.h>
#include <system_error>
#include <unistd.h>

namespace cml::app {
namespace {

constexpr std::array kEndingSignals = {SIGINT, SIGTERM, SIGHUP, SIGQUIT};
constexpr mode_t kNewFile = 0666;  // less what the umask says

volatile std::sig_atomic_t came = 0;  // the signal that is to end the program later

/// During its lifetime, a signal that would end the program is deferred, whichever thread it
/// reaches. Signals that are ignored or handled stay so.
class SignalsLater {
 public:
  SignalsLater() {
    came = 0;
    for (std::size_t i = 0; i < kEndingSignals.size(); ++i) {
      ::sigaction(kEndingSignals[i], nullptr, &before_[i]);
      if (!would_end(before_[i])) continue;
      struct sigaction later = {};
      later.sa_handler = [](int signal) { came = signal; };
      later.sa_flags = SA_RESTART;
      ::sigaction(kEndingSignals[i], &later, nullptr);
    }
  }
  ~SignalsLater() {
    for (std::size_t i = 0; i < kEndingSignals.size(); ++i)
      if (would_end(before_[i])) ::sigaction(kEndingSignals[i], &before_[i], nullptr);
    if (came != 0) std::raise(came);
  }
  SignalsLater(const SignalsLater&) = delete;
  SignalsLater& operator=(const SignalsLater&) = delete;

 private:
  static bool would_end(const struct sigaction& action) {
    return (action.sa_flags & SA_SIGINFO) == 0 && action.sa_handler == SIG_DFL;
  }

  std::array<struct sigaction, kEndingSignals.size()> before_ = {};
};

Unexpected<std::string> failure(const std::string& path, int reason) {
  return Unexpected(fmt::format("cannot write `{}`: {}", path, std::strerror(reason)));
}

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

bool new_attributes(int descriptor) {
  const mode_t mask = ::umask(0);  // there is no other way to read it
  ::umask(mask);
  return ::fchmod(descriptor, kNewFile & ~mask) == 0;
}

/// `old`: what the file was before; null: there was none. 0, or what went wrong.
int replace(const std::filesystem::path& target, std::string_view text, const struct stat* old) {
  const SignalsLater later;
  std::string name = (target.parent_path() / ".cml-XXXXXX").string();
  const int descriptor = ::mkstemp(name.data());
  if (descriptor < 0) return errno;
  const bool written =
      write_all(descriptor, text) &&
      (old != nullptr ? copy_attributes(descriptor, *old) : new_attributes(descriptor)) &&
      ::fsync(descriptor) == 0;
  int reason = errno;
  const bool closed = ::close(descriptor) == 0;
  if (written && !closed) reason = errno;
  if (written && closed) {
    if (::rename(name.c_str(), target.c_str()) == 0) return 0;
    reason = errno;
  }
  ::unlink(name.c_str());
  return reason;
}

int write_in_place(const std::string& path, std::string_view text) {
  const int descriptor = ::open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, kNewFile);
  if (descriptor < 0) return errno;
  const int reason = write_all(descriptor, text) ? 0 : errno;
  const bool closed = ::close(descriptor) == 0;
  return reason == 0 && !closed ? errno : reason;
}

}  // namespace

Expected<void, std::string> replace_file(const std::string& path, std::string_view text) {
  std::error_code error;
  const std::filesystem::path target = std::filesystem::canonical(path, error);
  if (error) return failure(path, error.value());
  struct stat attributes = {};
  if (::stat(target.c_str(), &attributes) != 0) return failure(path, errno);
  if (!S_ISREG(attributes.st_mode)) {
    return Unexpected(fmt::format("cannot write `{}`: it is no regular file", path));
  }
  if (::access(target.c_str(), W_OK) != 0) return failure(path, errno);
  if (const int reason = replace(target, text, &attributes); reason != 0)
    return failure(path, reason);
  return {};
}

Expected<void, std::string> write_file(const std::string& path, std::string_view text) {
  struct stat attributes = {};
  const bool exists = ::stat(path.c_str(), &attributes) == 0;
  int reason = 0;
  if (exists && !S_ISREG(attributes.st_mode)) {
    reason = write_in_place(path, text);
  } else if (exists && ::access(path.c_str(), W_OK) != 0) {
    reason = errno;
  } else {
    // A link to nothing stays one: what it leads to is made in place.
    std::error_code error;
    const std::filesystem::path target = std::filesystem::weakly_canonical(path, error);
    std::error_code ignored;
    if (error) {
      reason = error.value();
    } else if (!exists && std::filesystem::is_symlink(target, ignored)) {
      reason = EACCES;
    } else {
      reason = replace(target, text, exists ? &attributes : nullptr);
    }
    if (reason == EACCES || reason == EPERM) reason = write_in_place(path, text);
  }
  if (reason != 0) return failure(path, reason);
  return {};
}

}  // namespace cml::app
