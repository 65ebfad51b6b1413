// What texts about a state are made from, and what its objects are called there.
#pragma once

#include <string>

#include "checker/finding/object_names.h"
#include "frontend/source.h"
#include "ir/exec/state_layout.h"
#include "ir/system.h"

namespace cml::checker {

struct TextContext {
  const ir::System& system;
  const ir::Layout& layout;
  const SourceSet& sources;
  const ObjectNames& names;

  [[nodiscard]] std::string name(ir::ObjectId id) const { return names.name(id); }
  /// What has the value of an object: of a monitor, not what refers to the object that it is of.
  [[nodiscard]] std::string value_name(ir::ObjectId id) const;
  /// The first line of the source of a range; `what` if there is none.
  [[nodiscard]] std::string source(const SourceRange& range, std::string_view what) const;
};

}  // namespace cml::checker
