// Whether a text is well-formed XML, and what its elements are: enough for what this program
// writes. What it leaves out: document types, namespaces, CDATA, processing instructions.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace cml::test {

struct XmlElement {
  std::string name;
  std::map<std::string, std::string> attributes;
  std::string text;  // directly in it
  std::vector<XmlElement> children;
};

/// The outermost element. A text that is not well-formed throws std::runtime_error.
[[nodiscard]] XmlElement parse_xml(std::string_view text);

}  // namespace cml::test
