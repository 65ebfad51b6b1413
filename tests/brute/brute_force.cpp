#include "tests/brute/brute_force.h"

#include <algorithm>
#include <deque>
#include <functional>
#include <memory>
#include <utility>
#include <vector>

#include "tests/brute/graph.h"
#include "tests/brute/mentions.h"
#include "tests/brute/walker.h"
#include "tests/brute/world.h"

namespace cml::brute {
namespace {

using namespace model;  // NOLINT: the search is all about the model

struct Move {
  int thread = 0;
  std::vector<unsigned> script;
};
using Path = std::vector<Move>;

struct ThreadSeed {
  const Thread* decl = nullptr;
  std::string name;
  std::int32_t index = 0, process = 0;
};

/// A world and its threads, somewhere along a path.
class Run {
 public:
  Run(const Model& model, const std::vector<ThreadSeed>& seeds, std::set<std::string>& covered);

  World world;
  std::vector<std::unique_ptr<Walker>> walkers;
  Oracle* oracle = nullptr;

  void apply(const Move& move) {
    Oracle here(move.script);
    oracle = &here;
    walkers[static_cast<std::size_t>(move.thread)]->step();
    oracle = nullptr;
  }
  [[nodiscard]] std::string key() const {
    std::string out = world.key();
    for (const auto& walker : walkers)
      out += "|" + walker->key();
    return out;
  }

 private:
  void create_objects(const Model& model, Walker& constants, const std::vector<ThreadSeed>& seeds);
};

template <class Body>
void for_each_instance(const std::optional<IndexRange>& range, Body body) {
  if (!range) return body(0);
  for (std::int32_t i = range->lo; i <= range->hi; ++i)
    body(i);
}

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
    walkers.push_back(std::move(walker));
  }
  for (std::size_t i = 0; i < seeds.size(); ++i) {
    Oracle none({});
    oracle = &none;
    walkers[i]->begin(seeds[i].decl->body);
    oracle = nullptr;
  }
}

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
                      const auto* lock =
                          std::get_if<ObjectRef>(&model.exprs[*object.guarded_by].node);
                      if (lock == nullptr) throw Unsupported{};
                      world.guards[part] = Leaf{lock->object.index, process, 0};
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

/// The search itself.
class Search {
 public:
  Search(const Model& model, const Limits& limits)
      : model_(model), limits_(limits), seeds_(seeds_of(model)), graph_(facts()) {}
  Findings run();

 private:
  std::size_t reach(Run& run, Path path);
  void expand(std::size_t node);
  void inspect(Run& run, std::size_t number);
  void describe_wait(const Run& run, const Walker& walker, Node::OfThread& out) const;
  [[nodiscard]] std::vector<ThreadFacts> facts() const;
  void find_watched();
  void find_tried_locks();
  void learn(Run& run, int thread);
  void record(const Stop& stop, const std::string& thread);
  void judge_graph();
  bool invisible(const Run& run, int thread) const;
  /// Shows a walker on a copy of the world to `look`, for each process that a property belongs to.
  template <class Look>
  void for_each_observer(Run& run, const std::optional<ProcessId>& process, Look look);
  void check_invariants(Run& run);
  [[nodiscard]] std::vector<Stop> finals(Run& run);

  const Model& model_;
  Limits limits_;
  std::vector<ThreadSeed> seeds_;
  Findings findings_;
  std::map<std::string, std::size_t> known_;
  std::vector<Path> paths_;
  Graph graph_;
  std::set<std::uint32_t> tried_locks_;
  Variables watched_;  // their writes are visible
  std::map<std::string, std::set<int>> accessors_;
  std::map<std::string, bool> written_;
  std::map<std::string, std::set<std::string>> candidates_;
  std::set<std::string> ignored_covers_;
};

void Search::record(const Stop& stop, const std::string& thread) {
  std::string key = stop.kind;
  if (!stop.object.empty()) key += " " + stop.object;
  if (!thread.empty()) key += " " + thread;
  if (stop.kind == "assertion") key += " @" + std::to_string(stop.place);
  findings_.violations.insert(key);
}

void Search::learn(Run& run, int thread) {
  for (const Access& access : run.world.accesses) {
    const std::string name = run.world.name(access.leaf);
    accessors_[name].insert(access.thread);
    if (!access.counted) continue;
    std::set<std::string> held;
    for (const Leaf& lock : access.held)
      held.insert(run.world.name(lock));
    written_[name] = written_[name] || access.write;
    if (const auto old = candidates_.find(name); old == candidates_.end()) {
      candidates_[name] = held;
    } else {
      std::set<std::string> both;
      std::set_intersection(old->second.begin(), old->second.end(), held.begin(), held.end(),
                            std::inserter(both, both.begin()));
      old->second = both;
    }
  }
  for (const Stop& soft : run.world.soft) {
    record(soft, run.walkers[static_cast<std::size_t>(thread)]->name);
  }
  run.world.accesses.clear();
  run.world.soft.clear();
}

