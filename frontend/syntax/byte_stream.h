// The source text as ANTLR's lexer sees it: bytes, so that its positions are byte offsets.
//
// The runtime's own stream decodes UTF-8 into a copy, throws on malformed input and counts code
// points. The lexer only needs to tell ASCII from the rest (see grammar/CmlLexer.g4): every byte
// beyond ASCII is shown as kNonAscii, which also keeps the lexer on its fast path, a table for
// codes up to 127.
#pragma once

#include "antlr4-runtime.h"
#include <string>
#include <string_view>

namespace cml::syntax {

inline constexpr std::size_t kNonAscii = 0x7F;

class ByteStream final : public antlr4::CharStream {
 public:
  explicit ByteStream(std::string_view text) : text_(text) {}

  void consume() override { ++position_; }
  std::size_t LA(ssize_t i) override {
    const std::size_t at = i > 0 ? position_ + static_cast<std::size_t>(i) - 1
                                 : position_ - static_cast<std::size_t>(-i);
    if (i == 0) return 0;
    if (at >= text_.size()) return IntStream::EOF;
    const auto byte = static_cast<unsigned char>(text_[at]);
    return byte < kNonAscii ? byte : kNonAscii;
  }
  ssize_t mark() override { return -1; }
  void release(ssize_t) override {}
  std::size_t index() override { return position_; }
  void seek(std::size_t index) override { position_ = index; }
  std::size_t size() override { return text_.size(); }
  std::string getSourceName() const override { return {}; }
  std::string getText(const antlr4::misc::Interval& interval) override {
    const auto begin = static_cast<std::size_t>(interval.a);
    if (interval.a < 0 || begin >= text_.size() || interval.b < interval.a) return {};
    return std::string(text_.substr(begin, static_cast<std::size_t>(interval.b - interval.a) + 1));
  }
  std::string toString() const override { return std::string(text_); }

 private:
  std::string_view text_;
  std::size_t position_ = 0;
};

}  // namespace cml::syntax
