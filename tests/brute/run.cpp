#include "tests/brute/run.h"

#include <functional>
#include <utility>

namespace cml::brute {

using namespace model;  // NOLINT: a run is all about the model

std::vector<ThreadSeed> seeds_of(const Model& model) {
  std::vector<ThreadSeed> out;
  for (const Thread& thread : model.threads) {
    if (thread.is_spawned) continue;
    const auto instances = [&](std::int32_t process, const std::string& prefix) {
      for_each_instance(thread.index, [&](std::int32_t i) {
        out.push_back({&thread,
                       prefix + thread.name + (thread.index ? "[" + std::to_string(i) + "]" : ""),
                       i, process});
      });
    };
    if (!thread.process) {
      instances(0, "");
    } else {
      const Process& process = model.processes[*thread.process];
      for_each_instance(process.index, [&](std::int32_t p) {
        instances(p, process.name + (process.index ? "[" + std::to_string(p) + "]" : "") + ".");
      });
    }
  }
  return out;
}

Run::Run(const Model& model, const std::vector<ThreadSeed>& seeds, std::set<std::string>& covered)
    : world(model) {
  Walker constants(model, world, oracle, covered);
  create_objects(model, constants, seeds);
  world.waiting.resize(seeds.size());
  world.notified.resize(seeds.size());
  for (const ThreadSeed& seed : seeds) {
    auto walker = std::make_unique<Walker>(model, world, oracle, covered);
    walker->number = static_cast<int>(walkers.size());
    walker->name = seed.name;
    walker->daemon = seed.decl->is_daemon;
    walker->index = seed.index;
    walker->process = seed.process;
    world.threads[{seed.decl, seed.process, seed.index}] = walker->number;
    walkers.push_back(std::move(walker));
  }
  for (std::size_t i = 0; i < seeds.size(); ++i) {
    Oracle none({});
    oracle = &none;
    walkers[i]->begin(seeds[i].decl->body);
    oracle = nullptr;
  }
}

namespace {

/// A lock that a declaration names: its index is constant.
Leaf lock_of(const Model& model, Walker& constants, ExprId id, std::int32_t process) {
  const Expr& expr = model.exprs[id];
  if (const auto* lock = std::get_if<ObjectRef>(&expr.node))
    return {lock->object.index, process, 0};
  const auto* element = std::get_if<Index>(&expr.node);
  if (element == nullptr) throw Unsupported{};
  Leaf leaf = lock_of(model, constants, element->base, process);
  leaf.offset += static_cast<std::uint32_t>(constants.constant(element->index).at(0)) *
                 constants.size(expr.type);
  return leaf;
}

}  // namespace

void Run::create_objects(const Model& model, Walker& constants,
                         const std::vector<ThreadSeed>& seeds) {
  for (const ObjectId id : model.objects.ids()) {
    const Object& object = model.objects[id];
    if (object.owner) throw Unsupported{};
    const auto create = [&](std::int32_t process) {
      constants.process = process;
      // Elements in order; each has its own leaf.
      std::uint32_t offset = 0;
      std::vector<ExprId> list;
      const std::function<void(TypeId, std::optional<ExprId>)> element =
          [&](TypeId type, std::optional<ExprId> initial) {
            if (const auto* array = std::get_if<ArrayType>(&model.types[type])) {
              const auto* values =
                  initial ? std::get_if<ArrayMake>(&model.exprs[*initial].node) : nullptr;
              for (std::uint32_t i = 0; i < array->size; ++i) {
                element(array->element, values ? std::optional(values->elements[i]) : initial);
              }
              return;
            }
            const Leaf leaf{id.index, process, offset};
            switch (object.kind) {
              case ObjectKind::Lock:
                world.locks[leaf];
                break;
              case ObjectKind::Semaphore:
                world.semaphores[leaf] = initial ? constants.constant(*initial).at(0) : 0;
                break;
              case ObjectKind::Channel:
                world.channels[leaf];
                break;
              default: {
                const Words value =
                    initial ? constants.constant(*initial) : constants.default_value(type);
                if (object.kind == ObjectKind::Atomic) {
                  world.variables[leaf] = value;
                } else {
                  for (std::uint32_t i = 0; i < value.size(); ++i) {
                    const Leaf part{id.index, process, offset + i};
                    world.variables[part] = {value[i]};
                    if (object.init_by) {
                      world.init[part] = Init::Virgin;
                      for (std::size_t t = 0; t < seeds.size(); ++t) {
                        if (seeds[t].decl == &model.threads[object.init_by->thread] &&
                            (!object.init_by->index || seeds[t].index == *object.init_by->index) &&
                            (!object.process || seeds[t].process == process)) {
                          world.init_thread[part] = static_cast<int>(t);
                        }
                      }
                    }
                    if (object.guarded_by) {
                      world.guards[part] = lock_of(model, constants, *object.guarded_by, process);
                    }
                  }
                }
                break;
              }
            }
            offset += constants.size(type);
          };
      element(object.type, object.initial);
    };
    if (object.process) {
      for_each_instance(model.processes[*object.process].index, create);
    } else {
      create(0);
    }
  }
}

}  // namespace cml::brute
