#include "checker/search/search_limits.h"

#include <algorithm>
#include <atomic>

#include "support/memory.h"

namespace cml::checker {
namespace {

constexpr std::uint64_t kMostTicksBetweenLooks = 256;  // at the clock
constexpr double kSecondsBetweenLooks = 0.01;
constexpr std::uint64_t kMostPerTick =
    256;  // states that are stored between two calls of stopped()
constexpr std::size_t kMostLimits = 8;
constexpr double kSecondsBetweenMeasurements = 0.004;  // of memory: they are system calls
constexpr double kSecondsBetweenReports = 0.2;

double seconds_since(std::chrono::steady_clock::time_point start) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

}  // namespace

SearchLimits::SearchLimits(const Measured& measured, const ir::Histories* histories,
                           const Monitors& monitors, const Options& options, const Context& context,
                           const MemoryBudget& budget)
    : measured_(measured),
      histories_(histories),
      monitors_(monitors),
      options_(options),
      context_(context),
      budget_(budget),
      most_states_(options.store == Store::Stateful ? options.limits.most_numbers : UINT64_MAX),
      started_(std::chrono::steady_clock::now()),
      reported_(started_) {
  limits_.reserve(kMostLimits);  // one of them is noted when there is no memory left
}

double SearchLimits::seconds() const { return seconds_since(started_); }

void SearchLimits::leave_out(const char* limit) {
  if (std::find(limits_.begin(), limits_.end(), limit) == limits_.end())
    limits_.emplace_back(limit);
}

bool SearchLimits::look() {
  const auto end = [this](const char* limit) {
    end_at(limit);
    return true;
  };
  if (context_.stop != nullptr && context_.stop->load(std::memory_order_relaxed))
    return end("interrupted");
  const std::uint64_t states = measured_.states();
  if (states + kMostPerTick >= most_states_) return end("max-states");
  const std::uint64_t most_numbers = options_.limits.most_numbers;
  if (measured_.numbers() > most_numbers - most_numbers / 64) return end("sleep-sets");
  const double now = seconds();
  if (has_too_much_memory(now)) return end("max-memory");
  // Rarely, but often enough where a tick takes long.
  const double since = now - looked_;
  looked_ = now;
  ticks_between_looks_ = since < kSecondsBetweenLooks
                             ? std::min(ticks_between_looks_ * 2, kMostTicksBetweenLooks)
                             : std::max<std::uint64_t>(ticks_between_looks_ / 4, 1);
  next_look_ = ticks_ + std::min(ticks_between_looks_, (most_states_ - states) / kMostPerTick);
  if (options_.limits.max_seconds > 0 && now > options_.limits.max_seconds) return end("max-time");
  if (context_.progress && seconds_since(reported_) > kSecondsBetweenReports) report_progress();
  return false;
}

// Where the system does not report the memory of the process, what is known to grow is counted.
bool SearchLimits::has_too_much_memory(double seconds) {
  if (seconds < measured_at_ + kSecondsBetweenMeasurements) return false;
  measured_at_ = seconds;
  return budget_.is_over() || memory() > options_.limits.max_memory;
}

void SearchLimits::report_progress() {
  reported_ = std::chrono::steady_clock::now();
  context_.progress({measured_.states(), measured_.transitions(), depth_, measured_.waiting(),
                     std::max(memory(), resident_memory()), seconds()});
}

}  // namespace cml::checker
