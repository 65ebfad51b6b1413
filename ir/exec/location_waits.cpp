#include "ir/exec/location_waits.h"

#include <cstddef>
#include <initializer_list>
#include <utility>

#include "support/mutation.h"

namespace cml::ir {
namespace {

struct Visitor : Description {
  LocationWait wait{true, {}, {}};

  void waits_for(const Place& place, std::initializer_list<Awaited> all) {
    const bool is_one = !place.index || CML_MUTATION("waits-at-the-first-of-some-objects");
    wait.is_known = wait.is_known && !wait.object.valid() && is_one;
    for (const Awaited one : all)  // who stands where is not asked of an object
      if (one == Awaited::Sender || one == Awaited::Receiver) wait.is_known = false;
    wait.object = place.base;
    wait.all = all;
    if (CML_MUTATION("waits-for-one-thing-at-a-time")) wait.all.resize(1);
  }
  void waits_until(ExprId) { wait.is_known = false; }
  void chooses() { wait.is_known = wait.is_known && CML_MUTATION("the-first-choice-is-known"); }
  template <class Target>
  void encloses(Target&) {
    wait.is_known = false;
  }
};

}  // namespace

std::vector<LocationWait> location_waits(const Code& code) {
  std::vector<LocationWait> result(code.location_pc.size());
  for (std::size_t at = kFirstLocation; at < result.size(); ++at) {
    Visitor visitor;
    describe(code.instructions[code.location_pc[at]], visitor);
    result[at] = std::move(visitor.wait);
  }
  return result;
}

}  // namespace cml::ir
