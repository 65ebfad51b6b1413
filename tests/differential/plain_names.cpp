#include "tests/differential/plain_names.h"

#include <set>
#include <vector>

#include "tests/brute/run.h"
#include "tests/differential/brute_text.h"

namespace cml::differential {

PlainNames::PlainNames(const model::Model& model) {
  if (model.classes.size() == 0) return;
  const brute::Setup setup(model);
  std::vector<brute::ThreadSeed> seeds = brute::seeds_of(model);
  std::set<std::string> covered;
  const brute::Run run(setup, seeds, covered);
  paths_ = object_paths(model, run.world);
}

std::string PlainNames::operator()(const std::string& text, bool is_object) const {
  return with_classes(text, paths_, is_object);
}

std::string PlainNames::object_of(const checker::Violation& violation) const {
  const bool is_object = violation.kind == checker::ViolationKind::IllegalMonitor ||
                         violation.kind == checker::ViolationKind::Linearizability;
  return (*this)(violation.object.value_or(""), is_object);
}

}  // namespace cml::differential
