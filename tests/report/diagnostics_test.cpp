// Diagnostics as text and as JSON (report/diagnostics_text.h, report/diagnostics_json.h). What
// people see is in golden files.
#include <doctest/doctest.h>
#include <string>
#include <string_view>

#include "frontend/diagnostic.h"
#include "report/diagnostics_json.h"
#include "report/diagnostics_text.h"
#include "report/source_excerpt.h"
#include "support/version.h"
#include "tests/harness/golden.h"

namespace {

using namespace cml;
using namespace cml::report;

constexpr std::string_view kModel =
    "model \"philosophers\";\n"
    "const N = 5;\n"
    "lock fork[N];\n"
    "\n"
    "thread Philosopher[i in 0..<N] {\n"
    "\tloop {\n"
    "\t\tforkk[i].acquire();  // größer\n"
    "\t\tlet 日本 = 1; frok[i].release();\n"
    "\t}\n"
    "}\n";

// The place of `part` in the file, after that of `anchor`.
SourceRange place(const SourceSet& sources, FileId file, std::string_view part) {
  const std::size_t begin = sources.file(file).text().find(part);
  REQUIRE(begin != std::string_view::npos);
  return {file, static_cast<std::uint32_t>(begin), static_cast<std::uint32_t>(begin + part.size())};
}

struct Fixture {
  SourceSet sources;
  FileId file;
  Diagnostics diagnostics;

  Fixture() : file(sources.add("philosophers.cml", std::string(kModel))) {}

  void unknown_fork(std::string_view name) {
    diagnostics
        .report(Code::UnknownName, place(sources, file, name),
                "no such name `" + std::string(name) + "`")
        .also(place(sources, file, "fork"), "`fork` is declared here")
        .cure("did you mean `fork`?");
  }
};

TEST_CASE("diagnostics for people") {
  Fixture fixture;
  fixture.unknown_fork("forkk");
  fixture.unknown_fork("frok");
  fixture.diagnostics.report(Code::MissingSemicolon, {fixture.file, 33, 33}, "a `;` is missing");
  fixture.diagnostics.report(Code::UnexpectedToken,
                             place(fixture.sources, fixture.file, kModel.substr(70, 50)),
                             "several lines");
  const std::string text = diagnostics_text(fixture.sources, fixture.diagnostics, {});
  CHECK_GOLDEN("report/golden/diagnostics.txt", text);
  const std::string coloured =
      diagnostics_text(fixture.sources, fixture.diagnostics, {.colours = Colours(true)});
  CHECK_GOLDEN("report/golden/diagnostics_coloured.txt", coloured);
}

TEST_CASE("no diagnostics are no text") {
  const Fixture fixture;
  CHECK(diagnostics_text(fixture.sources, fixture.diagnostics, {}).empty());
}

TEST_CASE("errors that are not kept are counted") {
  Fixture fixture;
  for (int i = 0; i < 60; ++i)
    fixture.unknown_fork("forkk");
  const std::string text = diagnostics_text(fixture.sources, fixture.diagnostics, {});
  CHECK(text.ends_with("\n60 errors (the first 50 are shown)\n`cml explain E0301` tells more\n"));
}

TEST_CASE("lines that are too long are cut around the place") {
  SourceSet sources;
  std::string line(300, 'a');
  for (std::size_t i = 0; i < line.size(); i += 10)
    line.replace(i, 3, std::to_string(100 + i));
  line.replace(150, 5, "HERE!");
  const FileId file = sources.add("long.cml", line + "\n");
  std::string text;
  for (const auto& [begin, end] :
       {std::pair{150U, 155U}, {0U, 3U}, {295U, 300U}, {300U, 300U}, {20U, 280U}}) {
    text += source_excerpt(sources, {file, begin, end}, Paint::Error, {.width = 60});
  }
  CHECK_GOLDEN("report/golden/long_lines.txt", text);
}

TEST_CASE("a line of megabytes costs no more than what is shown") {
  SourceSet sources;
  const FileId file = sources.add("huge.cml", std::string(8'000'000, 'x'));
  const std::string text = source_excerpt(sources, {file, 4'000'000, 4'000'003}, Paint::Error, {});
  CHECK(text.size() < 300);
  CHECK(text.find("^^^\n") != std::string::npos);
}

TEST_CASE("whatever the bytes, the text is printable and the carets stand right") {
  SourceSet sources;
  std::string text;
  const auto show = [&](std::string content, std::string_view part) {
    const FileId file = sources.add("bytes.cml", std::move(content));
    text += source_excerpt(sources, place(sources, file, part), Paint::Error, {});
  };
  show("\xFF\xFE\x80 here", "here");
  show("\033[31m\a here", "here");
  show("日本 \u0301e here", "here");
  show(
      "\xEF\xBB\xBF"
      "first",
      "first");  // a byte order mark
  show("carriage here\r\nnext", "here");
  show("lone\rreturn here", "here");
  show("a\tb\there", "here");
  show("range over \xE2\x82 broken", "\xE2\x82 broken");
  show("end", "");
  show("", "");
  CHECK_GOLDEN("report/golden/bytes.txt", text);
}

TEST_CASE("diagnostics for programs") {
  Fixture fixture;
  fixture.unknown_fork("forkk");
  fixture.diagnostics.report(Code::MissingSemicolon, {fixture.file, 33, 33}, "bytes \xFF\xC3");
  const Json document = model_error_json(fixture.sources, fixture.diagnostics, "philosophers.cml");
  const std::string text = json_text(document);
  const Json parsed = Json::parse(text);
  CHECK(parsed["schema"] == "cml-result/1");
  CHECK(parsed["tool"]["version"] == kVersion);
  CHECK(parsed["suppressed_errors"] == 0);
  const Json& first = parsed["diagnostics"][0];
  CHECK(first["code"] == "E0301");
  CHECK(first["severity"] == "error");
  CHECK(first["message"] == "no such name `forkk`");
  CHECK(first["location"] == Json::parse(R"({"file": "philosophers.cml", "line": 7, "column": 3,
                                             "end_line": 7, "end_column": 8})"));
  CHECK(first["related"][0]["message"] == "`fork` is declared here");
  CHECK(first["related"][0]["location"]["line"] == 3);
  CHECK(first["hint"] == "did you mean `fork`?");
  CHECK(parsed["diagnostics"][1]["message"] == "bytes \uFFFD\uFFFD");
  CHECK(parsed["diagnostics"][1]["hint"] == nullptr);
}

}  // namespace
