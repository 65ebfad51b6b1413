// Small sets: literals, operators, elements that are chosen, loops and quantifiers over them, as
// values of variables of all kinds and as messages.
#include <string>
#include <utility>

#include "tests/random/drawing.h"

namespace cml::random_models {

/// A literal, mostly of numbers that the set can hold.
std::string Generator::some_set() {
  static const char* const kSets[] = {"{}", "{t}", "{t, 2}", "{0, u}", "{0, 1, 2}", "{u, t}"};
  return quorums_.chance(6) ? "{t + 1}" : kSets[quorums_.below(6)];
}

/// On a local.
Statement Generator::quorum_local() {
  const std::string q = "q" + std::to_string(fresh_++);
  Body body{
      simple("var " + q + ": set(0..<3) = " + (quorums_.chance(50) ? some_set() : "acks") + ";")};
  if (quorums_.chance(70))
    body.push_back(simple(q + (quorums_.chance(8)    ? " += u - t;"
                               : quorums_.chance(50) ? " += t;"
                                                     : " -= u;")));
  if (quorums_.chance(40))
    body.push_back(
        simple(q + " = " + q + (quorums_.chance(50) ? " | " : " & ") + some_set() + ";"));
  switch (quorums_.below(7)) {
    case 0:
      body.push_back(simple("b = " + q + " == " + some_set() + ";"));
      break;
    case 1:
      body.push_back(simple("b = t in " + q + ";"));
      break;
    case 2:
      has("choose from a set");
      body.push_back(simple("u = choose(" + q + ");"));
      break;
    case 3:
      has("for over a set");
      body.push_back(around("for e in " + q + " {", {simple("u = e;")}));
      break;
    case 4:
      has("quantifier over a set");
      body.push_back(simple("b = (exists e in " + q + ": e > t);"));
      break;
    case 5:
      body.push_back(simple("b = tray.tryRecv(" + q + ");"));
      break;
    default:
      body.push_back(simple("u = " + q + ".size % 3;"));
  }
  return around("if t < 3 {", std::move(body));
}

Statement Generator::quorum_act() {
  switch (quorums_.below(13)) {
    case 0:
      return simple("acks = " + some_set() + ";");
    case 1:  // what was read is forgotten by the brute force
      has("set in an atomic block");
      return around("atomic {", {simple(quorums_.chance(60) ? "acks += t;" : "acks -= u;")});
    case 2:
      return simple(quorums_.chance(50) ? "b = t in acks;" : "b = few(acks);");
    case 3:
      has("cas of a set");
      return simple("b = acks.cas(" + some_set() + ", " + some_set() + ");");
    case 4:
      return simple("u = choose(" + std::string(quorums_.chance(90) ? "{u, 2}" : "acks") + ");");
    case 5:
      return around(
          "with " + exact_lock(0) + " {",
          {simple(quorums_.chance(50) ? "seen += t;" : "seen = seen & " + some_set() + ";")});
    case 6:
      return simple("b = tray.trySend(" + some_set() + ");");
    case 7:
      has("quantifier over a literal");
      return simple("b = (forall e in {0, 2}: e != t);");
    default:
      return quorum_local();
  }
}

void Generator::draw_quorums() {
  has("small sets");
  tree_.declarations.push_back(
      "atomic acks: set(0..<3) = " + std::string(quorums_.chance(50) ? "{}" : "{0, 2}") + ";");
  tree_.declarations.emplace_back("shared seen: set(0..<3);");
  tree_.declarations.emplace_back("channel tray: set(0..<3) capacity 1;");
  tree_.declarations.emplace_back("fun few(who: set(0..<3)): bool { return (who - 0).size < 2; }");
  const auto threads = static_cast<unsigned>(tree_.threads.size());
  for (unsigned i = 0, count = 1 + quorums_.below(3); i < count; ++i)
    insert(quorums_.below(threads), {quorum_act()});
  if (quorums_.chance(6))
    insert(quorums_.below(threads),
           {simple(quorums_.chance(50) ? "await t in acks;" : "await acks.size < 2;")});
  if (quorums_.chance(15) && has("invariant over a set"))
    tree_.declarations.emplace_back("invariant acked: (count e in acks: e > 0) < 2;");
}

}  // namespace cml::random_models
