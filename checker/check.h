// The entrance to the checker: explores a system and says what it found.
//
//   System ──Step──▶ search (store × order) ──▶ monitors ──▶ findings ──replay──▶ Result
//
// `search.h` walks the graph, `monitors.h` looks at what happens, `trace.h` replays every finding
// in the reference interpreter before it is reported.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>

#include "checker/options.h"
#include "checker/result.h"
#include "frontend/source.h"
#include "ir/system.h"

namespace cml::checker {

/// What a running search tells, a few times a second.
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

[[nodiscard]] Result check(const ir::System& system, const SourceSet& sources,
                           const Options& options, const Context& context = {});

}  // namespace cml::checker
