// With how much room for objects, calls and spawned threads a model is lowered. They are part of
// each state, so there is little at first, and more where that turns out not to be enough.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "checker/options.h"
#include "ir/lower/lower.h"

namespace cml::app {

class Room {
 public:
  explicit Room(const checker::Limits& limits) : limits_(limits) {}

  [[nodiscard]] ir::LowerOptions lowering() const;
  /// Whether there can be more of something.
  [[nodiscard]] bool can_grow() const { return any(growing({true, true, true})); }
  /// Makes room for what has come to its limit, by its name (Statistics::limits_hit); false: there
  /// is none such that can have more.
  [[nodiscard]] bool grow(const std::vector<std::string>& limits_hit);

 private:
  struct Kinds {
    bool objects = false;
    bool calls = false;
    bool threads = false;
  };
  [[nodiscard]] Kinds growing(Kinds wanted) const;
  [[nodiscard]] static bool any(Kinds kinds) {
    return kinds.objects || kinds.calls || kinds.threads;
  }

  static constexpr std::uint64_t kAtFirst = 8;
  checker::Limits limits_;
  std::uint64_t objects_ = kAtFirst;
  std::uint64_t calls_ = kAtFirst;
  std::uint64_t threads_ = kAtFirst;
};

}  // namespace cml::app
