// Invariants, in every state, and `finally`, where all threads have ended. They are evaluated in
// the interpreter: an invariant once for each combination of the values that it reads
// (invariant_cache.h); the cache is not joined, since evaluating an invariant again finds nothing
// new.
#pragma once

#include <cstdint>
#include <vector>

#include "checker/monitor/invariant_cache.h"
#include "checker/monitor/limit_monitor.h"
#include "checker/monitor/monitor.h"
#include "checker/monitor/recorder.h"
#include "ir/exec/interpreter.h"

namespace cml::checker {

class PropertyMonitor {
 public:
  /// All must outlive it.
  PropertyMonitor(const ir::Layout& layout, ir::Interpreter& interpreter, Recorder& recorder,
                  LimitMonitor& limits);

  [[nodiscard]] bool any() const { return any_; }
  [[nodiscard]] bool has_finals() const { return !system_.finals.empty(); }
  void invariants(const std::uint8_t* state, const Where& where);
  void finals(const std::uint8_t* state, const Where& where);
  /// Nothing of its own: findings and limits are joined where they are kept.
  void join(const PropertyMonitor&) {}

 private:
  void run(Source source, std::size_t property, const ir::Code& code, const std::uint8_t* state,
           const Where& where);

  ir::Interpreter& interpreter_;
  const ir::System& system_;
  Recorder& recorder_;
  LimitMonitor& limits_;
  bool any_;
  std::vector<InvariantCache> caches_;  // by invariant
  ir::Record record_;                   // scratch
};
static_assert(Monitor<PropertyMonitor>);

}  // namespace cml::checker
