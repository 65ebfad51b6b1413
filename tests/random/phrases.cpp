// Statements and expressions that stand for several others: `match`, operators on bits,
// quantifiers, functions and blocks that are one transition and have a value, and `select` with
// guards.
#include <string>
#include <utility>

#include "tests/random/drawing.h"

namespace cml::random_models {

std::string Generator::phrase_condition() {
  switch (phrases_.below(6)) {
    case 0:
      has("forall");
      return "(forall place in 0..<2: votes[place] || t == place)";
    case 1:
      has("exists");
      return "(exists vote in votes: vote)";
    case 2:
      has("count");
      return "(count vote in votes: vote) != 1";
    case 3:
      has("bits in a condition");
      return "number & 1 == 1";
    case 4:
      return "number > 0";
    default:
      return "votes[" + std::to_string(phrases_.below(2)) + "]";
  }
}

/// Something that changes what the others look at.
Statement Generator::phrase_act() {
  switch (phrases_.below(7)) {
    case 0:
      return simple("votes[" + std::to_string(phrases_.below(2)) + "] = true;");
    case 1:
      return simple("votes[t & 1] = !b;");
    case 2:
      has("xor and or");
      return simple("u = (number | t) >> 1 ^ 1;");
    case 3:
      has("complement");
      return simple("number = ~number & 3;");
    case 4:
      has("shift");
      return simple(phrases_.chance(80) ? "u = (number << t) >> 2 & 1;"
                                        : "w = (number + 1) << (t * 15 - (u & 1));");
    case 5:
      // Of an atomic variable only what says which value was read: the brute force forgets it.
      return simple(phrases_.chance(50) ? "number = 0;" : "number = number ^ t;");
    default:
      return simple("u = (number >> 1) + t & 1;");
  }
}

Statement Generator::phrase_match() {
  has("match");
  if (phrases_.chance(40)) {
    Statement match{{"match t { case 0:", "case 1, 2:"}, {}, "}"};
    match.blocks.push_back({phrase_act()});
    match.blocks.push_back(phrases_.chance(70) ? Body{phrase_act()} : Body{});
    return match;
  }
  if (phrases_.chance(30)) {
    Statement match{{"match " + phrase_condition() + " { case true:", "case false:"}, {}, "}"};
    match.blocks.push_back({phrase_act()});
    match.blocks.push_back({});
    return match;
  }
  has("match with a default");
  Statement match{{"match number { case 0, 3:", "case 1:", "default:"}, {}, "}"};
  match.blocks.push_back({phrase_act()});
  match.blocks.push_back({phrase_act()});
  match.blocks.push_back(phrases_.chance(50) ? Body{phrase_act()} : Body{});
  return match;
}

Statement Generator::phrase_select() {
  Statement select;
  const auto add = [&](const std::string& text, Body body) {
    select.heads.push_back(std::string(select.heads.empty() ? "select { " : "") + "case " + text +
                           ":");
    select.blocks.push_back(std::move(body));
  };
  has("select with await");
  const bool looks = shape_.shared != 0 && kind_ != Kind::Orderly && phrases_.chance(30);
  if (looks) has("select that awaits a shared variable");
  add("await " + (looks ? shared(0) + " > 0" : phrase_condition()), {phrase_act()});
  if (phrases_.chance(40)) add("await " + phrase_condition(), {phrase_act()});
  if (phrases_.chance(45)) {
    has("send when");
    add("box.send(t)" + (phrases_.chance(70) ? " when " + phrase_condition() : ""),
        {simple("u = 1;")});
  }
  if (phrases_.chance(45)) {
    has("recv when");
    const std::string name = "got" + std::to_string(fresh_++);
    add(name + " = box.recv()" + (phrases_.chance(70) ? " when " + phrase_condition() : ""),
        {simple("u = " + name + " % 3;")});
  }
  if (shape_.semaphores != 0 && phrases_.chance(50)) {
    has("down when");
    add("s.down()" + (phrases_.chance(70) ? " when " + phrase_condition() : ""),
        {simple("u = 2;")});
  }
  if (shape_.locks != 0 && phrases_.chance(35)) {
    has("acquire when");
    const std::string lock = exact_lock(phrases_.below(shape_.locks));
    add(lock + ".acquire()" + (phrases_.chance(70) ? " when " + phrase_condition() : ""),
        {simple("u = t;"), simple(lock + ".release();")});
  }
  if (phrases_.chance(25)) {
    has("guarded select with default");
    select.heads.emplace_back("default:");
    select.blocks.push_back({simple("u = 0;")});
  }
  select.tail = "}";
  return select;
}

Body Generator::phrase() {
  switch (phrases_.below(9)) {
    case 0:
    case 1:
      return {phrase_match()};
    case 2:
      has("atomic function");
      return {simple("u = step(" + std::string(phrases_.chance(50) ? "t" : "1") + ") % 3;")};
    case 3:
      has("atomic function that waits");
      return {simple("u = take() % 3;")};
    case 4: {
      has("atomic block with a value");
      const std::string name = "q" + std::to_string(fresh_++);
      const std::string wait = phrases_.chance(25) ? "await " + phrase_condition() + "; " : "";
      return {simple("let " + name + " = atomic { " + wait +
                     "let before = number; number = (before + 1) & 3; yield before; };"),
              simple("u = " + name + " % 3;")};
    }
    case 5:
      return {simple("await " + phrase_condition() + ";")};
    case 6:
    case 7:
      return {phrase_select()};
    default:
      has("atomic block with a guarded select");
      return {around("atomic {", {phrase_select(), phrase_act()})};
  }
}

void Generator::draw_phrases() {
  tree_.declarations.emplace_back("atomic number: int(0..3);");
  tree_.declarations.emplace_back("atomic votes: bool[2];");
  tree_.declarations.emplace_back("channel box: int(0..2) capacity 1;");
  tree_.declarations.emplace_back(
      "atomic fun step(by: int): int { let old = number; number = (old + by) % 4; return old; }");
  tree_.declarations.emplace_back(
      "atomic fun take(): int { await number > 0; number = number - 1; return number; }");
  const auto threads = static_cast<unsigned>(tree_.threads.size());
  const unsigned count = 1 + phrases_.below(3);
  for (unsigned i = 0; i < count; ++i) {
    insert(phrases_.below(threads), phrase());
    if (phrases_.chance(50)) insert(phrases_.below(threads), {phrase_act()});
  }
  if (phrases_.chance(15) && has("invariant with a quantifier"))
    tree_.declarations.emplace_back("invariant few: (count vote in votes: vote) < 2;");
}

}  // namespace cml::random_models
