// Which objects never leave the thread that makes them, and what is left of claims that are proved.
#include "ir/analysis/confined_classes.h"

#include <doctest/doctest.h>
#include <string>
#include <string_view>

#include "ir/exec/state_layout.h"
#include "ir/text/text.h"
#include "tests/checker/check_text.h"

namespace {

using namespace cml;

constexpr std::string_view kClass = "class Box { shared content: int(0..2) = 0; }\n";

/// The only class, or the first.
bool is_confined(const std::string& model) {
  return ir::confined_classes(test::system_of(std::string(kClass) + model))[ir::ClassId(0)];
}
bool is_checked(const std::string& model) {
  return test::system_of(std::string(kClass) + model).classes[ir::ClassId(0)].is_claimed;
}

TEST_CASE("confined classes: what locals and fields of confined objects refer to") {
  CHECK(is_confined("thread A { let b = new Box(); b.content = 1; }"));
  CHECK(
      is_confined("class Shelf { atomic box: Box? = null; }\n"
                  "thread A { let s = new Shelf(); s.box = new Box(); }"));
  CHECK(
      is_confined("atomic g: Box? = null;\n"
                  "thread A { let b = new Box(); b.content = 1; g = null; }"));
}

TEST_CASE("confined classes: what gets to others escapes") {
  CHECK_FALSE(is_confined("atomic g: Box? = null;\nthread A { g = new Box(); }"));
  CHECK_FALSE(
      is_confined("atomic g: Box? = null;\n"
                  "thread A { let b = new Box(); let done = g.cas(null, b); }"));
  CHECK_FALSE(is_confined("shared b: Box = new Box();\nthread A { b.content = 1; }"));
  CHECK_FALSE(is_confined("channel c: Box capacity 1;\nthread A { c.send(new Box()); }"));
  CHECK_FALSE(
      is_confined("channel c: Box capacity 1;\n"
                  "thread A { let b = new Box(); select { case c.send(b): skip; } }"));
  CHECK_FALSE(is_confined("thread A { spawn T(new Box()); }\nthread T(b: Box) { b.content = 1; }"));
  CHECK_FALSE(
      is_confined("class Shelf { atomic box: Box? = null; }\nshared shelf: Shelf = new Shelf();\n"
                  "thread A { shelf.box = new Box(); }"));
  CHECK_FALSE(
      is_confined("class Shelf { const box: Box; init() { box = new Box(); } }\n"
                  "atomic g: Shelf? = null;\nthread A { g = new Shelf(); }"));
}

TEST_CASE("confined classes: a claim that is proved is not checked when the model runs") {
  constexpr std::string_view kKept =
      "thread A[i in 0..<2] { let b = new unshared Box(); b.content = 1; }";
  const ir::System system = test::system_of(std::string(kClass) + std::string(kKept));
  CHECK_FALSE(system.classes[ir::ClassId(0)].is_claimed);
  CHECK(ir::proved_claims(system)[ir::ClassId(0)]);
  CHECK(ir::print(system).find("claimed") == std::string::npos);
  const ir::Layout layout(system);  // which has no room for whose an object is
  CHECK(layout.object(system.classes[ir::ClassId(0)].first).fields.empty());

  const checker::Result result = test::check_text(std::string(kClass) + std::string(kKept));
  CHECK(result.verdict == checker::Verdict::Verified);
  REQUIRE(result.discipline.size() == 1);
  CHECK(result.discipline[0].object == "Box.content");
  CHECK(result.discipline[0].status == "unshared");
  CHECK(result.discipline[0].established == "statically");
  CHECK(result.warnings.empty());
}

TEST_CASE("confined classes: what is not proved is checked") {
  CHECK(
      is_checked("channel c: Box capacity 1;\n"
                 "thread A { let b = new unshared Box(); b.content = 1; c.send(b); }"));
  // Others of its class are not claimed, so it must be known which object is.
  CHECK(
      is_checked("thread A { let b = new unshared Box(); b.content = 1; }\n"
                 "thread B { let b = new Box(); b.content = 1; }"));
  CHECK(
      is_checked("shared all: Box = new Box();\n"
                 "thread A { let b = new unshared Box(); b.content = 1; }"));
}

}  // namespace
