// The names of objects of the heap as they are compared: by classes. Which objects a trace calls by
// a path, and which by a number, depends on what the trace does.
#pragma once

#include <map>
#include <string>

#include "checker/result.h"
#include "frontend/model.h"

namespace cml::differential {

class PlainNames {
 public:
  /// Looks at the initial state of the brute force: a path that names an object leads to it there.
  explicit PlainNames(const model::Model& model);

  /// "list.head.next" becomes "Node.next"; and what leads to an object by itself, if it is one that
  /// is meant, "Node".
  [[nodiscard]] std::string operator()(const std::string& text, bool is_object) const;
  /// The object of a violation: a monitor, or a variable.
  [[nodiscard]] std::string object_of(const checker::Violation& violation) const;

 private:
  std::map<std::string, std::string> paths_;
};

}  // namespace cml::differential
