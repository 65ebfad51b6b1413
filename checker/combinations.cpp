#include "checker/combinations.h"

#include <array>

namespace cml::checker {
namespace {

struct Named {
  std::string_view name;
  ReductionOptions options;
};
constexpr std::array<Named, 6> kReductions{{{"none", {Sets::None, false}},
                                            {"sleep", {Sets::None, true}},
                                            {"persistent", {Sets::Persistent, false}},
                                            {"persistent+sleep", {Sets::Persistent, true}},
                                            {"stubborn", {Sets::Stubborn, false}},
                                            {"stubborn+sleep", {Sets::Stubborn, true}}}};

}  // namespace

std::string name(const ReductionOptions& reduction) {
  for (const Named& named : kReductions)
    if (named.options.sets == reduction.sets && named.options.sleep == reduction.sleep)
      return std::string(named.name);
  return "none";
}

std::string_view name(Composition composition) {
  switch (composition) {
    case Composition::None:
      return "none";
    case Composition::InvisibleFirst:
      return "invisible-first";
    case Composition::Composed:
      break;
  }
  return "composed";
}

std::string_view name(Undo undo) {
  switch (undo) {
    case Undo::Checkpoint:
      return "checkpoint";
    case Undo::Replay:
      return "replay";
    case Undo::Reverse:
      break;
  }
  return "reverse";
}

std::optional<Refusal> refused(const Options& options) {
  if (options.composes() && options.discipline == Discipline::Off)
    return Refusal{
        "granularity `sync` without the lock discipline would miss errors: that only "
        "synchronisation needs to be interleaved is true of models that obey it",
        "leave out `--discipline off`, or use `--granularity access`"};
  if (options.granularity == Granularity::Access && options.composition != Composition::None)
    return Refusal{
        "at granularity `access` every access is a transition of its own, so there is "
        "nothing to compose",
        "use `--granularity sync`, or leave out `--composition`"};
  if (options.store == Store::Stateless && options.order == Order::BreadthFirst)
    return Refusal{
        "a search without a store follows one execution after the other, so it cannot "
        "go breadth-first",
        "use `--order sequential`, or `--store stateful`"};
  if (options.store == Store::Stateless && options.shortest)
    return Refusal{"the shortest trace needs a breadth-first search, which needs a store",
                   "leave out `--shortest` or `--store stateless`"};
  return std::nullopt;
}

}  // namespace cml::checker
