#include "tests/brute/brute_force.h"

#include <algorithm>
#include <memory>
#include <utility>
#include <vector>

#include "tests/brute/graph.h"
#include "tests/brute/lock_relations.h"
#include "tests/brute/mentions.h"
#include "tests/brute/rules.h"
#include "tests/brute/run.h"
#include "tests/liveness/temporal.h"

namespace cml::brute {
namespace {

using namespace model;  // NOLINT: the search is all about the model

/// An object turned out to be used under a lock of the heap: its candidates belong to the state
/// from the initial one on.
struct Again {};

/// Whether a transition has changed an object that was there: taking a lock is a change, even if it
/// is given back, and a thread's own location and locals are not. Nor is what is stored in a
/// constant field.
bool changes(const Model& model, const World& before, const World& after) {
  const auto differ = [](const auto& a, const auto& b) {
    return std::any_of(a.begin(), a.end(), [&b](const auto& entry) {
      const auto now = b.find(entry.first);
      return now == b.end() || now->second != entry.second;
    });
  };
  const bool variables_differ =
      std::any_of(before.variables.begin(), before.variables.end(), [&](const auto& entry) {
        return !model.objects[ObjectId(entry.first.object)].is_const &&
               after.variables.at(entry.first) != entry.second;
      });
  return after.takes_or_spawns || variables_differ || differ(before.locks, after.locks) ||
         differ(before.semaphores, after.semaphores) || differ(before.channels, after.channels) ||
         before.waiting != after.waiting || before.announced != after.announced ||
         before.notified != after.notified;
}

/// An access to a shared object, for races: of the transition to a state, or of one from there.
struct Adjacent {
  std::string object;  // as the state calls it
  std::string name;
  int thread = 0;
  bool write = false;
  bool in_block = false;  // atomic blocks are ordered by what they have in common
};

bool learns_by_looks(const Model& model) {
  const auto looks = [](const Expr& expr) {
    const auto* op = std::get_if<Operation>(&expr.node);
    if (op == nullptr) return false;
    switch (op->op) {
      case Operator::TryAcquire:
      case Operator::TryDown:
      case Operator::TrySend:
      case Operator::TryReceive:
      case Operator::Size:
        return true;
      default:
        return false;
    }
  };
  return std::any_of(model.exprs.begin(), model.exprs.end(), looks) ||
         std::any_of(model.stmts.begin(), model.stmts.end(), [](const Stmt& stmt) {
           const auto* select = std::get_if<Select>(&stmt.node);
           return select != nullptr && select->otherwise;
         });
}

/// The search itself.
class Search {
 public:
  Search(const Model& model, const Limits& limits, std::set<Leaf>& in_state)
      : model_(model),
        limits_(limits),
        in_state_(in_state),
        setup_(model, limits.max_stack),
        seeds_(seeds_of(model)),
        rules_(setup_, seeds_),
        graph_(facts()) {
    setup_.in_state = in_state;
  }
  Findings run();

 private:
  std::size_t reach(Run& run, Path path);
  void expand(std::size_t node);
  void inspect(Run& run, std::size_t number);
  void describe_wait(const Run& run, const Walker& walker, Node::OfThread& out) const;
  [[nodiscard]] std::vector<ThreadFacts> facts() const;
  void record_discipline(Run& run, int thread, std::size_t transitions);
  void record(const Stop& stop, const Walker& walker, std::size_t transitions);
  void record(const std::vector<Stop>& of_properties, std::size_t transitions);
  void reach_violation(const Stop& stop, std::size_t transitions);
  void reach_violation(const std::string& key, std::size_t transitions);
  /// By invisible transitions alone.
  [[nodiscard]] bool loops_for_ever(std::size_t node, std::size_t thread) const;
  void judge_graph();
  [[nodiscard]] std::vector<Adjacent> adjacent(const Run& run, Names& names, int thread,
                                               bool in_block) const;
  void find_races();
  void note_atoms(Run& run, std::size_t node);
  [[nodiscard]] bool is_at_label(const Walker& walker, const std::string& label) const;
  void judge_properties();

