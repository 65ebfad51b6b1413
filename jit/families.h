// Thread instances that share their code. The instances of a thread declaration are specialised one
// by one, and then differ mostly in a few numbers: which thread, where its slots lie, which locks
// and forks are its own. So the modules of all instances are compared, instruction by instruction;
// those that are equal except for integers become one, which loads the integers from a table:
//
//   Philosopher[1]   … state + 17 …  touch 4 …        state + 17 + constants[0] … 4 + constants[1]
//   Philosopher[2]   … state + 20 …  touch 6 …   ──▶  [0, 0]
//   Philosopher[3]   … state + 23 …  touch 8 …        [3, 2]
//                                                     [6, 4]
//
// A table holds the differences to the first instance; few of them are distinct, because all
// offsets of a thread's slots differ by the same amount. The comparison does not know what the code
// means; for correctness it suffices that the constants of the first instance plus a row of the
// table are the constants of the other.
//
// The idea is function merging: Edler von Koch, Franke, Bhandarkar, Dasgupta: Exploiting function
// similarity for code size reduction (LCTES 2014); here, the functions must have the same control
// flow graph.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "ir/system.h"

namespace llvm {
class Module;
}

namespace cml::jit {

/// What is added to the constants of a family's code, by parameter.
using Constants = std::vector<std::int64_t>;

struct Member {
  ir::ThreadId thread;
  Constants constants;
};

struct Family {
  std::unique_ptr<llvm::Module> module;
  std::vector<Member> members;
};

class Families {
 public:
  /// `share`: false leaves each instance its own code.
  explicit Families(bool share);
  ~Families();
  Families(const Families&) = delete;
  Families& operator=(const Families&) = delete;

  /// All modules must be of one context; the last parameter of each function is its table.
  void add(ir::ThreadId thread, std::unique_ptr<llvm::Module> module);

  /// Makes the differences parameters, and names the functions after all members.
  [[nodiscard]] std::vector<Family> finish(const ir::System& system);

 private:
  struct Candidate;
  bool share_;
  std::vector<Candidate> candidates_;
};

/// "Philosopher[0]", "Philosopher[1..4]", "Reader[0], Writer[0..1]".
[[nodiscard]] std::string name_of(const std::vector<std::string>& names);

}  // namespace cml::jit
