// What is measured: one row of the table each.
//
// To add rows, extend `all_rows` in rows.cpp. A row is a command line, the exit statuses that count
// as a success, and the bar: the median that the project promises, if it promises one.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace cml::bench {

struct Row {
  std::string group;
  std::string name;
  std::vector<std::string> command;
  std::optional<double> bar = std::nullopt;  // milliseconds
  std::vector<int> accepted = {0};           // exit statuses
};

struct Setting {
  std::filesystem::path program;  // the cml to measure
  std::filesystem::path source;   // the project's folder
  std::filesystem::path scratch;  // for generated models
};

[[nodiscard]] std::vector<Row> all_rows(const Setting& setting);

}  // namespace cml::bench
