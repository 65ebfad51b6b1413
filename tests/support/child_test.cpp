// A child does its work beside this process: both streams are collected, a descriptor tells of its
// end, and files in memory are at their beginning.
#include "support/child.h"

#include <array>
#include <cstdio>
#include <cstdlib>
#include <doctest/doctest.h>
#include <poll.h>
#include <string>
#include <sys/wait.h>
#include <unistd.h>

namespace {

using cml::Child;

bool has_ended(const Child& child, int milliseconds) {
  pollfd watched = {child.ended(), POLLIN, 0};
  return ::poll(&watched, 1, milliseconds) > 0;
}

TEST_CASE("what a child writes is collected, and its end is told") {
  const auto child = Child::start({}, [] {
    const std::string much(200'000, 'x');  // more than a pipe has room for
    std::fputs(much.c_str(), stdout);
    std::fputs("wrong", stderr);
    std::fflush(nullptr);
    std::_Exit(7);
  });
  REQUIRE(child.has_value());
  CHECK(has_ended(*child, 60'000));
  const int ended = child->wait();
  CHECK(WIFEXITED(ended));
  CHECK(WEXITSTATUS(ended) == 7);
  CHECK(child->out().size() == 200'000);
  CHECK(child->err() == "wrong");
}

TEST_CASE("a child that runs has not ended, and can be ended") {
  const auto child = Child::start({}, [] {
    for (;;)
      ::pause();
  });
  REQUIRE(child.has_value());
  CHECK_FALSE(has_ended(*child, 20));
  child->send(SIGKILL);
  CHECK(has_ended(*child, 60'000));
  CHECK(WIFSIGNALED(child->wait()));
}

TEST_CASE("a file in memory is read from its beginning") {
  const cml::Descriptor file = cml::memory_file("text", "some text");
  REQUIRE(file.valid());
  std::array<char, 20> part = {};
  CHECK(::read(file.number(), part.data(), part.size()) == 9);
  CHECK(std::string(part.data()) == "some text");
}

}  // namespace
