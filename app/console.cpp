// Standard streams, terminals, files that are written.
#include "app/console.h"

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <fmt/core.h>
#include <memory>
#include <sys/ioctl.h>
#include <unistd.h>

namespace cml::app {
namespace {

using report::Paint;

constexpr int kDefaultWidth = 100;
constexpr int kNarrowest = 40;
constexpr int kWidest = 160;  // longer lines are hard to read

bool is_set(const char* variable) {
  const char* value = std::getenv(variable);
  return value != nullptr && *value != '\0';
}

bool wants_colour(int descriptor) {
  if (isatty(descriptor) == 0 || is_set("NO_COLOR")) return false;
  const char* terminal = std::getenv("TERM");
  return terminal == nullptr || std::string_view(terminal) != "dumb";
}

int width_of(int descriptor) {
  const int columns = terminal_columns(descriptor);
  return columns == 0 ? kDefaultWidth : std::clamp(columns, kNarrowest, kWidest);
}

report::TextStyle style_of(int descriptor) {
  return {.colours = report::Colours(wants_colour(descriptor)),
          .width = width_of(descriptor),
          .fits_tables = isatty(descriptor) != 0};
}

}  // namespace

int terminal_columns(int descriptor) {
  winsize size = {};
  return ioctl(descriptor, TIOCGWINSZ, &size) == 0 ? size.ws_col : 0;
}

int report_width(std::uint64_t columns) {
  return static_cast<int>(std::clamp<std::uint64_t>(columns, kNarrowest, kWidest));
}

Console::Console()
    : out_style_(style_of(STDOUT_FILENO)),
      err_style_(style_of(STDERR_FILENO)),
      err_is_terminal_(isatty(STDERR_FILENO) != 0) {}

void Console::write(std::FILE* stream, std::string_view text, int& lost) {
  if (lost != 0 || text.empty()) return;
  if (std::fwrite(text.data(), 1, text.size(), stream) != text.size()) lost = errno;
}

void Console::out(std::string_view text) { write(stdout, text, out_lost_); }

void Console::flush() {
  if (std::fflush(stdout) != 0 && out_lost_ == 0) out_lost_ = errno;
}

void Console::err(std::string_view text) {
  flush();  // in the order in which things were said, should both streams be the same terminal
  write(stderr, text, err_lost_);
}

void Console::error(std::string_view message, std::string_view help) {
  const report::Colours& colours = err_style_.colours;
  err(fmt::format("cml: {} {}\n", colours(Paint::Error, "error:"), report::printable(message)));
  if (!help.empty()) {
    err(fmt::format("{} {}\n", colours(Paint::Help, "help:"), report::printable(help)));
  }
}

void Console::warning(std::string_view message, std::string_view help) {
  const report::Colours& colours = err_style_.colours;
  err(fmt::format("cml: {} {}\n", colours(Paint::Warning, "warning:"), report::printable(message)));
  if (!help.empty()) {
    err(fmt::format("{} {}\n", colours(Paint::Help, "help:"), report::printable(help)));
  }
}

ExitStatus Console::finish(ExitStatus status) {
  flush();
  if (out_lost_ == 0 || out_lost_ == EPIPE) return status;
  error(fmt::format("cannot write to standard output: {}", std::strerror(out_lost_)));
  return ExitStatus::Wrong;
}

}  // namespace cml::app
