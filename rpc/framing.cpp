#include "rpc/framing.h"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <fmt/format.h>
#include <utility>

namespace cml::rpc {
namespace {

constexpr std::size_t kMaxHeader = 8192;

bool is_named(std::string_view line, std::string_view name) {
  return line.size() > name.size() && line[name.size()] == ':' &&
         std::equal(name.begin(), name.end(), line.begin(), [](char a, char b) {
           return a == std::tolower(static_cast<unsigned char>(b));
         });
}

/// Of the header's lines, the length; none: there is none, or it is no number.
std::optional<std::size_t> content_length(std::string_view header) {
  constexpr std::string_view kName = "content-length";
  std::optional<std::size_t> length;
  while (!header.empty()) {
    const std::size_t end = std::min(header.find('\n'), header.size());
    std::string_view line = header.substr(0, end);
    header.remove_prefix(std::min(end + 1, header.size()));
    if (!is_named(line, kName)) continue;
    line.remove_prefix(kName.size() + 1);
    while (!line.empty() && line.front() == ' ')
      line.remove_prefix(1);
    std::size_t number = 0;
    const auto [stop, error] = std::from_chars(line.data(), line.data() + line.size(), number);
    const std::string_view rest(stop, static_cast<std::size_t>(line.data() + line.size() - stop));
    if (error == std::errc() && (rest.empty() || rest == "\r")) length = number;
  }
  return length;
}

}  // namespace

std::optional<Frame> HeaderFraming::next() {
  if (skip_ > 0) {
    const std::size_t part = std::min(skip_, buffer_.size());
    buffer_.erase(0, part);
    skip_ -= part;
    if (skip_ > 0) return std::nullopt;
  }
  // Lines end with \r\n; a client that is typed by hand may leave out the \r.
  std::size_t end = buffer_.find("\r\n\r\n");
  std::size_t body = end + 4;
  if (const std::size_t bare = buffer_.find("\n\n"); bare < end) {
    end = bare;
    body = bare + 2;
  }
  if (end == std::string::npos) {
    if (buffer_.size() < kMaxHeader) return std::nullopt;
    buffer_.clear();
    return Frame{{}, "a header that does not end"};
  }
  const auto length = content_length(std::string_view(buffer_).substr(0, end + 1));
  if (!length) {
    buffer_.erase(0, body);
    return Frame{{}, "a header without Content-Length"};
  }
  if (*length > kMaxMessage) {
    skip_ = *length;
    buffer_.erase(0, body);
    return Frame{{},
                 fmt::format("a message of {} bytes; at most {} are read", *length, kMaxMessage)};
  }
  if (buffer_.size() - body < *length) return std::nullopt;
  Frame frame{buffer_.substr(body, *length)};
  buffer_.erase(0, body + *length);
  return frame;
}

std::string HeaderFraming::framed(std::string_view body) const {
  return fmt::format("Content-Length: {}\r\n\r\n{}", body.size(), body);
}

std::optional<Frame> LineFraming::next() {
  for (;;) {
    const std::size_t end = buffer_.find('\n');
    if (end == std::string::npos) {
      if (buffer_.size() <= kMaxMessage) return std::nullopt;
      buffer_.clear();
      if (std::exchange(is_skipping_, true)) return std::nullopt;
      return Frame{{}, "a line that does not end"};
    }
    std::string line = buffer_.substr(0, end);
    buffer_.erase(0, end + 1);
    if (!line.empty() && line.back() == '\r') line.pop_back();
    if (std::exchange(is_skipping_, false) || line.empty()) continue;
    return Frame{std::move(line)};
  }
}

std::string LineFraming::framed(std::string_view body) const { return std::string(body) + "\n"; }

}  // namespace cml::rpc
