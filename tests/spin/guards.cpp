#include "tests/spin/guards.h"

#include <algorithm>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "tests/random/drawing.h"

namespace cml::spin {
namespace {

using random_models::around;
using random_models::Body;
using random_models::ModelTree;
using random_models::Random;
using random_models::simple;
using random_models::Statement;
using random_models::ThreadText;

class Guards {
 public:
  Guards(ModelTree tree, std::uint64_t seed) : tree_(std::move(tree)), random_(seed * 7 + 0x5917) {}

  ModelTree run() {
    for (const std::string& declaration : tree_.declarations)
      read(declaration);
    for (const ThreadText& thread : tree_.threads)
      read_thread(thread.head);
    if (channels_.empty() || random_.chance(25)) add_channel();
    add_functions();
    for (ThreadText& thread : tree_.threads)
      for (unsigned n = 1 + random_.below(2); n > 0; --n)
        put_into(thread.body, true);
    if (random_.chance(50)) tree_.declarations.push_back("invariant guarded: " + property() + ";");
    if (random_.chance(50)) tree_.finals.push_back(simple("assert " + condition(false, 2) + ";"));
    return std::move(tree_);
  }

 private:
  /// "channel c: int(0..2) capacity 1;", "shared x[2]: int(0..2) = 0;"
  void read(std::string_view text) {
    const auto word = [&text](std::string_view end) {
      const std::size_t at = std::min(text.find_first_of(end), text.size());
      const std::string_view found = text.substr(0, at);
      text.remove_prefix(at);
      return std::string(found);
    };
    const std::string kind = word(" ");
    if (text.empty()) return;
    text.remove_prefix(1);
    const std::string name = word("[: =;");
    std::vector<std::string> elements{name};
    if (text.starts_with('[')) {
      if (text.substr(1, 2) != "2]") return;
      text.remove_prefix(3);
      elements = {name + "[0]", name + "[1]"};
    }
    const auto add = [&elements](std::vector<std::string>& to) {
      to.insert(to.end(), elements.begin(), elements.end());
    };
    const bool is_number = text.starts_with(": int(0..2)");
    if (kind == "channel") add(channels_);
    if (kind == "lock") add(locks_);
    if (kind == "semaphore") add(semaphores_);
    if ((kind == "shared" || kind == "atomic") && is_number) add(numbers_);
    if ((kind == "shared" || kind == "atomic") && is_number && elements.size() == 2)
      arrays_.push_back(name);
  }

  /// "daemon thread A1[i in 0..<2] {"
  void read_thread(std::string_view head) {
    head.remove_prefix(head.find("thread ") + 7);
    const std::size_t end = head.find_first_of("[( ");
    if (head[end] == '(') return;  // which of those that are spawned would have to be said
    owners_.push_back(std::string(head.substr(0, end)) + (head[end] == '[' ? "[0]" : ""));
  }

  void add_channel() {
    const bool two = random_.chance(30);
    tree_.declarations.push_back(two ? "channel q[2]: int(0..2) capacity 1;"
                                     : "channel q: int(0..2) capacity 2;");
    if (two) arrays_of_channels_ = true;
    const std::vector<std::string> added =
        two ? std::vector<std::string>{"q[0]", "q[1]"} : std::vector<std::string>{"q"};
    channels_.insert(channels_.end(), added.begin(), added.end());
    for (ThreadText& thread : tree_.threads)
      for (unsigned n = 1 + random_.below(2); n > 0; --n)
        put(thread.body,
            simple(pick(added) + (random_.chance(65) ? ".trySend(t);" : ".tryRecv(u);")), true);
  }

  void add_functions() {
    tree_.declarations.push_back("fun filled(least: int): bool { var n = 0; while n < " +
                                 pick(channels_) +
                                 ".size { n += 1; } return n >= least && n != 2; }");
    functions_.emplace_back("filled(");
    if (!arrays_.empty()) {
      tree_.declarations.push_back("fun some(wanted: int): bool { for k in 0..<2 { if " +
                                   pick(arrays_) +
                                   "[k] == wanted { return true; } } return false; }");
      functions_.emplace_back("some(");
    }
    if (arrays_of_channels_) {
      tree_.declarations.push_back(
          "fun over(most: int): bool { var n = 0; for k in 0..<2 { n += q[k].size; } "
          "return n > most; }");
      functions_.emplace_back("over(");
    }
    if (numbers_.empty()) return;
    const std::string& chosen = pick(numbers_);
    tree_.declarations.push_back("fun mixed(first: int): bool { var seen: int[3]; seen[" + chosen +
                                 "] = first + 1; seen[2] = seen[" + pick(numbers_) +
                                 "] - 1; return seen[" + chosen + "] > 0 || seen[1] == first; }");
    functions_.emplace_back("mixed(");
  }

  template <class List>
  const std::string& pick(const List& list) {
    return list[random_.below(static_cast<unsigned>(list.size()))];
  }
  std::string small() { return std::to_string(random_.below(3)); }

  /// A number; in a thread also its locals.
  std::string number(bool in_thread) {
    if (in_thread && random_.chance(25)) return random_.chance(50) ? "t" : "u";
    if (numbers_.empty() || random_.chance(55)) return pick(channels_) + ".size";
    return pick(numbers_);
  }

