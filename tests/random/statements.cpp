// The statements of a random model. Each function draws one kind and says which feature it is.
#include <string>
#include <utility>

#include "tests/random/drawing.h"

namespace cml::random_models {

/// A read or a write of a shared variable, under its lock where the discipline asks for it.
void Generator::access(Body& out, bool write) {
  const unsigned k = random_.below(shape_.shared);
  const unsigned own = k % shape_.locks;
  std::string text;
  if (!write && random_.chance(12) && has("await on a shared variable")) {
    text = "await " + shared(k) + (random_.chance(50) ? " > 0;" : " != 1;");
  } else if (!write) {
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
  const unsigned x = shape_.shared != 0 ? k % shape_.shared : 0;
  held_.push_back(k);
  Body inner;
  switch (random_.below(shape_.shared != 0 ? 7 : 4)) {
    case 0:
      has("wait");
      inner.push_back(simple(lock(k) + ".wait();"));
      break;
    case 1:
      has("notifyAll");
      inner.push_back(simple(lock(k) + ".notifyAll();"));
      break;
    case 2:
    case 3:
      has("notify");
      if (shape_.shared != 0 && random_.chance(60)) access(inner, true);
      inner.push_back(simple(lock(k) + ".notify();"));
      break;
    case 4:
      has("wait until");
      inner.push_back(simple(lock(k) + ".wait() until " + shared(x) + " > 0;"));
      break;
    case 5: {  // one side of a hand-over: waits for its turn, and gives it away
      has("wait in a loop");
      const unsigned turn = random_.below(3);
      inner.push_back(around("while " + shared(x) + " != " + std::to_string(turn) + " {",
                             {simple(lock(k) + ".wait();")}));
      inner.push_back(simple(shared(x) + " = " + std::to_string((turn + 1) % 3) + ";"));
      inner.push_back(simple(lock(k) + (random_.chance(60) ? ".notifyAll();" : ".notify();")));
      break;
    }
    default:
      has("write and notify");
      inner.push_back(simple(shared(x) + " = " + std::to_string(random_.below(3)) + ";"));
      inner.push_back(simple(lock(k) + (random_.chance(50) ? ".notifyAll();" : ".notify();")));
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
      const bool of_lock = random_.chance(40);
      bool looks = false;
      if (shape_.semaphores != 0 && !of_lock) {
        select.heads.push_back("select { case s.down():");
        select.blocks.push_back({simple("u = 1;")});
      } else if (shape_.channels != 0 && !of_lock) {
        select.heads.push_back("select { case c.send(" + value() + "):");
        select.blocks.push_back({simple("u = 2;")});
      }
      if (select.heads.empty() || random_.chance(25)) {
        select.heads.push_back(std::string(select.heads.empty() ? "select { " : "") + "case " +
                               lock(k) + ".acquire():");
        held_.push_back(k);
        Body taken = body(1, depth + 1);
        held_.pop_back();
        taken.push_back(simple(lock(k) + ".release();"));
        select.blocks.push_back(std::move(taken));
        has("select acquire");
        looks = true;
      }
      if (random_.chance(60)) {
        has("select default");
        if (looks) has("select default on a lock");
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
      out.push_back(simple(random_.chance(50) ? "r[2 - t] = 1;" : "r[t - u] = 1;"));
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

/// A lock that is held on some ways only, and an access behind them.
void Generator::perhaps_locked(Body& out) {
  has("lock held perhaps");
  const unsigned k = random_.below(shape_.shared);
  const std::string lock_k = lock(k % shape_.locks);
  if (shape_.tries && random_.chance(50)) {
    out.push_back(simple("b = " + lock_k + ".tryAcquire();"));
  } else {
    out.push_back(around("if " + condition() + " {", {simple(lock_k + ".acquire();")}));
  }
  out.push_back(simple(random_.chance(60) ? shared(k) + " = " + value() + ";"
                                          : local() + " = " + shared(k) + ";"));
  out.push_back(around("if " + lock_k + ".held {", {simple(lock_k + ".release();")}));
}

void Generator::synchronise(Body& out, unsigned depth) {
  if (shape_.shared != 0 && held_.empty() && random_.chance(shape_.disciplined ? 6 : 20))
    return perhaps_locked(out);
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
    out.push_back(simple("u = bump(" + exact_lock(random_.below(shape_.locks)) + ");"));
  } else {
    critical(out, depth);
  }
}

void Generator::statement(Body& out, unsigned depth) {
  if (kind_ == Kind::Rich && more_.chance(35)) return extra(out, depth);
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

}  // namespace cml::random_models
