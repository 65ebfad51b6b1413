// Model to System: objects, then the code of every thread instance, invariant, property and
// `finally`.
#include "ir/lower/lower.h"

#include <algorithm>
#include <fmt/format.h>
#include <memory>
#include <optional>
#include <utility>
#include <variant>
#include <vector>

#include "ir/analysis/confined_classes.h"
#include "ir/analysis/meeting_places.h"
#include "ir/exec/beginning.h"
#include "ir/exec/histories.h"
#include "ir/exec/rendezvous.h"
#include "ir/lower/body.h"
#include "ir/lower/join_invocations.h"
#include "ir/lower/points.h"
#include "ir/lower/properties.h"
#include "ir/lower/threads.h"

namespace cml::ir {
namespace {

using lowering::BodyLowering;
using lowering::Context;
using lowering::Instance;
using lowering::kMaxFrames;
using lowering::kMaxObjects;
using lowering::process_instances;
using lowering::process_prefix;

class SystemLowering {
 public:
  SystemLowering(const model::Model& model, const SourceSet& sources, const LowerOptions& options,
                 IdVector<model::ClassId, std::uint32_t> places, std::uint32_t lock_threads)
      : context_(model, sources, options, std::move(places), lock_threads),
        expressions_(context_.system),
        objects_(context_),
        threads_(context_) {
    context_.system.max_threads = options.max_threads;
  }

  Expected<System, Unsupported> run() {
    context_.system.title = context_.model.title;
    for (const model::Enum& decl : context_.model.enums)
      context_.system.enums.push(decl.enumerators);
    lowering::make_points(context_);
    threads_.declare_all();
    objects_.declare_all();
    objects_.bind_all([this](model::ThreadId thread, std::optional<std::int32_t> process,
                             std::optional<std::int32_t> index) {
      return threads_.find(thread, process, index);
    });
    threads_.begin_lives();
    // A thread may add those that it spawns.
    for (ThreadId id(0); id.index < context_.system.threads.size() && !context_.failed();
         id = ThreadId(id.index + 1))
      lower_thread(id);
    bound_joins();
    context_.system.has_more_places = threads_.lives() > context_.options.max_threads;
    for (const model::Invariant& invariant : context_.model.invariants)
      lower_invariant(invariant);
    for (const model::Finally& final : context_.model.finals)
      lower_finally(final);
    lower_properties();
    at_first_ = context_.allocations;
    lower_beginning();
    for (const model::ClassId id : context_.allocations.ids())
      at_first_[id].count = context_.allocations[id].count - at_first_[id].count;
    lower_commuting();
    lower_specifications();
    if (context_.failed()) return Unexpected(*context_.failure());
    mark_channels();
    refuse_meetings_in_blocks();
    if (context_.failed()) return Unexpected(*context_.failure());
    return std::move(context_.system);
  }
  /// Of that, the objects of the initial state, for which there must be room.
  [[nodiscard]] const lowering::AllocationsByClass& at_first() const { return at_first_; }
  /// What makes the objects of its initial state, in order.
  [[nodiscard]] const std::vector<Initialiser>& beginning() const { return beginning_; }
  /// What the system that was made allocates.
  [[nodiscard]] const lowering::AllocationsByClass& allocations() const {
    return context_.allocations;
  }

 private:
  void lower_beginning() {
    for (const model::ObjectId id : context_.model.objects.ids()) {
      const model::Object& decl = context_.model.objects[id];
      if (decl.owner || !objects_.is_allocated(id)) continue;
      const auto instances = process_instances(context_.model, decl.process);
      for (std::uint32_t instance = 0; instance < instances.size() && !context_.failed();
           ++instance) {
        const std::optional<std::int32_t> index = instances[instance];
        BodyLowering body(context_, expressions_, objects_, threads_, region(decl.process, index));
        Initialiser initialiser;
        initialiser.declaration = process_prefix(context_.model, decl.process, index) + decl.name;
        initialiser.declared = decl.range;
        initialiser.code = body.lower_initialiser(id, instance);
        beginning_.push_back(std::move(initialiser));
      }
    }
  }

  void lower_thread(ThreadId id) {
    const model::Thread& decl = threads_.declaration(id);
    BodyLowering body(context_, expressions_, objects_, threads_, threads_.instance(id));
    Code code = body.lower_body(decl.body, decl.range);
    context_.slots += code.slots.size();
    if (context_.slots > kMaxFrames)
      context_.unsupported(
          fmt::format("the local variables of all threads take more than {} words", kMaxFrames),
          decl.range);
    lowering::join_invocations(context_.system, code);
    number_locations(code);
    context_.system.threads[id].code = std::move(code);
  }

