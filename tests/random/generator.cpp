#include "tests/random/generator.h"

#include <string>
#include <utility>
#include <vector>

namespace cml::random_models {

std::uint64_t Random::next() {
  std::uint64_t z = (state_ += 0x9E3779B97F4A7C15ull);
  z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9ull;
  z = (z ^ (z >> 27)) * 0x94D049BB133111EBull;
  return z ^ (z >> 31);
}

namespace {

using Body = std::vector<Statement>;

Statement simple(std::string text) { return {{}, {}, std::move(text)}; }
Statement around(std::string head, Body block) {
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
  void synchronise(Body& out, unsigned depth);
  void communicate(Body& out);
  void atomic_access(Body& out);
  void monitor(Body& out, unsigned depth);
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
  std::vector<unsigned> held_;  // locks of the `with`s around the place
  bool family_ = false;
  bool in_loop_ = false;
  unsigned fresh_ = 0;
  unsigned threads_ = 0;
};

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
      if (random_.chance(8) && has("guarded by")) text += " guarded by " + lock(k % shape_.locks);
      if (random_.chance(8) && has("init by")) text += " init by A0";
      out.push_back(text + ";");
    }
  }
  for (unsigned k = 0; k < shape_.atomics; ++k) {
    out.push_back("atomic " + atomic(k) + ": int(0..2) = " + std::to_string(random_.below(2)) +
                  ";");
    has("atomic");
  }
  if (shape_.semaphores != 0) {
    const bool bounded = random_.chance(40);
    out.push_back("semaphore s = " + std::to_string(random_.below(2)) +
                  (bounded ? " max 2;" : ";"));
    has("semaphore");
    if (bounded) has("semaphore max");
  }
  if (shape_.channels != 0) {
    out.push_back("channel c: int(0..2) capacity " + std::to_string(1 + random_.below(2)) + ";");
    has("channel");
  }
  if (shape_.atomics != 0 && random_.chance(15) && has("invariant")) {
    out.push_back("invariant bounded: " + atomic(0) + " < " + std::to_string(2 + random_.below(2)) +
                  ";");
  } else if (shape_.shared != 0 && random_.chance(8) && has("invariant")) {
    out.push_back("invariant small: " + shared(0) + " < " + std::to_string(2 + random_.below(2)) +
                  ";");
  }
  if (shape_.shared != 0) {
    out.push_back("fun bump(l: lock): int { with l { return 1; } }");
  }
}

/// A read or a write of a shared variable, under its lock where the discipline asks for it.
void Generator::access(Body& out, bool write) {
  const unsigned k = random_.below(shape_.shared);
  const unsigned own = k % shape_.locks;
  std::string text;
  if (!write) {
    text = local() + " = " + shared(k) + ";";
  } else if (random_.chance(30)) {
    text = shared(k) + " = (" + shared(k) + " + 1) % 3;";
  } else {
    text = shared(k) + " = " + value() + ";";
  }
  bool covered = false;
  for (const unsigned lock : held_)
    covered = covered || lock == own;
  const bool bare = !shape_.disciplined && random_.chance(40);
  if (covered || bare) {
    out.push_back(simple(text));
  } else {
    out.push_back(around("with " + lock(own) + " {", {simple(text)}));
  }
}

void Generator::critical(Body& out, unsigned depth) {
  const unsigned k = random_.below(shape_.locks);
  for (const unsigned lock : held_) {
    if (lock == k) has("reentrant lock");
    if (lock != k) has("nested locks");
  }
  held_.push_back(k);
  Body inner = body(1 + random_.below(2), depth + 1);
  held_.pop_back();
  if (random_.chance(60)) {
    out.push_back(around("with " + lock(k) + " {", std::move(inner)));
    return;
  }
  has("acquire and release");
  out.push_back(simple(lock(k) + ".acquire();"));
  for (Statement& statement : inner)
    out.push_back(std::move(statement));
  out.push_back(simple(lock(k) + ".release();"));
}

