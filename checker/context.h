// What a check gets besides the options: what may end it, and where progress is reported.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>

namespace cml::checker {

/// The progress of a search, reported a few times a second.
struct Progress {
  std::uint64_t states = 0;
  std::uint64_t transitions = 0;
  std::uint64_t depth = 0;
  std::uint64_t waiting = 0;  // stack or queue
  std::uint64_t memory = 0;   // bytes
  double seconds = 0;
};

struct Context {
  const std::atomic<bool>* stop = nullptr;  // set by a signal handler: end with what was found
  std::function<void(const Progress&)> progress;
};

}  // namespace cml::checker
