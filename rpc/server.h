// JSON-RPC 2.0 over two file descriptors (https://www.jsonrpc.org/specification): reads messages,
// lets handlers answer them, one after the other, and watches what runs besides.
//
//   server.on("textDocument/hover", [&](const Json& params) -> Answer { return hover(params); });
//
// A handler answers at once, or says that it will answer later, when a program that it has started
// has ended. A request that is cancelled before its turn is answered as cancelled; of one that is
// answered later, whoever is to answer is told. Not thread-safe: there is one thread.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "rpc/framing.h"

namespace cml::rpc {

using Json = nlohmann::json;

inline constexpr int kParseError = -32700;
inline constexpr int kInvalidRequest = -32600;
inline constexpr int kMethodNotFound = -32601;
inline constexpr int kInvalidParams = -32602;
inline constexpr int kInternalError = -32603;
inline constexpr int kNotInitialized = -32002;
inline constexpr int kRequestFailed = -32803;
inline constexpr int kRequestCancelled = -32800;

/// Thrown by handlers whose parameters are of the right form and yet wrong.
struct WrongParameters : std::runtime_error {
  using std::runtime_error::runtime_error;
};

struct Failure {
  int code = kRequestFailed;
  std::string message;
};
/// respond() or fail() is called later, with the id that the handler has been given.
struct Later {};
using Answer = std::variant<Json, Failure, Later>;

class Server {
 public:
  using Handler = std::function<Answer(const Json& params, const Json& id)>;
  using Listener = std::function<void(const Json& params)>;

  Server(std::unique_ptr<Framing> framing, int in, int out);

  void on(std::string method, Handler handler);
  void on_notification(std::string method, Listener listener);
  /// Called before each request or notification; a failure is its answer.
  void guard(std::function<std::variant<std::monostate, Failure>(std::string_view method)> guard) {
    guard_ = std::move(guard);
  }
  /// Called when nothing is to be read.
  void on_idle(std::function<void()> idle) { idle_ = std::move(idle); }
  /// A request that is answered later is not wanted any more.
  void on_cancelled(std::function<void(const Json& id)> cancelled) {
    cancelled_ = std::move(cancelled);
  }
  /// The name of the notification that cancels, and of its member with the id; and whether what is
  /// cancelled is answered all the same, by an error.
  void cancelled_by(std::string method, std::string member, bool is_answered);

  void respond(const Json& id, const Json& result);
  void fail(const Json& id, const Failure& failure);
  /// There will be no answer.
  void forget(const Json& id) { std::erase(later_, id); }
  void notify(std::string_view method, const Json& params);
  /// What the client answers is not looked at.
  void request(std::string_view method, const Json& params);

  /// `ready` is called when there is something to be read from it, or its end.
  void watch(int descriptor, std::function<void()> ready);
  void unwatch(int descriptor);

  /// At the end of the input, requests that are under way are answered first; else they are lost.
  void answer_all() { answers_all_ = true; }
  /// Until stop(), or the end of the input.
  void run();
  void stop() { is_stopped_ = true; }

 private:
  void read();
  void take_frames();
  void take(Json message);
  void handle(const Json& message);
  void handle_request(const Json& message);
  void cancel(const Json& id);
  void send(const Json& message);
  void wait();
  [[nodiscard]] bool is_over() const;

  std::unique_ptr<Framing> framing_;
  int in_;
  int out_;
  std::map<std::string, Handler, std::less<>> handlers_;
  std::map<std::string, Listener, std::less<>> listeners_;
  std::function<std::variant<std::monostate, Failure>(std::string_view)> guard_;
  std::function<void()> idle_;
  std::function<void(const Json&)> cancelled_;
  std::string cancel_method_;
  std::string cancel_member_;
  bool answers_cancelled_ = true;
  std::map<int, std::function<void()>> watched_;
  std::vector<Json> queue_;  // messages that have been read
  std::vector<Json> later_;  // ids of requests that are answered later
  int next_id_ = 1;
  bool answers_all_ = false;
  bool is_idle_ = true;
  bool is_at_end_ = false;
  bool is_stopped_ = false;
};

}  // namespace cml::rpc
