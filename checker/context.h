// Who has asked for a check, besides the options: what may end it, and who is told how it goes on.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>

namespace cml::checker {

/// What a running search says of itself, a few times a second.
struct Progress {
  std::uint64_t states = 0;
  std::uint64_t transitions = 0;
  std::uint64_t depth = 0;
  std::uint64_t waiting = 0;  // stack or queue
  std::uint64_t memory = 0;   // bytes
  double seconds = 0;
};

struct Context {
  const std::atomic<bool>* stop = nullptr;  // set by a signal handler: end with what is known
  std::function<void(const Progress&)> progress;
};

}  // namespace cml::checker
