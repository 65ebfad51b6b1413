// The list of the rules that are analyses; see rules.h.
#include "frontend/check/rules.h"

namespace cml::check {

void check_rules(const model::Model&, Reporter&, std::span<const NoteId>) {}

}  // namespace cml::check
