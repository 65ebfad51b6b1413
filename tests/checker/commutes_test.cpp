// What atomic classes declare to commute: what is true, what is false, and how that is told.
#include <cstdint>
#include <doctest/doctest.h>
#include <fmt/format.h>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "report/result_text.h"
#include "tests/checker/check_text.h"

namespace {

using namespace cml;
using Texts = std::vector<std::string>;
using Fields = std::vector<std::pair<std::string, std::string>>;

checker::Options all_violations() {
  checker::Options options;
  options.all = true;
  return options;
}

checker::Result check_class(std::string_view members) {
  return test::check_text(fmt::format(
      "atomic class C {{ {} }}\nshared c: int = 0;\nthread Main {{ c = 1; }}", members));
}

/// Without doubt.
bool is_true(std::string_view members) {
  const checker::Result result = check_class(members);
  for (const checker::Warning& warning : result.warnings)
    if (warning.kind == "unproved-commutes") return false;
  return result.verdict == checker::Verdict::Verified;
}

/// True as far as it was tested; why that is all.
std::string doubt(std::string_view members) {
  const checker::Result result = check_class(members);
  CHECK(result.verdict == checker::Verdict::Verified);
  for (const checker::Warning& warning : result.warnings)
    if (warning.kind == "unproved-commutes")
      return warning.message.substr(warning.message.rfind(": ") + 2);
  return {};
}

/// The only violation.
checker::Violation falsehood(std::string_view members) {
  checker::Result result = check_class(members);
  CHECK(result.verdict == checker::Verdict::Violated);
  REQUIRE(result.violations.size() == 1);
  CHECK(result.violations[0].kind == checker::ViolationKind::FalseCommute);
  REQUIRE(result.violations[0].orders.size() == 2);
  return std::move(result.violations[0]);
}

TEST_CASE("commutes: both orders must leave the same values") {
  CHECK(
      is_true("var n: int(0..3); commutes add(_), add(_);"
              "fun add(v: int(0..3)) { n = (n + v) % 4; }"));
  const checker::Violation violation =
      falsehood("var n: int(0..3); commutes set(_), set(_); fun set(v: int(0..3)) { n = v; }");
  CHECK(violation.message == "two calls of `set` of `C` do not commute");
  CHECK(violation.object == "C");
  CHECK(violation.before == Fields{{"n", "0"}});
  CHECK(violation.orders[0].calls == Texts{"set(0)", "set(1)"});
  CHECK(violation.orders[0].after == Fields{{"n", "1"}});
  CHECK(violation.orders[1].calls == Texts{"set(1)", "set(0)"});
  CHECK(violation.orders[1].after == Fields{{"n", "0"}});
}

TEST_CASE("commutes: both orders must have the same results") {
  const checker::Violation violation = falsehood(
      "var n: int(0..3); commutes up(), get();"
      "fun up() { n = (n + 1) % 4; } fun get(): int { return n; }");
  CHECK(violation.message == "`up` and `get` of `C` do not commute");
  CHECK(violation.orders[0].calls == Texts{"up()", "get() = 1"});
  CHECK(violation.orders[1].calls == Texts{"get() = 0", "up()"});
  CHECK(violation.orders[0].after == violation.orders[1].after);
  // The second of two that take a number gets another one, whichever that is.
  const checker::Violation numbers = falsehood(
      "var n: int(0..3); commutes take(); fun take(): int { n = (n + 1) % 4; return n; }");
  CHECK(numbers.orders[0].calls == Texts{"take() = 1", "take() = 2"});
}

TEST_CASE("commutes: a condition on fields and parameters") {
  constexpr std::string_view kClass =
      "const CAP: int = 3; var n: int(0..3); "
      "fun add(v: int(1..2)): bool {{ if n + v > CAP {{ return false; }} n = n + v; return true; }}"
      "fun reset() {{ n = 0; }} commutes add(a), add(b){};";
  const auto with = [&](std::string_view when) { return fmt::format(kClass, when); };
  CHECK(is_true(with(" when n + a + b <= CAP")));
  CHECK(is_true(with(" when a == b && n > 4 - a && n != 2 || n == 3")));
  const checker::Violation violation = falsehood(with(" when n + a <= CAP && n + b <= CAP"));
  CHECK(violation.before == Fields{{"CAP", "3"}, {"n", "0"}});
  CHECK(violation.orders[0].calls == Texts{"add(2) = true", "add(2) = false"});
  // Where it cannot be evaluated, nothing is promised.
  CHECK(is_true(with(" when 1 / n > 5")));
  CHECK(is_true(with(" when false")));
}

TEST_CASE("commutes: operations that block") {
  constexpr std::string_view kMethods =
      "var n: int(0..3); fun put() { await n < 3; n = n + 1; }"
      "fun get() { await n > 0; n = n - 1; } fun peek(): bool { return n > 1; }";
  const auto with = [&](std::string_view declared) {
    return std::string(kMethods) + std::string(declared);
  };
  // Where one is blocked at first, nothing is promised.
  CHECK(is_true(with("commutes put(), get();")));
  const checker::Violation violation = falsehood(with("commutes get(), get();"));
  CHECK(violation.before == Fields{{"n", "1"}});
  CHECK(violation.orders[0].calls == Texts{"get()", "get() is blocked"});
  CHECK(is_true(with("commutes get(), get() when n != 1;")));
  CHECK(falsehood(with("commutes get(), peek();")).before == Fields{{"n", "2"}});
}

TEST_CASE("commutes: operations that fail") {
  const checker::Violation violation = falsehood(
      "var n: int(0..1); commutes up(), down();"
      "fun up() { n = n + 1; } fun down() { n = n - 1; }");
  CHECK(violation.orders[0].calls == Texts{"up()", "down()"});
  CHECK(violation.orders[1].calls == Texts{"down() fails (range)", "up()"});
  CHECK(
      is_true("var n: int(0..1); commutes never(), get();"
              "fun never() { fail \"no\"; } fun get(): int { return n; }"));
}

TEST_CASE("commutes: operations that choose") {
  CHECK(
      is_true("var n: int(0..3); commutes pick(), touch();"
              "fun pick(): int { return choose(0..2); } fun touch() { n = 1; }"));
  CHECK(
      is_true("var n: bool; commutes flip(), flip();"
              "fun flip() { either { n = true; } or { n = false; } }"));
  CHECK(falsehood("var n: int(0..3); commutes pick(), reset();"
                  "fun pick() { n = choose(0..1); } fun reset() { n = 0; }")
            .orders[0]
            .calls == Texts{"pick()", "reset()"});
}

TEST_CASE("commutes: only values that calls lead to count, but any calls do") {
  CHECK(
      is_true("var n: int(0..9) = 2; commutes double(), add();"
              "fun double() { n = n % 2 * 2; } fun add() { n = n / 3; }"));
  // Nobody in the model calls `open`.
  CHECK(falsehood("var is_open: bool; var n: int(0..1); commutes set(_), set(_);"
                  "fun open() { is_open = true; }"
                  "fun set(v: int(0..1)) { if is_open { n = v; } }")
            .before == Fields{{"is_open", "true"}, {"n", "0"}});
  // `const` fields have what constructors give them.
  constexpr std::string_view kLimited =
      "const LIMIT: int(1..4); var n: int(0..4); init(limit: int({})) {{ LIMIT = limit; }}"
      "commutes up(), get(); fun up() {{ if n < LIMIT - 2 {{ n = n + 1; }} }}"
      "fun get(): int {{ return n; }}";
  CHECK(is_true(fmt::format(kLimited, "1..2")));
  CHECK(falsehood(fmt::format(kLimited, "1..3")).before == Fields{{"LIMIT", "3"}, {"n", "0"}});
}

TEST_CASE("commutes: structs, arrays and enumerators are told as they are written") {
  const test::LoweredModel lowered = test::lowered_model(R"(
enum Colour { red, green }
struct Point { x: int(0..1); c: Colour; }
atomic class Store {
  var at: Point[2];
  fun put(i: int(0..1), p: Point): Point { let old = at[i]; at[i] = p; return old; }
  commutes put(i, _), put(j, _) when i != j;
  commutes put(_, _), put(_, _);
}
shared x: int = 0;
thread Main { x = 1; }
)");
  const checker::Result result = checker::check(lowered.system, lowered.sources, all_violations());
  REQUIRE(result.violations.size() == 1);
  const checker::Violation& violation = result.violations[0];
  CHECK(violation.before == Fields{{"at[0]", "(0, red)"}, {"at[1]", "(0, red)"}});
  CHECK(violation.orders[0].calls ==
        Texts{"put(0, (0, red)) = (0, red)", "put(0, (0, green)) = (0, red)"});
  const std::string text = report::result_text(lowered.sources, "m.cml", result, {});
  CHECK(text.find("  where at[0] = (0, red), at[1] = (0, red):\n"
                  "    put(0, (0, red)) = (0, red), then put(0, (0, green)) = (0, red); after") !=
        std::string::npos);
  CHECK(text.find("initial state") == std::string::npos);
}

TEST_CASE("commutes: each instance of a generic class is verified") {
  const checker::Result result = test::check_text(R"(
atomic class Bag<T, const CAP> {
  var size: int(0..CAP);
  var last: T;
  fun put(v: T): bool { if size == CAP { return false; } size = size + 1; last = v; return true; }
  fun is_full(): bool { return size > 1; }
  commutes put(_), is_full();
}
shared a: Bag<bool, 1> = new Bag<bool, 1>();
shared b: Bag<int(0..2), 2> = new Bag<int(0..2), 2>();
thread Main { a.put(true); b.put(2); }
)",
                                                  all_violations());
  REQUIRE(result.violations.size() == 1);
  CHECK(result.violations[0].object == "Bag<int(0..2), 2>");
  CHECK(result.verdict == checker::Verdict::Violated);
}

