// Several checks: a line for each, as they end, and a summary behind them; or a document for a
// continuous integration, in JUnit's XML.
//
//   philosophers.cml          N=2  violated         30 states   0.002 s  deadlock at 18:5
//   philosophers_ordered.cml  N=2  verified         22 states   0.002 s
//
//   2 checked: 1 verified, 1 violated; 0.1 s
//
// What a check has found is read from its document (docs/command-line.md, "JSON"): it may come from
// another process.
#pragma once

#include <span>
#include <string>

#include "report/diagnostics_json.h"
#include "report/terminal_text.h"

namespace cml::report {

struct ListedCheck {
  std::string model;         // the path as the user gave it
  std::string varied = {};   // what other checks of the list define otherwise: "N=2 M=false"
  Json document = nullptr;   // null: there is none,
  std::string failure = {};  // and this is why
  bool has_failed = false;   // by a mistake of ours, not for want of time or memory
  std::string text = {};     // the report for people; for JUnit
};

/// "verified", "violated", "inconclusive"; "wrong": the model has errors; "failed".
[[nodiscard]] std::string_view outcome(const ListedCheck& check);

/// Widths of columns that are known before the checks.
struct ListColumns {
  int model = 0;
  int varied = 0;
};
void make_room(ListColumns& columns, const ListedCheck& check);

[[nodiscard]] std::string check_line(const ListedCheck& check, const ListColumns& columns,
                                     const TextStyle& style);
[[nodiscard]] std::string check_summary(std::span<const ListedCheck> checks, double seconds,
                                        const TextStyle& style);

/// A test case for each check, in the XML that continuous integrations read. What is violated is a
/// failure; what is inconclusive or wrong is an error, since it says nothing of the model.
[[nodiscard]] std::string checks_junit(std::span<const ListedCheck> checks, double seconds);

}  // namespace cml::report
