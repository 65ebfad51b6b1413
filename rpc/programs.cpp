#include "rpc/programs.h"

#include <algorithm>
#include <utility>

namespace cml::rpc {

bool Programs::start(const Json& id, const std::vector<std::string>& arguments,
                     const std::string& folder, const std::string& input, Done done) {
  auto program = Program::start(arguments, folder, input);
  if (program == nullptr) return false;
  const int descriptor = program->ended();
  running_[descriptor] = {id, std::move(program), std::move(done)};
  server_.watch(descriptor, [this, descriptor] { ended(descriptor); });
  return true;
}

bool Programs::stop(const Json& id) {
  const auto found = std::find_if(running_.begin(), running_.end(),
                                  [&](const auto& one) { return one.second.id == id; });
  if (found == running_.end()) return false;
  server_.unwatch(found->first);
  running_.erase(found);
  return true;
}

void Programs::ended(int descriptor) {
  Running run = std::move(running_.at(descriptor));
  running_.erase(descriptor);
  server_.unwatch(descriptor);
  run.done(run.program->result());
}

}  // namespace cml::rpc
