// The script `cml` of a source tree: it finds its folder however it is called, and says what is
// wrong where it cannot build.
#include <doctest/doctest.h>
#include <filesystem>
#include <string>
#include <vector>

#include "tests/harness/process.h"

namespace {

namespace fs = std::filesystem;
using cml::test::ProcessResult;
using cml::test::run;

constexpr int kFailed = 4;

/// A source tree with nothing but the script, and a program that seems to be built from it.
class Tree {
 public:
  Tree() : root_(folder_.path() / "a tree") {
    fs::create_directories(root_ / "build/release");
    fs::create_directories(root_ / "app");
    fs::create_directories(root_ / ".ci");
    fs::copy_file(CML_SOURCE_DIR "/cml", root_ / "cml");
    for (const char* name : {"CMakeLists.txt", "CMakePresets.json", ".ci/setup.sh"})
      (void)write(name, "");
    const fs::path program = write("build/release/cml", "#!/bin/sh\necho \"ran $*\"\n");
    fs::permissions(program, fs::perms::owner_all);
    (void)write("build/release/up-to-date", "");
    const auto now = fs::last_write_time(root_ / "build/release/up-to-date");
    fs::last_write_time(root_ / "build/release/up-to-date", now + std::chrono::hours(1));
  }

  [[nodiscard]] const fs::path& root() const { return root_; }
  [[nodiscard]] const fs::path& above() const { return folder_.path(); }
  [[nodiscard]] fs::path write(const std::string& name, std::string_view text) const {
    return folder_.write((fs::path("a tree") / name).string(), text);
  }

 private:
  cml::test::TemporaryFolder folder_;
  fs::path root_;
};

TEST_CASE("the script finds its folder however it is called") {
  const Tree tree;
  fs::create_symlink(tree.root() / "cml", tree.above() / "link");
  fs::create_directory_symlink(tree.root(), tree.above() / "linked");
  fs::create_directories(tree.above() / "elsewhere/a tree");
  struct Call {
    std::vector<std::string> words;
    fs::path folder;
  };
  for (const Call& call : std::vector<Call>{
           {{"bash", "cml"}, tree.root()},
           {{"./cml"}, tree.root()},
           {{"../cml"}, tree.root() / "app"},
           {{"a tree/cml"}, tree.above()},
           {{"bash", "a tree/cml"}, tree.above()},
           {{"./link"}, tree.above()},
           {{"bash", "link"}, tree.above()},
           {{"linked/cml"}, tree.above()},
           {{(tree.root() / "cml").string()}, "/"},
       }) {
    CAPTURE(call.words.back());
    std::vector<std::string> words = call.words;
    words.insert(words.end(), {"check", "a b"});
    const ProcessResult result =
        run(words, {.input = {},
                    .folder = call.folder,
                    // `cd` would go there instead.
                    .environment = {"CDPATH=" + (tree.above() / "elsewhere").string()}});
    CHECK(result.status == 0);
    CHECK(result.out == "ran check a b\n");
    CHECK(result.err.empty());
  }
}

TEST_CASE("where nothing can be written, the script says so and waits for nobody") {
  const Tree tree;
  // Its user may be root, for whom a folder without permission is no obstacle.
  fs::create_directory(tree.root() / "build/lock");
  const fs::path source = tree.write("app/main.cpp", "");
  fs::last_write_time(source, fs::last_write_time(source) + std::chrono::hours(2));
  const ProcessResult result = run({(tree.root() / "cml").string(), "--version"},
                                   {.input = {}, .folder = {}, .environment = {}});
  CHECK(result.status == kFailed);
  CHECK(result.out.empty());
  CHECK(result.err.find("/build cannot be written to\n") != std::string::npos);
  CHECK(result.err.find("another build") == std::string::npos);
}

}  // namespace
