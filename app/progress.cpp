// The progress line.
#include "app/progress.h"

#include <algorithm>
#include <cstdio>
#include <fmt/core.h>
#include <unistd.h>

#include "app/console.h"

namespace cml::app {
namespace {

constexpr const char* kClearLine = "\r\033[K";
constexpr int kUsualColumns = 80;
// The terminal shows Ctrl-C as `^C` behind the line, which then must not begin another one: that
// could not be cleared.
constexpr int kEcho = 3;

// 1234567 -> "1,234,567"
std::string grouped(std::uint64_t number) {
  std::string digits = std::to_string(number);
  for (std::size_t at = digits.size(); at > 3;) {
    at -= 3;
    digits.insert(at, ",");
  }
  return digits;
}

// "850", "12k", "1.2M"
std::string rough(double number) {
  if (number < 1e3) return fmt::format("{:.0f}", number);
  if (number < 1e6) return fmt::format("{:.{}f}k", number / 1e3, number < 1e4 ? 1 : 0);
  return fmt::format("{:.{}f}M", number / 1e6, number < 1e7 ? 1 : 0);
}

std::string bytes(std::uint64_t number) {
  const auto size = static_cast<double>(number);
  if (size < 1e9) return fmt::format("{:.0f} MB", size / 1e6);
  return fmt::format("{:.1f} GB", size / 1e9);
}

}  // namespace

std::string progress_text(const checker::Progress& progress, const checker::Options& search,
                          std::size_t columns) {
  const bool breadth_first = search.order == checker::Order::BreadthFirst || search.shortest;
  const double rate =
      progress.seconds > 0 ? static_cast<double>(progress.states) / progress.seconds : 0;
  std::string memory = bytes(progress.memory);
  if (search.limits.max_memory != UINT64_MAX) {
    memory += " of " + bytes(search.limits.max_memory);
  }
  const std::string seconds = fmt::format("{:.0f} s", progress.seconds);
  const char* waiting = breadth_first ? "queue" : "stack";
  const auto about = [](std::uint64_t number) { return rough(static_cast<double>(number)); };
  // What matters most stands first and last, and stays the longest.
  const std::string texts[] = {
      fmt::format("{} states, {} transitions, {} states/s, depth {}, {} {}, {}, {}",
                  grouped(progress.states), grouped(progress.transitions), rough(rate),
                  grouped(progress.depth), waiting, grouped(progress.waiting), memory, seconds),
      fmt::format("{} states, {} transitions, {}/s, depth {}, {} {}, {}, {}",
                  about(progress.states), about(progress.transitions), rough(rate),
                  about(progress.depth), waiting, about(progress.waiting), memory, seconds),
      fmt::format("{} states, {}/s, {} {}, {}, {}", about(progress.states), rough(rate), waiting,
                  about(progress.waiting), memory, seconds),
      fmt::format("{} states, {}, {}", about(progress.states), memory, seconds),
      fmt::format("{} states, {}", about(progress.states), seconds),
  };
  for (const std::string& text : texts)
    if (text.size() <= columns) return text;
  return seconds.substr(0, columns);
}

std::string progress_json(const checker::Progress& progress) {
  return fmt::format(
      R"({{"states": {}, "transitions": {}, "depth": {}, "waiting": {}, "memory": {}, "seconds": {:.3f}}})",
      progress.states, progress.transitions, progress.depth, progress.waiting, progress.memory,
      progress.seconds);
}

ProgressLine::ProgressLine(const CheckOptions& options, bool is_terminal)
    : options_(options),
      shows_line_(options.progress == ProgressMode::Auto && is_terminal && !options.quiet) {}

ProgressLine::~ProgressLine() {
  if (is_dirty_) std::fputs(kClearLine, stderr);
}

std::function<void(const checker::Progress&)> ProgressLine::listener() {
  if (options_.progress == ProgressMode::Json) {
    return [](const checker::Progress& progress) {
      std::fputs((progress_json(progress) + "\n").c_str(), stderr);
    };
  }
  if (!shows_line_) return {};
  return [this](const checker::Progress& progress) {
    const int columns = terminal_columns(STDERR_FILENO);
    const int room = (columns == 0 ? kUsualColumns : columns) - kEcho;
    const std::string text =
        progress_text(progress, options_.search, static_cast<std::size_t>(std::max(room, 0)));
    std::fputs((kClearLine + text).c_str(), stderr);
    is_dirty_ = true;
  };
}

}  // namespace cml::app
