#include "tests/harness/xml.h"

#include <algorithm>
#include <fmt/format.h>
#include <stdexcept>

namespace cml::test {
namespace {

class Parser {
 public:
  explicit Parser(std::string_view text) : text_(text) {}

  XmlElement document() {
    if (eat("<?xml ")) skip_behind("?>");
    spaces();
    XmlElement root = element();
    spaces();
    require(at_ == text_.size(), "something behind the last tag");
    return root;
  }

 private:
  void require(bool holds, std::string_view what) const {
    if (!holds) throw std::runtime_error(fmt::format("XML at {}: {}", at_, what));
  }
  [[nodiscard]] bool sees(std::string_view what) const {
    return text_.substr(at_).starts_with(what);
  }
  bool eat(std::string_view what) {
    if (!sees(what)) return false;
    at_ += what.size();
    return true;
  }
  void skip_behind(std::string_view what) {
    const std::size_t found = text_.find(what, at_);
    require(found != std::string_view::npos, "no end");
    at_ = found + what.size();
  }
  void spaces() { at_ = std::min(text_.find_first_not_of(" \t\n", at_), text_.size()); }
  std::string name() {
    const std::size_t begin = at_;
    at_ = std::min(text_.find_first_of(" \t\n=/<>\"", at_), text_.size());
    require(at_ > begin, "a name");
    return std::string(text_.substr(begin, at_ - begin));
  }

  char reference() {
    for (const auto& [written, meant] : {std::pair<std::string_view, char>{"&amp;", '&'},
                                         {"&lt;", '<'},
                                         {"&gt;", '>'},
                                         {"&quot;", '"'},
                                         {"&#10;", '\n'},
                                         {"&#9;", '\t'}})
      if (eat(written)) return meant;
    require(false, "an unknown reference");
    return 0;
  }
  /// Up to one of the characters.
  std::string content(std::string_view ends) {
    std::string out;
    while (at_ < text_.size() && ends.find(text_[at_]) == std::string_view::npos) {
      const auto c = static_cast<unsigned char>(text_[at_]);
      require(!sees("\xEF\xBF\xBE") && !sees("\xEF\xBF\xBF"), "a character that is none");
      require(c != '<' && (c >= ' ' || c == '\n' || c == '\t'), "a character that must not be");
      if (c == '&') {
        out += reference();
      } else {
        out += text_[at_++];
      }
    }
    return out;
  }

  XmlElement element() {
    require(eat("<"), "a tag");
    XmlElement result;
    result.name = name();
    for (spaces(); !sees(">") && !sees("/"); spaces()) {
      const std::string attribute = name();
      require(eat("=\""), "the value of an attribute");
      require(result.attributes.emplace(attribute, content("\"")).second, "an attribute twice");
      require(eat("\""), "the end of an attribute");
    }
    if (eat("/>")) return result;
    require(eat(">"), "the end of a tag");
    for (;;) {
      result.text += content("<");
      if (eat("</")) break;
      result.children.push_back(element());
    }
    require(name() == result.name && eat(">"), "another end tag");
    return result;
  }

  std::string_view text_;
  std::size_t at_ = 0;
};

}  // namespace

XmlElement parse_xml(std::string_view text) { return Parser(text).document(); }

}  // namespace cml::test