void Generator::communicate(Body& out) {
  const bool try_it = shape_.tries && random_.chance(40);
  if (shape_.semaphores != 0 && (shape_.channels == 0 || random_.chance(50))) {
    if (random_.chance(45)) {
      out.push_back(simple("s.up();"));
    } else if (try_it) {
      has("tryDown");
      out.push_back(around("if s.tryDown() {", {simple(local() + " = " + value() + ";")}));
    } else {
      out.push_back(simple("s.down();"));
    }
    return;
  }
  if (random_.chance(50)) {
    if (try_it && has("trySend")) {
      out.push_back(simple("b = c.trySend(" + value() + ");"));
    } else {
      out.push_back(simple("c.send(" + value() + ");"));
    }
  } else if (try_it && has("tryRecv")) {
    out.push_back(simple("b = c.tryRecv(t);"));
  } else if (random_.chance(15) && has("channel size")) {
    out.push_back(around("if c.size > 0 {", {simple("t = c.recv();")}));
  } else {
    out.push_back(simple(local() + " = c.recv();"));
  }
}

void Generator::atomic_access(Body& out) {
  const std::string a = atomic(random_.below(shape_.atomics));
  switch (random_.below(7)) {
    case 0:
      out.push_back(simple(local() + " = " + a + ";"));
      break;
    case 1:
      out.push_back(simple(a + " = " + value() + ";"));
      break;
    case 2:
      has("cas");
      out.push_back(simple("b = " + a + ".cas(" + value() + ", " + value() + ");"));
      break;
    case 3:
      has("swap");
      out.push_back(simple(local() + " = " + a + ".swap(" + value() + ");"));
      break;
    case 4:
      has("add");
      out.push_back(around("if " + a + " < 2 {", {simple(a + ".add(1);")}));
      break;
    case 5:
      has("await");
      out.push_back(simple("await " + a + (random_.chance(50) ? " > 0;" : " != 1;")));
      break;
    default:
      out.push_back(simple(a + " = (" + a + " + 1) % 3;"));
      break;
  }
}

void Generator::monitor(Body& out, unsigned depth) {
  const unsigned k = random_.below(shape_.locks);
  held_.push_back(k);
  Body inner;
  switch (random_.below(5)) {
    case 0:
      has("wait");
      inner.push_back(simple(lock(k) + ".wait();"));
      break;
    case 1:
      if (shape_.shared != 0) {
        has("wait until");
        inner.push_back(simple(lock(k) + ".wait() until " + shared(k % shape_.shared) + " > 0;"));
        break;
      }
      [[fallthrough]];
    case 2:
      has("notifyAll");
      inner.push_back(simple(lock(k) + ".notifyAll();"));
      break;
    default:
      has("notify");
      if (shape_.shared != 0 && random_.chance(60)) access(inner, true);
      inner.push_back(simple(lock(k) + ".notify();"));
      break;
  }
  if (random_.chance(30)) statement(inner, depth + 2);
  held_.pop_back();
  out.push_back(around("with " + lock(k) + " {", std::move(inner)));
}

