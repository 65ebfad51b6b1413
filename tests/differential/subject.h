// A model that is searched in several ways, and what is true of it: its text goes through the front
// end once in a process, and the full search that everything else is compared with is made once for
// each form of the lock discipline, whichever tests ask for it.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <tuple>

#include "checker/options.h"
#include "checker/result.h"
#include "frontend/load_model.h"
#include "frontend/model.h"
#include "frontend/source.h"
#include "ir/system.h"

namespace cml::differential {

class Subject {
 public:
  Subject(const std::string& text, const std::string& path);
  Subject(const Subject&) = delete;
  Subject& operator=(const Subject&) = delete;

  /// The text has no errors.
  [[nodiscard]] bool has_model() const { return has_model_; }
  /// Why there is no model, or no system; empty: there is one.
  [[nodiscard]] const std::string& refused() const { return refused_; }
  [[nodiscard]] const SourceSet& sources() const { return sources_; }
  [[nodiscard]] const model::Model& model() const { return *model_; }
  [[nodiscard]] const ir::System& system() const { return *system_; }

  /// All violations, by the full search at granularity `access` in the reference interpreter, with
  /// nothing proved before it runs. None: there are more states than `max_states`. Without
  /// `hang_check` it finds what can be found without a graph of the states.
  [[nodiscard]] const checker::Result* truth(std::uint64_t max_states,
                                             checker::Discipline discipline, bool spurious = false,
                                             bool hang_check = true);

  /// Of this text, which imports as a file at `path` does. The latest are kept; the reference is
  /// good until the next call.
  [[nodiscard]] static Subject& of(const std::string& text, const std::string& path = "random.cml");

 private:
  struct Search {
    std::uint64_t max_states = 0;
    checker::Result result;
  };

  SourceSet sources_;
  std::optional<model::Model> model_;
  std::optional<ir::System> system_;
  bool has_model_ = false;
  std::string refused_;
  std::map<std::tuple<checker::Discipline, bool, bool>, Search> truths_;
};

}  // namespace cml::differential
