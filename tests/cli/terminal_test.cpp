// What `cml check` shows on terminals of several widths: progress that leaves nothing behind, and
// traces whose rows fit.
#include "tests/harness/terminal.h"

#include <algorithm>
#include <doctest/doctest.h>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

#include "report/terminal_text.h"
#include "tests/harness/process.h"

namespace {

using cml::test::run_on_terminal;

/// As much of a terminal as is needed to see what is left on it: lines that wrap, `\r`, and what
/// clears a line.
class Screen {
 public:
  explicit Screen(std::size_t columns) : columns_(columns) {}

  void show(std::string_view text) {
    for (std::size_t i = 0; i < text.size(); ++i) {
      if (text[i] == '\n') {
        lines_.emplace_back();
      } else if (text[i] == '\r') {
        column_ = 0;
      } else if (text[i] == '\033') {
        const std::size_t end = text.find_first_of("Km", i);
        if (text[end] == 'K') lines_.back().resize(std::min(column_, lines_.back().size()));
        i = end;
      } else {
        put(text[i]);
      }
    }
  }
  [[nodiscard]] const std::vector<std::string>& lines() const { return lines_; }
  [[nodiscard]] bool has_wrapped() const { return has_wrapped_; }

 private:
  void put(char c) {
    if (column_ == columns_) {
      has_wrapped_ = true;
      lines_.emplace_back();
      column_ = 0;
    }
    std::string& line = lines_.back();
    if (line.size() <= column_) line.resize(column_ + 1, ' ');
    line[column_++] = c;
  }

  std::size_t columns_;
  std::vector<std::string> lines_{""};
  std::size_t column_ = 0;
  bool has_wrapped_ = false;
};

TEST_CASE("a search that is interrupted leaves no progress on the terminal, however wide") {
  for (const int columns : {30, 40, 60, 80, 100, 140}) {
    CAPTURE(columns);
    const auto result =
        run_on_terminal({CML_BINARY, "check", "-D", "N=18", "--format", "json", "-o", "/dev/null",
                         CML_SOURCE_DIR "/examples/philosophers_ordered.cml"},
                        {.columns = columns, .wait_for = " s", .keys = "\x03"});
    CHECK(result.status == 3);
    Screen screen(static_cast<std::size_t>(columns));
    screen.show(result.raw);
    CAPTURE(result.raw);
    CHECK_FALSE(screen.has_wrapped());
    for (const std::string& line : screen.lines())
      CHECK(line.empty());
  }
}

TEST_CASE("progress says the most that fits") {
  const auto shown = [](int columns) {
    return run_on_terminal({CML_BINARY, "check", "-D", "N=18", "--max-time", "0.5", "-o",
                            "/dev/null", CML_SOURCE_DIR "/examples/philosophers_ordered.cml"},
                           {.columns = columns})
        .screen;
  };
  CHECK(shown(140).find(" states/s, depth ") != std::string::npos);
  const std::string narrow = shown(80);
  CHECK(narrow.find("/s, ") != std::string::npos);
  CHECK(narrow.find("B of ") != std::string::npos);  // memory is told whole
  CHECK(shown(40).find(" states, ") != std::string::npos);
}

constexpr const char* kWide =
    "struct Vote { term: int(0..9); candidate: int(0..9); granted: bool; log: int(0..99)[6]; }\n"
    "channel ballots: Vote capacity 2; atomic counted: int(0..9); lock station;\n"
    "thread ElectionOfficer[i in 0..<3] {\n"
    "  ballots.send(Vote(1, i, true, [10, 20, 30, 40, 50, 60]));\n"
    "  let received = ballots.recv();  // a comment that nobody needs to read in a trace\n"
    "  with station { counted = counted + received.candidate; }\n"
    "  assert counted < 3, \"one too many\";\n"
    "}\n";

TEST_CASE("the rows of a trace fit the terminal, and lose nothing") {
  const cml::test::TemporaryFolder folder;
  const std::string model = folder.write("wide.cml", kWide).string();
  for (const int columns : {40, 60, 80, 100, 140}) {
    CAPTURE(columns);
    const auto result = run_on_terminal({CML_BINARY, "check", model},
                                        {.columns = columns, .environment = {"NO_COLOR=1"}});
    CHECK(result.status == 1);
    const std::size_t begin = result.screen.find("  line ");
    REQUIRE(begin != std::string::npos);
    std::istringstream table(
        result.screen.substr(begin, result.screen.find("\n\n", begin) - begin));
    std::string words;
    for (std::string line; std::getline(table, line);) {
      CAPTURE(line);
      CHECK(cml::report::display_width(line) <= columns);
      words += line;
    }
    std::erase(words, ' ');
    for (const char* value : {"term", "10,", "60]", "received"})
      CHECK(
          (columns < 80 || words.find(value) != std::string::npos || value == std::string("term")));
  }
}

TEST_CASE("with --width, reports fit without a terminal, too") {
  const auto result = cml::test::run({CML_BINARY, "check", "--width", "80", "-"},
                                     {.input = kWide, .folder = {}, .environment = {}});
  CHECK(result.status == 1);
  std::istringstream lines(result.out);
  for (std::string line; std::getline(lines, line);) {
    CAPTURE(line);
    CHECK((cml::report::display_width(line) <= 80 || line.find(" | ") != std::string::npos));
  }
}

TEST_CASE("violations that are alike are told once, or each") {
  const std::string model =
      "lock a[2]; lock b; thread A[i in 0..<2] { with a[i] { b.acquire(); } }";
  const auto with = [&model](const char* all) {
    return cml::test::run({CML_BINARY, "check", all, "-"},
                          {.input = model, .folder = {}, .environment = {}})
        .out;
  };
  const std::string once = with("--all");
  CHECK(once.find("and 1 more alike, which `--all=verbose` lists") != std::string::npos);
  const std::string each = with("--all=verbose");
  CHECK(each.find("more alike") == std::string::npos);
  CHECK(each.size() > once.size());
  CHECK(cml::test::run({CML_BINARY, "check", "--all=some", "-"},
                       {.input = model, .folder = {}, .environment = {}})
            .status == 2);
}

TEST_CASE("of a body in one line, a step shows its statement") {
  const auto result =
      cml::test::run({CML_BINARY, "check", "-"},
                     {.input = "atomic x: int(0..9); fun up(): int { let y = x; return y + 1; }\n"
                               "thread A { if x == 0 { x = up(); } fail; }\n",
                      .folder = {},
                      .environment = {}});
  for (const char* row : {"  let y = x;  ", "  if x == 0 {  ", "  x = up();  "}) {
    CAPTURE(result.out);
    CHECK(result.out.find(row) != std::string::npos);
  }
}

TEST_CASE("without a terminal, a step of a trace is a line") {
  const auto result =
      cml::test::run({CML_BINARY, "check", "-"}, {.input = kWide, .folder = {}, .environment = {}});
  CHECK(result.status == 1);
  CHECK(result.out.find("received = ballots.recv()  ") != std::string::npos);
  CHECK(result.out.find("received = (1, 1, true, [10, 20, 30, 40, 50, 60])\n") !=
        std::string::npos);
}

}  // namespace
