// Signals that end what runs long: SIGINT, SIGTERM (`timeout` and continuous integration), SIGHUP
// (the terminal is closed). The first one sets a flag, and what runs ends with what it knows; a
// second one ends the program. What is ignored from the beginning, as SIGHUP below `nohup`, stays
// ignored.
#pragma once

#include <atomic>

namespace cml::app {

/// Signals are handled so during its lifetime, and that of others around it.
class Interruption {
 public:
  Interruption();
  ~Interruption();
  Interruption(const Interruption&) = delete;
  Interruption& operator=(const Interruption&) = delete;

  /// Whether there was a signal since the program began.
  [[nodiscard]] static const std::atomic<bool>& flag();
};

}  // namespace cml::app
