// Thread instances that share their code. Instances of one declaration are specialised one by one,
// and then mostly differ in a few numbers: which thread, where its slots lie, which locks and forks
// are its own. So the modules of all instances are compared, instruction by instruction; those that
// are the same but for integers become one, which takes the integers from a table:
//
//   Philosopher[1]   … state + 17 …  touch 4 …        state + 17 + constants[0] … 4 + constants[1]
//   Philosopher[2]   … state + 20 …  touch 6 …   ──▶  [0, 0]
//   Philosopher[3]   … state + 23 …  touch 8 …        [3, 2]
//                                                     [6, 4]
//
// A table has the differences to the first instance: there are few different ones, since all
// offsets of a thread's slots differ alike. Nothing here knows what the code is about: that the
// first instance's constants plus a row of the table are another's is all that it takes to be
// right.
//
// The idea is function merging: Edler von Koch, Franke, Bhandarkar, Dasgupta: Exploiting function
// similarity for code size reduction (LCTES 2014); here with the one difference that the functions
// have the same graph.
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
