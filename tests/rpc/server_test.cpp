// The server of JSON-RPC by itself, in this process: what is no message, handlers that fail, an
// output that is full, and the end of the input.
#include "rpc/server.h"

#include <array>
#include <doctest/doctest.h>
#include <fcntl.h>
#include <memory>
#include <poll.h>
#include <stdexcept>
#include <string>
#include <thread>
#include <unistd.h>
#include <vector>

#include "rpc/program.h"
#include "support/child.h"

namespace {

using cml::Descriptor;
using cml::rpc::Answer;
using cml::rpc::Json;
using cml::rpc::Later;
using cml::rpc::Server;

struct Pipe {
  Pipe() {
    std::array<int, 2> ends = {-1, -1};
    REQUIRE(::pipe2(ends.data(), O_CLOEXEC) == 0);
    out = Descriptor(ends[0]);
    in = Descriptor(ends[1]);
  }
  Descriptor out;
  Descriptor in;
};

std::string all_of(const Descriptor& from) {
  std::string text;
  std::array<char, 4096> part = {};
  for (ssize_t got = 1; got > 0;) {
    got = ::read(from.number(), part.data(), part.size());
    if (got > 0) text.append(part.data(), static_cast<std::size_t>(got));
  }
  return text;
}

std::vector<Json> messages_in(const std::string& text) {
  std::vector<Json> found;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = text.find('\n', at);
    REQUIRE(end != text.npos);
    found.push_back(Json::parse(text.substr(at, end - at)));
    at = end + 1;
  }
  return found;
}

/// A server that has read these lines, and what it has answered.
class Served {
 public:
  Served()
      : server(std::make_unique<cml::rpc::LineFraming>(), input_.out.number(),
               output_.in.number()) {}

  std::vector<Json> answers(const std::string& lines) {
    std::thread writer([&] {
      std::string_view rest = lines;
      while (!rest.empty()) {
        const ssize_t put = ::write(input_.in.number(), rest.data(), rest.size());
        if (put <= 0) break;
        rest.remove_prefix(static_cast<std::size_t>(put));
      }
      input_.in.close();
    });
    std::string text;
    std::thread reader([&] { text = all_of(output_.out); });
    server.run();
    output_.in.close();
    writer.join();
    reader.join();
    return messages_in(text);
  }
  [[nodiscard]] int out() const { return output_.in.number(); }

 private:
  Pipe input_;
  Pipe output_;

 public:
  Server server;
};

std::string request(int id, const std::string& method) {
  return Json{{"jsonrpc", "2.0"}, {"id", id}, {"method", method}}.dump() + "\n";
}

TEST_CASE("what is no message of the protocol is answered as such, whatever its version is") {
  Served served;
  served.server.on("ping", [](const Json&, const Json&) -> Answer { return Json("pong"); });
  std::string lines;
  for (const char* version : {"2", "null", "[]", "{}", "true", "\"1.0\""})
    lines += std::string("{\"jsonrpc\":") + version + ",\"id\":1,\"method\":\"ping\"}\n";
  const auto answers = served.answers(lines + request(2, "ping"));
  REQUIRE(answers.size() == 7);
  for (std::size_t i = 0; i < 6; ++i)
    CHECK(answers[i]["error"]["code"] == cml::rpc::kInvalidRequest);
  CHECK(answers[6]["result"] == "pong");
}

TEST_CASE("what is nested too deep is refused, and brackets in strings are not nested") {
  Served served;
  served.server.on("echo", [](const Json& params, const Json&) -> Answer { return params; });
  const auto message = [](const std::string& params) {
    return R"({"jsonrpc":"2.0","id":1,"method":"echo","params":)" + params + "}\n";
  };
  const auto nested = [](std::size_t depth) {
    return std::string(depth, '[') + std::string(depth, ']');
  };
  const auto answers = served.answers(message(nested(3'000'000)) + message(nested(511)) +
                                      message("[\"" + std::string(2000, '[') + "\\\"[\"]"));
  REQUIRE(answers.size() == 3);
  CHECK(answers[0]["error"]["code"] == cml::rpc::kParseError);
  CHECK(answers[1]["result"].is_array());
  CHECK(answers[2]["result"].is_array());
}

TEST_CASE("what fails in a handler is its answer, and elsewhere nobody's") {
  Served served;
  Pipe woken;
  Server& server = served.server;
  int idle = 0;
  server.on("fails", [](const Json&, const Json&) -> Answer { throw std::out_of_range("far"); });
  server.on("is wrong", [](const Json&, const Json&) -> Answer {
    throw cml::rpc::WrongParameters("`x` is not open");
  });
  server.on("ping", [](const Json&, const Json&) -> Answer { return Json("pong"); });
  server.on_notification("fails", [](const Json&) { throw std::out_of_range("far"); });
  server.on_idle([&] {
    ++idle;
    throw std::runtime_error("idle");
  });
  server.watch(woken.out.number(), [&] {
    server.unwatch(woken.out.number());
    throw std::runtime_error("woken");
  });
  woken.in.close();
  const auto answers =
      served.answers(request(1, "fails") + request(2, "is wrong") +
                     "{\"jsonrpc\":\"2.0\",\"method\":\"fails\"}\n" + request(3, "ping"));
  REQUIRE(answers.size() == 3);
  CHECK(answers[0]["error"]["code"] == cml::rpc::kInternalError);
  CHECK(answers[1]["error"]["code"] == cml::rpc::kInvalidParams);
  CHECK(answers[1]["error"]["message"] == "`x` is not open");
  CHECK(answers[2]["result"] == "pong");
}

TEST_CASE("an output that is non-blocking and full is waited for") {
  Served served;
  REQUIRE(::fcntl(served.out(), F_SETFL, O_NONBLOCK) == 0);
  const std::string page(300'000, 'x');
  served.server.on("read", [&](const Json&, const Json&) -> Answer { return Json(page); });
  const auto answers = served.answers(request(1, "read") + request(2, "read"));
  REQUIRE(answers.size() == 2);
  CHECK(answers[1]["result"].get<std::string>().size() == page.size());
}

TEST_CASE("requests under way at the end of the input are answered, if that is asked for") {
  for (const bool answers_all : {false, true}) {
    CAPTURE(answers_all);
    Served served;
    Pipe woken;
    Server& server = served.server;
    if (answers_all) server.answer_all();
    server.on("later", [&](const Json&, const Json& id) -> Answer {
      server.watch(woken.out.number(), [&, id] {
        server.unwatch(woken.out.number());
        server.respond(id, "done");
      });
      return Later();
    });
    std::thread waker([&] {
      ::usleep(50'000);
      woken.in.close();
    });
    const auto answers = served.answers(request(1, "later"));
    waker.join();
    CHECK(answers.size() == (answers_all ? 1 : 0));
  }
}

TEST_CASE("no program is started with an argument that would be cut") {
  using namespace std::string_literals;
  CHECK(cml::rpc::Program::start({"check", "/etc/passwd\0.cml"s}, "", "") == nullptr);
}

}  // namespace
