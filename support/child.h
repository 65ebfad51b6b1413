// A process that works beside this one, a copy of it (fork): what it writes to its two streams is
// collected in memory, a descriptor becomes readable once it has ended, and it ends with its
// parent.
//
// That descriptor is the end of a pipe whose other end the child alone keeps, so a poll() that
// waits for other things, too, waits for children. Files in memory have no size to run full at, as
// pipes have, so nobody needs to read while the child writes.
#pragma once

#include <csignal>
#include <functional>
#include <optional>
#include <string>
#include <sys/types.h>
#include <utility>

namespace cml {

/// A file descriptor that is closed.
class Descriptor {
 public:
  explicit Descriptor(int number = -1) : number_(number) {}
  ~Descriptor() { close(); }
  Descriptor(Descriptor&& other) noexcept : number_(std::exchange(other.number_, -1)) {}
  Descriptor& operator=(Descriptor&& other) noexcept {
    close();
    number_ = std::exchange(other.number_, -1);
    return *this;
  }
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;

  void close();
  [[nodiscard]] int number() const { return number_; }
  [[nodiscard]] bool valid() const { return number_ >= 0; }

 private:
  int number_;
};

/// A file in memory with this text, at its beginning; programs that are executed do not have it.
/// Not valid: there is none to be had, or not of this size.
[[nodiscard]] Descriptor memory_file(const char* name, const std::string& text = {});

class Child {
 public:
  struct Setup {
    int signal_without_parent = SIGKILL;
    bool collects = true;  // else it writes where this process does
  };

  /// `work` is called in the child, and does not return. None: there is no process to be had, and
  /// errno says why.
  [[nodiscard]] static std::optional<Child> start(const Setup& setup,
                                                  const std::function<void()>& work);

  /// Readable, as at its end, once the child is gone.
  [[nodiscard]] int ended() const { return ended_.number(); }
  void send(int signal) const;
  /// For its end; what waitpid() says of it.
  [[nodiscard]] int wait() const;
  /// What it has written.
  [[nodiscard]] std::string out() const;
  [[nodiscard]] std::string err() const;

 private:
  Child() = default;

  pid_t process_ = -1;
  Descriptor out_;
  Descriptor err_;
  Descriptor ended_;
};

}  // namespace cml
