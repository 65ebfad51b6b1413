#include "rpc/programs.h"

#include <algorithm>
#include <exception>
#include <fmt/format.h>
#include <thread>
#include <utility>

namespace cml::rpc {

Programs::Programs(Server& server)
    : server_(server), at_a_time_(std::max(std::thread::hardware_concurrency(), 1U)) {}

void Programs::start(const Json& id, Invocation invocation, Done done) {
  waiting_.push_back({id, std::move(invocation), std::move(done)});
  start_waiting();
}

void Programs::start_waiting() {
  while (!waiting_.empty() && running_.size() < at_a_time_) {
    Waiting next = std::move(waiting_.front());
    waiting_.pop_front();
    auto program =
        Program::start(next.invocation.arguments, next.invocation.folder, next.invocation.input);
    if (program == nullptr) {
      server_.fail(next.id, {kInternalError, "there is no process to be had"});
      continue;
    }
    const int descriptor = program->ended();
    running_[descriptor] = {std::move(next.id), std::move(program), std::move(next.done)};
    server_.watch(descriptor, [this, descriptor] { ended(descriptor); });
  }
}

bool Programs::stop(const Json& id) {
  const auto is_it = [&](const auto& one) { return one.id == id; };
  if (std::erase_if(waiting_, is_it) > 0) return true;
  const auto found =
      std::ranges::find_if(running_, [&](const auto& one) { return is_it(one.second); });
  if (found == running_.end()) return false;
  server_.unwatch(found->first);
  running_.erase(found);
  start_waiting();
  return true;
}

void Programs::ended(int descriptor) {
  const Running run = std::move(running_.at(descriptor));
  running_.erase(descriptor);
  server_.unwatch(descriptor);
  try {
    run.done(run.program->result());
  } catch (const std::exception& wrong) {
    server_.fail(run.id, {kInternalError, fmt::format("internal error: {}", wrong.what())});
  }
  start_waiting();
}

}  // namespace cml::rpc
