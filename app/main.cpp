// The program: finds the command, parses its options, runs it, and is the last resort for
// exceptions.
//
// Nothing but this folder ends the process. Exceptions do not cross phases, so one that arrives
// here is a bug and is reported as one: exit status 4. Running out of memory is a limit: exit
// status 3.
#include <algorithm>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cxxabi.h>
#include <exception>
#include <filesystem>
#include <fmt/core.h>
#include <new>
#include <string>
#include <sys/prctl.h>
#include <system_error>
#include <typeinfo>
#include <vector>

#include "app/command.h"
#include "app/console.h"
#include "app/crash.h"
#include "app/help.h"
#include "app/stack.h"
#include "support/suggest.h"
#include "support/version.h"

namespace cml::app {
namespace {

using Commands = std::vector<std::unique_ptr<Command>>;

Command* find_command(const Commands& commands, std::string_view name) {
  const auto found = std::ranges::find(commands, name, [](const auto& c) { return c->name(); });
  return found == commands.end() ? nullptr : found->get();
}

ExitStatus run_command(Command& command, std::vector<std::string> words, Console& console) {
  Arguments arguments;
  command.declare(arguments);
  const auto parsed = arguments.parse(std::move(words));
  if (!parsed) {
    const UsageError& error = parsed.error();
    const std::string more = fmt::format("`cml {} --help` shows the options", command.name());
    console.error(error.message, error.help.empty() ? more : error.help);
    return ExitStatus::Wrong;
  }
  if (arguments.help_wanted()) {
    console.out(command_help(command, arguments, console.out_style()));
    return ExitStatus::Verified;
  }
  return command.run(console);
}

ExitStatus unknown_command(const Commands& commands, const std::string& word, Console& console) {
  std::error_code ignored;
  if (word.ends_with(".cml") || std::filesystem::exists(word, ignored)) {
    console.error(fmt::format("`{}` is no command", word),
                  fmt::format("did you mean `cml check {}`?", word));
    return ExitStatus::Wrong;
  }
  std::vector<std::string_view> names = {"--help", "--version"};
  for (const auto& command : commands)
    names.emplace_back(command->name());
  const bool is_option = word.starts_with('-');
  const auto near = suggest(word, names);
  console.error(
      fmt::format("unknown {} `{}`", is_option ? "option" : "command", word),
      near ? fmt::format("did you mean `cml {}`?", *near)
           : std::string(is_option ? "options stand behind the command: `cml COMMAND [options]`"
                                   : "`cml --help` lists the commands"));
  return ExitStatus::Wrong;
}

ExitStatus run(std::vector<std::string> words, Console& console) {
  const Commands commands = all_commands();
  if (words.empty()) {
    console.err(short_help(commands, console.err_style()));
    return ExitStatus::Wrong;
  }
  const std::string first = words.front();
  words.erase(words.begin());
  if (first == "--version" || first == "-V") {
    console.out(fmt::format("cml {}\n", kVersion));
    return ExitStatus::Verified;
  }
  const bool help = first == "--help" || first == "-h" || first == "help";
  if (help && words.empty()) {
    console.out(program_help(commands, console.out_style()));
    return ExitStatus::Verified;
  }
  if (help) {  // cml help check
    Command* command = find_command(commands, words.front());
    if (command == nullptr) return unknown_command(commands, words.front(), console);
    return run_command(*command, {"--help"}, console);
  }
  Command* command = find_command(commands, first);
  if (command == nullptr) return unknown_command(commands, first, console);
  return run_command(*command, std::move(words), console);
}

constexpr const char* kPleaseReport =
    "This is a mistake in cml, not in your model. Please report it, with the model and the "
    "command.\n";

// Where there is no memory for an exception either, none is thrown.
bool has_run_out_of_memory = false;
void on_no_memory() {
  has_run_out_of_memory = true;
  throw std::bad_alloc();
}

constexpr const char* kOutOfMemory = "cml: error: out of memory\n";

// For exceptions where none can be caught, such as one thrown out of a noexcept function, or before
// main() begins.
[[noreturn]] void on_terminate() {
  const std::type_info* const thrown = abi::__cxa_current_exception_type();
  if (thrown == nullptr ? has_run_out_of_memory : *thrown == typeid(std::bad_alloc)) {
    std::fputs(kOutOfMemory, stderr);
    std::fflush(nullptr);
    std::_Exit(static_cast<int>(ExitStatus::Inconclusive));
  }
  std::fputs("cml: internal error\n", stderr);
  std::fputs(kPleaseReport, stderr);
  std::fflush(nullptr);
  std::_Exit(static_cast<int>(ExitStatus::Internal));
}

// Tables of the parser are made before main() begins.
[[gnu::constructor(101)]] void begin() {
  std::set_terminate(on_terminate);
  std::set_new_handler(on_no_memory);
}

// The whole program, which lets no exception out.
ExitStatus run_to_the_end(std::vector<std::string> words) {
  try {
    Console console;
    return console.finish(run(std::move(words), console));
  } catch (const std::bad_alloc&) {
    std::fputs(kOutOfMemory, stderr);
    return ExitStatus::Inconclusive;
  } catch (const std::exception& failure) {
    std::fprintf(stderr, "cml: internal error: %s\n", failure.what());
    std::fputs(kPleaseReport, stderr);
  }
  return ExitStatus::Internal;
}

}  // namespace
}  // namespace cml::app

int main(int argc, char** argv) {
  using namespace cml::app;
  report_crashes();
  // A server executes /proc/self/exe for each check, which tools like ps would call `exe`.
  ::prctl(PR_SET_NAME, "cml");
  // A reader that goes away shows as a failed write instead, so that the exit status stays ours.
  std::signal(SIGPIPE, SIG_IGN);
  // So does a file that may not become that long (`ulimit -f`).
  std::signal(SIGXFSZ, SIG_IGN);
  ExitStatus status = ExitStatus::Internal;
  with_enough_stack([&] {
    status = run_to_the_end(std::vector<std::string>(argv + std::min(argc, 1), argv + argc));
  });
  return static_cast<int>(status);
}
