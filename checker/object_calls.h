// An object of an atomic class by itself: the values that its fields can have, and what calls of
// its methods do to them.
//
//   constructor(…) ──▶ values ──a call──▶ values ──a call──▶ …       breadth-first, all methods
//                        └────a call──▶ …                            with all arguments
//
// The values that are found are those that calls one after the other can lead to, whatever calls
// the model makes: a superset of those that its executions have.
//
// All arguments are tried where that is at most kMostArguments for a method; else a sample. What
// was left out is told (`left_out`).
//
// Cost: a run of the interpreter for each pair of values and a call, which is remembered. For one
// thread.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "ir/exec/free_calls.h"
#include "ir/system.h"
#include "support/stop_token.h"

namespace cml::checker {

class ObjectCalls {
 public:
  /// For how many lists of arguments each method is called, at most.
  static constexpr std::uint64_t kMostArguments = 256;
  /// How many calls are tried in search of values.
  static constexpr std::uint64_t kMostCalls = 100'000;

  /// All must outlive it.
  ObjectCalls(const ir::System& system, const ir::Layout& layout, const ir::CommutingClass& of,
              const StopToken& stop);

  /// The number of a combination of values.
  using Values = std::uint32_t;

  using Result = ir::FreeCalls::Result;
  struct Outcome {
    Result result;
    Values after = 0;
    std::vector<ir::PointId> marks;  // what was reached
  };
  struct Outcomes {
    std::vector<Outcome> all;  // one for each way of choosing; none: the call is blocked
    bool is_unknown = false;   // a limit of the tool was reached
  };
  using Arguments = std::vector<std::int32_t>;

  /// How many combinations of values were looked at: those with the numbers below.
  [[nodiscard]] Values count() const { return explored_; }
  [[nodiscard]] const std::vector<Arguments>& arguments(std::uint32_t method) const {
    return arguments_[method];
  }
  /// Stays where it is.
  [[nodiscard]] const Outcomes& call(Values values, std::uint32_t method, std::size_t arguments);
  /// Whether the condition holds. One that cannot be evaluated does not.
  [[nodiscard]] bool holds(const ir::CallCode& when, Values values, const Arguments& first,
                           const Arguments& second);

  /// The first reason why what was tried is not all that could be; empty: it is all.
  [[nodiscard]] std::string_view left_out() const { return left_out_; }
  /// Calls of functions within each other had too little room.
  [[nodiscard]] bool lacks_stack() const { return lacks_stack_; }

  // For people.
  [[nodiscard]] std::vector<std::pair<std::string, std::string>> text(Values values) const;
  [[nodiscard]] std::string text(std::uint32_t method, const Arguments& arguments) const;
  [[nodiscard]] std::string text(std::uint32_t method, const Result& result) const;

 private:
  void leave_out(std::string_view why);
  std::vector<Arguments> make_arguments(const ir::CallCode& call);
  [[nodiscard]] std::vector<std::int32_t> all_values(const ir::WordType& type) const;
  [[nodiscard]] std::vector<std::int32_t> sample(const ir::WordType& type) const;
  [[nodiscard]] bool looks_into(ir::ClassId other) const;
  void construct();
  void explore();
  Outcomes run(const ir::CallCode& call, const std::vector<std::int32_t>& values,
               const Arguments& arguments);
  Values number(std::vector<std::int32_t> values);
  [[nodiscard]] std::string value_text(const ir::CallCode::Value& value,
                                       const std::int32_t* words) const;

  const ir::System& system_;
  const ir::CommutingClass& class_;
  ir::FreeCalls calls_;
  std::vector<std::vector<Arguments>> arguments_;  // by method
  std::vector<std::vector<std::int32_t>> values_;
  std::map<std::vector<std::int32_t>, Values> numbers_;
  std::vector<std::vector<std::unordered_map<std::size_t, Outcomes>>>
      outcomes_;  // by values, method
  Values explored_ = 0;
  std::string_view left_out_;
  bool lacks_stack_ = false;
};

}  // namespace cml::checker
