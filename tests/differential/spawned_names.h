// Which number a spawned thread has says nothing: the checker numbers the places where threads are
// spawned, the brute force those that live, and which of two it is may depend on the search.
#pragma once

#include <cctype>
#include <set>
#include <string>
#include <string_view>

namespace cml::differential {

/// "join Main/spawn12/spawn0" becomes "join Main/spawn#/spawn#".
[[nodiscard]] inline std::string without_ranks(const std::string& text) {
  constexpr std::string_view kSpawned = "/spawn";
  std::string out;
  for (const char c : text) {
    const bool is_rank = std::isdigit(static_cast<unsigned char>(c)) != 0 &&
                         (out.ends_with(kSpawned) || out.ends_with("/spawn#"));
    if (!is_rank) {
      out += c;
    } else if (out.ends_with(kSpawned)) {
      out += '#';
    }
  }
  return out;
}
[[nodiscard]] inline std::set<std::set<std::string>> without_ranks(
    const std::set<std::set<std::string>>& all) {
  std::set<std::set<std::string>> out;
  for (const std::set<std::string>& one : all) {
    std::set<std::string> names;
    for (const std::string& text : one)
      names.insert(without_ranks(text));
    out.insert(std::move(names));
  }
  return out;
}

}  // namespace cml::differential