TEST_CASE("commutes: methods that call methods and themselves") {
  CHECK(
      is_true("var n: int(0..7); commutes add(_), add(_);"
              "fun add(v: int(0..3)) { if v > 0 { step(); add(v - 1); } }"
              "fun step() { n = (n + 1) % 8; }"));
}

TEST_CASE("commutes: what is tested and not proved is a warning") {
  CHECK(doubt("var n: int; commutes is(_), is(_); fun is(v: int): bool { return v == n; }") ==
        "an argument has too many values to try them all");
  CHECK(doubt("var n: int; commutes up(), up(); fun up() { if n < 1000000 { n = n + 1; } }") ==
        "the object can have too many values to try them all");
  CHECK(doubt("var n: int(0..4999); commutes add(_), add(_);"
              "fun add(v: int(0..99)) { n = (n + v) % 5000; }") ==
        "the object can have too many values to try them all");
  CHECK(doubt("var n: int(0..9); commutes add(_), add(_);"
              "fun add(v: int(0..99)) { n = (n + v) % 10; }") == "");
  CHECK(doubt("var n: int(0..49); commutes add(_), add(_);"
              "fun add(v: int(0..99)) { n = (n + v) % 50; }") ==
        "there are too many combinations of values and arguments to try them all");
  CHECK(
      doubt("commutes both(_, _), both(_, _); fun both(a: int(0..99), b: int(0..99)) { skip; }") ==
      "there are too many arguments to try them all");
  CHECK(doubt("commutes use(_), use(_); fun use(m: lock) { skip; }") ==
        "a method takes a lock, a semaphore or a channel");
}

