// Lines of text with indentation.
#pragma once

#include <string>
#include <string_view>
#include <utility>

namespace cml::ir::promela {

class Writer {
 public:
  void line(std::string_view text) {
    if (!text.empty()) out_.append(indent_, ' ');
    out_ += text;
    out_ += '\n';
  }
  void in(std::size_t by = 3) { indent_ += by; }
  void out(std::size_t by = 3) { indent_ -= by; }

  // Begins an `if`, whose first option is written next.
  void begin_if(std::string_view condition) {
    line("if");
    option(condition);
  }
  void option(std::string_view condition) {
    line(":: " + std::string(condition) + " ->");
    in();
  }
  void next_option(std::string_view condition) {
    out();
    option(condition);
  }
  void fi() {
    out();
    line("fi;");
  }

  [[nodiscard]] const std::string& text() const { return out_; }

 private:
  std::string out_;
  std::size_t indent_ = 0;
};

}  // namespace cml::ir::promela