  const Model& model_;
  Limits limits_;
  std::set<Leaf>& in_state_;
  Setup setup_;
  std::vector<ThreadSeed> seeds_;
  Rules rules_;
  Findings findings_;
  std::map<std::string, std::size_t> known_;
  std::vector<Path> paths_;
  Graph graph_;
  std::vector<std::vector<std::vector<bool>>> atoms_;  // by property, node, part
  std::set<std::size_t> faulty_;                       // properties
  std::map<std::string, std::set<std::pair<int, int>>> accessors_;
  std::map<std::string, bool> written_;
  std::map<std::string, std::set<std::string>> candidates_;
  std::set<std::string> broken_in_state_;
  std::map<std::size_t, std::vector<Adjacent>> arriving_;  // by state
  std::map<std::size_t, std::vector<Adjacent>> leaving_;
};

// States are found in the order of their distance, but what is found in them is not.
void Search::reach_violation(const std::string& key, std::size_t transitions) {
  const auto [entry, fresh] = findings_.distances.try_emplace(key, transitions);
  if (!fresh) entry->second = std::min(entry->second, transitions);
}

void Search::reach_violation(const Stop& stop, std::size_t transitions) {
  std::string key = stop.kind;
  if (!stop.object.empty()) key += " " + stop.object;
  if (stop.kind == "assertion") key += " @" + std::to_string(stop.place);
  reach_violation(key, transitions);
}

void Search::record(const Stop& stop, const Walker& walker, std::size_t transitions) {
  // A thread diverges before that is detected (loops_for_ever).
  const bool is_divergence = stop.kind == "divergence";
  if (!is_divergence) reach_violation(stop, transitions);
  const bool in_function = walker.in_function() && !is_divergence;  // reported once for each thread
  findings_.violations.insert({stop.kind, stop.object, walker.name, in_function, stop.place});
}

void Search::record(const std::vector<Stop>& of_properties, std::size_t transitions) {
  for (const Stop& stop : of_properties) {
    reach_violation(stop, transitions);
    findings_.violations.insert({stop.kind, stop.object, "", false, stop.place});
  }
}

void Search::record_discipline(Run& run, int thread, std::size_t transitions) {
  for (const Access& access : run.world.accesses) {
    const std::string name = run.world.name(access.leaf);
    // One that takes the place of another is another thread.
    accessors_[name].insert({access.thread, run.generation(access.thread)});
    if (!access.counted) continue;
    const bool is_under_heap = std::any_of(access.held.begin(), access.held.end(),
                                           [](const Leaf& lock) { return lock.heap != 0; });
    if (access.leaf.heap == 0 && is_under_heap && in_state_.insert(access.leaf).second)
      throw Again{};
    if (access.leaf.heap != 0 || in_state_.contains(access.leaf)) {
      findings_.in_state.insert(name);
      keep_common(findings_.lasting, name, lasting_locks(run.world, access));
      const Candidates& left = run.world.candidates.at(access.leaf);
      if (left.written && !left.locks.empty())
        keep_common(findings_.of_each, name, relations(run.world, access.leaf, left.locks));
      continue;
    }
    std::set<std::string> held;
    for (const Leaf& lock : access.held)
      held.insert(run.world.name(lock));
    written_[name] = written_[name] || access.write;
    keep_common(candidates_, name, held);
  }
  for (const Stop& soft : run.world.soft) {
    if (soft.kind == "lock-discipline") {
      broken_in_state_.insert(soft.object);
      continue;
    }
    record(soft, *run.walkers[static_cast<std::size_t>(thread)], transitions);
  }
  run.world.accesses.clear();
  run.world.soft.clear();
}

std::vector<ThreadFacts> Search::facts() const {
  std::vector<ThreadFacts> out;
  // Whoever may spawn a thread can do what that thread does, which may do something to what it is
  // passed: which one is not looked into.
  std::set<std::uint32_t> of_all;
  bool spawns = false;
  for (const Thread& thread : model_.threads) {
    of_all.merge(objects_named(model_, thread.body.block.range));
    spawns = spawns || thread.is_spawned;
  }
  for (const ThreadSeed& seed : seeds_)
    out.push_back({seed.name, seed.decl->is_daemon,
                   spawns ? of_all : objects_named(model_, seed.decl->body.block.range)});
  return out;
}

void Search::describe_wait(const Run& run, const Walker& walker, Node::OfThread& out) const {
  using Kind = Request::Kind;
  const Request& r = walker.pending;
  const bool is_block = r.kind == Kind::Await || r.kind == Kind::Atomic;
  out.operation = is_block ? walker.block_text() : walker.pending_text();
  out.waits_for_anything = is_block;
  if (r.kind == Kind::Select) {
    for (const SelectCase& c : r.cases)
      if (c.kind != Select::Kind::Await) out.waits_for.insert(c.leaf.object);
    return;
  }
  if (r.kind == Kind::Join) {
    out.operation = "join " + seeds_[static_cast<std::size_t>(r.lo)].name;
    out.waits_for_end = r.lo;
    return;
  }
  // Who was notified, or whose time is up, waits for the lock alone.
  const bool is_woken =
      r.kind == Kind::Rewait && run.world.notified[static_cast<std::size_t>(walker.number)];
  out.waits_for.insert(is_woken ? r.lock.object : r.leaf.object);
  if (r.kind != Kind::Acquire) return;
  if (const int owner = run.world.locks.at(r.leaf).owner; owner >= 0) out.waits_for_owner = owner;
}

/// What the parts of formulas are in a state that can be seen there.
void Search::note_atoms(Run& run, std::size_t node) {
  atoms_.resize(model_.properties.size());
  for (std::size_t p = 0; p < model_.properties.size(); ++p) {
    std::vector<bool> values;
    for (const model::Formula& part : model_.properties[p].parts) {
      const auto is_meant = [&](const std::unique_ptr<Walker>& walker) {
        if (!walker) return false;
        const ThreadSeed& seed = seeds_[static_cast<std::size_t>(walker->number)];
        return !seed.is_spawned && seed.decl == &model_.threads[part.thread] &&
               seed.index == part.index.value_or(0) &&
               seed.process == part.process_index.value_or(0);
      };
      bool value = false;
      if (part.kind == FormulaKind::Condition) {
        const std::optional<bool> known = rules_.condition(run, part.condition);
        if (!known) faulty_.insert(p);
        value = known.value_or(false);
      } else if (part.kind == FormulaKind::Ended || part.kind == FormulaKind::At) {
        const Walker& walker = **std::find_if(run.walkers.begin(), run.walkers.end(), is_meant);
        value = part.kind == FormulaKind::Ended ? walker.status == Walker::Status::Ended
                                                : is_at_label(walker, part.label);
      }
      values.push_back(value);
    }
    if (atoms_[p].size() <= node) atoms_[p].resize(node + 1);
    atoms_[p][node] = std::move(values);
  }
}

/// It is about to run the empty block that a label is.
bool Search::is_at_label(const Walker& walker, const std::string& label) const {
  if (walker.status != Walker::Status::Pending || walker.pending.kind != Request::Kind::Atomic)
    return false;
  return std::any_of(model_.stmts.begin(), model_.stmts.end(), [&](const Stmt& stmt) {
    const auto* block = std::get_if<Atomic>(&stmt.node);
    return block != nullptr && block->label == label && stmt.range.file == walker.begun.file &&
           stmt.range.begin == walker.begun.begin && stmt.range.end == walker.begun.end;
  });
}

// A node that can go on does; the others stay as they are for ever. Executions in which a thread
// stops are none.
void Search::judge_properties() {
  Executions executions;
  executions.threads = seeds_.size();
  std::vector<bool> counts;
  for (const ThreadSeed& seed : seeds_)
    counts.push_back(!seed.decl->is_daemon);
  std::vector<std::vector<bool>> ended;
  for (std::size_t i = 0; i < graph_.nodes.size(); ++i) {
    std::vector<bool> enabled;
    std::vector<bool> over;
    bool stopped = false;
    for (const Node::OfThread& thread : graph_.nodes[i].threads) {
      enabled.push_back(thread.status == Walker::Status::Pending && !thread.blocked);
      over.push_back(thread.status == Walker::Status::Ended);
      stopped = stopped || has_stopped(thread.status);
    }
    executions.enabled.push_back(std::move(enabled));
    ended.push_back(std::move(over));
    if (!graph_.nodes[i].moves() && !stopped) executions.edges.push_back({i, i, -1});
    for (const Edge& edge : graph_.edges)
      if (edge.from == i && !stopped) executions.edges.push_back({i, edge.to, edge.thread});
  }
  for (std::size_t p = 0; p < model_.properties.size(); ++p) {
    const model::Property& property = model_.properties[p];
    const Fairness fairness = property.fairness.value_or(model_.fairness.value_or(Fairness::Weak));
    std::optional<bool> is_held;
    if (property.is_termination)
      is_held = executions.threads > 8
                    ? std::nullopt
                    : std::optional(all_end(executions, ended, counts, fairness));
    else if (!faulty_.contains(p))
      is_held = holds(executions, property, atoms_[p], fairness);
    findings_.properties.push_back(faulty_.contains(p) ? PropertyVerdict::Fault
                                   : !is_held          ? PropertyVerdict::TooLarge
                                   : *is_held          ? PropertyVerdict::Holds
                                                       : PropertyVerdict::Fails);
  }
}

void Search::inspect(Run& run, std::size_t number) {
  note_atoms(run, number);
  Node& node = graph_.nodes[number];
  bool stopped = false;
  bool all_ended = true;
  for (const auto& walker : run.walkers) {
    if (!walker) continue;
    const Walker::Status status = walker->status;
    Node::OfThread& of = node.threads[static_cast<std::size_t>(walker->number)];
    of.status = status;
    if (of.blocked) describe_wait(run, *walker, of);
    stopped = stopped || has_stopped(status);
    all_ended = all_ended && (status == Walker::Status::Ended || walker->daemon);
  }
  if (!node.moves() && !stopped && !all_ended) reach_violation("deadlock", paths_[number].size());
  record(rules_.invariants(run), paths_[number].size());
  if (all_ended) node.finals = rules_.finals(run, node.final_covers);
}

std::size_t Search::reach(Run& run, Path path) {
  const auto [entry, fresh] = known_.try_emplace(run.key(), paths_.size());
  if (fresh) paths_.push_back(std::move(path));
  if (!fresh) return entry->second;
  Node::OfThread none;
  none.status = Walker::Status::Ended;
  graph_.nodes.push_back({std::vector<Node::OfThread>(seeds_.size(), none), {}, {}});
  return entry->second;
}

void Search::expand(std::size_t node) {
  const Path path = paths_[node];  // a copy: paths_ grows
  std::set<std::string> covered;   // by what turns out to be disabled, too
  const auto fresh = [&] {
    covered.clear();
    auto run = std::make_unique<Run>(setup_, seeds_, covered);
    for (const Move& move : path)
      run->apply(move);
    run->world.accesses.clear();
    run->world.soft.clear();
    return run;
  };
  const std::size_t threads = fresh()->walkers.size();
  for (std::size_t t = 0; t < threads; ++t) {
    std::optional<std::vector<unsigned>> script{std::in_place};
    bool enabled = false;
    bool pending = false;
    while (script) {
      auto run = fresh();
      if (!run->walkers[t]) break;
      Walker& walker = *run->walkers[t];
      if (walker.status != Walker::Status::Pending) break;
      pending = true;
      const bool is_invisible = rules_.invisible(*run, walker.number);
      const bool in_block =
          walker.pending.kind != Request::Kind::Read && walker.pending.kind != Request::Kind::Write;
      Names names = key_of(*run).names;
      const World before = run->world;
      run->world.takes_or_spawns = false;
      Oracle oracle(*script);
      run->oracle = &oracle;
      bool disabled = false;
      int partner = -1;
      try {
        partner = run->step(walker.number);
      } catch (const Disabled&) {
        disabled = true;
      }
      run->oracle = nullptr;
      std::vector<Adjacent> arriving;
      if (!disabled) {
        run->settle();
        Names after = key_of(*run).names;
        arriving = adjacent(*run, after, walker.number, in_block);
        for (Adjacent& access : adjacent(*run, names, walker.number, in_block))
          leaving_[node].push_back(std::move(access));
        for (const Stop& soft : run->world.soft)
          if (soft.kind == "guard" || soft.kind == "init-order")
            findings_.undeclared.insert(soft.kind + " " + soft.object);
      }
      // What a pending condition reads is read in this state already.
      record_discipline(*run, walker.number, path.size() + (disabled ? 0 : 1));
      if (!disabled) {
        enabled = true;
        findings_.covered.insert(covered.begin(), covered.end());
        if (walker.violation) record(*walker.violation, walker, path.size() + 1);
        if (partner >= 0) {
          const Walker& other = *run->walkers[static_cast<std::size_t>(partner)];
          if (other.violation) record(*other.violation, other, path.size() + 1);
        }
        Path longer = path;
        longer.push_back({walker.number, oracle.taken()});
        const std::size_t target = reach(*run, std::move(longer));
        for (Adjacent& access : arriving)
          arriving_[target].push_back(std::move(access));
        graph_.edges.push_back(
            {node, target, walker.number, changes(model_, before, run->world), partner});
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

bool Search::loops_for_ever(std::size_t node, std::size_t thread) const {
  for (std::size_t steps = 0; steps <= graph_.nodes.size(); ++steps) {
    const Node::OfThread& of = graph_.nodes[node].threads[thread];
    if (of.status == Walker::Status::Diverged) return true;
    if (!of.invisible) return false;
    node = *of.invisible;
  }
  return true;  // in a circle
}

/// What the transition that has just been made did to shared objects that `names` knows.
std::vector<Adjacent> Search::adjacent(const Run& run, Names& names, int thread,
                                       bool in_block) const {
  std::vector<Adjacent> result;
  for (const Access& access : run.world.accesses) {
    const Leaf& leaf = access.leaf;
    if (model_.objects[ObjectId(leaf.object)].is_const) continue;
    if (leaf.heap != 0 && !names.knows(leaf.heap)) continue;
    KeyText key(names);
    key.put(leaf);
    result.push_back({key.text, run.world.name(leaf), thread, access.write, in_block});
  }
  return result;
}

void Search::find_races() {
  for (const auto& [node, accesses] : arriving_)
    for (const Adjacent& a : accesses)
      for (const Adjacent& b : leaving_[node])
        if (a.object == b.object && a.thread != b.thread && (a.write || b.write) &&
            !(a.in_block && b.in_block))
          findings_.racing.insert(a.name);
  findings_.learns_by_looks = learns_by_looks(model_);
}

void Search::judge_graph() {
  find_races();
  graph_.set_threads(facts());
  for (std::size_t t = 0; t < seeds_.size(); ++t) {
    if (graph_.diverges(t)) findings_.violations.insert({"divergence", "", seeds_[t].name});
    for (std::size_t node = 0; node < graph_.nodes.size(); ++node)
      if (loops_for_ever(node, t))
        reach_violation("divergence " + seeds_[t].name, paths_[node].size());
  }
  for (std::size_t i = 0; i < graph_.nodes.size(); ++i) {
    const Node& node = graph_.nodes[i];
    if (node.finals.empty() && node.final_covers.empty()) continue;
    if (graph_.about_to_stop(node)) continue;
    findings_.covered.insert(node.final_covers.begin(), node.final_covers.end());
    record(node.finals, paths_[i].size());
  }
  findings_.deadlocks = graph_.deadlocks();
  findings_.stuck_exactly = graph_.stuck_exactly();
  findings_.stuck_at_least = graph_.stuck_at_least();
  findings_.spinning = graph_.spinning();
  if (!model_.properties.empty()) judge_properties();
}

Findings Search::run() {
  Run initial(setup_, seeds_, findings_.covered);
  for (const auto& walker : initial.walkers) {
    if (walker->violation) record(*walker->violation, *walker, 0);
  }
  reach(initial, {});
  for (std::size_t next = 0; next < paths_.size(); ++next) {
    if (paths_.size() > limits_.max_states) {
      findings_.complete = false;
      return findings_;
    }
    expand(next);
  }
  judge_graph();
  for (auto& [name, relations] : findings_.of_each)
    relations = without_weaker(relations);
  findings_.states = paths_.size();
  findings_.tries_locks = rules_.tries_locks();
  for (const auto& [name, threads] : accessors_) {
    if (threads.size() >= 2) findings_.shared.insert(name);
  }
  for (const auto& [name, locks] : candidates_) {
    if (accessors_[name].size() < 2) continue;
    findings_.candidates[name] = locks;
    if (written_[name] && locks.empty()) findings_.broken.insert(name);
  }
  for (const std::string& name : findings_.in_state) {
    if (accessors_[name].size() < 2) continue;
    findings_.candidates.try_emplace(name);
    if (broken_in_state_.contains(name)) findings_.broken.insert(name);
  }
  return findings_;
}

}  // namespace

Findings explore(const Model& model, const Limits& limits) {
  std::set<Leaf> in_state;
  while (true) {
    try {
      return Search(model, limits, in_state).run();
    } catch (const Again&) {
      continue;
    } catch (const NoInitialState& none) {
      Findings findings;
      if (!none.why.kind.empty())  // else it is assumed away
        findings.violations.insert({none.why.kind, none.why.object, "", false, none.why.place});
      return findings;
    } catch (const Unsupported&) {
      Findings findings;
      findings.unsupported = true;
      return findings;
    }
  }
}

}  // namespace cml::brute