  std::string test(bool in_thread) {
    static const std::vector<std::string> kOps{" == ", " != ", " < ", " >= "};
    switch (random_.below(in_thread ? 11 : 9)) {
      case 0:
      case 1:
        return pick(functions_) + (in_thread && random_.chance(40) ? "t" : small()) + ")";
      case 2:
        return number(in_thread) + " + " + number(in_thread) + pick(kOps) + small();
      case 3:
        if (in_thread || locks_.empty()) return number(in_thread) + pick(kOps) + number(in_thread);
        if (random_.chance(40)) return pick(locks_) + ".free";
        return pick(locks_) + ".owner == " + pick(owners_);
      case 4:  // perhaps without a value
        if (random_.chance(60)) return number(in_thread) + " != 1";
        return "2 / (" + number(in_thread) + " + " + small() + ") < 2";
      case 9:
        if (!locks_.empty()) return pick(locks_) + ".held";
        return "b";
      case 10:  // perhaps too great an index
        if (random_.chance(40)) return "r[" + number(false) + "] == 0";
        return "r[" + pick(channels_) + ".size % 2] == 0";
      default:
        return number(in_thread) + pick(kOps) + small();
    }
  }

  std::string condition(bool in_thread, unsigned depth) {
    if (depth == 0 || random_.chance(35)) return test(in_thread);
    const std::string left = condition(in_thread, depth - 1);
    const std::string right = condition(in_thread, depth - 1);
    switch (random_.below(5)) {
      case 0:
        return "!(" + left + ") && (" + right + ")";
      case 1:
        return "((" + left + ") ? (" + right + ") : " + test(in_thread) + ")";
      case 2:
        return "(" + left + ") && (" + right + ")";
      default:
        return "(" + left + ") || (" + right + ")";
    }
  }

  /// An invariant that mostly holds at the beginning, where channels are empty.
  std::string property() {
    const std::string sizes = pick(channels_) + ".size + " + pick(channels_) + ".size";
    switch (random_.below(4)) {
      case 0:
        return sizes + " < " + std::to_string(1 + random_.below(3));
      case 1:
        return pick(channels_) + ".size != " + std::to_string(1 + random_.below(2));
      case 2:
        return pick(channels_) + ".size == 0 || (" + condition(false, 1) + ")";
      default:
        return "(" + condition(false, 1) + ") || " + sizes + " == 0";
    }
  }

  Statement guard() {
    const std::string when = condition(true, 2);
    switch (random_.below(9)) {
      case 0:
        return around("atomic {", {simple("await " + when + ";"), simple("u = (t + 1) % 3;"),
                                   simple("b = " + pick(channels_) + ".size < 1;")});
      case 1:
        if (!locks_.empty()) {
          const std::string& lock = pick(locks_);
          return around("with " + lock + " {", {simple(lock + ".wait() until " + when + ";")});
        }
        break;
      case 2: {  // which way it goes is decided by what it looks at
        Statement choice{{"if n > 0 {", "} else {"}, {}, "}"};
        choice.blocks.push_back({simple("t = n % 3;")});
        choice.blocks.push_back({simple("u = 1;")});
        return around("atomic {", {simple("let n = " + pick(channels_) + ".size;"), choice,
                                   simple("b = " + condition(true, 1) + ";")});
      }
      case 3:
        if (!semaphores_.empty()) {
          Statement choice{{"if t == 1 {", "} else {"}, {}, "}"};
          choice.blocks.push_back({simple("await " + when + ";")});
          choice.blocks.push_back({simple(pick(semaphores_) + ".down();")});
          return around("atomic {", {choice, simple("t = 0;")});
        }
        break;
      case 4:
        return simple("assert " + when + ";");
      case 5:
        return around("if " + when + " {", {simple("t = 1;")});
      default:
        break;
    }
    return simple("await " + when + ";");
  }

  void put_into(Body& body, bool is_thread) { put(body, guard(), is_thread); }

  /// Somewhere behind the declarations, also inside of branches and loops, but of no block that
  /// cannot block there.
  void put(Body& body, Statement statement, bool is_thread) {
    std::size_t first = 0;
    while (is_thread && first < body.size() &&
           (body[first].tail.starts_with("var ") || body[first].tail.starts_with("let ")))
      ++first;
    const auto at = first + random_.below(static_cast<unsigned>(body.size() - first + 1));
    if (at < body.size() && random_.chance(40)) {
      Statement& inside = body[at];
      const bool is_block = !inside.blocks.empty() && !inside.heads.front().starts_with("atomic");
      if (is_block)
        return put(inside.blocks[random_.below(static_cast<unsigned>(inside.blocks.size()))],
                   std::move(statement), false);
    }
    body.insert(body.begin() + static_cast<std::ptrdiff_t>(at), std::move(statement));
  }

  ModelTree tree_;
  Random random_;
  std::vector<std::string> channels_, locks_, semaphores_, numbers_, arrays_, functions_, owners_;
  bool arrays_of_channels_ = false;
};

}  // namespace

ModelTree with_guards(ModelTree tree, std::uint64_t seed) {
  return Guards(std::move(tree), seed).run();
}

}  // namespace cml::spin
