// Instances, their names, and the objects that stand for the lives of those that are spawned.
#include "ir/lower/threads.h"

#include <algorithm>
#include <fmt/format.h>
#include <utility>

namespace cml::ir::lowering {

// With a single place that is used again, several threads would look like one to the analyses.
ThreadTable::ThreadTable(Context& context)
    : context_(context),
      left_(std::min<std::uint32_t>(context.options.max_threads, kMaxSpawned)),
      share_(std::min(context.options.thread_share, std::max(left_, 2U))),
      pools_left_(context.options.max_threads == 0 ? 0 : context.options.common_pools) {}

void ThreadTable::declare_all() {
  context_.threads.resize(context_.model.threads.size());
  for (const model::ThreadId id : context_.model.threads.ids())
    declare(id);
  const std::size_t threads = context_.system.threads.size();
  const auto room = static_cast<std::uint32_t>(kMaxThreads - std::min(threads, kMaxThreads));
  left_ = std::min(left_, room);
  pools_left_ = std::min(pools_left_, (room - left_) / share_);
  first_handle_ = static_cast<std::int32_t>(threads) + 1;
  context_.last_handle =
      first_handle_ + static_cast<std::int32_t>(left_ + pools_left_ * share_) - 1;
}

void ThreadTable::declare(model::ThreadId id) {
  const model::Thread& decl = context_.model.threads[id];
  DeclaredThread& declared = context_.threads[id];
  declared.first = context_.system.threads.next_id();
  if (decl.is_spawned) return;
  for (const std::optional<std::int32_t>& process :
       process_instances(context_.model, decl.process)) {
    const std::string prefix = process_prefix(context_.model, decl.process, process);
    const std::int64_t lo = decl.index ? decl.index->lo : 0;
    const std::int64_t hi = decl.index ? decl.index->hi : 0;
    declared.each = hi < lo ? 0 : static_cast<std::uint32_t>(hi - lo + 1);
    ++declared.processes;
    for (std::int64_t index = lo; index <= hi; ++index) {
      if (context_.system.threads.size() >= kMaxThreads) {
        context_.unsupported(fmt::format("more than {} threads cannot be run", kMaxThreads),
                             decl.range);
        return;
      }
      Origin origin;
      origin.decl = id;
      origin.instance.process = decl.process;
      origin.instance.process_index = process;
      if (decl.index) origin.instance.thread_index = static_cast<std::int32_t>(index);
      Thread thread;
      thread.name = prefix + decl.name;
      if (decl.index) thread.name += fmt::format("[{}]", index);
      thread.is_daemon = decl.is_daemon;
      thread.range = decl.range;
      origin.instance.thread = context_.system.threads.push(std::move(thread));
      ids_.emplace(std::tuple(id, process, origin.instance.thread_index), origin.instance.thread);
      origins_.push_back(std::move(origin));
      spawned_by_.push_back(0);
    }
  }
}

std::optional<ThreadId> ThreadTable::find(model::ThreadId thread,
                                          std::optional<std::int32_t> process,
                                          std::optional<std::int32_t> index) const {
  const auto found = ids_.find({thread, process, index});
  return found == ids_.end() ? std::nullopt : std::optional(found->second);
}

Place ThreadTable::spawn(const Instance& spawner, model::ThreadId id, std::uint64_t times,
                         const std::vector<SpawnedHandle>& handles,
                         const std::vector<WordType>& arguments) {
  const bool is_reused = spawner.is_reused || times == 0 || times > left_;
  const std::uint32_t wanted = is_reused ? share_ : static_cast<std::uint32_t>(times);
  Origin origin;
  origin.decl = id;
  origin.instance.process = spawner.process;
  origin.instance.process_index = spawner.process_index;
  origin.instance.is_reused = is_reused;
  origin.instance.handles = handles;
  if (wanted > left_) return common(origin, arguments);
  left_ -= wanted;
  const std::string by = context_.system.threads[spawner.thread].name;
  std::uint32_t made = spawned_by_[spawner.thread.index];
  const Place result = make(by, made, std::move(origin), wanted, arguments);
  spawned_by_[spawner.thread.index] = made;
  return result;
}

Place ThreadTable::common(const Origin& origin, const std::vector<WordType>& arguments) {
  const auto same_place = [](const SpawnedHandle& a, const SpawnedHandle& b) {
    const auto same_term = [](const Term& one, const Term& other) {
      return one.stride == other.stride && one.size == other.size && one.of == other.of;
    };
    return a.has_value() == b.has_value() &&
           (!a || (a->base == b->base && std::equal(a->terms.begin(), a->terms.end(),
                                                    b->terms.begin(), b->terms.end(), same_term)));
  };
  const std::vector<SpawnedHandle>& handles = origin.instance.handles;
  for (const Pool& pool : pools_)
    if (pool.decl == origin.decl && pool.process_index == origin.instance.process_index &&
        std::equal(handles.begin(), handles.end(), pool.handles.begin(), pool.handles.end(),
                   same_place))
      return pool.place;
  if (pools_left_ == 0) {
    Place none;
    none.base = lives() == 0 ? ObjectId() : first_life_;
    none.count = 0;
    return none;
  }
  --pools_left_;
  const std::string by =
      process_prefix(context_.model, origin.instance.process, origin.instance.process_index) +
      context_.model.threads[origin.decl].name;
  const Place place = make(by, in_common_[origin.decl], origin, share_, arguments);
  pools_.push_back({origin.decl, origin.instance.process_index, handles, place});
  return place;
}

Place ThreadTable::make(const std::string& by, std::uint32_t& made_by, Origin origin,
                        std::uint32_t count, const std::vector<WordType>& arguments) {
  const model::Thread& decl = context_.model.threads[origin.decl];
  Place result;
  result.base = context_.system.objects.next_id();
  result.count = count;
  Group group;
  group.name = by + "/spawn";
  group.range = decl.range;
  group.first = result.base;
  group.count = count;
  if (count > 1) group.dimensions.push_back(count);
  const GroupId group_id = context_.system.groups.push(std::move(group));
  for (std::uint32_t i = 0; i < count; ++i) {
    origin.instance.life = context_.system.objects.next_id();
    Thread thread;
    thread.name = fmt::format("{}/spawn{}", by, made_by++);
    thread.is_daemon = decl.is_daemon;
    thread.is_spawned = true;
    thread.is_reused = origin.instance.is_reused;
    thread.range = decl.range;
    Object life;
    life.kind = ObjectKind::Life;
    life.name = thread.name;
    life.group = group_id;
    life.words = arguments;
    life.thread = context_.system.threads.next_id();
    origin.instance.thread = context_.system.threads.push(std::move(thread));
    context_.system.objects.push(std::move(life));
    origins_.push_back(origin);
    spawned_by_.push_back(0);
  }
  return result;
}

}  // namespace cml::ir::lowering
