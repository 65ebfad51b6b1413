// Properties of rich and orderly models: invariants and `finally` that read several objects, sizes,
// fields, elements, that call functions, that fail, break down, or never end.
#include <string>
#include <utility>

#include "tests/random/drawing.h"

namespace cml::random_models {

/// What a property can read that is a number in 0..2.
std::vector<std::string> Generator::numbers() const {
  std::vector<std::string> out;
  for (unsigned k = 0; k < shape_.atomics; ++k)
    out.push_back("a" + std::to_string(k));
  for (unsigned k = 0; k < shape_.shared; ++k)
    out.push_back(shape_.shared_array ? "x[" + std::to_string(k) + "]" : "x" + std::to_string(k));
  if (shape_.channels != 0) out.insert(out.end(), {"c.size", "c.size"});
  if (extras_.second_channel) out.insert(out.end(), {"c2.size", "c2.size"});
  if (extras_.struct_channel) out.emplace_back("d.size");
  if (extras_.structs) out.insert(out.end(), {"pair.f", "twin.f"});
  if (extras_.array) out.insert(out.end(), {"y[0]", "y[2]"});
  return out;
}

/// What is true or false.
std::vector<std::string> Generator::truths() const {
  std::vector<std::string> out;
  if (extras_.structs) out.insert(out.end(), {"pair.g", "twin.g"});
  if (extras_.enums) out.insert(out.end(), {"hue == green", "hue != Color.blue"});
  if (kind_ == Kind::Orderly) out.insert(out.end(), {"go", "ready"});
  return out;
}

/// A call of a function with a loop over an array, which is declared for it.
std::string Generator::sum_or_test() {
  std::string array = "y";
  std::string size = "3";
  if (!extras_.array) array = "x", size = "2";
  const std::string name = "over" + std::to_string(fresh_++);
  const std::string k = "k" + std::to_string(fresh_++);
  has("property that calls a function with a loop");
  if (more_.chance(50)) {
    tree_.declarations.push_back("fun " + name + "(most: int): bool { for " + k + " in 0..<" +
                                 size + " { if " + array + "[" + k +
                                 "] > most { return false; } } return true; }");
    return name + "(" + std::to_string(more_.below(2)) + ")";
  }
  tree_.declarations.push_back("fun " + name + "(): int { var n = 0; for " + k + " in 0..<" + size +
                               " { if " + array + "[" + k + "] != 0 { n = n + 1; } } return n; }");
  return name + "() < " + std::to_string(1 + more_.below(3));
}

std::string Generator::property() {
  const std::vector<std::string> all = numbers();
  const std::vector<std::string> tests = truths();
  if (all.empty()) return tests.empty() ? "true" : "!(" + pick(tests) + ")";
  const std::string one = pick(all);
  const std::string two = pick(all);
  for (const std::string* each : {&one, &two}) {
    if (each->ends_with(".size")) has("property that reads a channel");
    if (each->ends_with(".f")) has("property that reads a field");
    if (each->ends_with("]")) has("property that reads an element");
  }
  if (one != two && one.ends_with(".size") && two.ends_with(".size"))
    has("property that reads two channels");
  const auto both = [&](std::string text) {
    if (one != two) has("property that reads two objects");
    return text;
  };
  if ((extras_.array || shape_.shared_array) && more_.chance(30)) return sum_or_test();
  if (!tests.empty() && more_.chance(30))
    return both("(" + pick(tests) + ")" + (more_.chance(50) ? " || " : " == ") + "(" + one + " < " +
                std::to_string(1 + more_.below(2)) + ")");
  switch (more_.below(10)) {
    case 0:
      return one + " < " + std::to_string(1 + more_.below(2));
    case 1:
      return both("!(" + one + " == 1 && " + two + " > 0)");
    case 2:
      return both(one + " == 0 || " + two + " == 0");
    case 3:
      return both(one + " > 0 ? " + two + " < 2 : true");
    case 4:
      if (more_.chance(60)) return both(one + " <= " + two);
      has("property that divides");
      return both("4 / (" + one + " + " + two + " - " + std::to_string(1 + more_.below(3)) +
                  ") < 5");
    case 5: {
      if (more_.chance(50)) return one + " != 2";
      has("property that calls a function");
      const std::string name = "near" + std::to_string(fresh_++);
      tree_.declarations.push_back("fun " + name + "(k: int): bool { let n = " + one +
                                   "; return n < k || " + two + " == n; }");
      return both(name + "(" + std::to_string(1 + more_.below(2)) + ")");
    }
    case 6:
      if ((extras_.array || shape_.shared_array) && has("property with a computed index"))
        return both((extras_.array ? "y[" + one + " + 1]" : "x[" + one + "]") + " < 2");
      [[fallthrough]];
    default:
      return both(one + " + " + two + " < " + std::to_string(1 + more_.below(4)));
  }
}

Body Generator::finally_body() {
  Body out;
  const std::vector<std::string> all = numbers();
  for (unsigned i = 0, n = 1 + more_.below(2); i < n; ++i) {
    switch (more_.below(8)) {
      case 0:
        if (all.empty()) break;
        has("finally with a branch");
        out.push_back(around("if " + pick(all) + " == " + small() + " {",
                             {simple("assert " + property() + ";")}));
        continue;
      case 1:
        if (all.empty()) break;
        has("finally with locals");
        out.push_back(simple("let n" + std::to_string(i) + " = " + pick(all) + ";"));
        out.push_back(simple("assert n" + std::to_string(i) + " != " + small() + ";"));
        continue;
      case 2:
        if (all.empty()) break;
        if (!more_.chance(50)) break;
        has("finally that may never end");
        out.push_back(around("while " + pick(all) + " == " + small() + " {", {simple("skip;")}));
        continue;
      default:
        break;
    }
    out.push_back(simple("assert " + property() + ";"));
  }
  return out;
}

void Generator::properties() {
  if (more_.chance(55)) {
    has("invariant");
    if (more_.chance(8) && !numbers().empty() && has("invariant that may never end")) {
      const std::string one = pick(numbers());
      tree_.declarations.push_back("fun spin(): bool { while " + one +
                                   " == 2 { skip; } return true; }");
      tree_.declarations.push_back("invariant spins: spin();");
    } else {
      tree_.declarations.push_back("invariant first: " + property() + ";");
    }
    if (more_.chance(25) && has("two invariants"))
      tree_.declarations.push_back("invariant second: " + property() + ";");
  }
  if (!more_.chance(has_daemon_ ? 60 : 35)) return;
  has("finally");
  if (has_daemon_) has("finally beside a daemon");
  tree_.finals = finally_body();
}

}  // namespace cml::random_models
