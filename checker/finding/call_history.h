// The calls of an object that a replay has recorded, as people read them.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "checker/result.h"
#include "ir/exec/step.h"
#include "ir/system.h"

namespace cml::checker {

/// "add(2)"
[[nodiscard]] std::string call_text(const ir::System& system, std::uint32_t specification,
                                    std::uint32_t method, const std::int32_t* arguments);
/// "true", "(1, red)"; empty if it returns nothing.
[[nodiscard]] std::string returned_text(const ir::System& system, std::uint32_t specification,
                                        std::uint32_t method, const std::int32_t* words);

/// Of a result that no order of the calls explains.
[[nodiscard]] std::string linearizability_message(const Violation& violation);

/// Collects them, record by record, in the order of the trace.
class CallHistory {
 public:
  explicit CallHistory(const ir::System& system) : system_(system) {}

  void add(const ir::Record& record);
  /// The history of one object up to its first response that cannot be explained; none if all can
  /// be.
  [[nodiscard]] std::optional<CallsOfObject> of(ir::ObjectId history) const;

 private:
  struct Entry {
    ir::CallEvent event;
    std::vector<std::int32_t> words;
  };

  const ir::System& system_;
  std::vector<Entry> entries_;
};

}  // namespace cml::checker
