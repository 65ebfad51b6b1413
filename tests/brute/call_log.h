// The calls of an object that implements a specification, and all that can explain them.
//
// What the checker builds event by event is found here from the whole log each time: all orders of
// the calls are tried that keep those apart that did not overlap, each of them executed by the
// specification from its constructor on.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "frontend/model.h"
#include "tests/brute/kinds.h"

namespace cml::brute {

struct CallEvent {
  int thread = 0;
  bool is_return = false;
  model::FunctionId method;  // of the specification
  Words words;               // arguments, or the result
};

struct CallLog {
  const model::Implementation* property = nullptr;
  Words constructed_with;
  std::vector<CallEvent> events;
  bool is_broken = false;  // it was reported: what follows is not looked at
  /// Each is a state of the specification, and for each call that has not returned what it has
  /// done.
  std::set<std::string> explanations;
};

/// Finds what explains a log, and remembers it: a search walks along the same calls many times.
class Explanations {
 public:
  /// Throws Unsupported where the specification does not end.
  [[nodiscard]] const std::set<std::string>& of(const CallLog& log, const model::Model& model,
                                                const Kinds& kinds, std::size_t max_stack);

 private:
  std::map<std::string, std::set<std::string>> known_;  // by property, and all words of the log
};

/// The property that records calls of this function, if there is one.
[[nodiscard]] const model::Implementation* recorded_by(const model::Model& model,
                                                       model::FunctionId function);
[[nodiscard]] model::FunctionId specified_by(const model::Implementation& property,
                                             model::FunctionId function);

}  // namespace cml::brute