  /// Only now it is known which channels are closed. All elements of a declaration are alike, and
  /// have the same room.
  void mark_channels() {
    System& system = context_.system;
    IdVector<GroupId, bool> closed(system.groups.size(), false);
    for (const Thread& thread : system.threads)
      for (const Instruction& instruction : thread.code.instructions)
        if (const auto* close = std::get_if<Close>(&instruction.node))
          closed[system.objects[close->channel.base].group] = true;
    for (Object& object : system.objects) {
      if (object.kind != ObjectKind::Channel) continue;
      object.may_be_closed = closed[object.group];
      if (!object.may_be_closed) object.initial.clear();
    }
    const auto is_closed = [&](const Place& channel) {
      return bool{closed[system.objects[channel.base].group]};
    };
    const auto has_no_room = [&](const Place& place) {
      const Object& object = system.objects[place.base];
      return object.kind == ObjectKind::Channel && object.capacity == 0;
    };
    for (Thread& thread : system.threads) {
      for (Instruction& instruction : thread.code.instructions) {
        if (auto* send = std::get_if<Send>(&instruction.node)) {
          send->may_be_closed = is_closed(send->channel);
          send->meets = has_no_room(send->channel);
        } else if (auto* receive = std::get_if<Receive>(&instruction.node)) {
          receive->may_be_closed = is_closed(receive->channel);
          receive->meets = has_no_room(receive->channel);
        } else if (auto* select = std::get_if<Select>(&instruction.node)) {
          for (Select::Case& item : select->cases) {
            item.may_be_closed = item.kind != Select::Kind::Await && is_closed(item.place);
            item.meets = item.kind != Select::Kind::Await && has_no_room(item.place);
          }
        }
      }
    }
  }

  /// Those that the front end has not seen, since which channel a parameter is depends on the call.
  void refuse_meetings_in_blocks() {
    for (const Thread& thread : context_.system.threads) {
      bool in_block = false;
      for (const Instruction& instruction : thread.code.instructions) {
        in_block = in_block || instruction.opcode() == Opcode::Atomic;
        in_block = in_block && instruction.opcode() != Opcode::AtomicEnd;
        if (in_block && meets(instruction))
          context_.unsupported(
              "a rendezvous in an atomic block: it moves two threads, and a block is one "
              "transition "
              "of one thread",
              instruction.range);
        const auto* select = std::get_if<Select>(&instruction.node);
        if (meets(instruction) && select != nullptr && select->cases.size() > kMaxMeetingCases)
          context_.unsupported(
              fmt::format("more than {} cases beside a rendezvous", kMaxMeetingCases),
              instruction.range);
      }
    }
  }

  /// A handle of which nothing is known is one of any thread that can be spawned; where there is
  /// none, it is null, and control does not get to the `join`.
  void bound_joins() {
    for (Thread& thread : context_.system.threads) {
      bool changes = false;
      for (Pc pc = 0; pc < thread.code.instructions.size(); ++pc) {
        Operation& node = thread.code.instructions[pc].node;
        auto* join = std::get_if<Join>(&node);
        if (join == nullptr) continue;
        if (threads_.lives() == 0) {
          node = Jump{pc + 1};
          changes = true;
          continue;
        }
        const std::uint32_t first =
            join->thread.base.index - threads_.life(threads_.first_handle()).index;
        join->thread.count = std::min(join->thread.count, threads_.lives() - first);
      }
      if (changes) number_locations(thread.code);
    }
  }

  Instance region(std::optional<model::ProcessId> process,
                  std::optional<std::int32_t> index) const {
    Instance instance;
    instance.process = process;
    instance.process_index = index;
    instance.is_region = true;
    return instance;
  }

  void lower_invariant(const model::Invariant& decl) {
    for (const std::optional<std::int32_t>& index :
         process_instances(context_.model, decl.process)) {
      if (context_.failed()) return;
      Instance instance = region(decl.process, index);
      instance.records = false;
      BodyLowering body(context_, expressions_, objects_, threads_, std::move(instance));
      const std::string prefix = process_prefix(context_.model, decl.process, index);
      context_.system.invariants.push_back(
          {decl.name.empty() ? "" : prefix + decl.name, decl.range, body.lower_invariant(decl)});
    }
  }

  void lower_properties() {
    context_.system.fairness = context_.model.fairness;
    const auto condition = [this](const model::Invariant& decl) {
      Instance instance = region({}, {});
      instance.records = false;
      return BodyLowering(context_, expressions_, objects_, threads_, std::move(instance))
          .lower_invariant(decl);
    };
    const auto thread = [this](const model::Formula& part) {
      return *threads_.find(part.thread, part.process_index, part.index);
    };
    for (const model::Property& decl : context_.model.properties)
      if (!context_.failed())
        context_.system.properties.push_back(
            lowering::lower_property(context_, decl, condition, thread));
  }

