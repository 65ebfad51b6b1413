// Which objects of the heap a thread can still come to, and who else can: for persistent and
// stubborn sets, for which a reference would otherwise stand for every object of its class
// (docs/reductions.md, "Objects that others cannot reach").
//
//   thread 0: live slots ───────────────┐
//   thread 1: live slots ─────────────┐ ▼
//   globals, messages, arguments,     │ ┌────┐ next ┌────┐       an object is marked with the
//   for each thread that may    ────┐ └▶│ 01 │ ───▶ │ 01 │       threads that can reach it
//   still read them                 ▼   └────┘      └────┘
//
// This is the mark phase of Java PathFinder ("On-the-fly partial order reduction"), with a set of
// threads in place of "shared", and narrower roots: a slot counts while it is live, a global while
// the thread may still read it. A field is followed while any thread may still read it, since a
// thread that cannot read it can pass the object on. Classes that lead to nothing that threads can
// depend on are not looked at (its firewalls).
//
// What sets depend on is, for each thread and class, who else can reach an object that the thread's
// next transition may use: `others`. The objects are those in the slots that its operations name,
// where these are not assigned on the way there; else all of the class that it can reach. That is
// what the key of a cached set says (`key`).
//
// Cost: for each state for which a set is wanted, the references of what can be reached, each as
// often as it gets more marks. With more than 64 threads nothing is known. Not thread-safe.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "ir/analysis/analyses.h"
#include "ir/by_location.h"
#include "ir/exec/step.h"

namespace cml::checker {

/// A bit for each thread.
using ThreadMask = std::uint64_t;

class Reachability {
 public:
  /// All must outlive it. `composed`: transitions go on to the next visible operation.
  Reachability(const ir::System& system, const ir::Layout& layout, const ir::Analyses& analyses,
               bool composed);

  /// There are classes, and not too many threads.
  [[nodiscard]] bool is_known() const { return !classes_.empty(); }
  /// The following is about this state.
  void look(const std::uint8_t* state);
  /// The other threads that can reach an object of the class that the transition of the thread that
  /// begins in this state may use. (Objects that this transition makes itself do not count.)
  [[nodiscard]] ThreadMask others(ir::ThreadId thread, ir::ClassId of) const {
    return others_[thread.index * classes_.size() + of.index];
  }
  /// Everything that `others` says, in few words.
  [[nodiscard]] std::span<const std::uint64_t> key() const { return key_; }

 private:
  struct Reference {
    ir::Field field;  // of a root; or of place 0
    std::uint32_t stride = 0;
    ir::ClassId to;
    std::uint32_t number = 0;  // of the bit that says who may read it
  };
  struct OfClass {
    std::uint32_t first = 0;  // place 0, in marks_
    std::uint32_t places = 1;
    bool counts = false;  // it leads to what threads can depend on
    std::vector<Reference> references;
  };
  /// Objects that operations use.
  struct Named {
    ir::ClassId of;
    bool is_any = false;  // not known which
    bool is_fixed = false;
    std::uint32_t place = 0;  // fixed
    ir::Slot slot = 0;        // else: where its place is
  };
  /// What is known of a thread at a location.
  struct Facts {
    std::vector<Reference> live;  // slots
    std::uint64_t globals = 0;    // that it may read; a bit for each, the last one for all others
    std::uint64_t fields = 0;     // likewise
    std::vector<Named> used;      // by its next transition
  };

  void add_references();
  void find_what_counts();
  [[nodiscard]] std::uint64_t readable(ir::ThreadId thread, ir::Location at,
                                       const std::vector<std::vector<ir::ObjectId>>& all) const;
  [[nodiscard]] const Facts& facts(ir::ThreadId thread, ir::Location at);
  [[nodiscard]] std::vector<Named> used(ir::ThreadId thread, ir::Location at) const;
  /// Who may read a field from here on: with a mistake (support/mutation.h).
  [[nodiscard]] ThreadMask readers(std::uint32_t field) const;
  void mark(ir::ClassId of, std::int32_t place, ThreadMask by);
  void follow(const std::uint8_t* state, std::uint64_t fields);
  void find_others(const std::uint8_t* state);

  const ir::System& system_;
  const ir::Layout& layout_;
  const ir::Accesses& accesses_;
  const ir::MeetingPlaces& meeting_places_;
  bool composed_;
  IdVector<ir::ClassId, OfClass> classes_;
  std::vector<Reference> globals_;
  IdVector<ir::ThreadId, std::vector<Reference>> arguments_;
  // By number of a reference: the objects, one of which a thread reads to get it.
  std::vector<std::vector<ir::ObjectId>> read_globals_;
  std::vector<std::vector<ir::ObjectId>> read_fields_;
  IdVector<ir::ThreadId, std::vector<std::vector<ir::Slot>>> live_;
  ir::ByLocation<std::unique_ptr<const Facts>> facts_;
  // Of the state.
  struct Place {
    ir::ClassId of;
    std::uint32_t number = 0;
  };
  std::vector<const Facts*> now_;  // by thread; null: it does not go on
  std::vector<ThreadMask> marks_;
  std::vector<Place> marked_;
  std::vector<Place> queue_;
  std::vector<ThreadMask> pairs_;   // by thread and class: with whom it can reach the same object
  std::vector<ThreadMask> others_;  // by thread and class
  std::vector<std::uint64_t> key_;
  bool is_coarse_ = false;  // a bit for each thread and class
};

}  // namespace cml::checker
