// Text for terminals (report/terminal_text.h): nothing dangerous gets through, widths, wrapping.
#include "report/terminal_text.h"

#include <doctest/doctest.h>
#include <string>
#include <string_view>

namespace {

using cml::report::Colours;
using cml::report::display_width;
using cml::report::Paint;
using cml::report::printable;
using cml::report::wrapped;

TEST_CASE("what would steer a terminal is replaced") {
  CHECK(printable("plain\ttext\nnext line") == "plain\ttext\nnext line");
  CHECK(printable("\033[31mred") == "\uFFFD[31mred");
  CHECK(printable("bell\a\x7F") == "bell\uFFFD\uFFFD");
  CHECK(printable("\xC2\x9B"
                  "31m") == "\uFFFD31m");                    // the one-character form of ESC [
  CHECK(printable("a\u202Eb\u2066c") == "a\uFFFDb\uFFFDc");  // reordering
  CHECK(printable("\xFF\xFE") == "\uFFFD\uFFFD");
  CHECK(printable("\xE2\x82") == "\uFFFD\uFFFD");            // cut off
  CHECK(printable("\xED\xA0\x80") == "\uFFFD\uFFFD\uFFFD");  // a surrogate
  CHECK(printable("grün 日本") == "grün 日本");
  CHECK(printable(std::string_view("\0x", 2)) == "\uFFFDx");
}

TEST_CASE("widths are columns") {
  CHECK(display_width("abc") == 3);
  CHECK(display_width("grün") == 4);
  CHECK(display_width("日本") == 4);
  CHECK(display_width("e\u0301") == 1);  // a combining accent
  CHECK(display_width("\xFF") == 1);
}

TEST_CASE("paragraphs are wrapped between words") {
  CHECK(wrapped("one two  three\nfour", 9) == "one two\nthree\nfour");
  CHECK(wrapped("one two three", 9, 2) == "one two\n  three");
  CHECK(wrapped("a-word-that-is-too-long x", 5) == "a-word-that-is-too-long\nx");
  CHECK(wrapped("", 10).empty());
  CHECK(wrapped("日本 日本", 6) == "日本\n日本");
}

TEST_CASE("colours are on or off") {
  CHECK(Colours(false)(Paint::Error, "x") == "x");
  CHECK(Colours(true)(Paint::Error, "x") == "\033[1;31mx\033[0m");
  CHECK(Colours(true)(Paint::Plain, "x") == "x");
  CHECK(Colours(true)(Paint::Error, "").empty());
}

}  // namespace
