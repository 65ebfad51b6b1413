// Which number an object of the heap has says nothing: the checker numbers the objects of a state,
// the brute force those that a run has made. So what is compared names classes.
#pragma once

#include <cctype>
#include <string>

namespace cml::differential {

/// "Node#3.next" becomes "Node.next", and "Node#2" becomes "Node".
[[nodiscard]] inline std::string without_numbers(const std::string& text) {
  std::string out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const auto is_digit = [&text](std::size_t at) {
      return at < text.size() && std::isdigit(static_cast<unsigned char>(text[at])) != 0;
    };
    if (text[i] != '#' || !is_digit(i + 1)) {
      out += text[i];
      continue;
    }
    while (is_digit(i + 1))
      ++i;
  }
  return out;
}

}  // namespace cml::differential
