// Calls of methods that have been proved to commute (checker/commutes.h), for the reductions: what
// they do to the fields of their object counts as a call, not as reads and writes.
//
//   commutes put(_), size();    put × get, get × get, … have a key each: both sides use it, and
//   (and nothing else)          conflict. put × size has none.
//
// So a call uses a key for each method that it does not commute with; which object it is does not
// matter, as calls on different objects commute anyway. The proof is about calls that are both
// enabled, from any values: so it counts where both can go, and a call that waits is still enabled
// by writes to the fields. Properties that read the fields see them change.
//
// A block is a call if it has the operations that the method has, from the same places of the text
// in the same order: then all it does to fields is one execution of that method, or, in a loop,
// several. Where methods have the same operations (one that calls another), it counts as a call of
// each.
//
// A class is left to its fields, if they are accessed by anything but such calls (a block that
// calls twice); a method, if it chooses, since the numbers of its choices may then depend on
// values. What constructors do is local, and nobody else can see the object.
//
// Cost: a fixed point over the code of threads that call. Immutable once built.
#pragma once

#include <cstdint>
#include <unordered_map>
#include <vector>

#include "checker/proved_commutes.h"
#include "ir/effects.h"
#include "ir/system.h"

namespace cml::checker {

/// What a call uses: the key of a pair of methods that do not commute.
struct CallUse {
  // Uses that stand for the first method of the pair, the other one, and both: the first two
  // conflict with each other, and the last with itself.
  static constexpr ir::Use kOne = ir::Use::Join;
  static constexpr ir::Use kOther = ir::Use::Finish;
  static constexpr ir::Use kSame = ir::Use::Write;

  std::uint32_t pair = 0;
  ir::Use use = kSame;

  friend bool operator==(const CallUse&, const CallUse&) = default;
};
static_assert(ir::conflict(CallUse::kOne, CallUse::kOther) == true &&
              ir::conflict(CallUse::kSame, CallUse::kSame) == true &&
              ir::conflict(CallUse::kOne, CallUse::kOne) == false &&
              ir::conflict(CallUse::kOther, CallUse::kOther) == false);

class MethodCalls {
 public:
  /// `system` must outlive it; `proved` may be null.
  MethodCalls(const ir::System& system, const std::vector<ProvedCommutes>* proved);

  [[nodiscard]] bool any() const { return !methods_.empty(); }
  struct Call {
    ir::ClassId of;
    std::vector<CallUse> uses;
    std::uint64_t methods = 0;  // a bit for each in methods_
  };
  /// The call that the block at this place is; null: none that counts.
  [[nodiscard]] const Call* at(ir::ThreadId thread, ir::Pc pc) const {
    if (!any()) return nullptr;
    const auto found = calls_[thread].find(pc);
    return found == calls_[thread].end() ? nullptr : &found->second;
  }
  /// Whether the object is one that the call uses as such.
  [[nodiscard]] bool replaces(const Call& call, ir::ObjectId object) const;
  /// Whether the thread may use that from its location on, itself or by those that it spawns.
  [[nodiscard]] bool future(ir::ThreadId thread, ir::Location at, CallUse use) const;

  [[nodiscard]] std::uint32_t pairs() const { return static_cast<std::uint32_t>(of_pair_.size()); }
  [[nodiscard]] ir::ClassId of(std::uint32_t pair) const { return of_pair_[pair]; }

 private:
  using Bits = std::uint64_t;  // of methods_
  static constexpr std::size_t kMost = 64;

  struct Candidate;
  struct Method {
    ir::ClassId of;
    std::vector<CallUse> uses;
  };
  /// The methods that the block may be a call of.
  [[nodiscard]] std::vector<std::uint32_t> called(const Candidate& candidate, const ir::Code& code,
                                                  ir::Pc block) const;
  void look_at(Candidate& candidate) const;
  void add(const Candidate& candidate);
  void find_futures();

  const ir::System& system_;
  std::vector<Method> methods_;
  std::vector<ir::ClassId> of_pair_;
  IdVector<ir::ThreadId, std::unordered_map<ir::Pc, Call>> calls_;
  IdVector<ir::ThreadId, std::vector<Bits>> futures_;  // by location
};

}  // namespace cml::checker
