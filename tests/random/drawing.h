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
  explicit Generator(std::uint64_t seed) : random_(seed) {}
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
    return shape_.lock_array ? "m[" + std::to_string(k) + "]" : "m" + std::to_string(k);
  }
  std::string shared(unsigned k) {
    return shape_.shared_array ? "x[" + std::to_string(k) + "]" : "x" + std::to_string(k);
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