bool Search::invisible(const Run& run, int thread) const {
  using Kind = Request::Kind;
  const Request& r = run.walkers[static_cast<std::size_t>(thread)]->pending;
  switch (r.kind) {
    case Kind::Read:
    case Kind::Write: {
      if (model_.objects[ObjectId(r.leaf.object)].kind != ObjectKind::Shared) return false;
      if (r.kind == Kind::Write && watched_.contains(r.leaf)) return false;
      const auto init = run.world.init.find(r.leaf);
      return init == run.world.init.end() || init->second != Init::Virgin;
    }
    case Kind::Acquire:
    case Kind::TryAcquire:
      return run.world.locks.at(r.leaf).owner == thread;
    case Kind::Release:
      return run.world.locks.at(r.leaf).depth > 1 || !tried_locks_.contains(r.leaf.object);
    case Kind::Wait:
      return !tried_locks_.contains(r.leaf.object);
    case Kind::Held:
      return true;
    case Kind::Notify: {
      int sleepers = 0;
      for (const auto& w : run.world.waiting)
        sleepers += w && w->first == r.leaf ? 1 : 0;
      return sleepers < 2;
    }
    case Kind::NotifyAll:
      return true;
    default:
      return false;
  }
}

template <class Look>
void Search::for_each_observer(Run& run, const std::optional<ProcessId>& process, Look look) {
  const auto observe = [&](std::int32_t p) {
    World copy = run.world;
    Oracle none({});
    Oracle* oracle = &none;
    Walker walker(model_, copy, oracle, ignored_covers_);
    walker.number = -1;
    walker.process = p;
    look(walker);
  };
  if (process) {
    for_each_instance(model_.processes[*process].index, observe);
  } else {
    observe(0);
  }
}

void Search::check_invariants(Run& run) {
  for (const Invariant& invariant : model_.invariants)
    for_each_observer(run, invariant.process, [&](Walker& walker) {
      if (!walker.holds_whole(invariant.condition))
        record({"assertion", model_.exprs[invariant.condition].range.begin}, "");
    });
}

std::vector<Stop> Search::finals(Run& run) {
  std::vector<Stop> out;
  for (const Finally& final : model_.finals)
    for_each_observer(run, final.process, [&](Walker& walker) {
      try {
        walker.run_whole(final.body);
      } catch (const Stop& stop) {
        if (!stop.kind.empty()) out.push_back(stop);
      }
    });
  return out;
}

std::vector<ThreadFacts> Search::facts() const {
  std::vector<ThreadFacts> out;
  for (const ThreadSeed& seed : seeds_)
    out.push_back(
        {seed.name, seed.decl->is_daemon, objects_named(model_, seed.decl->body.block.range)});
  return out;
}

void Search::find_tried_locks() {
  const bool tries = std::any_of(model_.exprs.begin(), model_.exprs.end(), [](const Expr& expr) {
    const auto* op = std::get_if<Operation>(&expr.node);
    return op != nullptr && op->op == Operator::TryAcquire;
  });
  const bool looks = std::any_of(model_.stmts.begin(), model_.stmts.end(), [](const Stmt& stmt) {
    const auto* select = std::get_if<Select>(&stmt.node);
    return select != nullptr && select->otherwise;
  });
  if (!tries && !looks) return;
  for (const ObjectId id : model_.objects.ids())
    if (model_.objects[id].kind == ObjectKind::Lock) tried_locks_.insert(id.index);
}

void Search::find_watched() {
  for (const Invariant& invariant : model_.invariants)
    add_variables_named(model_, model_.exprs[invariant.condition].range, watched_);
  const bool has_daemons = std::any_of(seeds_.begin(), seeds_.end(),
                                       [](const ThreadSeed& seed) { return seed.decl->is_daemon; });
  if (!has_daemons) return;
  for (const Finally& final : model_.finals)
    add_variables_named(model_, final.body.block.range, watched_);
}

void Search::describe_wait(const Run& run, const Walker& walker, Node::OfThread& out) const {
  using Kind = Request::Kind;
  const Request& r = walker.pending;
  out.waits_for_anything = r.kind == Kind::Await || r.kind == Kind::Atomic;
  if (r.kind == Kind::Select) {
    for (const SelectCase& c : r.cases)
      out.waits_for.insert(c.leaf.object);
    return;
  }
  out.waits_for.insert(r.leaf.object);
  if (r.kind != Kind::Acquire) return;
  if (const int owner = run.world.locks.at(r.leaf).owner; owner >= 0) out.waits_for_owner = owner;
}

