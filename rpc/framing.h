// Messages in a stream of bytes: how the language server protocol separates them, by a header with
// their length, and how the model context protocol does, a line each.
//
// Input is not trusted: what is no message is reported as such, and reading goes on behind it.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace cml::rpc {

/// A message, or why there is none.
struct Frame {
  std::string body;
  std::string error = {};
};

class Framing {
 public:
  Framing() = default;
  Framing(const Framing&) = delete;
  Framing& operator=(const Framing&) = delete;
  virtual ~Framing() = default;

  void append(std::string_view bytes) { buffer_ += bytes; }
  /// The next one that is complete.
  [[nodiscard]] virtual std::optional<Frame> next() = 0;
  [[nodiscard]] virtual std::string framed(std::string_view body) const = 0;

  static constexpr std::size_t kMaxMessage = std::size_t{64} << 20;

 protected:
  std::string buffer_;
};

/// `Content-Length: 17`, an empty line, and so many bytes.
class HeaderFraming final : public Framing {
 public:
  [[nodiscard]] std::optional<Frame> next() override;
  [[nodiscard]] std::string framed(std::string_view body) const override;

 private:
  std::size_t skip_ = 0;  // of a message that is too long
};

/// A line each.
class LineFraming final : public Framing {
 public:
  [[nodiscard]] std::optional<Frame> next() override;
  [[nodiscard]] std::string framed(std::string_view body) const override;

 private:
  bool is_skipping_ = false;
};

}  // namespace cml::rpc
