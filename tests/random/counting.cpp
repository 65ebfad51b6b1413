// Integers modulo N, wherever a number can stand: variables of all kinds, elements, messages,
// parameters, results, indices; with sums, differences, products and int values that wrap.
#include <string>
#include <utility>

#include "tests/random/drawing.h"

namespace cml::random_models {

/// A number that mostly lies outside of what it is stored in.
std::string Generator::far() {
  static const char* const kNumbers[] = {"t + 2", "t - 1", "u * 2 + 1", "-t", "7", "-2"};
  return kNumbers[counts_.below(6)];
}

/// On a local.
Statement Generator::counting_local() {
  const std::string n = "n" + std::to_string(fresh_++);
  Body body{simple("var " + n + ": mod(3) = " + far() + ";")};
  static const char* const kSteps[] = {" += t;", " -= 2;", " *= 2;", " = -", " = 1 - "};
  for (unsigned i = 0, count = 1 + counts_.below(2); i < count; ++i) {
    const unsigned step = counts_.below(5);
    const std::string end = step < 3 ? "" : n + (counts_.chance(50) ? " * " + n : "") + ";";
    body.push_back(simple(n + kSteps[step] + end));
  }
  body.push_back(simple(counts_.chance(50) ? "u = " + n + ";" : "b = " + n + " == " + far() + ";"));
  return around("if t < 3 {", std::move(body));
}

Statement Generator::counting_act() {
  switch (counts_.below(13)) {
    case 0:
    case 1:
      has("add modulo");
      return simple("ticket.add(" + far() + ");");
    case 2:
      return simple("u = ticket.add(" + std::string(counts_.chance(50) ? "1" : "t") + ");");
    case 3:
      return simple("ticket = " + far() + ";");
    case 4:  // each value read gives another: the brute force forgets which it was
      return simple(counts_.chance(50) ? "ticket = ticket * 2 - 1;" : "ticket = 1 - ticket;");
    case 5:
      has("cas modulo");
      return simple("b = ticket.cas(t, " + far() + ");");
    case 6:
      return simple("u = ticket.swap(" + far() + ");");
    case 7:
      return around("with " + exact_lock(0) + " {",
                    {simple(counts_.chance(50) ? "hand += " + far() + ";" : "hand = -hand + 1;")});
    case 8:
      return simple(counts_.chance(50) ? "dials[t & 1] = " + far() + ";" : "r[dials[0]] = u;");
    case 9: {
      has("match modulo");
      Statement match{{"match ticket { case 0:", "case 1, 2:"}, {}, "}"};
      match.blocks.push_back({simple("u = 0;")});
      match.blocks.push_back({simple("t = " + std::to_string(counts_.below(3)) + ";")});
      return match;
    }
    case 10:
      return simple(counts_.chance(50) ? "u = turned(" + far() + ");" : "t = flat(dials[0]) % 3;");
    case 11:
      return simple(counts_.chance(50) ? "b = lap.trySend(" + far() + ");" : "b = lap.tryRecv(u);");
    default:
      return counting_local();
  }
}

void Generator::draw_counting() {
  has("integers modulo N");
  tree_.declarations.push_back("atomic ticket: mod(3) = " + std::to_string(counts_.below(5)) + ";");
  tree_.declarations.emplace_back("atomic dials[2]: mod(2);");
  tree_.declarations.emplace_back("shared hand: mod(3);");
  tree_.declarations.emplace_back("channel lap: mod(3) capacity 1;");
  tree_.declarations.emplace_back("fun turned(n: mod(3)): mod(3) { return n * n - 2; }");
  tree_.declarations.emplace_back("fun flat(n: mod(2)): int { return -n; }");
  const auto threads = static_cast<unsigned>(tree_.threads.size());
  for (unsigned i = 0, count = 1 + counts_.below(3); i < count; ++i)
    insert(counts_.below(threads), {counting_act()});
  if (counts_.chance(8)) insert(counts_.below(threads), {simple("await ticket != t;")});
  if (counts_.chance(15) && has("invariant modulo"))
    tree_.declarations.emplace_back("invariant counted: ticket - 1 < 2;");
}

}  // namespace cml::random_models
