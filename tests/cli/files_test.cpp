// What the program does to the machine around it, and what that may do to the program: files that
// are no files, results that cannot be written, signals.
#include <cstdlib>
#include <doctest/doctest.h>
#include <filesystem>
#include <nlohmann/json.hpp>
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
using cml::test::ProcessResult;
using cml::test::read_file;
using cml::test::shell;
using cml::test::TemporaryFolder;
using nlohmann::json;

constexpr int kVerified = 0;
constexpr int kInconclusive = 3;
constexpr std::string_view kModel = "atomic x: bool;\nthread A { x = true; }\n";

ProcessResult cml(std::vector<std::string> words, const TemporaryFolder& folder,
                  std::string_view input = {}) {
  words.insert(words.begin(), CML_BINARY);
  return cml::test::run(words,
                        {.input = std::string(input), .folder = folder.path(), .environment = {}});
}

/// A model whose search takes hours.
std::string endless_check() {
  return "'" CML_BINARY "' check -D N=18 --format json --max-time 3 '" CML_SOURCE_DIR
         "/examples/philosophers_ordered.cml'";
}

TEST_CASE("a FIFO is no model, and nobody waits for its writer") {
  const TemporaryFolder folder;
  REQUIRE(::mkfifo((folder.path() / "fifo.cml").c_str(), 0600) == 0);
  (void)folder.write("m.cml", "import \"fifo.cml\";\nthread A { skip; }\n");
  for (const char* command : {"check", "ir", "fmt"}) {
    CAPTURE(command);
    const ProcessResult result = cml({command, "fifo.cml"}, folder);
    CHECK(result.status == kWrong);
    CHECK(contains(result.err, "cannot read `fifo.cml`: it is no regular file"));
  }
  const ProcessResult device = cml({"check", "/dev/zero"}, folder);
  CHECK(device.status == kWrong);
  CHECK(contains(device.err, "it is no regular file"));
  CHECK(contains(device.err, "`-` reads a model from standard input"));
  const ProcessResult import = cml({"check", "m.cml"}, folder);
  CHECK(import.status == kWrong);
  CHECK(contains(import.err, "cannot read `fifo.cml`: it is no regular file"));
}

TEST_CASE("an import of `-` is a file of that name") {
  const TemporaryFolder folder;
  (void)folder.write("m.cml", "import \"-\";\nthread A { skip; }\n");
  const ProcessResult missing = cml({"check", "m.cml"}, folder, "const N = 1;\n");
  CHECK(missing.status == kWrong);
  CHECK(contains(missing.err, "cannot read `./-`"));
  (void)folder.write("-", "const N = 1;\n");
  CHECK(cml({"check", "m.cml"}, folder).status == kVerified);
}

TEST_CASE("imports stay in the folder of the model, unless it is trusted") {
  const TemporaryFolder folder;
  (void)folder.write("secret.cml", "what nobody should see\n");
  (void)folder.write("library.cml", "const N = 1;\n");
  fs::create_directories(folder.path() / "in/sub");
  fs::create_symlink("../library.cml", folder.path() / "in/link.cml");
  fs::create_directory_symlink("..", folder.path() / "in/up");
  (void)folder.write("in/sub/back.cml", "import \"../other.cml\";\n");
  (void)folder.write("in/other.cml", "const M = 1;\n");
  const std::string absolute = (folder.path() / "library.cml").string();
  for (const std::string& path : std::vector<std::string>{
           "../library.cml", absolute, "link.cml", "up/library.cml", "sub/../../library.cml"}) {
    CAPTURE(path);
    const fs::path model =
        folder.write("in/m.cml", "import \"" + path + "\";\nthread A { skip; }\n");
    for (const char* command : {"check", "ir"}) {
      for (const std::string& name : {std::string("in/m.cml"), model.string()}) {
        const ProcessResult refused = cml({command, name}, folder);
        CHECK(refused.status == kWrong);
        CHECK(contains(refused.err, "is outside the folder of the model"));
        CHECK(contains(refused.err, "`--allow-imports-outside` allows it"));
        CHECK(cml({command, "--allow-imports-outside", name}, folder).status == kVerified);
      }
    }
    CHECK(cml({"export", "--promela", "in/m.cml"}, folder).status == kWrong);
    CHECK(cml({"export", "--promela", "--allow-imports-outside", "in/m.cml"}, folder).status ==
          kVerified);
  }
  // Neither what a file says is quoted, nor whether there is one.
  (void)folder.write("in/m.cml", "import \"../secret.cml\";\nthread A { skip; }\n");
  const ProcessResult secret = cml({"check", "in/m.cml"}, folder);
  CHECK_FALSE(contains(secret.err, "nobody should see"));
  fs::remove(folder.path() / "secret.cml");
  CHECK(cml({"check", "in/m.cml"}, folder).err == secret.err);
  // From the folder below, too, but not out of the main file's.
  (void)folder.write("in/m.cml", "import \"sub/back.cml\";\nthread A { skip; }\n");
  CHECK(cml({"check", "in/m.cml"}, folder).status == kVerified);
  // Standard input has the folder in which the program runs.
  CHECK(cml({"check", "-"}, folder, "import \"in/other.cml\";\nthread A { skip; }\n").status ==
        kVerified);
  CHECK(cml({"check", "-"}, folder, "import \"../x.cml\";\nthread A { skip; }\n").status == kWrong);
  // A file that is not there is inside all the same, also where the model is named without folder.
  (void)folder.write("m.cml", "import \"none.cml\";\nthread A { skip; }\n");
  CHECK(contains(cml({"check", "m.cml"}, folder).err, "No such file or directory"));
}