  void lower_finally(const model::Finally& decl) {
    for (const std::optional<std::int32_t>& index :
         process_instances(context_.model, decl.process)) {
      if (context_.failed()) return;
      BodyLowering body(context_, expressions_, objects_, threads_, region(decl.process, index));
      context_.system.finals.push_back({"", decl.range, body.lower_body(decl.body, decl.range)});
    }
  }

  BodyLowering call() {  // of a method, by nobody
    return {context_, expressions_, objects_, threads_, Instance{}};
  }

  void lower_commuting() {
    // What the constructors allocate here is no object of the model.
    const lowering::AllocationsByClass allocations = context_.allocations;
    for (const model::ClassId id : context_.model.classes.ids())
      if (!context_.model.classes[id].commutes.empty()) lower_commuting(id);
    context_.allocations = allocations;
  }

  void lower_specifications() {
    const lowering::AllocationsByClass allocations = context_.allocations;
    for (const model::Implementation& property : context_.model.implementations) {
      if (context_.failed()) return;
      Specification result;
      result.name = property.name;
      result.range = property.range;
      result.of = ClassId(property.of.index);
      result.specification = ClassId(property.specification.index);
      result.histories = context_.system.objects[context_.histories.at(property.of)].group;
      result.constructor = call().lower_constructor(property.specification);
      for (const model::Implementation::Method& method : property.methods)
        if (!context_.failed()) result.methods.push_back(call().lower_method(method.specification));
      context_.system.specifications.push_back(std::move(result));
    }
    context_.allocations = allocations;
    if (!context_.system.specifications.empty())
      context_.system.histories =
          std::make_shared<Histories>(context_.system.specifications.size());
  }

  void lower_commuting(model::ClassId id) {
    const model::Class& decl = context_.model.classes[id];
    CommutingClass result;
    result.of = ClassId(id.index);
    result.constructor = call().lower_constructor(id);
    for (const model::FunctionId method : decl.methods)
      if (!context_.failed()) result.methods.push_back(call().lower_method(method));
    const auto position = [&decl](model::FunctionId method) {
      const auto found = std::find(decl.methods.begin(), decl.methods.end(), method);
      return static_cast<std::uint32_t>(found - decl.methods.begin());
    };
    for (const model::Commutes& declared : decl.commutes) {
      if (context_.failed()) return;
      Commutes commutes;
      commutes.range = declared.range;
      commutes.methods = {position(declared.methods[0].function),
                          position(declared.methods[1].function)};
      if (declared.when) commutes.when = call().lower_when(id, declared);
      result.commutes.push_back(std::move(commutes));
    }
    context_.system.commuting.push_back(std::move(result));
  }

  Context context_;
  lowering::Expressions expressions_;
  lowering::ObjectTable objects_;
  lowering::ThreadTable threads_;
  lowering::AllocationsByClass at_first_;
  std::vector<Initialiser> beginning_;
};

}  // namespace

Expected<System, Unsupported> lower(const model::Model& model, const SourceSet& sources,
                                    const LowerOptions& options) {
  // The code is the same whatever the number of places, so a first time tells how many it needs,
  // and how many threads there are, of which reader-writer locks have to know.
  IdVector<model::ClassId, std::uint32_t> places(model.classes.size(), 2);
  const bool has_rwlocks = std::any_of(
      model.objects.begin(), model.objects.end(),
      [](const model::Object& object) { return object.kind == model::ObjectKind::RwLock; });
  SystemLowering first(model, sources, options, places, 1);
  Expected<System, Unsupported> system = first.run();
  if (!system || (model.classes.empty() && !has_rwlocks)) return system;
  const auto threads = static_cast<std::uint32_t>(system->threads.size());
  for (const model::ClassId id : model.classes.ids()) {
    const lowering::Allocations& needed = first.allocations()[id];
    const std::uint64_t room = needed.is_unbounded ? options.max_heap : needed.count;
    const std::uint64_t most =
        std::max<std::uint64_t>(std::min<std::uint64_t>(room, options.max_heap),
                                std::min<std::uint64_t>(first.at_first()[id].count, kMaxObjects));
    // One that is verified needs a place even if the model has no such object.
    const auto specifies = [id](const model::Implementation& property) {
      return property.specification == id;
    };
    const bool is_verified =
        !model.classes[id].commutes.empty() ||
        std::any_of(model.implementations.begin(), model.implementations.end(), specifies);
    places[id] = 1 + std::max(static_cast<std::uint32_t>(most), is_verified ? 1U : 0U);
  }
  SystemLowering second(model, sources, options, std::move(places), std::max(threads, 1U));
  system = second.run();
  if (system && !second.beginning().empty()) system = begin(*std::move(system), second.beginning());
  if (system) drop_proved_claims(*system);
  return system;
}

}  // namespace cml::ir
