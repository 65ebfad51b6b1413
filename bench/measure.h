// Measuring a process: wall time from its creation to its end, processor time, and peak memory.
#pragma once

#include <string>
#include <vector>

#include "support/expected.h"

namespace cml::bench {

struct Measurement {
  int status = 0;           // exit status
  double milliseconds = 0;  // wall time, start-up included
  double processor = 0;     // milliseconds of processor time, user and system
  double megabytes = 0;     // peak resident memory
};

/// Runs a program once, its output thrown away.
[[nodiscard]] Expected<Measurement, std::string> measure(const std::vector<std::string>& command);

struct Summary {
  double fastest = 0;  // milliseconds
  double median = 0;
  double processor = 0;  // the median; what a busy machine cannot spoil
  double megabytes = 0;  // the largest peak
  int status = 0;
};

/// Runs a program `runs` times, after one run that does not count. All must end with one of
/// `accepted`.
[[nodiscard]] Expected<Summary, std::string> measure_repeatedly(
    const std::vector<std::string>& command, int runs, const std::vector<int>& accepted);

}  // namespace cml::bench