void Generator::choice(Body& out, unsigned depth) {
  switch (random_.below(4)) {
    case 0:
      has("choose");
      out.push_back(simple(local() + " = choose(0..2);"));
      break;
    case 1: {
      has("either");
      Statement either{{"either {", "} or {"}, {}, "}"};
      either.blocks.push_back(body(1, depth + 1));
      either.blocks.push_back(body(1, depth + 1));
      out.push_back(std::move(either));
      break;
    }
    case 2:
      if (shape_.semaphores != 0 && shape_.channels != 0) {
        has("select");
        Statement select{
            {"select { case s.down():", "case v" + std::to_string(fresh_) + " = c.recv():"},
            {},
            "}"};
        select.blocks.push_back({simple(local() + " = 1;")});
        select.blocks.push_back({simple("t = v" + std::to_string(fresh_++) + ";")});
        out.push_back(std::move(select));
        break;
      }
      [[fallthrough]];
    default: {
      has("select");
      Statement select;
      const unsigned k = random_.below(shape_.locks);
      if (shape_.semaphores != 0) {
        select.heads.push_back("select { case s.down():");
        select.blocks.push_back({simple("u = 1;")});
      } else if (shape_.channels != 0) {
        select.heads.push_back("select { case c.send(" + value() + "):");
        select.blocks.push_back({simple("u = 2;")});
      } else {
        select.heads.push_back("select { case " + lock(k) + ".acquire():");
        select.blocks.push_back({simple(lock(k) + ".release();")});
        has("select acquire");
      }
      if (random_.chance(60)) {
        has("select default");
        select.heads.push_back("default:");
        select.blocks.push_back({simple(local() + " = 0;")});
      }
      select.tail = "}";
      out.push_back(std::move(select));
    }
  }
}

void Generator::control(Body& out, unsigned depth) {
  switch (random_.below(5)) {
    case 0:
    case 1: {
      Statement branch{{"if " + condition() + " {"}, {}, "}"};
      branch.blocks.push_back(body(1 + random_.below(2), depth + 1));
      if (random_.chance(40)) {
        branch.heads.push_back("} else {");
        branch.blocks.push_back(body(1, depth + 1));
      }
      has("if");
      out.push_back(std::move(branch));
      break;
    }
    case 2:
      has("for");
      out.push_back(around("for j" + std::to_string(fresh_++) + " in 0..<2 {", body(1, depth + 1)));
      break;
    case 3:
      if (shape_.loops && !in_loop_) {
        has("while");
        in_loop_ = true;
        Body inner = body(1, depth + 1);
        in_loop_ = false;
        inner.push_back(simple("t = (t + 1) % 3;"));
        out.push_back(around("while t < 2 {", std::move(inner)));
        break;
      }
      [[fallthrough]];
    default:
      out.push_back(simple(local() + " = " + value() + ";"));
      break;
  }
}

/// Something that may go wrong: each kind of violation has its own.
void Generator::mishap(Body& out) {
  const unsigned k = random_.below(shape_.locks);
  switch (random_.below(11)) {
    case 0:
      out.push_back(simple(lock(k) + ".release();"));
      break;
    case 1:
      out.push_back(simple(lock(k) + ".notify();"));
      break;
    case 2:
      out.push_back(simple("t = t + " + std::to_string(1 + random_.below(2)) + ";"));
      break;
    case 3:
      out.push_back(simple("w = w * 2000000000 + 2000000000;"));
      break;
    case 4:
      out.push_back(simple("u = 2 / (t % 3);"));
      break;
    case 5:
      out.push_back(simple("r[t] = 1;"));
      break;
    case 6:
      out.push_back(around("loop {", {simple("u = (u + 1) % 3;")}));
      break;
    case 7:
      if (shape_.semaphores != 0) {
        out.push_back(simple("s.up();"));
        out.push_back(simple("s.up();"));
      } else {
        out.push_back(simple("fail \"mishap\";"));
      }
      break;
    case 8:
      out.push_back(simple(lock(k) + ".acquire();"));
      break;
    case 9:
      if (shape_.atomics != 0) {
        out.push_back(simple(atomic(0) + ".add(1);"));
      } else {
        out.push_back(simple("u = t * 2 - 1;"));
      }
      break;
    default:
      if (shape_.shared != 0) {
        out.push_back(around("while " + shared(0) + " == 1 {", {simple("skip;")}));
      } else {
        out.push_back(simple("assert u == 0;"));
      }
  }
}

