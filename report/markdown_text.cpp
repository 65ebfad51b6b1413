// Markdown to terminal text, a block at a time.
#include "report/markdown_text.h"

#include <utility>

namespace cml::report {
namespace {

constexpr int kCodeIndent = 4;

// Colours `code` and **strong**. Done after wrapping, where a span may reach over a line break: the
// colour is then closed and opened again, so that no line depends on another. Without colours the
// back quotes stay, as they carry meaning.
std::string inline_spans(std::string_view text, const Colours& colours) {
  std::string result;
  std::string span;
  Paint paint = Paint::Plain;
  const auto flush = [&](Paint next) {
    result += colours(paint, span);
    span.clear();
    paint = next;
  };
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (c == '`') {
      if (!colours.on()) span += c;
      if (paint == Paint::Code) {
        flush(Paint::Plain);
      } else {
        flush(Paint::Code);
      }
    } else if (c == '*' && paint != Paint::Code && text.substr(i, 2) == "**") {
      flush(paint == Paint::Strong ? Paint::Plain : Paint::Strong);
      ++i;
    } else if (c == '\n') {
      const Paint open = paint;
      flush(Paint::Plain);
      result += c;
      paint = open;
    } else {
      span += c;
    }
  }
  flush(Paint::Plain);
  return result;
}

// Only comments are coloured: keywords would need the lexer.
std::string code_line(std::string_view line, const Colours& colours) {
  const std::string indent(kCodeIndent, ' ');
  const std::size_t comment = line.find("//");
  if (comment == std::string_view::npos) return indent + std::string(line);
  return indent + std::string(line.substr(0, comment)) +
         colours(Paint::Faint, line.substr(comment));
}

class Renderer {
 public:
  explicit Renderer(const TextStyle& style) : style_(style) {}

  void line(std::string_view line) {
    if (line.starts_with("```")) {
      end_paragraph();
      if (!in_code_) separate();
      in_code_ = !in_code_;
    } else if (in_code_) {
      text_ += line.empty() ? "\n" : code_line(line, style_.colours) + "\n";
    } else if (line.empty()) {
      end_paragraph();
    } else if (line.starts_with("#")) {
      end_paragraph();
      separate();
      const std::size_t begin = line.find_first_not_of("# ");
      text_ +=
          style_.colours(Paint::Strong, begin == std::string_view::npos ? "" : line.substr(begin)) +
          "\n";
    } else if (line.starts_with("- ")) {
      const bool continues = in_list_;
      end_paragraph();
      if (!continues) separate();
      in_list_ = true;
      paragraph_ = line.substr(2);
    } else {
      paragraph_ += (paragraph_.empty() ? "" : " ") + std::string(line);
    }
  }

  [[nodiscard]] std::string finish() && {
    end_paragraph();
    return std::move(text_);
  }

 private:
  void separate() {
    if (!text_.empty()) text_ += '\n';
  }

  void end_paragraph() {
    if (paragraph_.empty()) {
      in_list_ = false;
      return;
    }
    if (in_list_) {
      text_ +=
          "  - " + inline_spans(wrapped(paragraph_, style_.width, 4, 4), style_.colours) + "\n";
    } else {
      separate();
      text_ += inline_spans(wrapped(paragraph_, style_.width), style_.colours) + "\n";
    }
    paragraph_.clear();
    in_list_ = false;
  }

  const TextStyle& style_;
  std::string text_;
  std::string paragraph_;
  bool in_code_ = false;
  bool in_list_ = false;
};

}  // namespace

std::string markdown_text(std::string_view markdown, const TextStyle& style) {
  Renderer renderer(style);
  while (!markdown.empty()) {
    const std::size_t end = markdown.find('\n');
    renderer.line(markdown.substr(0, end));
    if (end == std::string_view::npos) break;
    markdown.remove_prefix(end + 1);
  }
  return std::move(renderer).finish();
}

}  // namespace cml::report
