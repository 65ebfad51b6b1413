// Mutexes, conditions and waits that end by time. Some models get a mutex in place of each lock.
#include <string>
#include <utility>

#include "tests/random/drawing.h"

namespace cml::random_models {

std::string Generator::turn() {
  if (!turns_) return "turn";
  return excludes_.chance(60) ? "turn[" + std::to_string(excludes_.below(2)) + "]" : "turn[t & 1]";
}

Body Generator::excluding_wait() {
  switch (excludes_.below(6)) {
    case 0:
      has("wait for a condition");
      return {simple(turn() + ".wait();")};
    case 1:
    case 2:
      has("wait until, for a condition");
      return {simple(turn() + ".wait() until coin " + (excludes_.chance(70) ? "> 0;" : "!= 1;")),
              simple("coin = " + std::to_string(excludes_.below(2)) + ";")};
    case 3:
      has("wait for a while");
      return {simple("b = " + turn() + ".waitTimed();"), simple("u = coin;")};
    case 4:
      has("wait for a while in a loop");
      return {around("while coin == 0 {",
                     {around("if !" + turn() + ".waitTimed() {", {simple("break;")})})};
    default:
      has("wait for two conditions");
      return {simple(turn() + ".wait() until coin > 0;"), simple("coin = 0;"),
              simple(turn() + (excludes_.chance(50) ? ".notify();" : ".notifyAll();"))};
  }
}

Body Generator::excluding() {
  const std::string notify = turn() + (excludes_.chance(60) ? ".notify();" : ".notifyAll();");
  switch (excludes_.below(12)) {
    case 0:
      has("notify of a condition without its lock");
      return {simple(notify)};
    case 1:
      has("notify behind the release");
      return {around("with bolt {", {simple("coin = 1;")}), simple(notify)};
    case 2:
    case 3:
      has("notify of a condition");
      return {around(
          "with bolt {",
          {simple("coin = " + std::to_string(1 + excludes_.below(2)) + ";"), simple(notify)})};
    case 4:
      has("taken twice");
      return {around("with bolt {", {around("with bolt {", {simple("coin = 2;")})})};
    case 5:
      has("tryAcquire by who may own it");
      return {simple("bolt.acquire();"),
              around("if bolt.tryAcquire() {", {simple("coin = 1;"), simple("bolt.release();")}),
              simple("bolt.release();")};
    case 6:
      has("atomic block that notifies a condition");
      return {around("atomic {", {simple("u = 1;"), simple(notify)})};
    case 7:
      if (excludes_.chance(40)) {
        has("wait for a condition without its lock");
        return {simple(turn() + ".wait();")};
      }
      return {around("if bolt.tryAcquire() {", {simple("coin = 2;"), simple("bolt.release();")})};
    case 8:
      if (locks_wait_ && has("wait for a while at a lock"))
        return {around("with " + exact_lock(0) + " {",
                       {simple("b = " + exact_lock(0) + ".waitTimed();")})};
      return {simple("await_turn(bolt, " + turn() + ");")};
    default:
      return {around("with bolt {", excluding_wait())};
  }
}

void Generator::draw_excluding() {
  turns_ = excludes_.chance(30) && has("array of conditions");
  const bool is_mutex = excludes_.chance(60);
  locks_wait_ = shape_.locks > 0;
  // Where nobody waits at a lock.
  if (excludes_.chance(35) && templates_ == 0 && !extras_.process &&
      tree_.text().find(".wait") == std::string::npos &&
      tree_.text().find(".notify") == std::string::npos) {
    has("mutexes only");
    locks_wait_ = false;
    lock_kind_ = "mutex";
    for (std::string& declaration : tree_.declarations) {
      if (declaration.starts_with("lock m")) declaration.replace(0, 4, "mutex");
      if (const auto at = declaration.find("l: lock"); at != std::string::npos)
        declaration.replace(at, 7, "l: mutex");
    }
  }
  const std::string kind = is_mutex ? "mutex" : "lock";
  if (is_mutex) has("mutex");
  tree_.declarations.push_back(kind + " bolt;");
  tree_.declarations.push_back("condition turn" + std::string(turns_ ? "[2]" : "") + " of bolt;");
  tree_.declarations.emplace_back("shared coin: int(0..2) = 0;");
  tree_.declarations.push_back("fun await_turn(l: " + kind +
                               ", c: condition) { with l { c.wait() until coin == 2; } }");
  const auto threads = static_cast<unsigned>(tree_.threads.size());
  insert(excludes_.below(threads), {around("with bolt {", excluding_wait())});
  const unsigned count = 2 + excludes_.below(2);
  for (unsigned i = 0; i < count; ++i)
    insert(excludes_.below(threads), excluding());
}

}  // namespace cml::random_models
