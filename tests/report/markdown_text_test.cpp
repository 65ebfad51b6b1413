// Explain pages on a terminal (report/markdown_text.h), and finding them (report/explain_pages.h).
#include "report/markdown_text.h"

#include <doctest/doctest.h>
#include <string>

#include "report/explain_pages.h"

namespace {

using cml::report::Colours;
using cml::report::find_explain_page;
using cml::report::markdown_text;

TEST_CASE("blocks are laid out, paragraphs wrapped again") {
  const std::string text =
      "# T: title\n\none two\nthree\n\n- first\n  item\n- second\n\n```cml\nlock m;  // x\n\n"
      "thread T {}\n```\nend\n";
  CHECK(markdown_text(text, {.width = 9}) ==
        "T: title\n\none two\nthree\n\n  - first\n    item\n  - second\n\n"
        "    lock m;  // x\n\n    thread T {}\n\nend\n");
}

TEST_CASE("spans are coloured, or keep their back quotes") {
  CHECK(markdown_text("a `b` **c**", {}) == "a `b` c\n");
  CHECK(markdown_text("a `b*` **c**", {.colours = Colours(true)}) ==
        "a \033[36mb*\033[0m \033[1mc\033[0m\n");
  // A span that wraps is closed at the end of its line.
  CHECK(markdown_text("aa `bb cc`", {.colours = Colours(true), .width = 6}) ==
        "aa \033[36mbb\033[0m\n\033[36mcc\033[0m\n");
}

TEST_CASE("a page is found by what people write") {
  REQUIRE(find_explain_page("deadlock") != nullptr);
  CHECK(find_explain_page("deadlock")->name == "deadlock");
  for (const char* subject : {"lock-discipline", "Lock Discipline", "LOCK_DISCIPLINE"}) {
    CAPTURE(subject);
    REQUIRE(find_explain_page(subject) != nullptr);
    CHECK(find_explain_page(subject)->name == "lock-discipline");
  }
  for (const char* subject : {"", "e", "E", "x", "deadlok", "E99999", "12345678901", "-1", "e-1"}) {
    CAPTURE(subject);
    CHECK(find_explain_page(subject) == nullptr);
  }
  CHECK(page_title(*find_explain_page("range")) ==
        "a value outside the range of where it is stored");
}

}  // namespace