TEST_CASE("`--output` replaces a file in one step") {
  const TemporaryFolder folder;
  (void)folder.write("m.cml", kModel);
  fs::create_directories(folder.path() / "out");
  const fs::path old = folder.write("out/result", "old\n");
  fs::create_symlink("result", folder.path() / "out/link");
  REQUIRE(::chmod(old.c_str(), 0640) == 0);
  // Whoever has it open reads on in the old text.
  const ProcessResult result = shell(
      "exec 3< out/result; '" CML_BINARY "' check m.cml -o out/link || exit 9; cat <&3", folder);
  CHECK(result.status == 0);
  CHECK(result.out == "old\n");
  CHECK(contains(read_file(old), "verified"));
  CHECK(fs::is_symlink(folder.path() / "out/link"));
  struct stat status = {};
  REQUIRE(::stat(old.c_str(), &status) == 0);
  CHECK((status.st_mode & 07777U) == 0640U);
  CHECK(entries(folder.path() / "out") == 2);

  const ProcessResult fresh =
      shell("umask 027; '" CML_BINARY "' ir m.cml -o out/new && stat -c %a out/new", folder);
  CHECK(fresh.out == "640\n");
  CHECK(cml({"check", "m.cml", "-o", "/dev/null"}, folder).status == kVerified);
  CHECK(fs::is_character_file("/dev/null"));
  CHECK(cml({"check", "m.cml", "-o", "out"}, folder).status == kWrong);
  CHECK(cml({"check", "m.cml", "-o", "nowhere/result"}, folder).status == kWrong);
  CHECK(
      contains(shell("'" CML_BINARY "' check m.cml -o /dev/stdout | cat", folder).out, "verified"));
}

TEST_CASE("`--output -` is standard output") {
  const TemporaryFolder folder;
  (void)folder.write("m.cml", kModel);
  for (const std::vector<std::string>& words : std::vector<std::vector<std::string>>{
           {"ir", "m.cml"}, {"export", "--promela", "m.cml"}, {"check", "--quiet", "m.cml"}}) {
    std::vector<std::string> with_output = words;
    with_output.insert(with_output.end(), {"--output", "-"});
    const ProcessResult result = cml(with_output, folder);
    CHECK(result.status == kVerified);
    CHECK(result.out == cml(words, folder).out);
  }
  CHECK(entries(folder.path()) == 1);
}

TEST_CASE("a result does not overwrite the model") {
  const TemporaryFolder folder;
  const fs::path model = folder.write("m.cml", "import \"part.cml\";\n" + std::string(kModel));
  const fs::path part = folder.write("part.cml", "const N = 1;\n");
  const std::string before = read_file(model);
  fs::create_symlink("m.cml", folder.path() / "link");
  fs::create_hard_link(model, folder.path() / "second");
  for (const char* output : {"m.cml", "./m.cml", "link", "second", "part.cml"}) {
    CAPTURE(output);
    for (const std::vector<std::string>& words :
         std::vector<std::vector<std::string>>{{"check", "m.cml", "-o", output},
                                               {"check", "--format", "json", "m.cml", "-o", output},
                                               {"ir", "m.cml", "-o", output},
                                               {"export", "--promela", "m.cml", "-o", output}}) {
      const ProcessResult result = cml(words, folder);
      CHECK(result.status == kWrong);
      CHECK(contains(result.err, "would overwrite the model"));
    }
    const ProcessResult input =
        shell(std::string("'" CML_BINARY "' ir - -o ") + output + " < m.cml", folder);
    CHECK(input.status == kWrong);
  }
  CHECK(read_file(model) == before);
  CHECK(read_file(part) == "const N = 1;\n");
}

TEST_CASE("a result that is longer than files may be is an error, not a death") {
  const TemporaryFolder folder;
  (void)folder.write("m.cml", kModel);
  for (const char* output : {"-o result.json", "> result.json"}) {
    CAPTURE(output);
    const ProcessResult result = shell(
        std::string("ulimit -f 1; '" CML_BINARY "' check --format json m.cml ") + output, folder);
    CHECK(result.status == kWrong);
    CHECK(contains(result.err, "cannot write"));
    CHECK(contains(result.err, "File too large"));
  }
}

TEST_CASE("signals that are ignored stay ignored") {
  const TemporaryFolder folder;
  // As nohup does, and a shell for what it starts in the background.
  const ProcessResult result = shell("trap '' HUP INT; " + endless_check() +
                                         " > out & sleep 1; kill -HUP $!; kill -INT $!; wait $!",
                                     folder);
  CHECK(result.status == kInconclusive);
  const json document = json::parse(read_file(folder.path() / "out"));
  CHECK(document["stats"]["limits_hit"] == json::array({"max-time"}));
}

TEST_CASE("a program that is stopped leaves no temporary file behind") {
  const TemporaryFolder folder;
  std::string untidy;
  for (int i = 0; i < 300; ++i)
    untidy += "lock  m" + std::to_string(i) + ";\n";
  constexpr int kFiles = 40;
  constexpr int kTries = 12;
  for (int at = 0; at < kTries; ++at) {
    for (int i = 0; i < kFiles; ++i)
      (void)folder.write(std::to_string(i) + ".cml", untidy);
    const int milliseconds = 10 + 7 * at;
    (void)shell("'" CML_BINARY "' fmt . & sleep 0.0" + std::to_string(milliseconds) +
                    "; kill -TERM $!; wait $!",
                folder);
    CHECK(entries(folder.path()) == kFiles);
  }
}

}  // namespace
