#include "tests/differential/elements.h"

#include <fmt/format.h>

namespace cml::differential {

std::vector<std::string> elements(const std::string& object) {
  std::size_t dots = object.find("..");
  std::size_t begin = 0;
  for (; dots != std::string::npos; dots = object.find("..", dots + 1)) {  // or of a type
    begin = object.find_last_not_of("0123456789", dots - 1);
    if (begin != std::string::npos && object[begin] == '[') break;
  }
  if (dots == std::string::npos) return {object};
  const std::size_t end = object.find(']', dots);
  std::vector<std::string> result;
  const int last = std::stoi(object.substr(dots + 2, end - dots - 2));
  for (int i = std::stoi(object.substr(begin + 1, dots - begin - 1)); i <= last; ++i)
    for (const std::string& rest :
         elements(object.substr(0, begin) + fmt::format("[{}]", i) + object.substr(end + 1)))
      result.push_back(rest);
  return result;
}

}  // namespace cml::differential
