#include "checker/liveness/valuations.h"

#include <algorithm>

#include "checker/liveness/automaton.h"
#include "support/mutation.h"

namespace cml::checker {

Valuations::Valuations(ir::Interpreter& step, const ir::Property& property, const StopToken& stop)
    : step_(step), property_(property), stop_(stop), state_(ir::stride(step.layout().size())) {
  for (const ir::Formula& part : property.parts)
    if (is_atom(part.kind)) atoms_.push_back(&part);
  words_ = std::max<std::size_t>((atoms_.size() + 63) / 64, 1);
}

bool Valuations::has_ended(const ir::Formula& atom) const {
  return std::all_of(atom.threads.begin(), atom.threads.end(), [this](ir::ThreadId id) {
    return location(step_.layout(), state_.data(), id) == ir::kEnded;
  });
}

bool Valuations::is_at(const ir::Formula& atom) const {
  const ir::ThreadId id = atom.threads.front();
  const ir::Location at = location(step_.layout(), state_.data(), id);
  if (at < ir::kFirstLocation) return false;
  const ir::Pc pc = step_.system().threads[id].code.location_pc[at];
  return std::find(atom.pcs.begin(), atom.pcs.end(), pc) != atom.pcs.end();
}

std::optional<Valuations::Fault> Valuations::evaluate(LivenessGraph& graph,
                                                      LivenessLimits& limits) {
  for (StateNumber state = 0; state < graph.size(); ++state) {
    stop_.poll(step_.layout().size());
    graph.load(state, state_.data());
    const std::uint64_t at = bits_.size();
    for (std::size_t i = 0; i < words_; ++i)
      bits_.push_back(0);
    for (std::size_t i = 0; i < atoms_.size(); ++i) {
      const ir::Formula& atom = *atoms_[i];
      bool holds = true;
      if (atom.kind == FormulaKind::Ended) {
        holds = has_ended(atom);
      } else if (atom.kind == FormulaKind::At) {
        holds = CML_MUTATED("at-a-label-when-behind-it", is_at(atom), false);
      } else {
        record_.clear();
        step_.run_free(state_.data(), property_.conditions[atom.condition].code, record_);
        for (const ir::Event& event : record_.events) {
          holds = false;
          if (event.kind == ir::FaultKind::Assertion) continue;
          if (event.kind != ir::FaultKind::Limit && event.kind != ir::FaultKind::Internal)
            return Fault{state, atom.condition, event};
          limits.places.event(event);
          return std::nullopt;
        }
      }
      if (holds) bits_[at + i / 64] |= std::uint64_t{1} << (i % 64);
    }
  }
  return std::nullopt;
}

}  // namespace cml::checker
