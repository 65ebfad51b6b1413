// Threads of orderly models: nobody waits for ever, and all keep to the lock discipline. Such
// models are searched to their ends at every granularity, and what differs there is not hidden
// behind a deadlock.
//
// A thread waits only for what the threads before it supply on every way (`Supply`): a flag that
// nobody takes back, ups, values in a channel that has room for all of them. Locks are taken in
// their order, and nothing but a lock is waited for under a lock. So the first thread never waits
// for ever, nor, by what it has supplied, the second. Assertions may still fail.
#include <algorithm>
#include <string>
#include <utility>

#include "tests/random/drawing.h"

namespace cml::random_models {

/// A variable under its own lock, or the lock alone.
void Generator::orderly_access(Body& out) {
  if (shape_.shared == 0)
    return out.push_back(around("with " + exact_lock(0) + " {", {simple("t = " + value() + ";")}));
  access(out, more_.chance(60));
}

/// Locks in their order, some again.
void Generator::orderly_critical(Body& out, unsigned depth) {
  const unsigned lowest = held_.empty() ? 0 : held_.back();
  const unsigned k = lowest + more_.below(shape_.locks - lowest);
  held_.push_back(k);
  Body inner = orderly_body(1 + more_.below(2), depth + 1);
  held_.pop_back();
  if (more_.chance(70)) {
    out.push_back(around("with " + exact_lock(k) + " {", std::move(inner)));
    return;
  }
  out.push_back(simple(exact_lock(k) + ".acquire();"));
  for (Statement& statement : inner)
    out.push_back(std::move(statement));
  out.push_back(simple(exact_lock(k) + ".release();"));
}

void Generator::orderly_attempt(Body& out) {
  const unsigned k = more_.below(shape_.locks);
  held_.push_back(k);
  Body inner;
  if (shape_.shared > k && k % shape_.locks == k) {
    inner.push_back(simple(shared(k) + " = " + value() + ";"));
  } else {
    inner.push_back(simple("t = " + value() + ";"));
  }
  held_.pop_back();
  has("tryAcquire");
  if (more_.chance(40) && has("notifyAll"))
    inner.push_back(simple(exact_lock(k) + ".notifyAll();"));
  inner.push_back(simple(exact_lock(k) + ".release();"));
  out.push_back(around("if " + exact_lock(k) + ".tryAcquire() {", std::move(inner)));
}

void Generator::orderly_choice(Body& out, unsigned depth) {
  switch (more_.below(3)) {
    case 0:
      return out.push_back(simple(local() + " = choose(0..2);"));
    case 1: {
      Statement either{{"either {", "} or {"}, {}, "}"};
      either.blocks.push_back(orderly_body(1, depth + 1));
      either.blocks.push_back(orderly_body(1, depth + 1));
      return out.push_back(std::move(either));
    }
    default: {
      if (!held_.empty()) break;
      Statement select{{"select { case " + exact_lock(0) + ".acquire():", "default:"}, {}, "}"};
      select.blocks.push_back({simple("t = 1;"), simple(exact_lock(0) + ".release();")});
      select.blocks.push_back({simple("u = 0;")});
      return out.push_back(std::move(select));
    }
  }
  out.push_back(simple("u = " + value() + ";"));
}

/// Where a lock is held, or on one way only, nothing can be asked for.
void Generator::orderly_block(Body& out) {
  const Supply saved = std::exchange(supply_, held_.empty() && demanding_ ? supply_ : Supply{});
  Body inner;
  has("atomic block");
  if (held_.empty() && more_.chance(15)) {
    const unsigned k = more_.below(shape_.locks);
    Body body;
    block_rest(body, 1 + more_.below(2), true);
    inner.push_back(around("with " + exact_lock(k) + " {", std::move(body)));
  } else {
    block_first(inner);
    block_rest(inner, 1 + more_.below(2), true);
  }
  out.push_back(around("atomic {", std::move(inner)));
  if (!held_.empty() || !demanding_) supply_ = saved;
}

/// What later threads may wait for.
void Generator::supply(Body& out) {
  switch (more_.below(4)) {
    case 0:
      own_.go = true;
      return out.push_back(simple("go = true;"));
    case 1:
      own_.ready = true;
      return out.push_back(
          around("with " + exact_lock(0) + " {",
                 {simple("ready = true;"), simple(exact_lock(0) + ".notifyAll();")}));
    case 2:
      if (shape_.channels == 0 || supply_.room < instances_) break;
      supply_.room -= instances_;
      own_.sends += instances_;
      return out.push_back(simple("c.send(" + value() + ");"));
    default:
      break;
  }
  if (shape_.semaphores == 0) return out.push_back(simple("go = true;"));
  own_.ups += instances_;
  out.push_back(simple("s.up();"));
}

void Generator::demand(Body& out) {
  if (kind_ == Kind::Orderly && supply_.ready && more_.chance(50)) {
    has("orderly wait until");
    return out.push_back(
        around("with " + exact_lock(0) + " {", {simple(exact_lock(0) + ".wait() until ready;")}));
  }
  const std::vector<std::string> all = demands();
  if (all.empty()) return out.push_back(simple("t = " + small() + ";"));
  const std::string drawn = pick(all);
  if (kind_ == Kind::Orderly) take(drawn);
  out.push_back(simple(drawn));
}

Body Generator::orderly_body(unsigned statements, unsigned depth) {
  const bool outer = std::exchange(demanding_, false);
  Body out;
  for (unsigned i = 0; i < statements; ++i)
    orderly_statement(out, depth);
  demanding_ = outer;
  return out;
}

/// One that waits for nothing but locks, if need be.
void Generator::orderly_statement(Body& out, unsigned depth) {
  const bool deep = depth >= 2;
  const unsigned draw = more_.below(100);
  if (draw < 25) return orderly_access(out);
  if (draw < 35 && shape_.atomics != 0) {
    const std::string a = atomic(more_.below(shape_.atomics));
    static const std::vector<std::string> kTexts{" = t;", ".swap(1);", " = 0;", ".cas(0, 2);"};
    return out.push_back(simple(a + pick(kTexts)));
  }
  if (draw < 45 && !deep) return orderly_critical(out, depth);
  if (draw < 60) return extra(out, depth);
  if (draw < 68 && extras_.blocks) return orderly_block(out);
  if (draw < 74 && held_.empty()) return orderly_attempt(out);
  if (draw < 80 && !deep) return orderly_choice(out, depth);
  if (draw < 86 && !deep) {
    Statement branch{{"if " + quick_condition() + " {"}, {}, "}"};
    branch.blocks.push_back(orderly_body(1, depth + 1));
    if (more_.chance(50)) {
      branch.heads.push_back("} else {");
      branch.blocks.push_back(orderly_body(1, depth + 1));
    }
    return out.push_back(std::move(branch));
  }
  if (draw < 90 && !deep)
    return out.push_back(
        around("for j" + std::to_string(fresh_++) + " in 0..<2 {", orderly_body(1, depth + 1)));
  if (draw < 93) return out.push_back(simple("cover \"c" + std::to_string(fresh_++) + "\";"));
  if (draw < 95) return out.push_back(simple("assert " + quick_condition() + ";"));
  out.push_back(simple(local() + " = " + value() + ";"));
}

void Generator::orderly_thread(unsigned number) {
  has("orderly");
  ThreadText thread;
  family_ = number > 0 && threads_ == 2 && more_.chance(30);
  instances_ = !family_ ? 1 : more_.chance(40) ? 3 : 2;
  const bool daemon = number > 0 && more_.chance(20) && has("daemon");
  has_daemon_ = has_daemon_ || daemon;
  thread.head = std::string(daemon ? "daemon " : "") + "thread A" + std::to_string(number);
  if (family_) thread.head += "[i in 0..<" + std::to_string(instances_) + "]";
  thread.head += " {";
  if (instances_ == 3) has("family of three");
  declare_locals(thread);
  if (shape_.lock_array || shape_.shared_array) thread.body.push_back(simple("let z = 1;"));
  in_thread_ = true;
  own_ = {};
  const bool is_small = instances_ == 3 || threads_ == 3 || extras_.process;
  for (unsigned i = 0, n = (is_small ? 2 : 3) + more_.below(3); i < n; ++i) {
    demanding_ = true;
    const unsigned draw = more_.below(100);
    if (draw < (number == 0 ? 55 : 15)) {
      supply(thread.body);
    } else if (number > 0 && draw < 50) {
      demand(thread.body);
    } else if (extras_.blocks && draw < 70) {
      orderly_block(thread.body);
    } else {
      orderly_statement(thread.body, 0);
    }
  }
  demanding_ = false;
  if (shape_.loops && more_.chance(20) && has("orderly loop")) {
    Body inner = orderly_body(1, 1);
    inner.insert(inner.begin(), simple("u = go ? 1 : 0;"));
    thread.body.push_back(around("loop {", std::move(inner)));
  }
  in_thread_ = false;
  supply_.go = supply_.go || own_.go;
  supply_.ready = supply_.ready || own_.ready;
  supply_.ups += own_.ups;
  supply_.sends += own_.sends;
  tree_.threads.push_back(std::move(thread));
}

}  // namespace cml::random_models
