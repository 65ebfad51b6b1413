#include "tests/random/structures.h"

#include <array>
#include <fmt/format.h>
#include <vector>

#include "tests/random/generator.h"

namespace cml::random_models {
namespace {

enum class Manner : std::uint8_t { Monitor, Block, Nothing, Late, Early, kCount };

class StructureText {
 public:
  explicit StructureText(std::uint64_t seed) : random_(seed ^ 0x5EED5EEDULL) {}

  std::string text() {
    is_careful_ = random_.chance(35);
    field_ = random_.chance(75) ? "atomic" : "shared";
    has_constructor_ = random_.chance(30);
    waits_ = random_.chance(25);
    const unsigned count = 1 + random_.below(3);
    for (unsigned k = 0; k < count; ++k)
      add_method(k);
    add_observer();
    const std::string init =
        has_constructor_ ? "  init(n: int(0..2)) {\n    a = n;\n  }\n" : std::string();
    const auto fields = [](std::string_view word) {
      return fmt::format("  {0} a: int(0..2) = 0;\n  {0} b: int(0..2) = 1;\n", word);
    };
    return fmt::format(
               "class Thing {{\n{}{}{}}}\n\natomic class ThingSpec {{\n{}{}{}}}\n\n"
               "property lin: Thing implements ThingSpec;\n\n",
               fields(field_), init, implementation_, fields("var"), init, specification_) +
           clients();
  }

 private:
  std::string one_of(std::initializer_list<const char*> words) {
    return *(words.begin() + random_.below(static_cast<unsigned>(words.size())));
  }

  void add_method(unsigned k) {
    const std::string from = one_of({"a", "b"});
    const std::string to = one_of({"a", "a", "b"});
    const std::string value = one_of({"p", "(old + 1) % 3", "(old + p) % 3", "2 - old"});
    const std::string other = one_of({"a", "b"});
    const std::string result = one_of({"old", "old", "now"});
    const bool awaits = waits_ && random_.chance(50);
    const bool chooses = random_.chance(10);
    Manner manner = static_cast<Manner>(random_.below(static_cast<unsigned>(Manner::kCount)));
    if (is_careful_ && manner > Manner::Block) manner = Manner::Monitor;
    if (awaits || (is_careful_ && waits_)) manner = Manner::Monitor;
    if (chooses && manner == Manner::Block) manner = Manner::Monitor;
    const std::string read = fmt::format("let old = {};\n", from);
    const std::string write = fmt::format("{} = {};\n", to, value);
    const std::string last = fmt::format("let now = {};\n", other);
    const std::string ret = fmt::format("return {};\n", result);
    const std::string choice =
        chooses ? fmt::format("either {{ }} or {{ {} = 0; }}\n", from) : std::string();
    const std::string head = fmt::format("fun m{}(p: int(0..2)): int(0..2) {{\n", k);
    specification_ += "  " + head + (awaits ? "await a != 0;\n" : "") + choice + read + write +
                      last + ret + "}\n";
    std::string body;
    switch (manner) {
      case Manner::Monitor:
        body = "synchronized " + head + (awaits ? "wait() until a != 0;\n" : "") + choice + read +
               write + last + (waits_ ? "notifyAll();\n" : "") + ret;
        break;
      case Manner::Block:
        body = head + "atomic {\n" + read + write + last + ret + "}\n";
        break;
      case Manner::Late:
        body = head + choice + read + "with this {\n" + write + last +
               (waits_ ? "notifyAll();\n" : "") + ret + "}\n";
        break;
      case Manner::Early:
        body = head + "var now: int(0..2) = 0;\n" + choice +
               "var old: int(0..2) = 0;\nwith this {\nold = " + from + ";\n" + write +
               (waits_ ? "notifyAll();\n" : "") + "}\nnow = " + other + ";\n" + ret;
        break;
      case Manner::Nothing:
      case Manner::kCount:
        body = head + choice + read + write + last + ret;
        break;
    }
    implementation_ += "  " + body + "}\n";
    ++methods_;
  }

  /// Pure, so that `finally` may call it.
  void add_observer() {
    const std::string head = "  fun look(): int(0..8) {\n";
    specification_ += head + "    return a * 3 + b;\n  }\n";
    implementation_ += head + "    let x = a;\n    return x * 3 + b;\n  }\n";
  }

  std::string call(std::string_view object) {
    if (random_.chance(12)) return fmt::format("{}.look()", object);
    return fmt::format("{}.m{}({})", object, random_.below(methods_), random_.below(3));
  }

  std::string clients() {
    const std::string make =
        has_constructor_ ? fmt::format("new Thing({})", random_.below(3)) : "new Thing()";
    const bool is_made_late = random_.chance(20);
    std::string text =
        is_made_late ? "atomic place: Thing?;\n" : fmt::format("shared thing: Thing = {};\n", make);
    const unsigned threads = 2 + random_.below(2);
    const bool is_family = !is_made_late && random_.chance(15);
    for (unsigned t = 0; t < (is_family ? 1 : threads); ++t) {
      const bool is_daemon = t > 0 && !is_family && random_.chance(8);
      text += fmt::format("{}thread T{}{} {{\n", is_daemon ? "daemon " : "", t,
                          is_family ? "[i in 0..1]" : "");
      std::string object = "thing";
      if (is_made_late) {
        text += t == 0 ? fmt::format("let mine = {};\n", make) : "let mine = place;\n";
        if (t > 0) text += "if mine != null {\n";
        object = "mine";
        if (t == 0 && random_.chance(50)) text += call(object) + ";\n";
        if (t == 0) text += "place = mine;\n";
      }
      const unsigned calls = 1 + random_.below(threads == 3 ? 1 : 2);
      const std::string first = call(object);
      if (calls == 2 && random_.chance(40)) {
        text += fmt::format("if {} == {} {{ {}; }}\n", first, random_.below(2), call(object));
      } else {
        text += first + ";\n";
        if (calls == 2) text += call(object) + ";\n";
      }
      if (is_made_late && t > 0) text += "}\n";
      text += "}\n";
    }
    if (!is_made_late && field_ != "shared" && random_.chance(50))
      text += "finally {\nthing.look();\n}\n";
    return text;
  }

  Random random_;
  bool is_careful_ = false;  // no mistakes
  bool has_constructor_ = false;
  bool waits_ = false;  // some methods do
  std::string field_;
  std::string implementation_, specification_;
  unsigned methods_ = 0;
};

}  // namespace

std::string structure(std::uint64_t seed) { return StructureText(seed).text(); }

}  // namespace cml::random_models
