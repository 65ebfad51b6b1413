// What people read about ten models that are wrong in ways that programs are: the whole report,
// kept beside the models. Each was read by itself, and what held up the finding of the mistake was
// mended.
#include <algorithm>
#include <doctest/doctest.h>
#include <filesystem>
#include <regex>
#include <string>
#include <vector>

#include "tests/harness/golden.h"
#include "tests/harness/process.h"

namespace {

using namespace cml::test;

std::vector<std::string> names() {
  std::vector<std::string> found;
  for (const auto& entry :
       std::filesystem::directory_iterator(CML_SOURCE_DIR "/tests/report/wrong"))
    if (entry.path().extension() == ".cml") found.push_back(entry.path().stem());
  std::sort(found.begin(), found.end());
  return found;
}

ProcessResult check(const std::string& name, const std::vector<std::string>& options = {}) {
  std::vector<std::string> command = {CML_BINARY, "check"};
  command.insert(command.end(), options.begin(), options.end());
  command.push_back(name + ".cml");
  ProcessOptions where;
  where.folder = CML_SOURCE_DIR "/tests/report/wrong";
  return run(command, where);
}

TEST_CASE("the reports of ten wrong models") {
  CHECK(names().size() == 10);
  for (const std::string& name : names()) {
    CAPTURE(name);
    const ProcessResult result = check(name);
    CHECK(result.status == 1);
    const std::string text = std::regex_replace(result.out, std::regex("[0-9.]+ s\n"), "… s\n");
    CHECK_GOLDEN("report/golden/wrong/" + name + ".txt", text);
  }
}

TEST_CASE("a thread that joins another is not said to wait for a lock of it") {
  const std::string model =
      "lock m; thread Child(n: int(0..1)) { m.acquire(); m.release(); }"
      "thread Parent { m.acquire(); let child = spawn Child(0); join child; m.release(); }";
  const std::string text =
      run({CML_BINARY, "check", "-"}, {.input = model, .folder = {}, .environment = {}}).out;
  CHECK(text.find("holds m (line 1), waits at join Parent/spawn0\n") != std::string::npos);
  CHECK(text.find("waits at m.acquire(), which Parent holds") != std::string::npos);
}

TEST_CASE("of a thread that waits in a module, the statement that has called it is told") {
  const TemporaryFolder folder;
  const std::string model = folder.write("m.cml",
                                         "import std.barrier;\n"
                                         "shared meeting: Barrier<3> = new Barrier<3>();\n"
                                         "thread Worker[i in 0..<2] {\n"
                                         "  meeting.arrive();\n"
                                         "}\n");
  const std::string text = run({CML_BINARY, "check", model}, {}).out;
  CAPTURE(text);
  CHECK(text.find("until phase != mine (line barrier:23, from line 4)\n") != std::string::npos);
  CHECK(text.find("    meeting: Barrier<3>  arrived = 2") != std::string::npos);
  CHECK(text.find("try: nobody is left who notifies") != std::string::npos);
}

TEST_CASE("a thread that was spawned and has ended is not said to be missing") {
  const auto notes = [](const std::string& model) {
    return run({CML_BINARY, "check", "-"}, {.input = model, .folder = {}, .environment = {}}).out;
  };
  const std::string task = "semaphore s; thread Task(n: int(0..1)) { if n == 1 { s.up(); } }\n";
  CHECK(notes(task + "thread Main { spawn Task(0); s.down(); }")
            .find("only Main/spawn0 ups s; it has ended") != std::string::npos);
  CHECK(notes(task + "thread Main { s.down(); spawn Task(1); }")
            .find("only Main/spawn0 ups s; it was not spawned") != std::string::npos);
}

TEST_CASE("a report says how many states are deadlocked, and which thread has failed") {
  const auto out = [](const std::string& model) {
    return run({CML_BINARY, "check", "--all", "-"},
               {.input = model, .folder = {}, .environment = {}})
        .out;
  };
  const std::string deadlocks =
      out("semaphore s; atomic x: int(0..2); thread A { x = choose(0..2); s.down(); }");
  CHECK(deadlocks.find(", 3 of them deadlocked, ") != std::string::npos);
  const std::string failed = out("thread Q[i in 0..<3] { if i == 1 { fail; } }");
  CHECK(failed.find("\n  Q[1]  stopped\n") != std::string::npos);
}

TEST_CASE("of a lock in an invariant, who owns it is told") {
  const auto values = [](const std::string& model) {
    const std::string text =
        run({CML_BINARY, "check", "-"}, {.input = model, .folder = {}, .environment = {}}).out;
    const std::size_t at = text.find("where ");
    return at == std::string::npos ? text : text.substr(at, text.find('\n', at) - at);
  };
  const std::string threads = "lock m; thread A { with m { skip; } } thread B { skip; }\n";
  CHECK(values(threads + "invariant m.owner != A;") == "where m.owner = A");
  CHECK(values(threads + "invariant m.free;") == "where m.owner = A");
  CHECK(values(threads + "invariant !m.free || m.owner == A;") == "where m.free = true");
}

TEST_CASE("the advice about an assertion fits what has happened") {
  const auto advice = [](const std::string& model) {
    const std::string text =
        run({CML_BINARY, "check", "-"}, {.input = model, .folder = {}, .environment = {}}).out;
    const std::size_t at = text.find("try: ");
    return text.substr(at, text.find('\n', at) - at);
  };
  CHECK(advice("thread A { fail; }").starts_with("try: nothing has happened before it"));
  CHECK(advice("atomic x: int; thread A { x = 1; assert x == 2; } thread B { x = 2; }")
            .starts_with("try: no other thread has moved before it"));
  CHECK(advice("atomic x: int; thread A { x = 1; assert x == 1; } thread B { x = 2; }")
            .starts_with("try: look at the last context switch"));
  CHECK(advice("atomic x: int; thread A { x = 1; } thread B { skip; } finally { assert x == 0; }")
            .starts_with("try: one thread alone leads to it"));
  CHECK(advice("atomic x: int; atomic y: int; invariant x == y; thread A { x = 1; y = 1; }")
            .starts_with("try: it must hold after each step"));
}

}  // namespace
