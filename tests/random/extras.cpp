// What rich and orderly models have besides scalars: structs, enums, an array of three, a second
// channel, a process; and single statements that use them.
#include <string>
#include <utility>

#include "tests/random/drawing.h"

namespace cml::random_models {

void Generator::draw_extras() {
  extras_.structs = more_.chance(30);
  extras_.struct_channel = extras_.structs && more_.chance(35);
  extras_.enums = more_.chance(20);
  extras_.array = more_.chance(30);
  extras_.process = more_.chance(12);
  extras_.blocks = more_.chance(65);
  if (more_.chance(30)) shape_.channels = 1;
  extras_.second_channel = shape_.channels != 0 && more_.chance(40);
  // Blocks and properties are about something.
  if (shape_.atomics == 0 && more_.chance(60)) shape_.atomics = 1 + more_.below(2);
  if (kind_ == Kind::Rich && more_.chance(30)) shape_.monitors = true;
  if (kind_ != Kind::Orderly) return;
  shape_.disciplined = true;
  shape_.mishaps = 0;
}

void Generator::declare_extras() {
  auto& out = tree_.declarations;
  if (extras_.structs) {
    out.push_back("struct S { f: int(0..2); g: bool; }");
    out.push_back("shared pair: S;");
    out.push_back("atomic twin: S;");
    has("struct");
  }
  if (extras_.struct_channel && has("channel of structs"))
    out.push_back("channel d: S capacity 1;");
  if (extras_.enums && has("enum")) {
    out.push_back("enum Color { red, green, blue }");
    out.push_back("atomic hue: Color;");
  }
  if (extras_.array && has("array of three")) out.push_back("atomic y[3]: int(0..2);");
  if (extras_.second_channel && has("two channels"))
    out.push_back("channel c2: int(0..2) capacity " + std::to_string(1 + more_.below(2)) + ";");
  if (kind_ == Kind::Orderly) {
    out.push_back("atomic go: bool;");
    out.push_back("shared ready: bool;");
  }
}

/// One of what the model has; nothing that blocks, but in rich models.
void Generator::extra(Body& out, unsigned depth) {
  std::vector<unsigned> kinds;
  if (extras_.structs) kinds.push_back(1);
  if (extras_.structs && !in_process_) kinds.push_back(0);
  if (extras_.struct_channel) kinds.push_back(2);
  if (extras_.enums) kinds.push_back(3);
  if (extras_.array) kinds.insert(kinds.end(), {4, 5});
  if (extras_.second_channel) kinds.push_back(6);
  if (extras_.blocks) kinds.insert(kinds.end(), {7, 7, 7});
  if (kind_ == Kind::Rich && shape_.monitors && depth < 2 && !in_process_)
    kinds.insert(kinds.end(), {8, 8, 8});
  if (kinds.empty()) return out.push_back(simple(local() + " = " + small() + ";"));
  const auto with_lock = [this](std::string text) {
    for (const unsigned held : held_)
      if (held == 0) return simple(std::move(text));
    return around("with " + exact_lock(0) + " {", {simple(std::move(text))});
  };
  switch (kinds[more_.below(static_cast<unsigned>(kinds.size()))]) {
    case 0: {
      has("shared struct");
      static const std::vector<std::string> kTexts{"pair.f = t;", "pair = S(f: u, g: b);",
                                                   "v = pair;", "t = pair.f;", "b = pair.g;"};
      return out.push_back(with_lock(pick(kTexts)));
    }
    case 1: {
      has("atomic struct");
      static const std::vector<std::string> kTexts{"twin = S(t, true);", "v = twin;", "t = twin.f;",
                                                   "twin.g = !b;",       "v.f = u;",  "twin = v;",
                                                   "b = twin == v;"};
      return out.push_back(simple(pick(kTexts)));
    }
    case 2:
      if (more_.chance(50) && has("trySend"))
        return out.push_back(simple("b = d.trySend(S(u, b));"));
      has("tryRecv");
      return out.push_back(around("if d.tryRecv(v) {", {simple("t = v.f;")}));
    case 3: {
      static const std::vector<std::string> kTexts{
          "hue = green;", "g = hue;",      "g = hue.swap(blue);",  "b = hue.cas(red, Color.green);",
          "hue = g;",     "b = g == red;", "hue = b ? red : blue;"};
      return out.push_back(simple(pick(kTexts)));
    }
    case 4: {
      has("computed index");
      if (kind_ == Kind::Rich && more_.chance(60)) return out.push_back(simple("y[t + 2] = 1;"));
      static const std::vector<std::string> kTexts{"y[t] = u;", "t = y[u];", "y[2] = t;",
                                                   "u = y[0].swap(1);", "b = y[t].cas(0, 1);"};
      return out.push_back(simple(pick(kTexts)));
    }
    case 5: {
      has("loop over an array");
      const std::string k = "k" + std::to_string(fresh_++);
      const bool writes = more_.chance(50);
      const bool off_by_one = kind_ == Kind::Rich && more_.chance(25);
      return out.push_back(
          around("for " + k + (off_by_one ? " in 0..3 {" : " in 0..<3 {"),
                 {writes ? simple("y[" + k + "] = " + small() + ";")
                         : around("if y[" + k + "] > t {", {simple("u = y[" + k + "];")})}));
    }
    case 6:
      if (more_.chance(50) && has("trySend")) return out.push_back(simple("b = c2.trySend(t);"));
      has("tryRecv");
      return out.push_back(simple("b = c2.tryRecv(u);"));
    case 8:
      return monitor(out, depth);
    default:
      break;
  }
  if (kind_ == Kind::Orderly) return orderly_block(out);
  block(out);
}

/// Two instances of an address space with a variable, a lock and a thread of its own.
void Generator::process() {
  has("process");
  const Shape outside = shape_;
  family_ = false;
  // The locks and the shared variables of the top level are not seen here.
  shape_.shared = 0;
  shape_.locks = 1;
  supply_.ready = false;
  in_process_ = true;
  ProcessText process{"process P[q in 0..<2] {", {"shared val: int(0..2);", "lock key;"}, {}};
  if (more_.chance(35) && has("invariant of a process"))
    process.declarations.push_back("invariant val < " + std::to_string(1 + more_.below(2)) + ";");
  ThreadText thread{"thread B {", {}};
  declare_locals(thread);
  in_thread_ = true;
  instances_ = 2;
  own_ = {};
  const auto inside = [](std::string text) {
    return around("with key {", {simple(std::move(text))});
  };
  for (unsigned i = 0, n = 1 + more_.below(2); i < n; ++i) {
    switch (more_.below(kind_ == Kind::Orderly ? 4 : 6)) {
      case 0:
        thread.body.push_back(inside("val = (val + 1) % 3;"));
        break;
      case 1:
        thread.body.push_back(inside("val = q;"));
        break;
      case 2:
        extra(thread.body, 1);
        break;
      case 3:
        demand(thread.body);
        break;
      case 4:
        if (shape_.semaphores + shape_.channels != 0) communicate(thread.body);
        break;
      default:
        thread.body.push_back(around("if q == 0 {", {inside("t = val;")}));
    }
  }
  in_thread_ = in_process_ = false;
  shape_ = outside;
  process.threads.push_back(std::move(thread));
  tree_.processes.push_back(std::move(process));
}

}  // namespace cml::random_models
