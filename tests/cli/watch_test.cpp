// `cml watch`: checks again when a file changes, and only then; what it writes stays; how it ends.
#include <chrono>
#include <csignal>
#include <doctest/doctest.h>
#include <fcntl.h>
#include <filesystem>
#include <functional>
#include <string>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>
#include <vector>

#include "tests/harness/process.h"

namespace {

namespace fs = std::filesystem;
using namespace cml::test;

constexpr const char* kGood =
    "lock m; thread A { with m { skip; } } thread B { with m { skip; } }\n";
constexpr const char* kBad = "lock m; thread A { assert false, \"now it fails\"; }\n";
constexpr const char* kWrongModel = "thread A { x = 1; }\n";
constexpr const char* kLong =
    "atomic n: int(0..200_000_000) = 0;\n"
    "thread A { while n < 200_000_000 { n = n + 1; } }\n";

/// `cml watch` in the background, in a folder with m.cml.
class Watch {
 public:
  explicit Watch(const std::string& model, std::vector<std::string> words = {}) {
    write("m.cml", model);
    words.insert(words.begin(), {CML_BINARY, "watch"});
    words.emplace_back("m.cml");
    process_ = ::fork();
    REQUIRE(process_ >= 0);
    if (process_ != 0) return;
    std::vector<char*> argv;
    for (std::string& word : words)
      argv.push_back(word.data());
    argv.push_back(nullptr);
    const int out = ::open((folder_.path() / "out").c_str(), O_CREAT | O_WRONLY | O_APPEND, 0600);
    ::dup2(out, STDOUT_FILENO);
    ::dup2(out, STDERR_FILENO);
    if (::chdir(folder_.path().c_str()) != 0) ::_exit(126);
    std::signal(SIGINT, SIG_DFL);  // which a shell lets its background ignore
    ::execv(CML_BINARY, argv.data());
    ::_exit(127);
  }
  ~Watch() {
    if (process_ > 0) (void)end(SIGKILL);
  }
  Watch(const Watch&) = delete;
  Watch& operator=(const Watch&) = delete;

  /// As editors do it: another file takes the name.
  void write(const char* name, const std::string& text) const {
    (void)folder_.write("new", text);
    fs::rename(folder_.path() / "new", folder_.path() / name);
  }
  void remove(const char* name) const { fs::remove(folder_.path() / name); }
  [[nodiscard]] std::string out() const { return read_file(folder_.path() / "out"); }
  [[nodiscard]] std::string file(const char* name) const {
    return read_file(folder_.path() / name);
  }
  /// Within some seconds.
  [[nodiscard]] bool comes(const std::function<bool()>& condition) const {
    for (int i = 0; i < 400; ++i) {
      if (condition()) return true;
      std::this_thread::sleep_for(std::chrono::milliseconds(50));
    }
    return false;
  }
  [[nodiscard]] bool says(const std::string& text, std::size_t times = 1) const {
    return comes([&] { return count(text) >= times; });
  }
  [[nodiscard]] std::size_t count(const std::string& text) const {
    const std::string all = out();
    std::size_t found = 0;
    for (std::size_t at = all.find(text); at != std::string::npos; at = all.find(text, at + 1))
      ++found;
    return found;
  }
  /// The exit status after a signal; that of a shell, if the signal has ended it.
  int end(int signal) {
    ::kill(process_, signal);
    int status = 0;
    ::waitpid(process_, &status, 0);
    process_ = -1;
    return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
  }

 private:
  TemporaryFolder folder_;
  pid_t process_ = -1;
};

TEST_CASE("a change is a new check; the status is that of the last one") {
  Watch watch(kGood);
  CHECK(watch.says("m.cml: verified"));
  watch.write("m.cml", kBad);
  CHECK(watch.says("now it fails"));
  CHECK(watch.says("m.cml has changed"));
  watch.write("m.cml", kWrongModel);
  CHECK(watch.says("error[E0301]"));
  watch.write("m.cml", kGood);
  CHECK(watch.says("m.cml: verified", 2));
  CHECK(watch.count("m.cml: verified") == 2);
  CHECK_FALSE(contains(watch.out(), "\033"));  // nothing is cleared
  CHECK(watch.end(SIGINT) == 0);
}

TEST_CASE("the status of what was violated or wrong last") {
  Watch violated(kBad);
  CHECK(violated.says("now it fails"));
  CHECK(violated.end(SIGINT) == 1);
  Watch wrong(kWrongModel);
  CHECK(wrong.says("error[E0301]"));
  CHECK(wrong.end(SIGTERM) == 2);
}

TEST_CASE("nothing happens while nothing changes, and what a check writes is no change") {
  Watch watch(kWrongModel, {"--format", "json", "-o", "result.json"});
  CHECK(watch.comes([&] { return contains(watch.file("result.json"), "E0301"); }));
  std::this_thread::sleep_for(std::chrono::milliseconds(800));
  CHECK(watch.count("has changed") == 0);
  watch.write("m.cml", kGood);
  CHECK(watch.comes([&] { return contains(watch.file("result.json"), "verified"); }));
  CHECK(watch.end(SIGINT) == 0);
}

TEST_CASE("imports are watched, also one that is not there yet") {
  Watch watch("import \"part.cml\";\nthread A { assert K == 1, \"another constant\"; }\n");
  CHECK(watch.says("part.cml"));
  watch.write("part.cml", "const K = 1;\n");
  CHECK(watch.says("m.cml: verified"));
  watch.write("part.cml", "const K = 2;\n");
  CHECK(watch.says("assertion: another constant"));
  CHECK(watch.end(SIGINT) == 1);
}

TEST_CASE("a search that still runs is given up when the model changes") {
  Watch watch(kLong);
  std::this_thread::sleep_for(std::chrono::milliseconds(500));
  watch.write("m.cml", kBad);
  CHECK(watch.says("now it fails"));
  CHECK(watch.end(SIGINT) == 1);
  Watch interrupted(kLong);
  std::this_thread::sleep_for(std::chrono::milliseconds(500));
  CHECK(interrupted.end(SIGINT) == 3);
  CHECK(contains(interrupted.out(), "interrupted"));
}

TEST_CASE("a model that is not there for a moment is waited for") {
  Watch watch(kGood);
  CHECK(watch.says("m.cml: verified"));
  watch.remove("m.cml");
  std::this_thread::sleep_for(std::chrono::milliseconds(300));
  watch.write("m.cml", kBad);
  CHECK(watch.says("now it fails"));
  CHECK_FALSE(contains(watch.out(), "cannot read"));
  CHECK(watch.end(SIGINT) == 1);
  const ProcessResult input = run({CML_BINARY, "watch", "-"}, {});
  CHECK(input.status == kWrong);
  CHECK(contains(input.err, "standard input does not change"));
}

}  // namespace
