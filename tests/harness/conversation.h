// A conversation with a server: the real program, and JSON-RPC over pipes, as editors and agents
// have it.
#pragma once

#include <chrono>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <sys/types.h>
#include <vector>

namespace cml::test {

using nlohmann::json;

/// How messages are separated.
enum class Separated : std::uint8_t { ByHeaders, ByLines };

class Conversation {
 public:
  /// `cml COMMAND`
  Conversation(const std::string& command, Separated separated);
  ~Conversation();
  Conversation(const Conversation&) = delete;
  Conversation& operator=(const Conversation&) = delete;

  /// The id of the request.
  int ask(const std::string& method, const json& params);
  /// The whole answer to a request: what came before it is kept. Null: there is none.
  [[nodiscard]] json answer(const json& id);
  /// Both, and the result; an error fails the test.
  json request(const std::string& method, const json& params);
  /// Likewise, of a request that fails: the error.
  json failure(const std::string& method, const json& params);
  void notify(const std::string& method, const json& params);
  /// Bytes as they are.
  void write(std::string_view bytes);
  void send(const json& message) { write(framed(message.dump())); }
  [[nodiscard]] std::string framed(const std::string& body) const;

  /// The next message, whatever it is; null: the server is gone, or says nothing for long.
  [[nodiscard]] json next();
  /// The next notification of this kind; what came before is kept.
  [[nodiscard]] json notification(const std::string& method);
  /// Likewise the next request of the server to its client, which is answered with null.
  [[nodiscard]] json asked(const std::string& method);
  /// Messages of this kind that have come and were not looked at.
  [[nodiscard]] std::vector<json> kept(const std::string& method) const;
  void forget() { kept_.clear(); }

  /// The end of the server's input; what it says can still be read.
  void close_input();
  [[nodiscard]] pid_t process() const { return process_; }
  /// Closes the server's input; its exit status.
  [[nodiscard]] int end();
  /// What it wrote to standard output that is no message; nothing, unless it is wrong.
  [[nodiscard]] const std::string& stray() const { return stray_; }
  [[nodiscard]] double seconds() const { return seconds_; }  // since the last ask()

 private:
  [[nodiscard]] json told(const std::string& method);
  [[nodiscard]] bool read();
  [[nodiscard]] bool take(json& message);

  Separated separated_;
  pid_t process_ = -1;
  int to_ = -1;
  int from_ = -1;
  int next_id_ = 1;
  std::chrono::steady_clock::time_point asked_at_;
  double seconds_ = 0;
  std::string buffer_;
  std::string stray_;
  std::vector<json> kept_;
};

}  // namespace cml::test
