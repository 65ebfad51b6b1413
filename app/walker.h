// A walk (checker/walk.h) with what it needs: the System, lowered with as much room as the walk
// turns out to need.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "app/model_input.h"
#include "app/room.h"
#include "checker/walk.h"

namespace cml::app {

/// A step as it can be named outside: of whatever System the model is lowered to.
struct NamedStep {
  std::string thread;
  std::optional<std::uint32_t> choice;  // none: the only one
};

class Walker {
 public:
  /// All must outlive it. What cannot be run is told, and then there is no walk.
  Walker(const LoadedModel& input, const checker::Options& options);

  /// At the initial state.
  [[nodiscard]] Expected<void, ir::Unsupported> begin();
  [[nodiscard]] checker::Walk& walk() { return *walk_; }
  [[nodiscard]] const ir::System& system() const { return *system_; }

  /// The action that a step means now; none: it does not fit.
  [[nodiscard]] std::optional<ir::Action> action(const NamedStep& step);
  /// What the monitors say of the walk. If it has come to the end of the room, it is made again
  /// with more, as far as that goes.
  [[nodiscard]] checker::Walk::Found found();
  /// How often that was so.
  [[nodiscard]] std::size_t rounds() const { return rounds_; }

 private:
  const LoadedModel& input_;
  checker::Options options_;
  Room room_;
  std::size_t rounds_ = 0;
  std::unique_ptr<ir::System> system_;
  std::unique_ptr<checker::Walk> walk_;
};

}  // namespace cml::app
