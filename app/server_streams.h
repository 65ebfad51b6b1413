// The streams of a server that speaks a protocol on standard input and output: as long as this
// lives, whatever else writes to standard output writes to standard error.
#pragma once

namespace cml::app {

class ServerStreams {
 public:
  ServerStreams();
  ~ServerStreams();
  ServerStreams(const ServerStreams&) = delete;
  ServerStreams& operator=(const ServerStreams&) = delete;

  [[nodiscard]] int in() const { return in_; }
  [[nodiscard]] int out() const { return out_; }

 private:
  int in_;
  int out_;
};

}  // namespace cml::app
