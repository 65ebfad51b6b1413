// Sections of some fifty lines, repeated with other names.
#include "bench/generated_model.h"

#include <algorithm>

namespace cml::bench {
namespace {

constexpr const char* kHead = R"cml(// Generated: a bank of many branches.
model "branches";

const TELLERS = 2;
const MOST = 100;

enum Mood { quiet, busy, closed }

)cml";

// `@` is the section's number.
constexpr const char* kSection =
    R"cml(/// Branch @: its accounts, and what its tellers send to each other.
struct Order@ { from: int(0..3); to: int(0..3); amount: int(0..MOST); }

lock vault@;
lock book@;
shared balance@[4]: int(0..MOST) = 10;
shared actions@: int(0..1000) guarded by book@ = 0;
atomic mood@: Mood = Mood.quiet;
semaphore counter@ = 1 max 1;
channel orders@: Order@ capacity 2;

/// Moves money between two accounts of the branch, if there is enough of it.
fun transfer@(from: int(0..3), to: int(0..3), amount: int(0..MOST)): bool {
  with vault@ {
    let have = balance@[from];
    if have < amount || balance@[to] + amount > MOST {
      return false;
    }
    balance@[from] = have - amount;
    balance@[to] = balance@[to] + amount;
  }
  with book@ { if actions@ < 1000 { actions@ += 1; } }
  return true;
}

thread Teller@[i in 0..<TELLERS] {
  var done: int(0..20) = 0;
  while done < 10 && mood@ != Mood.closed {
    let order = orders@.recv();
    counter@.down();
    if transfer@(order.from, order.to, order.amount) {
      done = done + 1;
    } else if order.amount > 10 {
      mood@ = Mood.busy;
    } else {
      skip;
    }
    counter@.up();
  }
}

thread Customer@ {
  for round in 0..<10 {
    var wish = Order@(from: round % 4, to: (round + 1) % 4, amount: 5);
    either { wish.amount = choose(1..9); } or { skip; }
    select {
      case orders@.send(wish): skip;
      default: mood@.cas(Mood.busy, Mood.quiet);
    }
  }
  await mood@ == Mood.quiet || mood@ == Mood.closed;
  assert balance@_total() >= 0, "branch @ lost money";
}

fun balance@_total(): int {
  var sum = 0;
  with vault@ { for i in 0..<4 { sum = sum + balance@[i]; } }
  return sum;
}

)cml";

}  // namespace

std::string generated_model(int lines) {
  std::string text = kHead;
  auto count = std::ranges::count(text, '\n');
  for (int number = 1; count < lines; ++number) {
    for (const char* c = kSection; *c != '\0'; ++c) {
      if (*c == '@') {
        text += std::to_string(number);
      } else {
        text += *c;
        if (*c == '\n') ++count;
      }
    }
  }
  return text;
}

}  // namespace cml::bench
