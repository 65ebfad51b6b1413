#include "tests/brute/run.h"

#include <algorithm>
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

Run::Run(const Setup& setup, std::vector<ThreadSeed>& seeds, std::set<std::string>& covered)
    : world(setup.model, setup.kinds),
      setup_(setup),
      model_(setup.model),
      seeds_(seeds),
      covered_(covered) {
  const Model& model = model_;
  const std::size_t max_stack = setup.max_stack;
  world.in_state = &setup.in_state;
  awaits_ = std::any_of(model.stmts.begin(), model.stmts.end(),
                        [](const Stmt& stmt) { return std::holds_alternative<Await>(stmt.node); });
  world.spawn = [this](int spawner, const Spawn& node, Words arguments) {
    return spawn(spawner, node, std::move(arguments));
  };
  world.waits_at = [this](int thread, const Leaf& channel, bool to_receive) {
    return waits_at(thread, channel, to_receive);
  };
  world.pending_of = [this](int thread) -> const Request& {
    return walkers.at(static_cast<std::size_t>(thread))->pending;
  };
  world.has_ended = [this](int thread) {
    const auto& walker = walkers.at(static_cast<std::size_t>(thread));
    return walker->status == Walker::Status::Ended;
  };
  world.explain = [&setup](const CallLog& log) {
    return setup.explanations.of(log, setup.model, setup.kinds, setup.max_stack);
  };
  Walker constants(model, world, oracle, covered, max_stack);
  constants.number = -2;
  Oracle no_choice({});
  oracle = &no_choice;
  try {
    create_objects(model, constants, seeds);
  } catch (const Stop& stop) {
    throw NoInitialState{stop};
  } catch (const Diverges&) {
    throw NoInitialState{Stop{"divergence"}};
  }
  oracle = nullptr;
  world.waiting.resize(seeds.size());
  world.notified.resize(seeds.size());
  for (const ThreadSeed& seed : seeds) {
    if (seed.is_spawned) continue;  // these come last
    auto walker = std::make_unique<Walker>(model, world, oracle, covered, max_stack);
    walker->number = static_cast<int>(walkers.size());
    walker->name = seed.name;
    walker->daemon = seed.decl->is_daemon;
    walker->index = seed.index;
    walker->process = seed.process;
    world.threads[{seed.decl, seed.process, seed.index}] = walker->number;
    walkers.push_back(std::move(walker));
  }
  for (std::size_t i = 0; i < walkers.size(); ++i) {
    Oracle none({});
    oracle = &none;
    walkers[i]->begin(seeds[i].decl->body);
    if (none.next()) throw Unsupported{};  // a constructor of an atomic class chooses
    oracle = nullptr;
  }
  settle();
}

std::vector<std::pair<int, int>> Run::waits_at(int thread, const Leaf& channel,
                                               bool to_receive) const {
  using Kind = Request::Kind;
  std::vector<std::pair<int, int>> out;
  for (const auto& walker : walkers) {
    if (!walker || walker->number == thread || walker->status != Walker::Status::Pending) continue;
    const Request& r = walker->pending;
    const bool receives = r.kind == Kind::Receive || r.kind == Kind::ReceiveInto;
    if ((to_receive ? receives : r.kind == Kind::Send) && r.leaf == channel)
      out.emplace_back(walker->number, 0);
    if (r.kind != Kind::Select || r.has_default) continue;
    const auto wanted = to_receive ? Select::Kind::Receive : Select::Kind::Send;
    for (std::size_t i = 0; i < r.cases.size(); ++i)
      if (!r.cases[i].is_off && r.cases[i].kind == wanted && r.cases[i].leaf == channel)
        out.emplace_back(walker->number, static_cast<int>(i));
  }
  return out;
}

void Run::settle() {
  if (!awaits_ || world.heap.empty()) return;
  for (const auto& walker : walkers) {
    if (!walker || walker->status != Walker::Status::Pending) continue;
    for (const Access& access : walker->guard_accesses())
      if (access.counted) world.count(access);
  }
}

