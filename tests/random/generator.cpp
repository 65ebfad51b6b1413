// The frame of a model: its shape, its declarations, its threads. Statements are in statements.cpp,
// what only rich and orderly models have in extras.cpp, blocks.cpp, properties.cpp and orderly.cpp.
#include <string>
#include <utility>

#include "tests/random/drawing.h"

namespace cml::random_models {

std::uint64_t Random::next() {
  std::uint64_t z = (state_ += 0x9E3779B97F4A7C15ull);
  z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9ull;
  z = (z ^ (z >> 27)) * 0x94D049BB133111EBull;
  return z ^ (z >> 31);
}

void Generator::draw_shape() {
  shape_.locks = 1 + random_.below(2);
  shape_.shared = random_.below(3);
  shape_.atomics = random_.chance(50) ? 1 + random_.below(2) : 0;
  shape_.semaphores = random_.chance(35) ? 1 : 0;
  shape_.channels = random_.chance(30) ? 1 : 0;
  if (shape_.shared + shape_.atomics + shape_.semaphores + shape_.channels == 0) shape_.shared = 1;
  shape_.lock_array = shape_.locks == 2 && random_.chance(30);
  shape_.shared_array = shape_.shared == 2 && random_.chance(40);
  shape_.loops = random_.chance(50);
  shape_.disciplined = random_.chance(70);
  shape_.mishaps = random_.chance(45) ? 6 + random_.below(12) : 0;
  shape_.monitors = random_.chance(35);
  shape_.tries = random_.chance(25);
  shape_.choices = random_.chance(35);
  shape_.atomic_blocks = random_.chance(25);
}

void Generator::declare() {
  auto& out = tree_.declarations;
  if (shape_.lock_array) {
    out.push_back("lock m[2];");
    has("lock array");
  } else {
    for (unsigned k = 0; k < shape_.locks; ++k)
      out.push_back("lock " + lock(k) + ";");
  }
  if (shape_.shared_array) {
    out.push_back("shared x[2]: int(0..2) = 0;");
    has("shared array");
  } else {
    for (unsigned k = 0; k < shape_.shared; ++k) {
      std::string text = "shared " + shared(k) + ": int(0..2) = 0";
      if (random_.chance(12) && has("guarded by")) {
        const unsigned off = random_.chance(30) ? 1 : 0;  // not the one that the accesses are under
        text += " guarded by " + lock((k + off) % shape_.locks);
      }
      if (kind_ != Kind::Orderly && random_.chance(12) && has("init by")) {
        text += " init by A0";
        initialised_.push_back(k);
      }
      out.push_back(text + ";");
    }
  }
  for (unsigned k = 0; k < shape_.atomics; ++k) {
    out.push_back("atomic " + atomic(k) + ": int(0..2) = " + std::to_string(random_.below(2)) +
                  ";");
    has("atomic");
  }
  if (shape_.semaphores != 0) {
    const bool bounded = kind_ != Kind::Orderly && random_.chance(70);
    out.push_back("semaphore s = " + std::to_string(random_.below(2)) +
                  (bounded ? " max 2;" : ";"));
    has("semaphore");
    if (bounded) has("semaphore max");
  }
  if (shape_.channels != 0) {
    shape_.capacity = 1 + random_.below(2);
    supply_.room = shape_.capacity;
    out.push_back("channel c: int(0..2) capacity " + std::to_string(shape_.capacity) + ";");
    has("channel");
  }
  if (kind_ != Kind::Plain) {
    declare_extras();
  } else if (shape_.atomics != 0 && random_.chance(20) && has("invariant")) {
    out.push_back("invariant bounded: " + atomic(0) + " < " + std::to_string(2 + random_.below(2)) +
                  ";");
  } else if (shape_.shared != 0 && random_.chance(12) && has("invariant")) {
    out.push_back("invariant small: " + shared(0) + " < " + std::to_string(2 + random_.below(2)) +
                  ";");
  }
  if (shape_.shared != 0) {
    out.push_back("fun bump(l: lock): int { with l { return 1; } }");
  }
}

Body Generator::body(unsigned statements, unsigned depth) {
  Body out;
  for (unsigned i = 0; i < statements; ++i)
    statement(out, depth);
  return out;
}

/// Accesses of the initialising thread before its first synchronisation: they need no lock.
void Generator::window(Body& out) {
  has("initialisation window");
  for (const unsigned k : initialised_) {
    out.push_back(simple(shared(k) + " = " + value() + ";"));
    if (random_.chance(40)) out.push_back(simple("t = " + shared(k) + ";"));
    if (random_.chance(30)) out.push_back(simple(shared(k) + " = (t + 1) % 3;"));
  }
}

void Generator::declare_locals(ThreadText& thread) {
  for (const char* declaration : {"var t: int(0..2);", "var u: int(0..2);", "var b: bool;",
                                  "var w: int = 1;", "var r: int(0..2)[2];"}) {
    thread.body.push_back(simple(declaration));
  }
  if (extras_.structs) thread.body.push_back(simple("var v: S;"));
  if (extras_.enums) thread.body.push_back(simple("var g: Color;"));
}

void Generator::thread(unsigned number) {
  ThreadText thread;
  family_ = number > 0 && threads_ == 2 && random_.chance(25);
  const bool of_three = family_ && kind_ != Kind::Plain && more_.chance(40);
  const bool daemon = number > 0 && random_.chance(15) && has("daemon");
  has_daemon_ = has_daemon_ || daemon;
  thread.head = std::string(daemon ? "daemon " : "") + "thread A" + std::to_string(number) +
                (of_three  ? "[i in 0..<3] {"
                 : family_ ? "[i in 0..<2] {"
                           : " {");
  if (family_) has("family");
  if (of_three) has("family of three");
  declare_locals(thread);
  if (shape_.lock_array || shape_.shared_array)
    thread.body.push_back(simple(family_ ? "let z = (i + 1) % 2;" : "let z = 1;"));
  in_thread_ = true;
  instances_ = 1;
  if (number == 0 && !initialised_.empty() && random_.chance(70)) window(thread.body);
  const bool is_small = of_three || extras_.process;
  Body statements = body(1 + random_.below(is_small ? 2 : family_ || threads_ > 2 ? 3 : 4), 0);
  const bool loops = shape_.loops && random_.chance(35);
  spawn_some(statements, 0, loops);
  if (spawns_.chance(25)) spawn_some(statements, 0, loops);
  if (loops) {
    has("loop");
    if (random_.chance(25)) {
      has("break");
      statements.push_back(around("if " + condition() + " {", {simple("break;")}));
    }
    thread.body.push_back(around("loop {", std::move(statements)));
  } else {
    for (Statement& statement : statements)
      thread.body.push_back(std::move(statement));
  }
  in_thread_ = false;
  tree_.threads.push_back(std::move(thread));
}

/// Who owns one or two locks, or whether that goes with the value of a variable.
std::string Generator::question_about_locks() {
  const auto lock_of = [&] { return exact_lock(owners_.below(shape_.locks)); };
  const auto thread = [&] {
    const unsigned number = owners_.below(threads_);
    const bool of_family = threads_ == 2 && number == 1 && family_;
    return "A" + std::to_string(number) +
           (of_family ? "[" + std::to_string(owners_.below(2)) + "]" : "");
  };
  const auto owned = [&] { return lock_of() + ".owner == " + thread(); };
  switch (owners_.below(5)) {
    case 0:
      return lock_of() + ".free || " + lock_of() + ".free";
    case 1:
      return "!(" + owned() + " && " + owned() + ")";
    case 2:
      return lock_of() + ".owner != " + thread();
    case 3:
      return "looked(" + lock_of() + ")";
    default:
      if (shape_.atomics != 0) return lock_of() + ".free || " + atomic(0) + " == 0";
      if (shape_.shared != 0) return thread() + " != " + lock_of() + ".owner || x_of() < 2";
      return lock_of() + ".free";
  }
}

void Generator::properties_of_locks() {
  if (shape_.locks == 0) return;
  if (owners_.chance(25) && has("invariant over locks")) {
    const std::string condition = question_about_locks();
    if (condition.find("looked(") != std::string::npos)
      tree_.declarations.push_back("fun looked(l: " + lock_kind_ +
                                   "): bool { return l.free || l.owner == A0; }");
    if (condition.find("x_of(") != std::string::npos)
      tree_.declarations.push_back(std::string("fun x_of(): int { return ") +
                                   (shape_.shared_array ? "x[0]" : "x0") + "; }");
    tree_.declarations.push_back("invariant locks: " + condition + ";");
  }
  if (owners_.chance(has_daemon_ ? 30 : 8) && has("finally over locks"))
    tree_.finals.push_back(simple("assert " + exact_lock(owners_.below(shape_.locks)) +
                                  (owners_.chance(50) ? ".free;" : ".owner != A0;")));
}

ModelTree Generator::run() {
  const unsigned kind = more_.below(20);
  kind_ = kind < 7 ? Kind::Plain : kind < 14 ? Kind::Rich : Kind::Orderly;
  draw_shape();
  if (kind_ != Kind::Plain) draw_extras();
  declare();
  threads_ = 2 + (random_.chance(35) ? 1 : 0);
  draw_spawned();
  if (templates_ != 0) threads_ = 1 + (spawns_.chance(40) ? 1 : 0);
  if (extras_.process) threads_ = 1;
  for (unsigned i = 0; i < threads_; ++i) {
    if (kind_ == Kind::Orderly) {
      orderly_thread(i);
    } else {
      thread(i);
    }
  }
  if (spins_.chance(16)) spin();
  if (phrases_.chance(22)) draw_phrases();
  if (closings_.chance(16)) draw_closing();
  if (excludes_.chance(16)) draw_excluding();
  if (reads_.chance(14)) draw_reading();
  if (meetings_.chance(11)) draw_meetings();
  if (counts_.chance(11)) draw_counting();
  if (quorums_.chance(11)) draw_quorums();
  for (unsigned k = 0; k < templates_; ++k)
    spawned(k);
  if (extras_.process) process();
  if (kind_ != Kind::Plain) {
    properties();
  } else if (random_.chance(has_daemon_ ? 40 : 16) && has("finally")) {
    if (has_daemon_) has("finally beside a daemon");
    if (shape_.atomics != 0) {
      tree_.finals.push_back(
          simple("assert " + atomic(0) + " != " + std::to_string(random_.below(3)) + ";"));
    } else if (shape_.shared != 0) {
      tree_.finals.push_back(
          simple("assert " + shared(0) + " != " + std::to_string(random_.below(3)) + ";"));
    } else {
      tree_.finals.push_back(simple("skip;"));
    }
  }
  properties_of_locks();
  return std::move(tree_);
}

ModelTree generate(std::uint64_t seed) { return Generator(seed).run(); }

void add_labels(ModelTree& tree, Random& random) {
  unsigned number = 0;
  for (ThreadText& thread : tree.threads) {
    if (!random.chance(50)) continue;
    const auto place = random.below(static_cast<unsigned>(thread.body.size()) + 1);
    thread.body.insert(thread.body.begin() + place,
                       simple("label \"l" + std::to_string(number++) + "\";"));
    tree.features.insert("label");
  }
}

}  // namespace cml::random_models