void Generator::check(Body& out) {
  switch (random_.below(5)) {
    case 0:
    case 1:
      has("assert");
      out.push_back(simple("assert " + condition() + ";"));
      break;
    case 2:
      has("assume");
      out.push_back(simple("assume " + condition() + ";"));
      break;
    case 3:
      has("held");
      out.push_back(simple("b = " + lock(random_.below(shape_.locks)) + ".held;"));
      break;
    default:
      has("cover");
      out.push_back(simple("cover \"c" + std::to_string(fresh_++) + "\";"));
  }
}

void Generator::synchronise(Body& out, unsigned depth) {
  if (shape_.tries && random_.chance(30)) {
    has("tryAcquire");
    const unsigned k = random_.below(shape_.locks);
    held_.push_back(k);
    Body inner = body(1, depth + 1);
    held_.pop_back();
    inner.push_back(simple(lock(k) + ".release();"));
    out.push_back(around("if " + lock(k) + ".tryAcquire() {", std::move(inner)));
  } else if (shape_.shared != 0 && random_.chance(10)) {
    has("function with a lock");
    out.push_back(simple("u = bump(" + lock(random_.below(shape_.locks)) + ");"));
  } else {
    critical(out, depth);
  }
}

void Generator::statement(Body& out, unsigned depth) {
  if (shape_.mishaps != 0 && random_.chance(shape_.mishaps)) return mishap(out);
  const bool deep = depth >= 3;
  const unsigned draw = random_.below(100);
  if (draw < 25 && shape_.shared != 0) return access(out, random_.chance(60));
  if (draw < 42 && shape_.atomics != 0) return atomic_access(out);
  if (draw < 55 && shape_.semaphores + shape_.channels != 0) return communicate(out);
  if (draw < 70 && !deep) return synchronise(out, depth);
  if (draw < 78 && !deep && shape_.monitors) return monitor(out, depth);
  if (draw < 86 && !deep && shape_.choices) return choice(out, depth);
  if (draw < 90 && shape_.atomic_blocks && shape_.atomics != 0) {
    has("atomic block");
    Body inner;
    if (random_.chance(40)) {
      inner.push_back(simple("await " + atomic(0) + " != 0;"));
    } else if (random_.chance(25)) {
      inner.push_back(simple("t = choose(0..1);"));
    }
    inner.push_back(simple(atomic(0) + " = " + value() + ";"));
    inner.push_back(simple("t = " + atomic(random_.below(shape_.atomics)) + ";"));
    out.push_back(around("atomic {", std::move(inner)));
    return;
  }
  if (draw < 94) return check(out);
  if (!deep) return control(out, depth);
  out.push_back(simple(local() + " = " + value() + ";"));
}

Body Generator::body(unsigned statements, unsigned depth) {
  Body out;
  for (unsigned i = 0; i < statements; ++i)
    statement(out, depth);
  return out;
}

void Generator::thread(unsigned number) {
  ThreadText thread;
  family_ = number > 0 && threads_ == 2 && random_.chance(25);
  const bool daemon = number > 0 && random_.chance(12) && has("daemon");
  thread.head = std::string(daemon ? "daemon " : "") + "thread A" + std::to_string(number) +
                (family_ ? "[i in 0..<2] {" : " {");
  if (family_) has("family");
  for (const char* declaration : {"var t: int(0..2);", "var u: int(0..2);", "var b: bool;",
                                  "var w: int = 1;", "var r: int(0..2)[2];"}) {
    thread.body.push_back(simple(declaration));
  }
  Body statements = body(1 + random_.below(family_ || threads_ > 2 ? 3 : 4), 0);
  if (shape_.loops && random_.chance(35)) {
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
  tree_.threads.push_back(std::move(thread));
}

ModelTree Generator::run() {
  draw_shape();
  declare();
  threads_ = 2 + (random_.chance(35) ? 1 : 0);
  for (unsigned i = 0; i < threads_; ++i)
    thread(i);
  if (random_.chance(12) && has("finally")) {
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
  return std::move(tree_);
}

}  // namespace

ModelTree generate(std::uint64_t seed) { return Generator(seed).run(); }

}  // namespace cml::random_models
