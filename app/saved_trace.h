// A trace as `--format json` has written it (docs/command-line.md, "JSON"), read back. What a file
// says is not trusted: whatever is not as it should be is an error.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "app/arguments.h"
#include "app/walker.h"
#include "frontend/load_model.h"

namespace cml::app {

struct SavedStep {
  NamedStep step;
  std::string operation;
};
using SavedSteps = std::vector<SavedStep>;

struct SavedTrace {
  std::string kind;  // of the violation
  std::string message;
  SavedSteps steps;
  std::optional<std::size_t> loop;  // livelock: where it begins
  std::vector<SavedSteps> others;   // lock-discipline: executions that it takes besides
  std::vector<std::string> stuck;   // threads
  Definitions constants;
  bool spurious_wakeups = false;
  std::size_t violations = 0;  // in the document
};

/// `id`: of the violation, from 1; 0: the first. Of a list of documents, the first with this
/// model, or else with violations.
[[nodiscard]] Expected<SavedTrace, UsageError> read_saved_trace(const std::string& path,
                                                                const std::string& model,
                                                                std::uint64_t id);

}  // namespace cml::app
