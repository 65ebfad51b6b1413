// Spawned threads of random models: templates T0 and T1, and statements that spawn and join them.
#include <string>
#include <utility>

#include "tests/random/drawing.h"

namespace cml::random_models {

void Generator::draw_spawned() {
  if (extras_.process || !spawns_.chance(25) || !has("spawn")) return;
  templates_ = 1 + (spawns_.chance(25) ? 1 : 0);
  handle_object_ = spawns_.chance(45);
  if (handle_object_) tree_.declarations.push_back("atomic who: thread? = null;");
}

std::string Generator::spawn_of(unsigned k, const std::string& argument) {
  std::string text = "spawn T" + std::to_string(k) + "(" + argument;
  if (shape_.locks != 0) text += ", " + lock(spawns_.below(shape_.locks));
  return text + ")";
}

/// A loop that comes to an end, which is not known: its threads take each other's places.
Statement Generator::spawning_loop(unsigned k, const std::string& handle) {
  has("spawn in a loop that ends");
  const std::string count = "n" + std::to_string(fresh_++);
  Body inside{simple("let " + handle + " = " + spawn_of(k, value()) + ";")};
  if (handle_object_ && spawns_.chance(60))
    inside.push_back(spawns_.chance(50) ? simple("who = " + handle + ";")
                                        : simple("if who != null { join who; }"));
  if (spawns_.chance(30)) {
    inside.push_back(simple("join " + handle + ";"));
  } else if (spawns_.chance(50)) {
    inside.push_back(around("if " + condition() + " {", {simple("join " + handle + ";")}));
  }
  inside.push_back(simple(count + " = " + count + " + 1;"));
  Body block{simple("var " + count + " = 0;"),
             around("while " + count + " < 2 {", std::move(inside))};
  return around("{", std::move(block));
}

/// Ways of spawning a thread, among the statements.
void Generator::spawn_some(Body& out, unsigned lowest, bool in_loop) {
  if (lowest >= templates_ || !spawns_.chance(70)) return;
  const unsigned k = lowest + spawns_.below(templates_ - lowest);
  const auto place = [&](std::size_t from) {
    return out.begin() + static_cast<std::ptrdiff_t>(
                             from + spawns_.below(static_cast<unsigned>(out.size() - from + 1)));
  };
  const std::string handle = "h" + std::to_string(fresh_++);
  const auto insert_join = [&](std::size_t from) {
    out.insert(place(from), simple("join " + handle + ";"));
    has("join");
  };
  if (in_loop) {  // alone, so that the model stays finite
    has("spawn in a loop");
    const std::size_t at = static_cast<std::size_t>(place(0) - out.begin());
    out.insert(out.begin() + static_cast<std::ptrdiff_t>(at),
               simple("let " + handle + " = " + spawn_of(k, value()) + ";"));
    out.insert(out.begin() + static_cast<std::ptrdiff_t>(at) + 1, simple("join " + handle + ";"));
    return;
  }
  if (spawns_.chance(20)) {
    out.insert(place(0), spawning_loop(k, handle));
    return;
  }
  switch (spawns_.below(handle_object_ ? 8 : 6)) {
    case 0:
      out.insert(place(0), simple(spawn_of(k, value()) + ";"));
      return;
    case 1: {
      has("spawn in a loop that counts");
      const std::string index = "k" + std::to_string(fresh_++);
      out.insert(place(0),
                 around("for " + index + " in 0..<2 {",
                        {simple(spawn_of(k, spawns_.chance(50) ? index : value()) + ";")}));
      return;
    }
    case 2:
    case 3: {
      has("handle that may be null");
      const auto at = place(0) - out.begin();
      out.insert(out.begin() + at, simple("var " + handle + ": thread? = null;"));
      out.insert(out.begin() + at + 1,
                 around("if " + condition() + " {",
                        {simple(handle + " = " + spawn_of(k, value()) + ";")}));
      insert_join(static_cast<std::size_t>(at) + 2);
      return;
    }
    case 6:
    case 7:
      has("handle in an object");
      out.insert(place(0), simple("who = " + spawn_of(k, value()) + ";"));
      if (spawns_.chance(50)) out.push_back(simple("join who;"));
      return;
    default: {
      const auto at = place(0) - out.begin();
      out.insert(out.begin() + at, simple("let " + handle + " = " + spawn_of(k, value()) + ";"));
      if (spawns_.chance(75)) insert_join(static_cast<std::size_t>(at) + 1);
      if (spawns_.chance(15)) insert_join(static_cast<std::size_t>(at) + 1);
      return;
    }
  }
}

void Generator::spawned(unsigned number) {
  ThreadText thread;
  const bool family = std::exchange(family_, false);
  const bool daemon = spawns_.chance(10) && has("daemon that is spawned");
  has_daemon_ = has_daemon_ || daemon;
  thread.head = std::string(daemon ? "daemon " : "") + "thread T" + std::to_string(number) +
                "(p: int(0..2)" + (shape_.locks != 0 ? ", l: lock" : "") + ") {";
  declare_locals(thread);
  if (shape_.lock_array || shape_.shared_array) thread.body.push_back(simple("let z = 1;"));
  thread.body.push_back(simple("t = p;"));
  in_thread_ = true;
  instances_ = 2;
  Body statements;
  if (kind_ == Kind::Orderly) {
    if (shape_.shared != 0) orderly_access(statements);
  } else {
    statements = body(1, 1);
  }
  if (shape_.locks != 0 && spawns_.chance(50))
    statements.push_back(around("with l {", {simple("u = p;")}));
  spawn_some(statements, number + 1, false);
  for (Statement& statement : statements)
    thread.body.push_back(std::move(statement));
  in_thread_ = false;
  family_ = family;
  tree_.threads.push_back(std::move(thread));
}

}  // namespace cml::random_models
