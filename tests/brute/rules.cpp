#include "tests/brute/rules.h"

#include <algorithm>
#include <optional>

namespace cml::brute {

using namespace model;  // NOLINT: the rules are all about the model

Rules::Rules(const Setup& setup, const std::vector<ThreadSeed>& seeds)
    : setup_(setup), model_(setup.model), seeds_(seeds) {
  find_tried_locks();
  find_watched();
}

bool Rules::invisible(const Run& run, int thread) const {
  using Kind = Request::Kind;
  const Walker& walker = *run.walkers[static_cast<std::size_t>(thread)];
  const Request& r = walker.pending;
  switch (r.kind) {
    case Kind::Read:
    case Kind::Write: {
      if (run.world.kind(r.leaf) != ObjectKind::Shared) return false;
      if (r.kind == Kind::Write && watched_.contains(r.leaf)) return false;
      const auto init = run.world.init.find(r.leaf);
      return init == run.world.init.end() || init->second != Init::Virgin;
    }
    case Kind::Acquire:
      if (walker.begins_call()) return false;
      [[fallthrough]];
    case Kind::TryAcquire:
      return run.world.locks.at(r.leaf).owner == thread && !run.world.is_mutex(r.leaf);
    case Kind::Wait:
      if (r.leaf != r.lock) return false;
      [[fallthrough]];
    case Kind::Release: {  // visible where somebody may see that the lock becomes free
      const Lock& lock = run.world.locks.at(r.leaf);
      const bool frees = lock.owner == thread && (lock.depth == 1 || r.kind == Kind::Wait);
      return !frees || !looked_at(r.leaf);
    }
    case Kind::ReleaseWrite:
      return run.world.locks.at(r.leaf).owner != thread;
    case Kind::ReleaseRead: {  // a writer sees it
      const auto mine = run.world.locks.find(World::read_by(r.leaf, thread));
      return !writes_ || mine == run.world.locks.end() || mine->second.depth > 1;
    }
    case Kind::Spawn:  // of a daemon, that of a thread which `finally` waits for is visible
      return !walker.daemon || model_.finals.empty() ||
             model_.threads[std::get<Spawn>(model_.exprs[ExprId(r.word)].node).thread].is_daemon;
    case Kind::Held:
    case Kind::Finish:
      return true;
    case Kind::Notify: {
      if (run.world.kind(r.leaf) == ObjectKind::Condition) return false;
      int sleepers = 0;
      for (const auto& w : run.world.waiting)
        sleepers += w && w->first == r.leaf ? 1 : 0;
      return sleepers < 2;
    }
    case Kind::NotifyAll:
      return run.world.kind(r.leaf) != ObjectKind::Condition;
    case Kind::Atomic:
      return block_invisible(run, walker);
    default:
      return false;
  }
}

bool Rules::block_invisible(const Run& run, const Walker& walker) const {
  const Named named = named_in(model_, walker.begun);
  if (named.has_visible) return false;
  if (named.releases &&
      std::any_of(run.world.locks.begin(), run.world.locks.end(), [&](const auto& lock) {
        return named.variables.contains(lock.first) && looked_at(lock.first);
      }))
    return false;
  for (const auto& [leaf, status] : run.world.init)
    if (status == Init::Virgin && leaf.process == walker.process && named.variables.contains(leaf))
      return false;
  return std::none_of(run.world.variables.begin(), run.world.variables.end(),
                      [&](const auto& variable) {
                        const Leaf& leaf = variable.first;
                        return named.written.contains(leaf) && watched_.contains(leaf);
                      });
}

bool Rules::looked_at(const Leaf& lock) const {
  return tried_locks_.contains(lock.object) || watched_.contains(lock);
}

template <class Look>
void Rules::for_each_observer(const Run& run, const std::optional<ProcessId>& process,
                              std::set<std::string>& covered, std::vector<Stop>& soft, Look look) {
  const auto observe = [&](std::int32_t p) {
    World copy = run.world;
    Oracle none({});
    Oracle* oracle = &none;
    Walker walker(model_, copy, oracle, covered, setup_.max_stack);
    walker.number = -1;
    walker.process = p;
    copy.soft.clear();
    look(walker);
    for (const Stop& stop : copy.soft)
      if (stop.kind == "linearizability") soft.push_back(stop);
  };
  if (process) {
    for_each_instance(model_.processes[*process].index, observe);
  } else {
    observe(0);
  }
}

namespace {

/// What goes wrong in a property that is evaluated, if it does.
template <class Evaluate>
std::optional<Stop> fault_of(Evaluate evaluate) {
  try {
    evaluate();
  } catch (const Stop& stop) {
    if (!stop.kind.empty()) return stop;
  } catch (const Diverges&) {
    return Stop{"divergence"};
  }
  return std::nullopt;
}

}  // namespace

std::vector<Stop> Rules::invariants(const Run& run) {
  std::vector<Stop> out;
  for (const Invariant& invariant : model_.invariants)
    for_each_observer(run, invariant.process, ignored_covers_, out, [&](Walker& walker) {
      walker.records = false;
      const auto fault = fault_of([&] {
        if (!walker.holds_whole(invariant.condition))
          throw Stop{"assertion", model_.exprs[invariant.condition].range.begin};
      });
      if (fault) out.push_back(*fault);
    });
  return out;
}

std::optional<bool> Rules::condition(const Run& run, ExprId condition) {
  std::optional<bool> result = false;
  std::vector<Stop> ignored;
  for_each_observer(run, std::nullopt, ignored_covers_, ignored, [&](Walker& walker) {
    walker.records = false;
    if (fault_of([&] { result = walker.holds_whole(condition); })) result = std::nullopt;
  });
  return result;
}

std::vector<Stop> Rules::finals(const Run& run, std::set<std::string>& covered) {
  std::vector<Stop> out;
  for (const Finally& final : model_.finals)
    for_each_observer(run, final.process, covered, out, [&](Walker& walker) {
      if (const auto fault = fault_of([&] { walker.run_whole(final.body); })) out.push_back(*fault);
    });
  return out;
}

void Rules::find_tried_locks() {
  writes_ = std::any_of(model_.exprs.begin(), model_.exprs.end(), [](const Expr& expr) {
    const auto* op = std::get_if<Operation>(&expr.node);
    return op != nullptr && (op->op == Operator::AcquireWrite || op->op == Operator::TryWrite);
  });
  writes_ = writes_ || std::any_of(model_.stmts.begin(), model_.stmts.end(), [](const Stmt& stmt) {
              const auto* with = std::get_if<With>(&stmt.node);
              return with != nullptr && with->mode == ast::LockMode::Write;
            });
  const bool tries = std::any_of(model_.exprs.begin(), model_.exprs.end(), [](const Expr& expr) {
    const auto* op = std::get_if<Operation>(&expr.node);
    return op != nullptr && op->op == Operator::TryAcquire;
  });
  const bool looks = std::any_of(model_.stmts.begin(), model_.stmts.end(), [](const Stmt& stmt) {
    const auto* select = std::get_if<Select>(&stmt.node);
    return select != nullptr && (select->otherwise || select->is_guarded());
  });
  if (!tries && !looks) return;
  for (const ObjectId id : model_.objects.ids())
    if (const auto kind = model_.objects[id].kind;
        kind == ObjectKind::Lock || kind == ObjectKind::Mutex)
      tried_locks_.insert(id.index);
  tried_locks_.insert(kMonitor);
}

void Rules::find_watched() {
  for (const Invariant& invariant : model_.invariants)
    add_variables_named(model_, model_.exprs[invariant.condition].range, watched_);
  const bool has_daemons = std::any_of(seeds_.begin(), seeds_.end(),
                                       [](const ThreadSeed& seed) { return seed.decl->is_daemon; });
  if (!has_daemons) return;
  for (const Finally& final : model_.finals)
    add_variables_named(model_, final.body.block.range, watched_);
}

}  // namespace cml::brute
