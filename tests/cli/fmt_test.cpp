// `cml fmt` on files: what is rewritten, what is left alone, what is said, on the real binary.
#include <doctest/doctest.h>
#include <filesystem>
#include <string>
#include <string_view>
#include <sys/stat.h>
#include <unistd.h>
#include <vector>

#include "tests/harness/process.h"

namespace {

namespace fs = std::filesystem;
using cml::test::contains;
using cml::test::entries;
using cml::test::kWrong;
using cml::test::ProcessOptions;
using cml::test::ProcessResult;
using cml::test::read_file;
using cml::test::run;
using cml::test::TemporaryFolder;

constexpr int kFormatted = 0;
constexpr int kWouldChange = 1;

constexpr std::string_view kUntidy = "thread   Main{x=1;}  // c\n";
constexpr std::string_view kTidy = "thread Main { x = 1; }  // c\n";
constexpr std::string_view kBroken = "thread Main { x = ; }\n";

ProcessResult cml_fmt(std::vector<std::string> words, const ProcessOptions& options = {}) {
  words.insert(words.begin(), {CML_BINARY, "fmt"});
  return run(words, options);
}

ProcessOptions with_input(std::string_view text) {
  ProcessOptions options;
  options.input = text;
  return options;
}

ProcessOptions in_folder(const fs::path& folder) {
  ProcessOptions options;
  options.folder = folder;
  return options;
}

void check_silent(const ProcessResult& result, int status) {
  CAPTURE(result.out);
  CAPTURE(result.err);
  CHECK(result.status == status);
  CHECK(result.out.empty());
  CHECK(result.err.empty());
}

TEST_CASE("cml fmt rewrites a file, once") {
  const TemporaryFolder folder;
  const fs::path file = folder.write("m.cml", kUntidy);
  REQUIRE(::chmod(file.c_str(), 0640) == 0);
  check_silent(cml_fmt({file.string()}), kFormatted);
  CHECK(read_file(file) == kTidy);
  CHECK((fs::status(file).permissions() & fs::perms::all) == fs::perms(0640));
  CHECK(entries(folder.path()) == 1);

  // What is formatted is not even touched.
  const auto time = fs::last_write_time(file) - std::chrono::hours(1);
  fs::last_write_time(file, time);
  check_silent(cml_fmt({file.string()}), kFormatted);
  CHECK(fs::last_write_time(file) == time);
}

TEST_CASE("cml fmt --check lists and changes nothing") {
  const TemporaryFolder folder;
  const fs::path untidy = folder.write("untidy.cml", kUntidy);
  const fs::path tidy = folder.write("tidy.cml", kTidy);
  const ProcessResult result = cml_fmt({"--check", untidy.string(), tidy.string()});
  CHECK(result.status == kWouldChange);
  CHECK(result.out == untidy.string() + "\n");
  CHECK(result.err.empty());
  CHECK(read_file(untidy) == kUntidy);
  check_silent(cml_fmt({"--check", tidy.string()}), kFormatted);
}

TEST_CASE("cml fmt - is a filter") {
  const ProcessResult result = cml_fmt({"-"}, with_input(kUntidy));
  CHECK(result.status == kFormatted);
  CHECK(result.out == kTidy);
  CHECK(result.err.empty());
  CHECK(cml_fmt({"-"}, with_input(kTidy)).out == kTidy);

  CHECK(cml_fmt({"-", "--check"}, with_input(kUntidy)).status == kWouldChange);
  check_silent(cml_fmt({"-", "--check"}, with_input(kTidy)), kFormatted);

  const ProcessResult broken = cml_fmt({"-"}, with_input(kBroken));
  CHECK(broken.status == kWrong);
  CHECK(broken.out.empty());
  CHECK(contains(broken.err, "error[E"));
}

TEST_CASE("a file with errors is left as it is, the others are formatted") {
  const TemporaryFolder folder;
  const fs::path broken = folder.write("a.cml", kBroken);
  const fs::path untidy = folder.write("b.cml", kUntidy);
  for (const bool check : {true, false}) {
    std::vector<std::string> words = {broken.string(), untidy.string(), "missing.cml"};
    if (check) words.insert(words.begin(), "--check");
    const ProcessResult result = cml_fmt(words);
    CHECK(result.status == kWrong);
    CHECK(contains(result.err, broken.string() + ":1:19: error[E"));
    CHECK(contains(result.err, "missing.cml"));
    CHECK(read_file(broken) == kBroken);
    CHECK(read_file(untidy) == (check ? kUntidy : kTidy));
  }
}

TEST_CASE("folders stand for the models in and below them") {
  const TemporaryFolder folder;
  fs::create_directories(folder.path() / "sub" / "deep");
  fs::create_directories(folder.path() / ".git");
  for (const char* name : {"b.cml", "sub/deep/a.cml", "sub/other.txt", ".git/c.cml"}) {
    folder.write(name, kUntidy);
  }
  const ProcessResult listed = cml_fmt({"--check", "."}, in_folder(folder.path()));
  CHECK(listed.status == kWouldChange);
  CHECK(listed.out == "./b.cml\n./sub/deep/a.cml\n");
  check_silent(cml_fmt({"."}, in_folder(folder.path())), kFormatted);
  CHECK(read_file(folder.path() / "sub/deep/a.cml") == kTidy);
  CHECK(read_file(folder.path() / "sub/other.txt") == kUntidy);
  CHECK(read_file(folder.path() / ".git/c.cml") == kUntidy);
  check_silent(cml_fmt({"--check", "."}, in_folder(folder.path())), kFormatted);
  check_silent(cml_fmt({(folder.path() / ".git" / "..").string()}), kFormatted);
}

TEST_CASE("a symbolic link stays one") {
  const TemporaryFolder folder;
  const fs::path file = folder.write("m.cml", kUntidy);
  const fs::path link = folder.path() / "link.cml";
  fs::create_symlink("m.cml", link);
  check_silent(cml_fmt({link.string()}), kFormatted);
  CHECK(fs::is_symlink(link));
  CHECK(read_file(file) == kTidy);
}

TEST_CASE("what cannot be written is told") {
  const TemporaryFolder folder;
  const ProcessResult pipe =
      run({"bash", "-c", "'" CML_BINARY "' fmt <(echo 'lock  m;')"}, in_folder(folder.path()));
  CHECK(pipe.status == kWrong);
  CHECK(contains(pipe.err, "it is no regular file"));

  if (::geteuid() == 0) return;  // who may write everywhere
  const fs::path file = folder.write("m.cml", kUntidy);
  REQUIRE(::chmod(file.c_str(), 0444) == 0);
  const ProcessResult result = cml_fmt({file.string()});
  CHECK(result.status == kWrong);
  CHECK(contains(result.err, "cannot write"));
  CHECK(read_file(file) == kUntidy);
  CHECK(entries(folder.path()) == 1);
}

TEST_CASE("the models of the project are formatted") {
  for (const char* name : {"examples", "stdlib"}) {
    const ProcessResult result = cml_fmt({"--check", name}, in_folder(CML_SOURCE_DIR));
    CAPTURE(result.err);
    CHECK(result.out == "");
    CHECK(result.status == kFormatted);
  }
}

}  // namespace
