// Objects of the heap that are the same in all executions: those of the initial state to which
// references lead that nothing changes. Where such an object lies differs from state to state
// (ir/exec/heap.h), so it is found by loading these references.
//
//   shared account[2]: Account = …;       account[0]       the references that lead there
//   const left: Fork;                     eater[1].left
//
// Cost: finding one takes a load for each of them. Immutable.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "ir/exec/state_layout.h"
#include "ir/system.h"

namespace cml::checker {

class LastingObjects {
 public:
  /// Both must outlive it.
  LastingObjects(const ir::System& system, const ir::Layout& layout);

  /// The number of the object at a place in a state, if it is one of these.
  [[nodiscard]] std::optional<std::uint32_t> number(const std::uint8_t* state, ir::ClassId of,
                                                    std::uint32_t place) const;
  [[nodiscard]] const std::string& name(std::uint32_t number) const { return all_[number].name; }

 private:
  static constexpr std::size_t kMost = 256;

  struct Known {
    ir::ClassId of;
    std::uint32_t place = 0;                // in the initial state
    std::optional<std::uint32_t> referrer;  // another of these; none: a variable
    ir::ObjectId reference;                 // the variable; or the field, of place 0
    std::string name;
  };
  void add(std::optional<std::uint32_t> referrer, ir::ObjectId reference, std::uint32_t place,
           const std::string& name);
  /// Where it is in this state; those before it have been found.
  [[nodiscard]] std::uint32_t load(const std::uint8_t* state, const Known& known) const;

  const ir::System& system_;
  const ir::Layout& layout_;
  std::vector<Known> all_;                     // who refers comes before what is referred to
  mutable std::vector<std::uint32_t> places_;  // scratch
};

}  // namespace cml::checker
