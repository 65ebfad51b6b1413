// No input makes the front end crash, throw or dawdle: the corpus in tests/malformed, files that
// are too large to keep, truncations and deletions.
#include <ctime>
#include <doctest/doctest.h>
#include <filesystem>
#include <string>
#include <string_view>

#include "frontend/diagnostic.h"
#include "frontend/load_model.h"
#include "frontend/parse.h"
#include "frontend/source.h"
#include "tests/harness/process.h"

namespace cml {
namespace {

namespace fs = std::filesystem;
using test::read_file;

#if defined(__SANITIZE_ADDRESS__) || !defined(NDEBUG)
constexpr double kLimit = 20.0;
#else
constexpr double kLimit = 1.0;
#endif

/// Processor time, so that a busy machine fails no test.
class Stopwatch {
 public:
  [[nodiscard]] double seconds() const {
    return static_cast<double>(std::clock() - start_) / CLOCKS_PER_SEC;
  }

 private:
  std::clock_t start_ = std::clock();
};

std::string repeated(std::string_view text, std::size_t count) {
  std::string result;
  result.reserve(text.size() * count);
  for (std::size_t i = 0; i < count; ++i)
    result += text;
  return result;
}

/// Loads a model from memory and returns the number of its errors.
std::size_t errors_of(const std::string& text) {
  const Stopwatch watch;
  SourceSet sources;
  Diagnostics diagnostics;
  const FileId main = sources.add("generated.cml", text);
  const model::Model model = load_model(sources, main, {}, diagnostics);
  static_cast<void>(model);
  CHECK(watch.seconds() < kLimit);
  return diagnostics.error_count();
}

/// Only parses: for the many small variations of one file.
void parse_only(const std::string& text) {
  SourceSet sources;
  Diagnostics diagnostics;
  const ast::Ast ast = parse(sources, sources.add("generated.cml", text), diagnostics);
  static_cast<void>(ast);
}

std::string in_thread(const std::string& statements) {
  return "shared x: int = 0;\nthread Main {\n" + statements + "\n}\n";
}

}  // namespace

TEST_CASE("the malformed corpus gets errors, and its legal files get none") {
  const fs::path folder = fs::path(CML_SOURCE_DIR) / "tests" / "malformed";
  for (const auto& entry : fs::directory_iterator(folder)) {
    if (entry.path().extension() != ".cml") continue;
    const std::string name = entry.path().filename().string();
    CAPTURE(name);
    SourceSet sources;
    Diagnostics diagnostics;
    const Stopwatch watch;
    const auto main = read_file(sources, entry.path().string());
    REQUIRE(main);
    const model::Model model = load_model(sources, *main, {}, diagnostics);
    static_cast<void>(model);
    CHECK(watch.seconds() < kLimit);
    CHECK(diagnostics.has_errors() == !name.starts_with("ok_"));
    for (const Diagnostic& diagnostic : diagnostics.all()) {
      CHECK(!diagnostic.message.empty());
      CHECK(diagnostic.where.begin <= diagnostic.where.end);
      CHECK(diagnostic.where.end <= sources.file(diagnostic.where.file).text().size());
    }
  }
}

TEST_CASE("depth and length have bounds") {
  constexpr std::size_t kMany = 100'000;
  CHECK(errors_of(in_thread("x = " + repeated("(", kMany) + "1" + repeated(")", kMany) + ";")) > 0);
  CHECK(errors_of(in_thread("x = 1" + repeated(" + 1", kMany) + ";")) > 0);
  CHECK(errors_of(in_thread("x = " + repeated("-", kMany) + "1;")) > 0);
  CHECK(errors_of(in_thread("x = " + repeated("true ? 1 : ", kMany) + "1;")) > 0);
  CHECK(errors_of(in_thread("x" + repeated(".f", kMany) + "();")) > 0);
  CHECK(errors_of(in_thread("x" + repeated("[0]", kMany) + " = 1;")) > 0);
  CHECK(errors_of(in_thread(repeated("if x == 0 ", kMany) + ";")) > 0);
  CHECK(errors_of(in_thread(repeated("if x == 0 { skip; } else ", kMany / 10) + "{ skip; }")) == 0);
  CHECK(errors_of(in_thread(repeated("while x == 0 { ", kMany) + repeated("}", kMany))) > 0);
  CHECK(errors_of("shared x: " + repeated("Q<", kMany) + "int" + repeated(">", kMany) + ";") > 0);
  CHECK(errors_of("shared x: Q" + repeated("?", kMany) + ";") > 0);
  CHECK(errors_of("shared x: int" + repeated("[1]", kMany) + ";") > 0);
  CHECK(errors_of(repeated("{", 1'000'000)) > 0);
  CHECK(errors_of(repeated("}", 1'000'000)) > 0);
  CHECK(errors_of(repeated("(", 1'000'000)) > 0);
}

TEST_CASE("large files get their errors soon") {
  CHECK(errors_of(repeated("x = 1\n", 200'000)) > 0);
  CHECK(errors_of(repeated("$", 1'000'000)) > 0);
  CHECK(errors_of("model \"" + std::string(1'000'000, 'x')) > 0);
  CHECK(errors_of("/*" + std::string(1'000'000, '*')) > 0);
  CHECK(errors_of("thread " + std::string(1'000'000, 'x') + " { skip; ") > 0);
  CHECK(errors_of("const N = " + std::string(1'000'000, '9') + ";") > 0);
  CHECK(errors_of(repeated("import ", 100'000)) > 0);
  CHECK(errors_of(in_thread(repeated("x = ;\n", 100'000))) > 0);
}

TEST_CASE("truncated examples") {
  for (const auto& entry : fs::directory_iterator(fs::path(CML_SOURCE_DIR) / "examples")) {
    if (entry.path().extension() != ".cml") continue;
    const std::string text = read_file(entry.path());
    for (std::size_t part = 1; part < 50; ++part)
      parse_only(text.substr(0, text.size() * part / 50));
  }
}

TEST_CASE("examples with a character missing") {
  for (const char* name : {"treiber_stack.cml", "select_server.cml"}) {
    const std::string text = read_file(fs::path(CML_SOURCE_DIR) / "examples" / name);
    REQUIRE(!text.empty());
    for (std::size_t i = 0; i < text.size(); ++i) {
      if (text[i] == ' ' || text[i] == '\n') continue;
      std::string variant = text;
      variant.erase(i, 1);
      parse_only(variant);
    }
  }
}

}  // namespace cml
