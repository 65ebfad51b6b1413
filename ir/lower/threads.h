// The instances of threads: those that run from the start, and room for those that are spawned.
//
// A spawned thread is an instance, too, made where the lowering comes to a `spawn`: each site in
// each instance has instances of its own, which are called Main/spawn0, Main/spawn1, … So code is
// specialised to them as it is to all others, and who has spawned first makes no difference.
//
//   outside loops, by an instance that is one thread   one instance: it certainly can be spawned
//   in a loop that counts, by such a one               as many as it has rounds
//   else                                               some, used again once they are garbage
//
// There are as many places as threads may be alive. Where no more are left, as in all recursive
// spawning, threads of one declaration that are passed the same locks have some in common, whoever
// spawns them.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <tuple>
#include <vector>

#include "ir/lower/body.h"
#include "ir/lower/context.h"

namespace cml::ir::lowering {

class ThreadTable {
 public:
  explicit ThreadTable(Context& context);

  /// Those that run from the start.
  void declare_all();
  [[nodiscard]] std::optional<ThreadId> find(model::ThreadId thread,
                                             std::optional<std::int32_t> process,
                                             std::optional<std::int32_t> index) const;
  [[nodiscard]] const model::Thread& declaration(ThreadId id) const {
    return context_.model.threads[origins_[id.index].decl];
  }
  [[nodiscard]] const Instance& instance(ThreadId id) const { return origins_[id.index].instance; }

  /// Handles: 1 + ThreadId, of those that are spawned. The object that stands for its life.
  [[nodiscard]] std::int32_t first_handle() const { return first_handle_; }
  [[nodiscard]] ObjectId life(std::int32_t handle) const {
    return ObjectId(first_life_.index + static_cast<std::uint32_t>(handle - first_handle_));
  }
  /// Called when all objects are declared: from now on only lives are.
  void begin_lives() { first_life_ = context_.system.objects.next_id(); }
  /// How many threads can be spawned.
  [[nodiscard]] std::uint32_t lives() const {
    return context_.system.objects.next_id().index - first_life_.index;
  }

  /// The instances for a `spawn` that is executed so often at most (0: not known), with handles
  /// (locks and the like) for its parameters. The place has none if there is no room: the base is
  /// invalid then, or that of any other spawned thread.
  [[nodiscard]] Place spawn(const Instance& spawner, model::ThreadId decl, std::uint64_t times,
                            const std::vector<SpawnedHandle>& handles,
                            const std::vector<WordType>& arguments);

 private:
  struct Origin {
    model::ThreadId decl;
    Instance instance;
  };
  /// What several spawners have in common.
  struct Pool {
    model::ThreadId decl;
    std::optional<std::int32_t> process_index;
    std::vector<SpawnedHandle> handles;
    Place place;
  };
  void declare(model::ThreadId id);
  /// New instances; `by`: what their names begin with.
  Place make(const std::string& by, std::uint32_t& made_by, Origin origin, std::uint32_t count,
             const std::vector<WordType>& arguments);
  Place common(const Origin& origin, const std::vector<WordType>& arguments);

  Context& context_;
  std::uint32_t left_ = 0;        // of the places that belong to a site
  std::uint32_t share_ = 0;       // that a site in a loop may have which does not count
  std::uint32_t pools_left_ = 0;  // of the common ones
  std::vector<Pool> pools_;
  ObjectId first_life_;
  std::int32_t first_handle_ = 0;
  std::vector<Origin> origins_;                         // by ThreadId
  std::vector<std::uint32_t> spawned_by_;               // by ThreadId: how many instances
  std::map<model::ThreadId, std::uint32_t> in_common_;  // likewise, of a declaration
  std::map<std::tuple<model::ThreadId, std::optional<std::int32_t>, std::optional<std::int32_t>>,
           ThreadId>
      ids_;
};

}  // namespace cml::ir::lowering
