// Calls of the methods of an atomic class by no thread, on an object by itself.
//
// A method of an atomic class uses the fields of its own object and nothing else that is shared,
// and is one transition. So an object of its own says all about it, in a state in which nothing
// else matters: it is at the first place of its class, and what else the state says is never looked
// at.
//
// Cost: a run of the interpreter for each way in which the call can choose. For one thread.
#pragma once

#include <compare>
#include <cstdint>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "ir/exec/execution.h"
#include "ir/system.h"

namespace cml::ir {

class FreeCalls {
 public:
  using Words = std::vector<std::int32_t>;

  /// All must outlive it. The layout: one in which fields can have any value of their type.
  FreeCalls(const System& system, const Layout& layout, ClassId of, const StopToken* stop);

  /// How a call ends, where it is not blocked.
  struct Result {
    enum class Kind : std::uint8_t { Returns, Fails, AssumedAway };
    Kind kind = Kind::Returns;
    Words words;                             // Returns
    FaultKind fault = FaultKind::Assertion;  // Fails
    Pc pc = 0;                               // Fails: where

    friend auto operator<=>(const Result&, const Result&) = default;
  };
  struct Outcome {
    Result result;
    Words after;                 // the values of the fields
    std::vector<PointId> marks;  // what was reached; each once, ascending
  };
  struct Outcomes {
    std::vector<Outcome> all;        // one for each way of choosing; none: the call is blocked
    std::optional<LimitKind> limit;  // that was reached: then they are not known
  };

  /// The words of the fields before a constructor has run.
  [[nodiscard]] Words initial_values() const;
  /// What the call does to an object whose fields have these values.
  [[nodiscard]] Outcomes run(const CallCode& call, const Words& values, const Words& arguments);
  /// The value of a condition, or none if it cannot be evaluated. It takes the arguments of two
  /// calls.
  [[nodiscard]] std::optional<std::int32_t> value(const CallCode& condition, const Words& values,
                                                  const Words& first, const Words& second);

 private:
  struct FieldWord {
    Field field;
    Field initial;  // at place 0
  };

  void prepare(const Words& values);
  void begin(const CallCode& call, const Words& first, const Words& second);
  [[nodiscard]] Words result_words(const CallCode& call) const;

  const StopToken* stop_;
  StepConfig config_;
  Execution execution_;
  std::vector<FieldWord> fields_;
  std::vector<std::uint8_t> initial_;
  std::vector<std::uint8_t> state_;
  Record record_;
};

/// Calls of the specifications of a system.
class SpecificationCalls {
 public:
  SpecificationCalls(const System& system, const StopToken* stop) : layout_(system) {
    for (const Specification& of : system.specifications)
      of_.push_back(std::make_unique<FreeCalls>(system, layout_, of.specification, stop));
  }
  [[nodiscard]] FreeCalls& of(std::uint32_t specification) { return *of_[specification]; }

 private:
  Layout layout_;
  std::vector<std::unique_ptr<FreeCalls>> of_;
};

}  // namespace cml::ir
