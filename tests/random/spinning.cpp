// Threads that spin: they look at something until it changes, and nothing blocks them. Who should
// change it may be missing, may come too late, or may spin as well.
#include <string>
#include <utility>

#include "tests/random/drawing.h"

namespace cml::random_models {

/// At some place of the thread that is no loop and no branch.
void Generator::insert(unsigned thread, Body statements) {
  Body& body = tree_.threads[thread].body;
  std::size_t first = 0;  // behind the declarations of locals
  while (first < body.size() &&
         (body[first].tail.starts_with("var ") || body[first].tail.starts_with("let ")))
    ++first;
  const std::size_t at = first + spins_.below(static_cast<unsigned>(body.size() - first) + 1);
  for (std::size_t i = 0; i < statements.size(); ++i)
    body.insert(body.begin() + static_cast<std::ptrdiff_t>(at + i), std::move(statements[i]));
}

void Generator::spin_for_flag() {
  has("spins for a flag");
  tree_.declarations.push_back("atomic flag: bool;");
  const auto threads = static_cast<unsigned>(tree_.threads.size());
  insert(spins_.below(threads),
         {spins_.chance(70) ? around("while !flag {", {simple("skip;")})
                            : around("loop {", {simple("if flag { break; }")})});
  if (spins_.chance(60)) insert(spins_.below(threads), {simple("flag = true;")});
  if (spins_.chance(20)) insert(spins_.below(threads), {simple("flag = false;")});
}

/// One that is taken by trying: a lock, a semaphore, or a variable.
void Generator::spin_for_lock() {
  const auto threads = static_cast<unsigned>(tree_.threads.size());
  std::string take;
  std::string give;
  switch (spins_.below(4)) {
    case 0:
      take = "!" + exact_lock(0) + ".tryAcquire()";
      give = exact_lock(0) + ".release();";
      has("spins for a lock");
      break;
    case 1:
      tree_.declarations.push_back("semaphore permits = 1;");
      take = "!permits.tryDown()";
      give = "permits.up();";
      has("spins for a semaphore");
      break;
    case 2:
      tree_.declarations.push_back("atomic gate: int(0..1);");
      take = "!gate.cas(0, 1)";
      give = "gate = 0;";
      has("spins with cas");
      break;
    default:
      tree_.declarations.push_back("atomic taken: bool;");
      take = "taken.swap(true)";
      give = "taken = false;";
      has("spins with swap");
  }
  const unsigned first = spins_.below(threads);
  for (const unsigned thread : {first, (first + 1) % threads}) {
    Body statements{around("while " + take + " {", {simple("skip;")})};
    if (spins_.chance(50)) statements.push_back(simple("t = (t + 1) % 3;"));
    if (spins_.chance(80)) statements.push_back(simple(give));
    insert(thread, std::move(statements));
    if (threads == 1 || spins_.chance(20)) break;
  }
}

/// Each looks for what the other does, before or after it does what the other looks for.
void Generator::spin_for_each_other() {
  has("spin for each other");
  tree_.declarations.emplace_back("atomic here: bool;");
  tree_.declarations.emplace_back("atomic there: bool;");
  const auto threads = static_cast<unsigned>(tree_.threads.size());
  const unsigned first = spins_.below(threads);
  const auto side = [&](unsigned thread, const char* mine, const char* other) {
    Body statements{around("while !" + std::string(other) + " {", {simple("skip;")})};
    Statement say = simple(std::string(mine) + " = true;");
    if (spins_.chance(50)) {
      statements.push_back(std::move(say));
    } else {
      statements.insert(statements.begin(), std::move(say));
    }
    insert(thread, std::move(statements));
  };
  side(first, "here", "there");
  side((first + 1) % threads, "there", "here");
}

void Generator::spin() {
  switch (spins_.below(4)) {
    case 0:
      return spin_for_flag();
    case 1:
      return spin_for_each_other();
    default:
      return spin_for_lock();
  }
}

}  // namespace cml::random_models
