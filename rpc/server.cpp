#include "rpc/server.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdio>
#include <fmt/format.h>
#include <poll.h>
#include <unistd.h>
#include <utility>

namespace cml::rpc {
namespace {

bool is_id(const Json& id) { return id.is_string() || id.is_number_integer(); }

Json id_of(const Json& message) {
  const auto id = message.find("id");
  return id != message.end() && is_id(*id) ? *id : Json(nullptr);
}

bool is_of_this_protocol(const Json& message) {
  if (!message.is_object()) return false;
  const auto version = message.find("jsonrpc");
  return version != message.end() && *version == "2.0";
}

Json params_of(const Json& message) {
  const auto params = message.find("params");
  return params == message.end() ? Json::object() : *params;
}

// Values are copied, compared and written by recursion.
constexpr std::size_t kMaxDepth = 512;

/// Whether brackets that are not in strings are nested deeper than that; of any text.
bool is_too_deep(std::string_view text) {
  std::size_t depth = 0;
  bool is_in_string = false;
  for (std::size_t at = 0; at < text.size(); ++at) {
    const char c = text[at];
    if (is_in_string && c == '\\') {
      ++at;
    } else if (c == '"') {
      is_in_string = !is_in_string;
    } else if (!is_in_string && (c == '[' || c == '{')) {
      if (++depth > kMaxDepth) return true;
    } else if (!is_in_string && (c == ']' || c == '}') && depth > 0) {
      --depth;
    }
  }
  return false;
}

/// What has no answer in which a failure could be told: a notification of wrong parameters, or work
/// beside the requests. The server goes on.
template <class Work>
void try_to(const Work& work) {
  try {
    work();
  } catch (const std::exception& wrong) {
    fmt::print(stderr, "cml: {}\n", wrong.what());
  }
}

}  // namespace

Server::Server(std::unique_ptr<Framing> framing, int in, int out)
    : framing_(std::move(framing)), in_(in), out_(out) {}

void Server::on(std::string method, Handler handler) {
  handlers_[std::move(method)] = std::move(handler);
}

void Server::on_notification(std::string method, Listener listener) {
  listeners_[std::move(method)] = std::move(listener);
}

void Server::cancelled_by(std::string method, std::string member, bool is_answered) {
  answers_cancelled_ = is_answered;
  cancel_method_ = std::move(method);
  cancel_member_ = std::move(member);
}

void Server::watch(int descriptor, std::function<void()> ready) {
  watched_[descriptor] = std::move(ready);
}

void Server::unwatch(int descriptor) { watched_.erase(descriptor); }

// ---- writing -----------------------------------------------------------------------------------

void Server::send(const Json& message) {
  const std::string text =
      framing_->framed(message.dump(-1, ' ', false, Json::error_handler_t::replace));
  std::string_view rest = text;
  while (!rest.empty()) {
    const ssize_t put = ::write(out_, rest.data(), rest.size());
    if (put < 0 && errno == EINTR) continue;
    if (put < 0 && errno == EAGAIN) {
      // The other side made it non-blocking, and reads slowly.
      pollfd output = {out_, POLLOUT, 0};
      ::poll(&output, 1, -1);
      continue;
    }
    if (put < 0) {  // nobody listens any more
      is_stopped_ = true;
      return;
    }
    rest.remove_prefix(static_cast<std::size_t>(put));
  }
}

void Server::respond(const Json& id, const Json& result) {
  std::erase(later_, id);
  send({{"jsonrpc", "2.0"}, {"id", id}, {"result", result}});
}

void Server::fail(const Json& id, const Failure& failure) {
  std::erase(later_, id);
  send({{"jsonrpc", "2.0"},
        {"id", id},
        {"error", {{"code", failure.code}, {"message", failure.message}}}});
}

void Server::notify(std::string_view method, const Json& params) {
  send({{"jsonrpc", "2.0"}, {"method", method}, {"params", params}});
}

void Server::request(std::string_view method, const Json& params) {
  Json message = {
      {"jsonrpc", "2.0"}, {"id", fmt::format("cml-{}", next_id_++)}, {"method", method}};
  if (!params.is_null()) message["params"] = params;
  send(message);
}

// ---- reading -----------------------------------------------------------------------------------

void Server::read() {
  std::array<char, 65'536> part = {};
  const ssize_t got = ::read(in_, part.data(), part.size());
  if (got < 0 && (errno == EINTR || errno == EAGAIN)) return;
  if (got <= 0) {
    is_at_end_ = true;
    return;
  }
  framing_->append({part.data(), static_cast<std::size_t>(got)});
  take_frames();
}

void Server::take_frames() {
  while (const auto frame = framing_->next()) {
    if (!frame->error.empty()) {
      fail(nullptr, {kParseError, frame->error});
      continue;
    }
    if (is_too_deep(frame->body)) {
      fail(nullptr, {kParseError, fmt::format("nested deeper than {}", kMaxDepth)});
      continue;
    }
    Json message = Json::parse(frame->body, nullptr, false);
    if (message.is_discarded())
      fail(nullptr, {kParseError, "this is no JSON"});
    else
      take(std::move(message));
  }
}

/// What cancels a request that waits for its turn overtakes it.
void Server::take(Json message) {
  if (!is_of_this_protocol(message)) {
    fail(message.is_object() ? id_of(message) : Json(nullptr),
         {kInvalidRequest, "this is no message of JSON-RPC 2.0"});
    return;
  }
  const auto method = message.find("method");
  if (method == message.end()) {
    // An answer to a request of ours, or nothing at all.
    if (!message.contains("result") && !message.contains("error"))
      fail(id_of(message), {kInvalidRequest, "a message without a method"});
    return;
  }
  if (!method->is_string()) {
    fail(id_of(message), {kInvalidRequest, "the method is no string"});
    return;
  }
  if (*method == cancel_method_) {
    const Json params = params_of(message);
    if (params.is_object() && params.contains(cancel_member_)) cancel(params[cancel_member_]);
    return;
  }
  queue_.push_back(std::move(message));
}

void Server::cancel(const Json& id) {
  const auto waiting =
      std::ranges::find_if(queue_, [&](const Json& one) { return id_of(one) == id; });
  if (is_id(id) && waiting != queue_.end()) {
    queue_.erase(waiting);
    if (answers_cancelled_) fail(id, {kRequestCancelled, "cancelled"});
  } else if (std::ranges::find(later_, id) != later_.end() && cancelled_) {
    try_to([&] { cancelled_(id); });
  }
}

// ---- handling ----------------------------------------------------------------------------------

void Server::handle(const Json& message) {
  const auto& method = message["method"].get_ref<const std::string&>();
  const bool is_request = message.contains("id");
  if (is_request && !is_id(message["id"])) {
    fail(nullptr, {kInvalidRequest, "the id is neither a string nor an integer"});
    return;
  }
  if (guard_) {
    const auto refused = guard_(method);
    if (const auto* failure = std::get_if<Failure>(&refused)) {
      if (is_request) fail(message["id"], *failure);
      return;
    }
  }
  if (is_request) {
    handle_request(message);
    return;
  }
  const auto listener = listeners_.find(method);
  if (listener == listeners_.end()) return;
  try_to([&] { listener->second(params_of(message)); });
}

void Server::handle_request(const Json& message) {
  const Json& id = message["id"];
  const auto& method = message["method"].get_ref<const std::string&>();
  const auto handler = handlers_.find(method);
  if (handler == handlers_.end()) {
    fail(id, {kMethodNotFound, fmt::format("there is no method `{}`", method)});
    return;
  }
  later_.push_back(id);
  try {
    const Answer answer = handler->second(params_of(message), id);
    if (const auto* result = std::get_if<Json>(&answer)) respond(id, *result);
    if (const auto* failure = std::get_if<Failure>(&answer)) fail(id, *failure);
  } catch (const Json::exception& wrong) {
    fail(id, {kInvalidParams, fmt::format("the parameters are wrong: {}", wrong.what())});
  } catch (const WrongParameters& wrong) {
    fail(id, {kInvalidParams, wrong.what()});
  } catch (const std::exception& wrong) {
    fail(id, {kInternalError, fmt::format("internal error: {}", wrong.what())});
  }
}

void Server::wait() {
  // At the end of the input the client may be gone, which the output tells.
  std::vector<pollfd> all = {is_at_end_ ? pollfd{out_, 0, 0} : pollfd{in_, POLLIN, 0}};
  for (const auto& [descriptor, ready] : watched_)
    all.push_back({descriptor, POLLIN, 0});
  // What is there is read before the idle work is done.
  const bool has_idle_work = idle_ && !is_idle_;
  const int ready = ::poll(all.data(), all.size(), has_idle_work ? 0 : -1);
  if (ready == 0) {
    is_idle_ = true;
    try_to(idle_);
    return;
  }
  if (ready < 0) return;
  if (all[0].revents != 0 && is_at_end_) is_stopped_ = true;
  if (all[0].revents != 0 && !is_at_end_) read();
  for (std::size_t i = 1; i < all.size(); ++i) {
    if (all[i].revents == 0) continue;
    const auto found = watched_.find(all[i].fd);
    if (found == watched_.end()) continue;
    const std::function<void()> call = found->second;  // which may end the watching
    try_to(call);
  }
}

bool Server::is_over() const { return is_at_end_ && (later_.empty() || !answers_all_); }

void Server::run() {
  while (!is_stopped_) {
    if (queue_.empty()) {
      if (is_over()) return;
      wait();
      continue;
    }
    const Json message = std::move(queue_.front());
    queue_.erase(queue_.begin());
    is_idle_ = false;
    handle(message);
    // A request that is cancelled while others are answered need not be answered.
    pollfd input = {in_, POLLIN, 0};
    if (!is_at_end_ && ::poll(&input, 1, 0) > 0) read();
  }
}

}  // namespace cml::rpc
