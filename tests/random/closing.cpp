// Channels that are closed, and those that carry no values.
#include <string>
#include <utility>

#include "tests/random/drawing.h"

namespace cml::random_models {

std::string Generator::feed() {
  if (!feeds_) return "feed";
  return closings_.chance(60) ? "feed[" + std::to_string(closings_.below(2)) + "]" : "feed[t & 1]";
}

Body Generator::closing_receive() {
  const std::string name = "item" + std::to_string(fresh_++);
  switch (closings_.below(6)) {
    case 0:
    case 1: {
      has("for over a channel");
      Body body{simple("u = " + name + ";")};
      if (closings_.chance(15)) body.push_back(simple("w = 2147483647 + " + name + ";"));
      if (closings_.chance(30)) body.push_back(around("if t == u {", {simple("break;")}));
      return {around("for " + name + " in " + feed() + " {", std::move(body))};
    }
    case 2:
      has("recv that says whether a value came");
      return {around("if " + feed() + ".recv(t) {", {simple("u = t;")})};
    case 3:
      return {simple("b = " + feed() + ".tryRecv(u);")};
    default:
      return {simple("t = " + feed() + ".recv();")};
  }
}

Body Generator::closing_select() {
  has("select beside a close");
  const std::string name = "item" + std::to_string(fresh_++);
  const bool is_guarded = closings_.chance(50);
  Statement select;
  const auto add = [&](const std::string& text, Body body) {
    const bool has_guard = is_guarded && (select.heads.empty() || closings_.chance(50));
    select.heads.push_back(std::string(select.heads.empty() ? "select { " : "") + "case " + text +
                           (has_guard ? " when t != 1" : "") + ":");
    select.blocks.push_back(std::move(body));
  };
  if (is_guarded) has("guarded select beside a close");
  add(name + " = " + feed() + ".recv()", {simple("u = " + name + ";")});
  if (closings_.chance(40)) add("shut.recv()", {simple("u = 1;")});
  if (closings_.chance(30)) add(feed() + ".send(u)", {simple("u = 2;")});
  if (closings_.chance(25)) add("shut.send()", {});
  if (is_guarded && closings_.chance(30)) {
    select.heads.emplace_back("case await shut.closed:");
    select.blocks.push_back({simple("b = true;")});
  }
  if (closings_.chance(25)) {
    select.heads.emplace_back("default:");
    select.blocks.push_back({simple("u = 0;")});
  }
  select.tail = "}";
  return {std::move(select)};
}

Body Generator::closing() {
  switch (closings_.below(10)) {
    case 0:
      has("send and close");
      return {simple(feed() + ".send(t);"), simple(feed() + ".close();")};
    case 1:
      return {simple(feed() + ".send(t);")};
    case 2:
      has("close");
      return {simple(closings_.chance(60) ? feed() + ".close();" : "shut.close();")};
    case 3:
      has("closed");
      switch (closings_.below(3)) {
        case 0:
          return {simple("await " + feed() + ".closed;"), simple("u = 1;")};
        case 1:
          return {around("if !" + feed() + ".closed {", closing_receive())};
        default:
          return {simple("b = shut.closed;")};
      }
    case 4:
      has("channel without values");
      switch (closings_.below(4)) {
        case 0:
          return {simple("shut.send();")};
        case 1:
          return {simple("b = shut.tryRecv();")};
        case 2:
          return {simple("b = shut.trySend();")};
        default:
          return {simple("shut.send();"), simple("shut.recv();")};
      }
    case 5:
      has("atomic block that closes");
      return {around("atomic {", {simple(feed() + ".send(u);"), simple("shut.close();")})};
    case 6:
      return closing_select();
    case 7:
      return {simple("b = " + feed() + ".trySend(t);")};
    default:
      return closing_receive();
  }
}

void Generator::draw_closing() {
  feeds_ = closings_.chance(30) && has("array of channels that are closed");
  tree_.declarations.push_back(std::string("channel feed") + (feeds_ ? "[2]" : "") +
                               ": int(0..2) capacity " + std::to_string(1 + closings_.below(2)) +
                               ";");
  tree_.declarations.emplace_back("channel shut capacity 1;");
  const auto threads = static_cast<unsigned>(tree_.threads.size());
  insert(closings_.below(threads), {simple("feed" + std::string(feeds_ ? "[0]" : "") +
                                           (closings_.chance(40) ? ".send(1);" : ".close();"))});
  const unsigned count = 2 + closings_.below(3);
  for (unsigned i = 0; i < count; ++i)
    insert(closings_.below(threads), closing());
  if (closings_.chance(20) && has("invariant over what is closed"))
    tree_.declarations.emplace_back(closings_.chance(50)
                                        ? "invariant kept: !shut.closed || shut.size == 0;"
                                        : "invariant open: !shut.closed;");
}

}  // namespace cml::random_models