TEST_CASE("commutes: references are told apart") {
  constexpr std::string_view kModel = R"(
class Node {{ const id: int(0..1); init(i: int(0..1)) {{ id = i; }} }}
atomic class Slot {{
  var held: Node? = null;
  fun put(n: Node) {{ held = n; }}
  fun clear() {{ held = null; }}
  commutes {};
}}
shared slot: Slot = new Slot();
shared one: Node = new Node(0);
shared two: Node = new Node(1);
thread Main {{ slot.put(one); slot.put(two); }}
)";
  const checker::Result cleared = test::check_text(fmt::format(kModel, "clear(), clear()"));
  CHECK(cleared.verdict == checker::Verdict::Verified);
  const checker::Result put = test::check_text(fmt::format(kModel, "put(_), put(_)"));
  CHECK(put.verdict == checker::Verdict::Violated);
}

TEST_CASE("commutes: a false declaration does not end a search for all violations") {
  const checker::Result result = test::check_text(
      R"(atomic class C { var n: int(0..3); commutes set(_); fun set(v: int(0..3)) { n = v; } }
shared c: C = new C();
thread Main { c.set(1); assert false; })",
      all_violations());
  REQUIRE(result.violations.size() == 2);
  CHECK(result.violations[0].kind == checker::ViolationKind::FalseCommute);
  CHECK(result.violations[1].kind == checker::ViolationKind::Assertion);
}

TEST_CASE("commutes: what is proved leaves out orders, with a store and without") {
  constexpr const char* kModel = R"(
atomic class Gauge {{
  var n: int(0..3) = 0;
  fun raise() {{ n = (n + 1) % 4; }}
  fun look(): int {{ return n; }}
  commutes {};
}}
shared gauge: Gauge = new Gauge();
thread Raiser[i in 0..<3] {{ gauge.raise(); gauge.raise(); }}
)";
  const auto transitions = [&](std::string_view declared, checker::Store store) {
    checker::Options options = all_violations();
    options.store = store;
    const bool has_store = store == checker::Store::Stateful;
    if (!has_store) options.order = checker::Order::DepthFirst;
    options.reduction.sets = has_store ? checker::Sets::Stubborn : checker::Sets::None;
    options.reduction.sleep = !has_store;
    const checker::Result result = test::check_text(fmt::format(kModel, declared), options);
    CHECK(result.verdict == checker::Verdict::Verified);
    return result.stats.transitions;
  };
  for (const checker::Store store : {checker::Store::Stateful, checker::Store::Stateless}) {
    const std::uint64_t without = transitions("look(), look()", store);
    const std::uint64_t with = transitions("raise(), raise()", store);
    CHECK(with < without / 2);
    // What has a condition is not used.
    CHECK(transitions("raise(), raise() when n > 0", store) == without);
  }
}

}  // namespace
