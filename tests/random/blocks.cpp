// Atomic blocks of all shapes: first what may block, on one way or on several, then what may not.
#include <string>
#include <utility>

#include "tests/random/drawing.h"

namespace cml::random_models {

std::vector<std::string> Generator::demands() const {
  std::vector<std::string> out;
  const bool orderly = kind_ == Kind::Orderly;
  if (orderly && supply_.go) out.emplace_back("await go;");
  if (shape_.semaphores != 0 && (!orderly || supply_.ups >= instances_))
    out.emplace_back("s.down();");
  if (shape_.channels != 0 && (!orderly || supply_.sends >= instances_))
    out.emplace_back("t = c.recv();");
  if (orderly) return out;
  for (unsigned k = 0; k < shape_.atomics; ++k) {
    out.push_back("await " + std::string("a") + std::to_string(k) + " > 0;");
    out.push_back("await " + std::string("a") + std::to_string(k) + " != 1;");
  }
  if (shape_.channels != 0) {
    out.emplace_back("c.send(u);");
    out.emplace_back("await c.size > 0;");
  }
  if (shape_.channels != 0 && shape_.atomics != 0)
    out.emplace_back("await c.size == 0 || a0 == 2;");
  if (shape_.shared != 0)
    out.push_back("u = bump(" + std::string(shape_.lock_array ? "m[0]" : "m0") + ");");
  if (extras_.struct_channel) {
    out.emplace_back("v = d.recv();");
    out.emplace_back("d.send(S(f: t, g: b));");
  }
  if (extras_.enums) out.emplace_back("await hue != red;");
  if (extras_.structs) out.emplace_back("await twin.f > 0 || !twin.g;");
  if (extras_.array) out.emplace_back("await y[t] > 0;");
  if (extras_.second_channel) {
    out.emplace_back("u = c2.recv();");
    out.emplace_back("c2.send(2);");
  }
  return out;
}

void Generator::take(const std::string& demand) {
  if (demand == "s.down();") supply_.ups -= instances_;
  if (demand == "t = c.recv();") {
    supply_.sends -= instances_;
  }
}

/// What may block: nothing, one operation, another one on another way, or any of several.
void Generator::block_first(Body& out) {
  if (demands().empty() || more_.chance(15)) {
    if (more_.chance(40) && has("block that chooses first")) {
      out.push_back(simple("t = choose(0..1);"));
    }
    return;
  }
  const auto one = [&]() -> std::string {
    const std::vector<std::string> all = demands();
    if (all.empty()) return "skip;";
    std::string drawn = pick(all);
    if (kind_ == Kind::Orderly) take(drawn);
    if (drawn.find("bump") != std::string::npos) has("block that calls a function");
    return drawn;
  };
  switch (more_.below(10)) {
    case 0:
    case 1:
      has("block that waits first");
      out.push_back(simple(one()));
      return;
    case 2:
      has("block that waits on one way");
      out.push_back(around("if " + quick_condition() + " {", {simple(one())}));
      return;
    case 3: {
      has("block that waits on three ways");
      Statement ways{{"if t == 0 {", "} else if b {", "} else {"}, {}, "}"};
      for (int i = 0; i < 3; ++i)
        ways.blocks.push_back({simple(one())});
      out.push_back(std::move(ways));
      return;
    }
    case 4:
    case 5: {
      has("block with a select first");
      Statement select;
      const auto add = [&](const std::string& text) {
        select.heads.push_back(std::string(select.heads.empty() ? "select { " : "") + "case " +
                               text + ":");
        select.blocks.push_back({simple("u = " + small() + ";")});
        if (text.ends_with(".acquire()"))
          select.blocks.back().push_back(simple(exact_lock(0) + ".release();"));
      };
      if (kind_ == Kind::Orderly) {
        // Any of them may be taken, so each is reserved.
        for (const std::string& demand : demands()) {
          if (demand.starts_with("await")) continue;
          take(demand);
          add(demand == "s.down();" ? "s.down()" : "c.recv()");
        }
      } else {
        if (shape_.semaphores != 0) add("s.down()");
        if (shape_.channels != 0) add(more_.chance(60) ? "c.recv()" : "c.send(t)");
        if (extras_.second_channel) add("c2.recv()");
      }
      if (select.heads.empty() || more_.chance(30)) add(exact_lock(0) + ".acquire()");
      select.tail = "}";
      out.push_back(std::move(select));
      return;
    }
    default: {
      has("block that waits on two ways");
      Statement ways{{"if " + quick_condition() + " {", "} else {"}, {}, "}"};
      ways.blocks.push_back({simple(one())});
      ways.blocks.push_back({simple(one())});
      out.push_back(std::move(ways));
    }
  }
}

/// One thing that does not block.
void Generator::block_item(Body& out, bool may_branch) {
  const auto a = [this] { return atomic(more_.below(shape_.atomics)); };
  switch (more_.below(16)) {
    case 0:
      if (shape_.atomics == 0) break;
      has("block with a condition that acts");
      return out.push_back(
          around("if " + a() + ".cas(0, " + small() + ") {", {simple("u = " + small() + ";")}));
    case 1:
      if (shape_.channels == 0 || kind_ == Kind::Orderly) break;
      has("block with a condition that acts");
      return out.push_back(Statement{
          {"if c.trySend(t) {", "} else {"}, {{simple("u = 0;")}, {simple("u = 1;")}}, "}"});
    case 2:
      if (shape_.channels == 0 || kind_ == Kind::Orderly) break;
      has("block that communicates several times");
      out.push_back(simple("b = c.tryRecv(t);"));
      return out.push_back(simple("b = c.trySend(u);"));
    case 3:
      if (shape_.semaphores == 0) break;
      has("block that communicates several times");
      out.push_back(simple("s.up();"));
      if (kind_ != Kind::Orderly) out.push_back(simple("b = s.tryDown();"));
      return;
    case 4: {
      has("block with a loop");
      const std::string k = "k" + std::to_string(fresh_++);
      Body inner;
      if (shape_.atomics != 0) inner.push_back(simple(a() + " = " + k + ";"));
      inner.push_back(simple("u = (u + " + k + ") % 3;"));
      return out.push_back(around("for " + k + " in 0..2 {", std::move(inner)));
    }
    case 5: {
      if (shape_.atomics == 0) break;
      has("block with a loop");
      Body inner{simple("w = w + 1;")};
      if (more_.chance(50)) inner.push_back(simple(a() + " = w % 3;"));
      // Now and then it never ends.
      const bool ends = kind_ == Kind::Orderly || more_.chance(75);
      if (!ends) inner = {simple(a() + " = 1;")};
      return out.push_back(around(ends ? "while w < 3 {" : "while a0 == 1 {", std::move(inner)));
    }
    case 6: {
      has("block with a lock");
      const unsigned k = more_.below(shape_.locks);
      Body inner;
      if (shape_.shared > k)
        inner.push_back(simple("x" + std::string(shape_.shared_array ? "[" : "") +
                               std::to_string(k) + (shape_.shared_array ? "]" : "") + " = t;"));
      if (more_.chance(40) && has("block that notifies"))
        inner.push_back(
            simple(exact_lock(k) + (more_.chance(50) ? ".notify();" : ".notifyAll();")));
      inner.push_back(simple(exact_lock(k) + ".release();"));
      return out.push_back(around("if " + exact_lock(k) + ".tryAcquire() {", std::move(inner)));
    }
    case 7:
      if (kind_ == Kind::Orderly || !more_.chance(60)) break;
      has("block that may fail");
      return out.push_back(simple(more_.chance(50) ? "assert t != 1;" : "u = t + u;"));
    case 8:
      if (!may_branch) break;
      {
        Statement either{{"either {", "} or {"}, {}, "}"};
        for (int i = 0; i < 2; ++i) {
          Body inner;
          block_item(inner, false);
          either.blocks.push_back(std::move(inner));
        }
        has("block with a choice");
        return out.push_back(std::move(either));
      }
    case 9:
      if (!may_branch) break;
      {
        Body inner;
        block_item(inner, false);
        return out.push_back(around("if " + quick_condition() + " {", std::move(inner)));
      }
    case 10:
      has("block with a choice");
      return out.push_back(simple("u = choose(0..1);"));
    case 11:
      if (shape_.channels == 0) break;
      has("block that looks at a size");
      return out.push_back(around("if c.size == 1 {", {simple("b = true;")}));
    case 12:
      if (shape_.semaphores == 0 || kind_ == Kind::Orderly) break;
      has("block with a select that need not wait");
      return out.push_back(Statement{{"select { case s.down():", "default:"},
                                     {{simple("b = true;")}, {simple("b = false;")}},
                                     "}"});
    default:
      break;
  }
  if (extras_.array && more_.chance(30)) return out.push_back(simple("y[t] = u;"));
  if (extras_.enums && more_.chance(30)) return out.push_back(simple("hue = g;"));
  if (extras_.structs && more_.chance(30)) return out.push_back(simple("twin.f = t;"));
  if (shape_.atomics == 0) return out.push_back(simple("t = " + small() + ";"));
  out.push_back(simple(more_.chance(60) ? a() + " = " + (more_.chance(50) ? "t" : small()) + ";"
                                        : "t = " + a() + ";"));
}

void Generator::block_rest(Body& out, unsigned items, bool may_branch) {
  for (unsigned i = 0; i < items; ++i)
    block_item(out, may_branch);
}

void Generator::block(Body& out) {
  has("atomic block");
  Body inner;
  if (held_.empty() && more_.chance(15)) {
    has("block under a lock");
    const unsigned k = more_.below(shape_.locks);
    Body body;
    block_rest(body, 1 + more_.below(2), true);
    if (more_.chance(30)) body.push_back(simple(exact_lock(k) + ".notifyAll();"));
    inner.push_back(around("with " + exact_lock(k) + " {", std::move(body)));
  } else {
    block_first(inner);
    block_rest(inner, 1 + more_.below(2), true);
  }
  out.push_back(around("atomic {", std::move(inner)));
}

}  // namespace cml::random_models
