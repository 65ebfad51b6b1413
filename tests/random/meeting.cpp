// Threads that meet at channels without room: plainly, in a `select` with or without a `default`,
// by trying, and where somebody closes the channel.
#include <string>
#include <utility>

#include "tests/random/drawing.h"

namespace cml::random_models {

std::string Generator::hall() {
  if (!halls_) return "hall";
  return meetings_.chance(60) ? "hall[" + std::to_string(meetings_.below(2)) + "]" : "hall[t & 1]";
}

Statement Generator::meeting_select(bool sends) {
  Statement select;
  const bool is_guarded = meetings_.chance(45);
  const auto add = [&](const std::string& text, Body body) {
    const bool has_guard = is_guarded && meetings_.chance(50) && has("guard at a rendezvous");
    select.heads.push_back(
        std::string(select.heads.empty() ? "select { " : "") + "case " + text +
        (has_guard ? meetings_.chance(50) ? " when t != 1" : " when u > t" : "") + ":");
    select.blocks.push_back(std::move(body));
  };
  const auto receive = [&](const std::string& from) {
    const std::string name = "guest" + std::to_string(fresh_++);
    add(name + " = " + from + ".recv()", {simple("u = " + name + ";")});
  };
  has("select at a rendezvous");
  if (sends)
    add(hall() + ".send(u)", {simple("t = 1;")});
  else
    receive(hall());
  if (meetings_.chance(35)) receive(hall());
  if (meetings_.chance(35)) {
    has("select of both kinds");
    add(hall() + ".send(t)", {simple("u = 2;")});
  }
  if (meetings_.chance(30)) add(meetings_.chance(50) ? "tap.send()" : "tap.recv()", {});
  if (shape_.semaphores != 0 && meetings_.chance(40)) add("s.down()", {simple("t = 0;")});
  if (shape_.channels != 0 && meetings_.chance(30)) receive("c");
  if (is_guarded && meetings_.chance(50) && has("await beside a rendezvous")) {
    select.heads.emplace_back(meetings_.chance(50) ? "case await true:" : "case await t == u:");
    select.blocks.push_back({simple("b = true;")});
  }
  if (meetings_.chance(30) && has("select that looks for a partner")) {
    select.heads.emplace_back("default:");
    select.blocks.push_back({simple("u = 0;")});
  }
  select.tail = "}";
  return select;
}

/// One side of a meeting, perhaps come to by a guard.
Body Generator::meeting_side(bool sends) {
  Body body = plain_meeting_side(sends);
  if (shape_.atomics != 0 && meetings_.chance(20) && has("await before a rendezvous"))
    body.insert(body.begin(), simple(meetings_.chance(70) ? "await a0 < 2;" : "await a0 != 1;"));
  return body;
}

Body Generator::plain_meeting_side(bool sends) {
  const unsigned kind = meetings_.below(10);
  if (kind < 3) return {meeting_select(sends)};
  if (kind == 3 && has("tries to meet"))
    return {simple(sends ? "b = " + hall() + ".trySend(t);" : "b = " + hall() + ".tryRecv(u);")};
  if (kind == 4) return {simple(sends ? "tap.send();" : "tap.recv();")};
  if (kind == 5 && !sends && has("recv at a rendezvous that says whether a value came"))
    return {around("if " + hall() + ".recv(t) {", {simple("u = t;")})};
  return {simple(sends ? hall() + ".send(t);" : "t = " + hall() + ".recv();")};
}

/// A daemon with whom everybody can meet, so that nobody waits for ever.
void Generator::host() {
  has("daemon that meets whoever comes");
  Statement select;
  const auto add = [&](const std::string& text) {
    select.heads.push_back(std::string(select.heads.empty() ? "select { " : "") + "case " + text +
                           ":");
    select.blocks.emplace_back();
  };
  for (const std::string& each :
       halls_ ? std::vector<std::string>{"hall[0]", "hall[1]"} : std::vector<std::string>{"hall"}) {
    add(each + ".recv()");
    add(each + ".send(" + std::to_string(meetings_.below(3)) + ")");
  }
  add("tap.recv()");
  add("tap.send()");
  select.tail = "}";
  ThreadText thread;
  thread.head = "daemon thread Host {";
  declare_locals(thread);
  thread.body.push_back(around("loop {", {std::move(select)}));
  tree_.threads.push_back(std::move(thread));
}

void Generator::draw_meetings() {
  has("rendezvous");
  halls_ = meetings_.chance(25) && has("array of rendezvous");
  tree_.declarations.push_back(std::string("channel hall") + (halls_ ? "[2]" : "") +
                               ": int(0..2) capacity 0;");
  tree_.declarations.emplace_back("channel tap;");
  const auto threads = static_cast<unsigned>(tree_.threads.size());
  const unsigned pairs = 1 + meetings_.below(2);
  for (unsigned i = 0; i < pairs; ++i) {
    const unsigned first = meetings_.below(threads);
    const unsigned second = (first + 1 + meetings_.below(threads > 1 ? threads - 1 : 1)) % threads;
    insert(first, meeting_side(true));
    insert(second, meeting_side(false));
  }
  if (meetings_.chance(35)) insert(meetings_.below(threads), meeting_side(meetings_.chance(50)));
  const bool is_hosted = meetings_.chance(60);
  if (is_hosted) host();
  if (!is_hosted && meetings_.chance(50) && has("rendezvous that is closed"))
    insert(meetings_.below(threads),
           {simple((halls_ ? "hall[0]" : "hall") + std::string(".close();"))});
  if (!is_hosted && meetings_.chance(50) && has("for over a rendezvous"))
    insert(meetings_.below(threads),
           {around("for guest in hall" + std::string(halls_ ? "[1]" : "") + " {",
                   {simple("u = guest;")})});
}

}  // namespace cml::random_models
