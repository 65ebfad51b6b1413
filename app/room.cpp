#include "app/room.h"

#include <algorithm>

namespace cml::app {
namespace {

constexpr std::uint64_t kGrows = 4;        // times
constexpr std::uint64_t kMostPools = 128;  // of places that threads have in common

std::uint32_t at_most(std::uint64_t limit, std::uint64_t room) {
  return static_cast<std::uint32_t>(std::min<std::uint64_t>({limit, room, UINT32_MAX}));
}

}  // namespace

ir::LowerOptions Room::lowering() const {
  ir::LowerOptions options;
  options.max_threads = at_most(limits_.max_threads, UINT32_MAX);
  options.max_stack = at_most(limits_.max_stack, UINT32_MAX);
  options.max_heap = at_most(limits_.max_heap, objects_);
  options.stack_room = at_most(limits_.max_stack, calls_);
  options.thread_share = at_most(limits_.max_threads, threads_);
  options.common_pools = at_most(kMostPools, threads_);
  return options;
}

Room::Kinds Room::growing(Kinds wanted) const {
  const ir::LowerOptions now = lowering();
  const bool all_threads =
      now.thread_share == limits_.max_threads && now.common_pools == kMostPools;
  return {wanted.objects && now.max_heap != limits_.max_heap,
          wanted.calls && now.stack_room != limits_.max_stack, wanted.threads && !all_threads};
}

bool Room::grow(const std::vector<std::string>& limits_hit) {
  const auto has_hit = [&limits_hit](const char* limit) {
    return std::find(limits_hit.begin(), limits_hit.end(), limit) != limits_hit.end();
  };
  const Kinds more = growing({has_hit("max-heap"), has_hit("max-stack"), has_hit("thread-places")});
  if (more.objects) objects_ *= kGrows;
  if (more.calls) calls_ *= kGrows;
  if (more.threads) threads_ *= kGrows;
  return any(more);
}

}  // namespace cml::app
