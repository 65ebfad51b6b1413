// Model to System: objects, then the code of every thread instance, invariant and `finally`.
#include "ir/lower/lower.h"

#include <fmt/format.h>
#include <map>
#include <tuple>
#include <utility>

#include "ir/lower/body.h"
#include "ir/lower/points.h"

namespace cml::ir {
namespace {

using lowering::BodyLowering;
using lowering::Context;
using lowering::DeclaredThread;
using lowering::kMaxFrames;
using lowering::kMaxThreads;
using lowering::process_instances;
using lowering::process_prefix;

class SystemLowering {
 public:
  explicit SystemLowering(const model::Model& model)
      : context_(model), expressions_(context_.system), objects_(context_) {}

  Expected<System, Unsupported> run() {
    context_.system.title = context_.model.title;
    for (const model::Enum& decl : context_.model.enums)
      context_.system.enums.push(decl.enumerators);
    lowering::make_points(context_);
    objects_.declare_all();
    // Names first: `init by` refers to instances.
    context_.threads.resize(context_.model.threads.size());
    for (const model::ThreadId id : context_.model.threads.ids())
      declare_threads(id);
    objects_.bind_all([&](model::ThreadId thread, std::optional<std::int32_t> process,
                          std::optional<std::int32_t> index) -> std::optional<ThreadId> {
      const auto found = thread_ids_.find({thread, process, index});
      return found == thread_ids_.end() ? std::nullopt : std::optional(found->second);
    });
    for (const ThreadId id : context_.system.threads.ids())
      lower_thread(id);
    for (const model::Invariant& invariant : context_.model.invariants)
      lower_invariant(invariant);
    for (const model::Finally& final : context_.model.finals)
      lower_finally(final);
    if (context_.failed()) return Unexpected(*context_.failure());
    return std::move(context_.system);
  }

 private:
  struct Origin {
    model::ThreadId decl;
    BodyLowering::Instance instance;
  };

  void declare_threads(model::ThreadId id) {
    const model::Thread& decl = context_.model.threads[id];
    DeclaredThread& declared = context_.threads[id];
    declared.first = context_.system.threads.next_id();
    if (decl.is_spawned) return;  // runs only where it is spawned, which is reported there
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
        const ThreadId instance = context_.system.threads.push(std::move(thread));
        thread_ids_.emplace(std::tuple(id, process, origin.instance.thread_index), instance);
        origins_.push_back(origin);
      }
    }
  }

  void lower_thread(ThreadId id) {
    if (context_.failed()) return;
    const Origin& origin = origins_[id.index];
    const model::Thread& decl = context_.model.threads[origin.decl];
    BodyLowering body(context_, expressions_, objects_, origin.instance);
    Code& code = context_.system.threads[id].code;
    code = body.lower_body(decl.body, decl.range);
    context_.slots += code.slots.size();
    if (context_.slots > kMaxFrames)
      context_.unsupported(
          fmt::format("the local variables of all threads take more than {} words", kMaxFrames),
          decl.range);
    number_locations(code);
  }

  BodyLowering::Instance region(std::optional<model::ProcessId> process,
                                std::optional<std::int32_t> index) const {
    BodyLowering::Instance instance;
    instance.process = process;
    instance.process_index = index;
    instance.is_region = true;
    return instance;
  }

  void lower_invariant(const model::Invariant& decl) {
    for (const std::optional<std::int32_t>& index :
         process_instances(context_.model, decl.process)) {
      if (context_.failed()) return;
      BodyLowering body(context_, expressions_, objects_, region(decl.process, index));
      const std::string prefix = process_prefix(context_.model, decl.process, index);
      context_.system.invariants.push_back(
          {decl.name.empty() ? "" : prefix + decl.name, decl.range, body.lower_invariant(decl)});
    }
  }

  void lower_finally(const model::Finally& decl) {
    for (const std::optional<std::int32_t>& index :
         process_instances(context_.model, decl.process)) {
      if (context_.failed()) return;
      BodyLowering body(context_, expressions_, objects_, region(decl.process, index));
      context_.system.finals.push_back({"", decl.range, body.lower_body(decl.body, decl.range)});
    }
  }

  Context context_;
  lowering::Expressions expressions_;
  lowering::ObjectTable objects_;
  std::vector<Origin> origins_;  // by ThreadId
  std::map<std::tuple<model::ThreadId, std::optional<std::int32_t>, std::optional<std::int32_t>>,
           ThreadId>
      thread_ids_;
};

}  // namespace

Expected<System, Unsupported> lower(const model::Model& model, const SourceSet&) {
  return SystemLowering(model).run();
}

}  // namespace cml::ir
