// By a text without indices.
#include "report/alike.h"

#include <algorithm>
#include <fmt/format.h>
#include <map>
#include <string>
#include <string_view>

namespace cml::report {
namespace {

/// Without what stands in brackets or behind `#`.
std::string without_indices(std::string_view text) {
  std::string out;
  int depth = 0;
  bool is_number = false;
  for (const char c : text) {
    is_number = c == '#' || (is_number && c >= '0' && c <= '9');
    if (c == '[') ++depth;
    if (depth == 0 && !is_number) out += c;
    if (c == ']') --depth;
  }
  return out;
}

std::string key_of(const checker::Violation& violation) {
  const SourceRange& at = violation.location;
  std::string key =
      fmt::format("{} {} {} {}", checker::name(violation.kind), at.file.index, at.begin, at.end);
  std::vector<std::string> parts;  // in any order
  for (const checker::ThreadStatus& thread : violation.threads)
    if (thread.is_stuck)
      parts.push_back(without_indices(thread.thread + " " + thread.blocked_on.value_or("")));
  for (const checker::AccessSide& side : violation.accesses)
    parts.push_back(fmt::format("{} {}", without_indices(side.thread), side.location.begin));
  std::sort(parts.begin(), parts.end());
  // The message names the stuck threads, in their order.
  if (parts.empty() || !violation.accesses.empty()) key += without_indices(violation.message);
  for (const std::string& part : parts)
    key += "\n" + part;
  return key;
}

}  // namespace

std::vector<std::size_t> first_alike(const std::vector<checker::Violation>& violations) {
  std::map<std::string, std::size_t> first;
  std::vector<std::size_t> result;
  for (std::size_t i = 0; i < violations.size(); ++i)
    result.push_back(first.emplace(key_of(violations[i]), i).first->second);
  return result;
}

}  // namespace cml::report
