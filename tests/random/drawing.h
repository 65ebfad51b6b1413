// The drawing of one random model: what its parts share, and one member function for each kind of
// statement.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "tests/random/generator.h"

namespace cml::random_models {

using Body = std::vector<Statement>;

inline Statement simple(std::string text) { return {{}, {}, std::move(text)}; }
inline Statement around(std::string head, Body block) {
  return {{std::move(head)}, {std::move(block)}, "}"};
}

/// What a model is made of; drawn once.
struct Shape {
  unsigned shared = 0, atomics = 0, locks = 0, semaphores = 0, channels = 0;
  bool lock_array = false, shared_array = false;
  bool loops = false;
  bool disciplined = true;  // accesses to x_k are made under lock k % locks
  unsigned mishaps = 0;     // percent
  bool monitors = false;    // wait and notify
  bool tries = false;       // tryAcquire, tryDown, trySend, tryRecv
  bool choices = false;
  bool atomic_blocks = false;
};

class Generator {
 public:
  explicit Generator(std::uint64_t seed) : random_(seed), indices_(~seed) {}
  ModelTree run();

 private:
  void draw_shape();
  void declare();
  void thread(unsigned number);
  Body body(unsigned statements, unsigned depth);
  void statement(Body& out, unsigned depth);
  void access(Body& out, bool write);
  void critical(Body& out, unsigned depth);
  void perhaps_locked(Body& out);
  void synchronise(Body& out, unsigned depth);
  void communicate(Body& out);
  void atomic_access(Body& out);
  void monitor(Body& out, unsigned depth);
  void window(Body& out);
  void choice(Body& out, unsigned depth);
  void control(Body& out, unsigned depth);
  void mishap(Body& out);
  void check(Body& out);

  std::string lock(unsigned k) {
    return shape_.lock_array ? "m[" + index(k) + "]" : "m" + std::to_string(k);
  }
  /// A lock that is known in advance.
  std::string exact_lock(unsigned k) {
    return (shape_.lock_array ? "m[" + std::to_string(k) + "]" : "m" + std::to_string(k));
  }
  std::string shared(unsigned k) {
    return shape_.shared_array ? "x[" + index(k) + "]" : "x" + std::to_string(k);
  }
  /// In threads sometimes computed: of a variable, or of a constant of the instance.
  std::string index(unsigned k) {
    if (!in_thread_ || !indices_.chance(30)) return std::to_string(k);
    has("computed index");
    static const char* const kIndices[] = {"t % 2", "(u + 1) % 2", "z", "1 - z"};
    return kIndices[indices_.below(4)];
  }
  std::string atomic(unsigned k) { return "a" + std::to_string(k); }
  std::string local() { return random_.chance(70) ? "t" : "u"; }
  /// A value in 0..2 that reads no shared object.
  std::string value() {
    switch (random_.below(family_ ? 5 : 4)) {
      case 0:
        return "0";
      case 1:
        return std::to_string(1 + random_.below(2));
      case 2:
        return local();
      case 3:
        return "(" + local() + " + 1) % 3";
      default:
        return "i";
    }
  }
  std::string condition() {
    static const char* const kOps[] = {"==", "!=", "<", ">="};
    return local() + " " + kOps[random_.below(4)] + " " + std::to_string(random_.below(3));
  }
  bool has(const char* feature) {
    tree_.features.insert(feature);
    return true;
  }

  Random random_;
  Random indices_;  // its own, so that models without arrays are as they were
  bool in_thread_ = false;
  Shape shape_;
  ModelTree tree_;
  std::vector<unsigned> initialised_;  // shared variables that are `init by A0`
  bool has_daemon_ = false;
  std::vector<unsigned> held_;  // locks of the `with`s around the place
  bool family_ = false;
  bool in_loop_ = false;
  unsigned fresh_ = 0;
  unsigned threads_ = 0;
};

}  // namespace cml::random_models
