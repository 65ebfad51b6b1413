// The statements of random models with a heap: on p and o, which refer to objects or to nothing.
#include "tests/random/heap_drawing.h"

namespace cml::random_models {

Statement HeapGenerator::if_there(const std::string& object, Statement statement) {
  if (random_.chance(12)) return statement;
  return around("if " + object + " != null {", {std::move(statement)});
}

Statement HeapGenerator::guarded(const std::string& object, Body block) {
  const Guard guard = random_.chance(92) ? guard_ : Guard::Nothing;
  switch (guard) {
    case Guard::Monitor:
      has("monitor of an object");
      return around("with " + object + " {", std::move(block));
    case Guard::Field:
      has("lock of an object");
      return around("with " + object + ".mine {", std::move(block));
    case Guard::Owner:
      has("lock of another object");
      return around("with " + object + ".of.m {", std::move(block));
    case Guard::Global:
      return around("with m {", std::move(block));
    case Guard::Nothing:
      break;
  }
  return around("{", std::move(block));
}

void HeapGenerator::access(Body& out) {
  const std::string on = object();
  Body block;
  switch (random_.below(4)) {
    case 0:
      block.push_back(simple("t = " + on + ".v;"));
      break;
    case 1:
      block.push_back(simple(on + ".v = " + value() + ";"));
      break;
    case 2:
      block.push_back(around("if " + on + ".v == 0 {", {simple(on + ".v = " + value() + ";")}));
      break;
    default:
      block.push_back(simple("t = " + on + ".v;"));
      block.push_back(simple(on + ".v = (t + 1) % 3;"));
      break;
  }
  out.push_back(if_there(on, guarded(on, std::move(block))));
}

void HeapGenerator::link(Body& out) {
  if (in_loop_) {  // what the round has made, and leaves behind
    if (random_.chance(40) && has("circle of garbage")) {
      const std::string left = fresh("l");
      const std::string right = fresh("r");
      out.push_back(simple("let " + left + " = " + made() + ";"));
      out.push_back(simple("let " + right + " = " + made() + ";"));
      out.push_back(simple(left + ".next = " + right + ";"));
      out.push_back(simple(right + ".next = " + left + ";"));
    } else {
      has("garbage in a loop");
      out.push_back(simple("o = " + made() + ";"));
    }
    return;
  }
  switch (random_.below(6)) {
    case 0:
      out.push_back(simple("o = " + made() + ";"));
      out.push_back(if_there("p", guarded("p", {simple("p.next = o;")})));
      break;
    case 1:
      has("object that refers to itself");
      out.push_back(if_there("p", guarded("p", {simple("p.next = p;")})));
      break;
    case 2:
      has("walk along a list");
      out.push_back(if_there("p", guarded("p", {simple("o = p.next;")})));
      break;
    case 3:
      has("step along a list");
      out.push_back(if_there("p", guarded("p", {simple("p = p.next;")})));
      break;
    case 4:
      has("two objects locked");
      out.push_back(if_there(
          "p", around("if o != null {", {guarded("p", {guarded("o", {simple("p.next = o;")})})})));
      break;
    default:
      out.push_back(if_there("p", guarded("p", {simple("p.next = null;")})));
      break;
  }
}

void HeapGenerator::extra(Body& out, const std::string& object) {
  if (extras_.empty()) return access(out);
  const std::string& field = pick(extras_);
  const std::string place = object + "." + field;
  const auto add = [&](const std::vector<std::string>& texts) {
    out.push_back(if_there(object, simple(pick(texts))));
  };
  const auto add_guarded = [&](const std::vector<std::string>& texts) {
    out.push_back(if_there(object, guarded(object, {simple(pick(texts))})));
  };
  if (field == "a") {
    add({place + " = 1;", "t = " + place + ";", "if " + place + ".cas(0, 1) { t = 0; }",
         "t = " + place + ".swap(0);"});
  } else if (field == "s") {
    add({place + ".up();", place + ".down();", "if " + place + ".tryDown() { t = 1; }"});
  } else if (field == "c") {
    add({place + ".send(1);", "t = " + place + ".recv();",
         "if " + place + ".trySend(t % 3) { t = 0; }", "t = " + place + ".size;"});
  } else if (field == "cells") {
    add_guarded({place + "[0] = 1;", "t = " + place + "[t % 2];", place + "[t % 2] = t % 3;"});
  } else if (field == "pair") {
    add_guarded({place + " = Pair(p, 1);", "t = " + place + ".n;", "o = " + place + ".to;",
                 place + ".to = null;"});
  } else if (field == "peer") {
    add({place + " = p;", "o = " + place + ";", "if " + place + ".cas(null, p) { t = 1; }",
         place + " = null;"});
  } else {
    add_guarded({place + "[1] = p;", "o = " + place + "[t % 2];", place + "[0] = null;"});
  }
}

void HeapGenerator::call(Body& out, const std::string& object) {
  std::vector<std::string> texts;
  if (bumps_) texts.push_back("t = " + object + ".bump();");
  if (sums_) texts.push_back("t = " + object + ".sum(2);");
  if (waits_) {
    texts.push_back(object + ".fill();");
    texts.push_back(object + ".drain();");
  }
  if (looks_ && guard_ == Guard::Nothing) texts.push_back("t = depth(" + object + ", 2);");
  if (looks_ && guard_ == Guard::Global)
    texts.push_back("with m { t = depth(" + object + ", 2); }");
  if (texts.empty()) return access(out);
  out.push_back(if_there(object, simple(pick(texts))));
}

void HeapGenerator::exchange(Body& out) {
  switch (publication_) {
    case Publication::Channel:
      has("channel of references");
      if (random_.chance(40)) {
        out.push_back(if_there(
            "p", simple(random_.chance(60) ? "if q.trySend(p) { t = 0; }" : "q.send(p);")));
      } else if (random_.chance(60)) {
        out.push_back(simple("if q.tryRecv(o) { t = 1; }"));
      } else {
        out.push_back(simple("o = q.recv();"));
      }
      return;
    case Publication::Atomic:
      switch (random_.below(6)) {
        case 0:
        case 4:
        case 5:
          has("cas of a reference");
          out.push_back(simple("if g.cas(" + std::string(random_.chance(50) ? "p" : "null") + ", " +
                               (random_.chance(50) ? "o" : "p") + ") { t = 1; }"));
          return;
        case 1:
          out.push_back(simple("o = g.swap(p);"));
          return;
        case 2:
          out.push_back(simple("g = " + object() + ";"));
          return;
        default:
          out.push_back(simple("o = g;"));
          return;
      }
    case Publication::Shared:
      out.push_back(random_.chance(50) ? around("with m {", {simple("o = h;")})
                                       : around("with m {", {simple("h = p;")}));
      return;
    case Publication::Initial:
      if (random_.chance(50)) {
        out.push_back(simple("o = root;"));
      } else {
        out.push_back(if_there("p", around("with m {", {simple("root = p;")})));
      }
      return;
    case Publication::Spawn:
      access(out);
      return;
  }
}

void HeapGenerator::count(Body& out) {
  static const std::vector<std::string> kCalls = {"t = counter.add(1);", "t = counter.get();",
                                                  "counter.add(t % 3);",
                                                  "assert counter.add(1) > 0;"};
  std::vector<std::string> texts = kCalls;
  for (const std::string& method : tree_.processes.back().declarations) {
    if (method.starts_with("fun take")) texts.insert(texts.end(), 2, "counter.take();");
    if (method.starts_with("fun pick")) texts.push_back("t = counter.pick();");
    if (method.starts_with("fun turn()")) texts.insert(texts.end(), 3, "counter.turn();");
    if (method.starts_with("fun turned")) texts.push_back("assert counter.turned() < 2;");
    if (method.starts_with("fun turned")) texts.push_back("t = counter.turned();");
    if (method.starts_with("fun leave")) texts.push_back("counter.leave();");
    if (method.starts_with("fun enter")) texts.push_back("counter.enter();");
    if (method.starts_with("fun turned") && random_.chance(30))
      texts.push_back("atomic { counter.turn(); t = counter.turned(); }");
  }
  out.push_back(simple(pick(texts)));
}

void HeapGenerator::select(Body& out) {
  has("select");
  Statement all;
  all.heads.push_back("select {");
  all.blocks.emplace_back();
  const auto add = [&](const std::string& head, const std::string& then) {
    all.heads.push_back(head);
    all.blocks.push_back({simple(then)});
  };
  const std::string message = fresh("x");
  if (publication_ == Publication::Channel)
    add("case " + message + " = q.recv():", "o = " + message + ";");
  if (std::find(extras_.begin(), extras_.end(), "c") != extras_.end())
    add("case p.c.send(t % 3):", "t = 1;");
  if (std::find(extras_.begin(), extras_.end(), "s") != extras_.end())
    add("case p.s.down():", "t = 2;");
  add("case p.acquire():", "p.release();");
  if (random_.chance(50)) add("default:", "t = 0;");
  all.tail = "}";
  out.push_back(if_there("p", std::move(all)));
}

/// What the others do not draw.
void HeapGenerator::odd(Body& out) {
  const std::string on = object();
  switch (random_.below(12)) {
    case 0:
      if (!has_mine_) return access(out);
      has("lock of an object as an argument");
      declare_once("fun under(l: lock): int { with l { return 1; } }");
      out.push_back(if_there(on, simple("t = under(" + on + ".mine);")));
      return;
    case 1: {
      if (!has_mine_) return access(out);
      has("lock of an object by another name");
      const std::string name = fresh("l");
      out.push_back(if_there(
          on, around("{", {simple("let " + name + " = " + on + ".mine;"), simple(on + " = null;"),
                           around("with " + name + " {", {simple("t = 1;")})})));
      return;
    }
    case 2:
      has("try of a monitor");
      out.push_back(
          if_there(on, around("if " + on + ".tryAcquire() {",
                              {simple("t = " + on + ".v;"), simple(on + ".release();")})));
      return;
    case 3:
      return select(out);
    case 4:
      has("choice of an object");
      out.push_back({{"either {", "} or {"}, {{simple("p = o;")}, {simple("o = null;")}}, "}"});
      return;
    case 5:
      has("atomic block with objects");
      out.push_back(
          around("atomic {", {if_there(on, simple(pick(std::vector<std::string>{
                                               "t = " + on + ".v;", on + ".v = 1;",
                                               "o = " + on + ".next;", "o = " + made() + ";"})))}));
      return;
    case 6:
      has("array of references");
      declare_once("atomic cell[2]: Node? = null;");
      out.push_back(simple(pick(std::vector<std::string>{"cell[t % 2] = p;", "o = cell[t % 2];",
                                                         "p = cell[0].swap(null);",
                                                         "if cell[1].cas(null, p) { t = 1; }"})));
      return;
    case 7: {
      has("reference in a message");
      declare_once("struct Message { to: Node?; n: int(0..2); }");
      declare_once("channel d: Message capacity 1;");
      const std::string message = fresh("x");
      if (random_.chance(60)) {
        out.push_back(simple("if d.trySend(Message(" + on + ", t % 3)) { t = 1; }"));
      } else {
        out.push_back(
            around("{", {simple("let " + message + " = d.recv();"),
                         simple("o = " + message + ".to;"), simple("t = " + message + ".n;")}));
      }
      return;
    }
    case 8:
      has("class with a type parameter");
      declare_once(
          "class Box<T> { shared item: T; init(i: T) { item = i; } fun get(): T { return item; } "
          "}");
      out.push_back(simple(random_.chance(50) ? "t = (new Box<int(0..2)>(t % 3)).get();"
                                              : "o = (new Box<Node?>(p)).get();"));
      return;
    case 9:
      has("object made in an expression");
      if (publication_ == Publication::Channel && random_.chance(50)) {
        out.push_back(simple("if q.trySend(" + made() + ") { t = 1; }"));
      } else {
        out.push_back(simple("t = (" + made() + ").v;"));
      }
      return;
    case 10:
      has("list walked in a loop");
      out.push_back(around("for " + fresh("i") + " in 0..<2 {",
                           {if_there("o", guarded("o", {simple("o = o.next;")}))}));
      return;
    default:
      has("notified from outside");
      out.push_back(if_there(on, around("with " + on + " {", {simple(on + ".notify();")})));
      return;
  }
}

void HeapGenerator::mishap(Body& out) {
  switch (random_.below(6)) {
    case 0:
      out.push_back(simple("assert p == o;"));
      return;
    case 1:
      has("null");
      out.push_back(simple("o = null;"));
      out.push_back(simple("t = o.v;"));
      return;
    case 2:
      has("released by nobody");
      out.push_back(if_there("p", simple("p.release();")));
      return;
    case 3:
      has("monitor that is kept");
      out.push_back(if_there("p", simple("p.acquire();")));
      if (random_.chance(50)) out.push_back(simple("p = null;"));
      return;
    case 4:
      if (random_.chance(50)) {
        has("endless recursion");
        declare_once("fun endless(n: Node?): int { return 1 + endless(n); }");
        out.push_back(simple("t = endless(p);"));
        return;
      }
      out.push_back(around("if p != null {", {simple("assert p.v == 0;")}));
      return;
    default:
      out.push_back(around("if p == o {", {simple("fail;")}));
      return;
  }
}

void HeapGenerator::statement(Body& out) {
  const unsigned what = random_.below(100);
  if (what < 24) {
    access(out);
  } else if (what < 35) {
    odd(out);
  } else if (what < 50) {
    link(out);
  } else if (what < 61) {
    extra(out, object());
  } else if (what < 72) {
    call(out, object());
  } else if (what < 85) {
    exchange(out);
  } else if (what < 90 && has_counter_) {
    count(out);
  } else if (what < 94) {
    mishap(out);
  } else if (what < 97) {
    has("reference that is dropped");
    out.push_back(simple(object() + " = null;"));
  } else {
    out.push_back(simple(object() + " = " + made() + ";"));
  }
}

Body HeapGenerator::work(unsigned statements) {
  Body out;
  for (unsigned i = 0; i < statements; ++i)
    statement(out);
  return out;
}

}  // namespace cml::random_models
