// Names in Promela: the model's own where that is possible.
//
// A name must be a C identifier, no word of Promela or C (SPIN translates to C), no macro of SPIN's
// C code, and unique: a local must not hide what its process uses. A name that clashes gets a
// number. All global names are allocated before those of a process.
#pragma once

#include <set>
#include <string>
#include <string_view>

namespace cml::ir::promela {

/// "Node[0].seq" becomes "Node_0_seq".
[[nodiscard]] std::string identifier(std::string_view text);

class Names {
 public:
  /// The wanted name if it is free, else with a number behind it; taken from now on.
  [[nodiscard]] std::string unique(std::string_view wanted);
  /// The same for a process: SPIN makes a macro of the name and a P in front.
  [[nodiscard]] std::string process(std::string_view wanted);

 private:
  [[nodiscard]] bool is_free(const std::string& name) const;

  std::set<std::string, std::less<>> taken_;
};

}  // namespace cml::ir::promela