void Search::inspect(Run& run, std::size_t number) {
  Node& node = graph_.nodes[number];
  bool stopped = false;
  bool all_ended = true;
  std::string stuck;
  for (const auto& walker : run.walkers) {
    const Walker::Status status = walker->status;
    Node::OfThread& of = node.threads[static_cast<std::size_t>(walker->number)];
    of.status = status;
    if (of.blocked) describe_wait(run, *walker, of);
    stopped = stopped || status == Walker::Status::Stopped || status == Walker::Status::Assumed ||
              status == Walker::Status::Diverged;
    if (status == Walker::Status::Ended) continue;
    if (!walker->daemon) all_ended = false;
    if (status == Walker::Status::Pending) {
      stuck += (stuck.empty() ? "" : " ") + walker->name + ":" + walker->pending_text();
    }
  }
  if (!node.moves() && !stopped && !all_ended) findings_.deadlocks.insert(stuck);
  check_invariants(run);
  if (all_ended) node.finals = finals(run);
}

std::size_t Search::reach(Run& run, Path path) {
  const auto [entry, fresh] = known_.try_emplace(run.key(), paths_.size());
  if (fresh) paths_.push_back(std::move(path));
  if (fresh) graph_.nodes.push_back({std::vector<Node::OfThread>(seeds_.size()), {}});
  return entry->second;
}

void Search::expand(std::size_t node) {
  const Path path = paths_[node];  // a copy: paths_ grows
  const auto fresh = [&] {
    auto run = std::make_unique<Run>(model_, seeds_, findings_.covered);
    for (const Move& move : path)
      run->apply(move);
    run->world.accesses.clear();
    run->world.soft.clear();
    return run;
  };
  for (std::size_t t = 0; t < seeds_.size(); ++t) {
    std::optional<std::vector<unsigned>> script{std::in_place};
    bool enabled = false;
    bool pending = false;
    while (script) {
      auto run = fresh();
      Walker& walker = *run->walkers[t];
      if (walker.status != Walker::Status::Pending) break;
      pending = true;
      const bool is_invisible = invisible(*run, walker.number);
      Oracle oracle(*script);
      run->oracle = &oracle;
      bool disabled = false;
      try {
        walker.step();
      } catch (const Disabled&) {
        disabled = true;
      }
      run->oracle = nullptr;
      learn(*run, walker.number);
      if (!disabled) {
        enabled = true;
        if (walker.violation) record(*walker.violation, walker.name);
        Path longer = path;
        longer.push_back({walker.number, oracle.taken()});
        const std::size_t target = reach(*run, std::move(longer));
        graph_.edges.push_back({node, target, walker.number});
        if (is_invisible) graph_.nodes[node].threads[t].invisible = target;
        ++findings_.transitions;
      }
      script = oracle.next();
    }
    graph_.nodes[node].threads[t].blocked = pending && !enabled;
  }
  auto run = fresh();
  inspect(*run, node);
}

void Search::judge_graph() {
  for (std::size_t t = 0; t < seeds_.size(); ++t)
    if (graph_.diverges(t)) record({"divergence"}, seeds_[t].name);
  for (const Node& node : graph_.nodes) {
    if (node.finals.empty() || graph_.about_to_stop(node)) continue;
    for (const Stop& stop : node.finals)
      record(stop, "");
  }
  findings_.stuck_at_least = graph_.stuck_at_least();
  findings_.stuck_at_most = graph_.stuck_at_most();
}

Findings Search::run() {
  find_tried_locks();
  try {
    find_watched();
    Run initial(model_, seeds_, findings_.covered);
    for (const auto& walker : initial.walkers) {
      if (walker->violation) record(*walker->violation, walker->name);
    }
    reach(initial, {});
    for (std::size_t next = 0; next < paths_.size(); ++next) {
      if (paths_.size() > limits_.max_states) {
        findings_.complete = false;
        return findings_;
      }
      expand(next);
    }
  } catch (const Unsupported&) {
    findings_.unsupported = true;
    return findings_;
  }
  judge_graph();
  findings_.states = paths_.size();
  for (const auto& [name, threads] : accessors_) {
    if (threads.size() >= 2) findings_.shared.insert(name);
  }
  for (const auto& [name, locks] : candidates_) {
    if (accessors_[name].size() < 2) continue;
    findings_.candidates[name] = locks;
    if (written_[name] && locks.empty()) findings_.broken.insert(name);
  }
  return findings_;
}

}  // namespace

Findings explore(const Model& model, const Limits& limits) { return Search(model, limits).run(); }

}  // namespace cml::brute