bool Run::is_garbage(const Walker& walker, const Names& names) const {
  if (!seeds_[static_cast<std::size_t>(walker.number)].is_spawned) return false;
  if (walker.status != Walker::Status::Ended || !world.held(walker.number).empty()) return false;
  const std::int32_t handle = walker.number + 1;
  for (const auto& other : walkers)
    if (other && other->refers_to(handle)) return false;
  const auto has = [&](const Leaf& leaf, const Words& words) {
    if (leaf.heap != 0 && !names.knows(leaf.heap)) return false;
    for (std::size_t i = 0; i < words.size(); ++i)
      if (words[i] == handle && world.kind_of_word(leaf, i) == WordKind::Handle) return true;
    return false;
  };
  for (const auto& [leaf, words] : world.variables)
    if (has(leaf, words)) return false;
  for (const auto& [leaf, channel] : world.channels)
    for (const Words& words : channel.values)
      if (has(leaf, words)) return false;
  return true;
}

int Run::spawn(int spawner, const Spawn& node, Words arguments) {
  const Walker& parent = *walkers[static_cast<std::size_t>(spawner)];
  const Thread& decl = model_.threads[node.thread];
  const Names names = key_of(*this).names;
  for (std::size_t count = 0;; ++count) {
    const std::string name = parent.name + "/spawn" + std::to_string(count);
    std::size_t number = 0;
    while (number < seeds_.size() && seeds_[number].name != name)
      ++number;
    if (number == seeds_.size()) seeds_.push_back({&decl, name, 0, parent.process, true});
    if (number >= walkers.size()) walkers.resize(number + 1);
    if (walkers[number] && !is_garbage(*walkers[number], names)) continue;
    if (seeds_[number].decl != &decl) continue;  // a name is of one declaration
    if (walkers[number]) {
      ++generations_[static_cast<int>(number)];
      for (auto& [reference, object] : world.heap) {  // were another thread's
        if (object.user == static_cast<int>(number)) object.user = -2;
        if (object.window == static_cast<int>(number)) object.window.reset();
      }
    }
    world.waiting.resize(walkers.size());
    world.notified.resize(walkers.size());
    auto walker = std::make_unique<Walker>(model_, world, oracle, covered_, setup_.max_stack);
    walker->number = static_cast<int>(number);
    walker->name = name;
    walker->daemon = decl.is_daemon;
    walker->process = parent.process;
    walkers[number] = std::move(walker);
    const std::map<std::uint32_t, Place> handles = parent.passed;
    walkers[number]->begin_spawned(decl, std::move(arguments), handles);
    last_spawned = static_cast<int>(number);
    return last_spawned;
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
    if (object.owner) continue;
    const auto create = [&](std::int32_t process) {
      world.create(id, process, 0);
      constants.process = process;
      if (object.init_by) {
        for (std::uint32_t i = 0; i < constants.size(object.type); ++i) {
          const Leaf part{id.index, process, i};
          world.init[part] = Init::Virgin;
          for (std::size_t t = 0; t < seeds.size(); ++t) {
            if (seeds[t].decl == &model.threads[object.init_by->thread] &&
                (!object.init_by->index || seeds[t].index == *object.init_by->index) &&
                (!object.process || seeds[t].process == process)) {
              world.init_thread[part] = static_cast<int>(t);
            }
          }
        }
      }
      if (object.guarded_by) {
        const Leaf lock = lock_of(model, constants, *object.guarded_by, process);
        for (std::uint32_t i = 0; i < constants.size(object.type); ++i)
          world.guards[{id.index, process, i}] = lock;
      }
      if (object.of) {
        const Leaf lock = lock_of(model, constants, *object.of, process);
        for (std::uint32_t i = 0; i < constants.size(object.type); ++i)
          world.condition_locks[{id.index, process, i}] = lock;
      }
    };
    if (object.process) {
      for_each_instance(model.processes[*object.process].index, create);
    } else {
      create(0);
    }
  }
  // What a constructor sees of an object that comes later is its default value.
  for (const ObjectId id : model.objects.ids()) {
    const Object& object = model.objects[id];
    if (object.owner || !object.initial) continue;
    const auto initialise = [&](std::int32_t process) {
      constants.process = process;
      constants.initialise_now(id);
    };
    if (object.process) {
      for_each_instance(model.processes[*object.process].index, initialise);
    } else {
      initialise(0);
    }
  }
}

}  // namespace cml::brute
