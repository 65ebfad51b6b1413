// The progress line.
#include "app/progress.h"

#include <cstdio>
#include <fmt/core.h>

namespace cml::app {
namespace {

constexpr const char* kClearLine = "\r\033[K";

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

std::string progress_text(const checker::Progress& progress, const checker::Options& search) {
  const bool breadth_first = search.order == checker::Order::BreadthFirst || search.shortest;
  const double rate =
      progress.seconds > 0 ? static_cast<double>(progress.states) / progress.seconds : 0;
  std::string memory = bytes(progress.memory);
  if (search.limits.max_memory != UINT64_MAX) {
    memory += " of " + bytes(search.limits.max_memory);
  }
  return fmt::format("{} states, {} transitions, {} states/s, depth {}, {} {}, {}, {:.0f} s",
                     grouped(progress.states), grouped(progress.transitions), rough(rate),
                     grouped(progress.depth), breadth_first ? "queue" : "stack",
                     grouped(progress.waiting), memory, progress.seconds);
}

std::string progress_json(const checker::Progress& progress) {
  return fmt::format(
      R"({{"states": {}, "transitions": {}, "depth": {}, "waiting": {}, "memory": {}, "seconds": {:.3f}}})",
      progress.states, progress.transitions, progress.depth, progress.waiting, progress.memory,
      progress.seconds);
}

ProgressLine::ProgressLine(const CheckOptions& options, bool is_terminal, int width)
    : options_(options),
      shows_line_(options.progress == ProgressMode::Auto && is_terminal && !options.quiet),
      width_(width) {}

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
    const std::string text = progress_text(progress, options_.search);
    const auto fits = static_cast<std::size_t>(width_ - 1);
    std::fputs((kClearLine + text.substr(0, fits)).c_str(), stderr);
    is_dirty_ = true;
  };
}

}  // namespace cml::app
