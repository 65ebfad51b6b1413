// What the objects of the heap are called along a trace.
//
//   queue.guard    the path from a variable, where it is short and leads to this object in every
//                  state of the trace: nothing else is ever called so
//   Node#3         any other: a number for each object of a class, in the order in which the trace
//                  makes them. An object at the place of a garbage one has a number of its own
//
// So a name means one object throughout a trace. Where an object stands in the end, another path
// may
// say (`paths`).
//
// Cost: for each step, as many loads as there are paths from variables.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "ir/exec/state_layout.h"
#include "ir/exec/step.h"
#include "ir/system.h"

namespace cml::checker {

/// An object of the heap: its class and its place.
struct HeapPlace {
  ir::ClassId of;
  std::uint32_t place = 0;

  friend auto operator<=>(const HeapPlace&, const HeapPlace&) = default;
};

class ObjectNames {
 public:
  /// Both must outlive it.
  ObjectNames(const ir::System& system, const ir::Layout& layout);

  /// There are no classes.
  [[nodiscard]] bool is_empty() const { return system_.classes.empty(); }

  /// First the states of a trace are looked at, to find the paths that stay: with no record, the
  /// first one.
  void survey(const std::uint8_t* state, const ir::Record* record);
  /// Then names are given, along the same trace.
  void begin(const std::uint8_t* state);
  void step(const ir::Record& record);

  [[nodiscard]] std::string name(HeapPlace object) const;
  /// Of a field, a monitor, or anything that is not on the heap.
  [[nodiscard]] std::string name(ir::ObjectId id) const;

  /// The shortest path that leads to each object in a state, where one is short.
  [[nodiscard]] std::map<HeapPlace, std::string> paths(const std::uint8_t* state) const;
  /// Fields and variables that can refer to objects.
  struct Reference {
    ir::ObjectId object;
    std::size_t word = 0;
    ir::ClassId to;
    std::string text;  // ".next"; of a variable: "list"
  };
  [[nodiscard]] const std::vector<Reference>& references(HeapPlace object) const;
  [[nodiscard]] std::uint32_t load(const std::uint8_t* state, const Reference& from) const;

 private:
  struct Path {
    std::string text;
    std::vector<std::pair<const Reference*, HeapPlace>> hops;  // and where each leads
    bool stays = true;
  };
  /// Breadth-first from the variables.
  [[nodiscard]] std::vector<Path> all_paths(const std::uint8_t* state) const;
  /// All objects that variables lead to.
  [[nodiscard]] std::set<HeapPlace> reached(const std::uint8_t* state) const;
  void add_reference(ir::ObjectId id);

  const ir::System& system_;
  const ir::Layout& layout_;
  std::vector<Reference> roots_;
  std::map<HeapPlace, std::vector<Reference>> fields_;
  std::vector<Path> candidates_;
  std::map<HeapPlace, std::string> names_;
  std::map<ir::ClassId, std::uint32_t> numbers_;  // the last
};

}  // namespace cml::checker
