#include "tests/harness/conversation.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <doctest/doctest.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <stdexcept>
#include <sys/wait.h>
#include <unistd.h>

namespace cml::test {
namespace {

constexpr int kPatience = 60'000;  // milliseconds

}  // namespace

Conversation::Conversation(const std::string& command, Separated separated)
    : separated_(separated) {
  std::signal(SIGPIPE, SIG_IGN);
  std::array<int, 2> in = {};
  std::array<int, 2> out = {};
  if (pipe2(in.data(), O_CLOEXEC) != 0 || pipe2(out.data(), O_CLOEXEC) != 0)
    throw std::runtime_error("no pipes");
  process_ = fork();
  if (process_ < 0) throw std::runtime_error("fork failed");
  if (process_ == 0) {
    dup2(in[0], STDIN_FILENO);
    dup2(out[1], STDOUT_FILENO);
    execl(CML_BINARY, "cml", command.c_str(), nullptr);
    _exit(127);
  }
  close(in[0]);
  close(out[1]);
  to_ = in[1];
  from_ = out[0];
}

Conversation::~Conversation() {
  if (process_ > 0) {
    kill(process_, SIGKILL);
    waitpid(process_, nullptr, 0);
  }
  if (to_ >= 0) close(to_);
  close(from_);
}

std::string Conversation::framed(const std::string& body) const {
  if (separated_ == Separated::ByLines) return body + "\n";
  return fmt::format("Content-Length: {}\r\n\r\n{}", body.size(), body);
}

void Conversation::write(std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t put = ::write(to_, bytes.data(), bytes.size());
    if (put < 0 && errno == EINTR) continue;
    if (put < 0) return;
    bytes.remove_prefix(static_cast<std::size_t>(put));
  }
}

int Conversation::ask(const std::string& method, const json& params) {
  const int id = next_id_++;
  asked_at_ = std::chrono::steady_clock::now();
  send({{"jsonrpc", "2.0"}, {"id", id}, {"method", method}, {"params", params}});
  return id;
}

void Conversation::notify(const std::string& method, const json& params) {
  send({{"jsonrpc", "2.0"}, {"method", method}, {"params", params}});
}

bool Conversation::read() {
  pollfd ready = {from_, POLLIN, 0};
  if (poll(&ready, 1, kPatience) <= 0) return false;
  std::array<char, 65'536> part = {};
  const ssize_t got = ::read(from_, part.data(), part.size());
  if (got <= 0) return false;
  buffer_.append(part.data(), static_cast<std::size_t>(got));
  return true;
}

bool Conversation::take(json& message) {
  std::size_t begin = 0;
  std::size_t length = 0;
  if (separated_ == Separated::ByLines) {
    length = buffer_.find('\n');
    if (length == std::string::npos) return false;
  } else {
    const std::string_view head = "Content-Length: ";
    const std::size_t end = buffer_.find("\r\n\r\n");
    if (end == std::string::npos) return false;
    begin = end + 4;
    if (!buffer_.starts_with(head)) {
      stray_ += buffer_.substr(0, begin);
      buffer_.erase(0, begin);
      return false;
    }
    length = std::stoul(buffer_.substr(head.size(), end));
    if (buffer_.size() < begin + length) return false;
  }
  message = json::parse(buffer_.substr(begin, length), nullptr, false);
  if (message.is_discarded()) stray_ += buffer_.substr(begin, length);
  buffer_.erase(0, begin + length + (separated_ == Separated::ByLines ? 1 : 0));
  return !message.is_discarded();
}

json Conversation::next() {
  json message;
  while (!take(message))
    if (!read()) return nullptr;
  return message;
}

json Conversation::answer(const json& id) {
  const auto is_answer = [&](const json& message) {
    return !message.contains("method") && message.value("id", json()) == id;
  };
  const auto known = std::ranges::find_if(kept_, is_answer);
  if (known != kept_.end()) {
    json found = *known;
    kept_.erase(known);
    return found;
  }
  for (;;) {
    json message = next();
    if (message.is_null() || is_answer(message)) {
      const auto passed = std::chrono::steady_clock::now() - asked_at_;
      seconds_ = std::chrono::duration<double>(passed).count();
      return message;
    }
    kept_.push_back(std::move(message));
  }
}

json Conversation::request(const std::string& method, const json& params) {
  const json message = answer(ask(method, params));
  CAPTURE(method);
  CAPTURE(message.dump());
  REQUIRE(message.contains("result"));
  return message["result"];
}

json Conversation::failure(const std::string& method, const json& params) {
  const json message = answer(ask(method, params));
  CAPTURE(method);
  CAPTURE(message.dump());
  REQUIRE(message.contains("error"));
  return message["error"];
}

json Conversation::told(const std::string& method) {
  const auto is_it = [&](const json& message) { return message.value("method", "") == method; };
  const auto known = std::ranges::find_if(kept_, is_it);
  if (known != kept_.end()) {
    json found = *known;
    kept_.erase(known);
    return found;
  }
  for (;;) {
    json message = next();
    if (message.is_null() || is_it(message)) return message;
    kept_.push_back(std::move(message));
  }
}

json Conversation::notification(const std::string& method) {
  const json message = told(method);
  return message.is_null() ? json() : message.value("params", json());
}

json Conversation::asked(const std::string& method) {
  const json message = told(method);
  if (message.is_null()) return nullptr;
  send({{"jsonrpc", "2.0"}, {"id", message.at("id")}, {"result", nullptr}});
  return message.value("params", json());
}

std::vector<json> Conversation::kept(const std::string& method) const {
  std::vector<json> found;
  for (const json& message : kept_)
    if (message.value("method", "") == method) found.push_back(message.value("params", json()));
  return found;
}

void Conversation::close_input() {
  if (to_ >= 0) close(to_);
  to_ = -1;
}

int Conversation::end() {
  close_input();
  json ignored;
  do {
    while (take(ignored)) {
    }
  } while (read());
  stray_ += buffer_;
  int status = 0;
  waitpid(process_, &status, 0);
  process_ = -1;
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

}  // namespace cml::test
