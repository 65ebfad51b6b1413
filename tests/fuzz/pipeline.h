// Everything that cml does with a text, in one process and with small limits: read, format, lower,
// print and parse the IR, export, check in several ways, report as text and as JSON.
//
//   text ──▶ fmt, twice
//        ──▶ model ──▶ ir, ir of the ir
//                  ──▶ Promela
//                  ──▶ check × options ──▶ text, JSON ──▶ parsed
//
// Whatever the text, nothing may crash, and a few promises are kept: formatting is done after one
// time, the IR says all, a violation is replayed, the JSON parses, and two searches that both ended
// do not contradict each other.
#pragma once

#include <cstdint>
#include <string>

namespace cml::fuzz {

struct PipelineReport {
  bool is_model = false;  // without errors
  bool runs = false;      // and nothing in it that is checked but cannot be run
  bool property_diverges = false;
  std::string broken;  // the promise that is not kept; empty: all are
};

/// `seed` selects the ways to check, besides the default and the full search.
[[nodiscard]] PipelineReport run_pipeline(const std::string& text, std::uint64_t seed);

}  // namespace cml::fuzz
