#include "tests/random/heap.h"

#include <cstdlib>

#include "tests/random/heap_drawing.h"

namespace cml::random_models {

// ---- declarations ------------------------------------------------------------------------------

void HeapGenerator::declare_class() {
  ProcessText node{"class Node {", {}, {}};
  auto& out = node.declarations;
  const bool is_const = random_.chance(15) && has("constant field");
  has_mine_ = guard_ == Guard::Field || random_.chance(30);
  if (has_mine_) out.push_back("lock mine;");
  std::string clause;
  if (random_.chance(15)) {
    const bool by_lock = has_mine_ && (guard_ == Guard::Field || random_.chance(20));
    clause = by_lock ? " guarded by mine" : " guarded by this";
    has("guarded by");
  }
  out.push_back("shared v: int(0..2) = 0" + clause + ";");
  out.push_back("shared next: Node? = null;");
  if (is_const) out.push_back("const id: int(0..2);");
  static const std::vector<std::pair<std::string, std::string>> kExtras = {
      {"a", "atomic a: int(0..2) = 0;"},
      {"s", "semaphore s = 1 max 2;"},
      {"c", "channel c: int(0..2) capacity 1;"},
      {"cells", "shared cells[2]: int(0..2) = 0;"},
      {"pair", "shared pair: Pair;"},
      {"peer", "atomic peer: Node? = null;"},
      {"links", "shared links[2]: Node? = null;"}};
  const unsigned extras = random_.below(3);
  for (unsigned i = 0; i < extras; ++i) {
    const auto& [name, text] = pick(kExtras);
    if (!extras_.empty() && extras_.front() == name) continue;
    extras_.push_back(name);
    out.push_back(text);
    has("field " + name);
    if (name == "pair") tree_.declarations.push_back("struct Pair { to: Node?; n: int(0..2); }");
  }
  const bool has_owner = guard_ == Guard::Owner;
  if (has_owner) out.push_back("const of: Group;");
  has_init_ = is_const || random_.chance(45) || has_owner;
  if (has_init_) {
    has("constructor");
    out.push_back(std::string("init(x: int(0..2)) { v = x;") + (is_const ? " id = x;" : "") +
                  (has_owner ? " of = group[x % 2];" : "") +
                  (random_.chance(15) && has("constructor that links") ? " next = this;" : "") +
                  " }");
  }
  if (has_owner) {
    tree_.processes.push_back({"class Group {", {"lock m;"}, {}});
    tree_.declarations.push_back("shared group[2]: Group = new Group();");
  }
  tree_.processes.push_back(std::move(node));
  declare_methods();
}

void HeapGenerator::declare_methods() {
  auto& out = tree_.processes.back().declarations;
  const std::string kind = guard_ == Guard::Monitor ? "synchronized fun " : "fun ";
  const auto under = [&](const std::string& text) {
    if (guard_ == Guard::Field) return "with mine { " + text + " }";
    if (guard_ == Guard::Owner) return "with of.m { " + text + " }";
    if (guard_ == Guard::Global) return "with m { " + text + " }";
    return text;
  };
  bumps_ = random_.chance(45);
  if (bumps_) {
    has(guard_ == Guard::Monitor ? "synchronized method" : "method");
    out.push_back(kind + "bump(): int { " + under("if v < 2 { v = v + 1; } return v;") + " }");
  }
  sums_ = random_.chance(35);
  if (sums_) {
    has("recursive method");
    out.push_back(kind + "sum(far: int(0..2)): int { " +
                  under("if far == 0 || next == null { return v; } return v + next.sum(far - 1);") +
                  " }");
  }
  waits_ = guard_ == Guard::Monitor && random_.chance(35);
  if (waits_) {
    has("wait on an object");
    const std::string notify = random_.chance(50) ? "notify" : "notifyAll";
    std::string set;  // of the object, or one of its conditions
    if (conditions_.chance(50)) {
      has("condition of an object");
      out.push_back("condition filled of this;");
      set = "filled.";
    }
    const bool is_timed = !set.empty() && conditions_.chance(30);
    out.push_back("synchronized fun fill() { v = 1; " + set + notify + "(); }");
    out.push_back("synchronized fun drain() { " +
                  (is_timed ? "if v == 0 { let came = " + set + "waitTimed(); }"
                            : set + "wait() until v > 0;") +
                  " v = 0; }");
  }
  looks_ = random_.chance(30);
  if (looks_) {
    has("recursive function");
    tree_.declarations.push_back(
        "fun depth(n: Node?, far: int(0..2)): int { if n == null || far == 0 { return 0; } return "
        "1 + "
        "depth(n.next, far - 1); }");
  }
}

void HeapGenerator::declare_atomic_class() {
  has_counter_ = random_.chance(30);
  if (!has_counter_) return;
  has("atomic class");
  ProcessText counter{"atomic class Counter {", {"var n: int(0..2) = 0;"}, {}};
  auto& out = counter.declarations;
  out.push_back("fun add(k: int(0..2)): int { if n + k <= 2 { n = n + k; } return n; }");
  out.push_back("fun get(): int { return n; }");
  if (random_.chance(60)) out.push_back("fun take() { await n > 0; n = n - 1; }");
  if (random_.chance(40)) out.push_back("fun pick(): int { n = choose(0..1); return n; }");
  // What is declared is true. Another field commutes with this one, and a step of it with itself.
  if (random_.chance(60) && has("commutes")) {
    out.push_back("var w: int(0..2) = 0;");
    out.push_back("fun turn() { w = w == 2 ? 0 : w + 1; }");
    out.push_back("fun turned(): int { return w; }");
    out.push_back("fun leave() { await w < 2; w = w + 1; }");
    out.push_back("fun enter() { await w > 0; w = w - 1; }");
    static const std::vector<std::string> kDeclared = {"commutes turn(), turn();",
                                                       "commutes turn(), add(_);",
                                                       "commutes get(), get();",
                                                       "commutes leave(), enter();",
                                                       "commutes turn(), get();",
                                                       "commutes turned(), turned();",
                                                       "commutes add(_), get() when n == 2;",
                                                       "commutes turned(), add(_);"};
    for (const std::string& declared : kDeclared)
      if (random_.chance(70)) out.push_back(declared);
  }
  tree_.processes.push_back(std::move(counter));
  tree_.declarations.push_back("shared counter: Counter = new Counter();");
}

void HeapGenerator::declare_published() {
  auto& out = tree_.declarations;
  switch (publication_) {
    case Publication::Channel:
      has("published in a channel");
      out.push_back("channel q: Node capacity " + std::to_string(1 + random_.below(2)) + ";");
      break;
    case Publication::Atomic:
      has("published in an atomic");
      out.push_back("atomic g: Node? = null;");
      break;
    case Publication::Shared:
      has("published in a shared variable");
      out.push_back("shared h: Node? = null;");
      break;
    case Publication::Initial: {
      has("object of the initial state");
      out.push_back(std::string("shared root: Node = new ") + "Node(" +
                    (has_init_ ? std::to_string(random_.below(3)) : "") + ");");
      break;
    }
    case Publication::Spawn:
      has("published to a spawned thread");
      break;
  }
}

void HeapGenerator::properties() {
  static const std::vector<std::string> kOfAtomic = {
      "g == null || g.v < 2", "g == null || g != g.next", "g == null || g.next == null"};
  static const std::vector<std::string> kOfRoot = {"root.v < 2", "root.next == null",
                                                   "root.next != root"};
  if (publication_ != Publication::Atomic && publication_ != Publication::Initial) return;
  const auto& conditions = publication_ == Publication::Atomic ? kOfAtomic : kOfRoot;
  if (random_.chance(12) && has("invariant"))
    tree_.declarations.push_back("invariant fine: " + pick(conditions) + ";");
  if (random_.chance(15) && has("finally"))
    tree_.finals.push_back(simple("assert " + pick(conditions) + ";"));
}

// ---- threads -----------------------------------------------------------------------------------

/// The first thread's beginning.
Body HeapGenerator::publish() {
  Body out;
  if (publication_ == Publication::Initial) return {simple("p = root;")};
  out.push_back(simple("p = " + made() + ";"));
  if (random_.chance(45)) {
    has("initialised in the window");
    out.push_back(simple("p.v = " + value() + ";"));
  }
  if (random_.chance(30)) {
    out.push_back(simple("p.next = " + made() + ";"));
  }
  switch (publication_) {
    case Publication::Channel:
      for (unsigned i = 0; i < (random_.chance(85) ? receivers_ : 1); ++i)
        out.push_back(simple("q.send(p);"));
      break;
    case Publication::Atomic:
      out.push_back(simple("g = p;"));
      break;
    case Publication::Shared:
      out.push_back(around("with m {", {simple("h = p;")}));
      break;
    case Publication::Spawn: {
      const bool keeps = random_.chance(50);
      out.push_back(simple(std::string(keeps ? "let child = " : "") + "spawn T(p);"));
      if (random_.chance(40) && has("spawned twice"))
        out.push_back(simple("spawn T(" + std::string(random_.chance(70) ? "p" : made()) + ");"));
      if (keeps && random_.chance(40)) out.push_back(simple("join child;"));
      break;
    }
    default:
      break;
  }
  return out;
}

/// The others' beginning.
Body HeapGenerator::obtain() {
  switch (publication_) {
    case Publication::Channel:
      return {simple("p = q.recv();")};
    case Publication::Atomic:
      if (random_.chance(60)) return {simple("await g != null;"), simple("p = g;")};
      return {simple("p = g;")};
    case Publication::Shared:
      return {around("with m {", {simple("p = h;")})};
    case Publication::Initial:
      return {simple("p = root;")};
    case Publication::Spawn:
      return {simple("p = n;")};
  }
  return {};
}

void HeapGenerator::thread(unsigned number) {
  ThreadText thread;
  const bool is_first = number == 0;
  const bool of_two = !is_first && threads_ == 2 && receivers_ == 2;
  if (publication_ == Publication::Spawn && !is_first) {
    thread.head = "thread T(n: Node) {";
  } else {
    thread.head = "thread A" + std::to_string(number) + (of_two ? "[i in 0..<2] {" : " {");
  }
  auto& out = thread.body;
  for (const char* local : {"var p: Node? = null;", "var o: Node? = null;", "var t: int = 0;"})
    out.push_back(simple(local));
  const bool loops = random_.chance(is_first ? 15 : 22) && !(publication_ == Publication::Spawn);
  const bool again = loops && publication_ != Publication::Channel && random_.chance(50);
  Body beginning = is_first ? publish() : obtain();
  if (!again)
    for (Statement& statement : beginning)
      out.push_back(std::move(statement));
  in_loop_ = loops;
  Body rest = work(1 + random_.below(of_two || loops ? 2 : 3));
  in_loop_ = false;
  if (again) {
    has("published in a loop");
    for (Statement& statement : rest)
      beginning.push_back(std::move(statement));
    rest = std::move(beginning);
  }
  if (loops) {
    has("loop");
    out.push_back(around("loop {", std::move(rest)));
  } else {
    for (Statement& statement : rest)
      out.push_back(std::move(statement));
  }
  tree_.threads.push_back(std::move(thread));
}

void HeapGenerator::declare() {
  declare_class();
  declare_atomic_class();
  declare_published();
  tree_.declarations.push_back("lock m;");
  properties();
}

ModelTree HeapGenerator::run() {
  publication_ = static_cast<Publication>(random_.below(5));
  const unsigned guard = random_.below(20);
  guard_ = guard < 8    ? Guard::Monitor
           : guard < 13 ? Guard::Field
           : guard < 18 ? Guard::Global
                        : Guard::Nothing;
  if (owns_.chance(15)) guard_ = Guard::Owner;
  claims_ = random_.chance(16);
  receivers_ = publication_ != Publication::Spawn && random_.chance(20) ? 2 : 1;
  if (receivers_ == 2) has("family");
  declare();
  for (unsigned i = 0; i < threads_; ++i)
    thread(i);
  return std::move(tree_);
}

ModelTree generate_with_heap(std::uint64_t seed) { return HeapGenerator(seed).run(); }

ModelTree draw(std::uint64_t seed) {
  constexpr std::uint64_t kUsual = 20;
  const char* text = std::getenv("CML_HEAP");  // NOLINT(concurrency-mt-unsafe): nobody sets it
  const std::uint64_t percent = text == nullptr ? kUsual : std::stoul(text);
  ModelTree tree = seed % 100 < percent ? generate_with_heap(seed) : generate(seed);
  constexpr std::uint64_t kOneWithLabels = 8;
  Random labels(seed ^ 0x1ABE1);
  if (seed % kOneWithLabels == 5) add_labels(tree, labels);
  return tree;
}

}  // namespace cml::random_models
