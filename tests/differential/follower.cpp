#include "tests/differential/follower.h"

#include <algorithm>
#include <deque>
#include <fmt/format.h>
#include <utility>

#include "ir/exec/rendezvous.h"
#include "tests/differential/brute_text.h"
#include "tests/differential/heap_names.h"

namespace cml::differential {
namespace {

using brute::Move;
using brute::Path;
using brute::Request;
using brute::Run;
using brute::Walker;

constexpr std::size_t kMaxFollowed = 400;  // that are_stuck() looks at

bool overlap(const SourceRange& a, const SourceRange& b) {
  return a.file == b.file && a.begin <= b.end && b.begin <= a.end;
}

/// Whether `World::perform` may be asked for the answer: it does nothing but that.
bool is_answered(Request::Kind kind) {
  switch (kind) {
    case Request::Kind::Read:
    case Request::Kind::Cas:
    case Request::Kind::Swap:
    case Request::Kind::Add:
    case Request::Kind::TryAcquire:
    case Request::Kind::Held:
    case Request::Kind::TryDown:
    case Request::Kind::TrySend:
    case Request::Kind::TryReceive:
    case Request::Kind::ReceiveInto:
    case Request::Kind::Closed:
    case Request::Kind::Receive:
    case Request::Kind::Size:
      return true;
    default:
      return false;
  }
}

/// Without what structs within structs are written with.
std::string flat(std::string text) {
  std::erase_if(text, [](char c) { return c == '(' || c == ')' || c == '[' || c == ']'; });
  return text;
}

}  // namespace

Follower::Follower(const model::Model& model)
    : model_(model), setup_(model), seeds_(brute::seeds_of(model)), rules_(setup_, seeds_) {}

std::optional<int> Follower::thread(const std::string& name) const {
  if (const auto found = spawned_.find(name); found != spawned_.end()) return found->second;
  if (name.find("/spawn") != std::string::npos) return std::nullopt;
  for (std::size_t t = 0; t < seeds_.size(); ++t)
    if (seeds_[t].name == name) return static_cast<int>(t);
  return std::nullopt;
}

std::unique_ptr<Run> Follower::at(const Path& path) const {
  auto run = std::make_unique<Run>(setup_, seeds_, covered_);
  for (const Move& move : path)
    run->apply(move);
  run->world.accesses.clear();
  run->world.soft.clear();
  return run;
}

std::vector<std::optional<Move>> Follower::ways(const Path& path, int thread) const {
  std::vector<std::optional<Move>> out;
  std::optional<std::vector<unsigned>> script{std::in_place};
  while (script) {
    const std::unique_ptr<Run> run = at(path);
    if (!run->walkers[static_cast<std::size_t>(thread)]) return {};
    Walker& walker = *run->walkers[static_cast<std::size_t>(thread)];
    if (walker.status != Walker::Status::Pending) return {};
    brute::Oracle oracle(*script);
    run->oracle = &oracle;
    try {
      run->step(thread);
      out.push_back(Move{thread, oracle.taken()});
    } catch (const brute::Disabled&) {
      out.push_back(std::nullopt);
    }
    run->oracle = nullptr;
    script = oracle.next();
  }
  return out;
}

bool Follower::can_move(int thread) const {
  const auto all = ways(path_, thread);
  return std::any_of(all.begin(), all.end(), [](const auto& way) { return way.has_value(); });
}

std::unique_ptr<Run> Follower::waiting(int thread) const {
  std::unique_ptr<Run> run = at(path_);
  Walker& walker = *run->walkers[static_cast<std::size_t>(thread)];
  if (walker.status != Walker::Status::Pending) return run;
  brute::Oracle oracle({});
  run->oracle = &oracle;
  try {
    run->step(thread);
  } catch (const brute::Disabled&) {  // what it has read until then is what is asked for
  }
  run->oracle = nullptr;
  return run;
}

std::string Follower::plain(const std::string& text, bool is_object) const {
  if (model_.classes.size() == 0) return text;
  return with_classes(text, object_paths(model_, run_->world), is_object);
}

bool Follower::are_stuck(const std::set<int>& threads) const {
  std::set<std::string> known{at(path_)->key()};
  std::deque<Path> queue{path_};
  for (; !queue.empty() && known.size() < kMaxFollowed; queue.pop_front()) {
    for (std::size_t t = 0; t < at(queue.front())->walkers.size(); ++t) {
      for (const std::optional<Move>& way : ways(queue.front(), static_cast<int>(t))) {
        if (!way) continue;
        if (threads.contains(static_cast<int>(t))) return false;
        Path path = queue.front();
        path.push_back(*way);
        if (known.insert(at(path)->key()).second) queue.push_back(std::move(path));
      }
    }
  }
  return true;
}

std::size_t Follower::steps_before_alone(int thread) const {
  std::size_t steps = path_.size();
  while (steps > 0 && path_[steps - 1].thread == thread && invisible_[steps - 1])
    --steps;
  return steps;
}

bool Follower::comes_back(std::size_t first) const {
  return std::find(keys_.begin() + static_cast<std::ptrdiff_t>(first), keys_.end() - 1,
                   keys_.back()) != keys_.end() - 1;
}

// A choice is told as the search counts it: the value, counted from the low end; the alternative;
// the case; the thread that is woken; the way through a block, those that block counted, too. Where
// there is only one, it is not told.
std::optional<Move> Follower::chosen(const checker::TraceStep& step, const Walker& walker) const {
  const Request& r = walker.pending;
  if (!step.choice && r.kind != Request::Kind::Atomic) return Move{walker.number, {}};
  const unsigned choice = step.choice.value_or(0);
  unsigned rank = 0;
  const auto count = [&](bool can, bool is_before) { rank += can && is_before ? 1U : 0U; };
  switch (r.kind) {
    case Request::Kind::Choose:
    case Request::Kind::Either:
      return Move{walker.number, {choice}};
    case Request::Kind::Select:
    case Request::Kind::Send:
    case Request::Kind::TrySend:
    case Request::Kind::TryReceive: {
      const std::vector<brute::Way> ways = run_->world.ways(walker.number, r);
      for (const brute::Way& way : ways) {
        if (is_way(step, way)) return Move{walker.number, {rank}};
        ++rank;
      }
      return std::nullopt;
    }
    case Request::Kind::Notify:
      for (unsigned t = 0; t < run_->world.waiting.size(); ++t) {
        const auto& waits = run_->world.waiting[t];
        count(waits && waits->first == r.leaf, t < choice);
      }
      return Move{walker.number, {rank}};
    case Request::Kind::Atomic: {
      const auto all = ways(path_, walker.number);
      if (step.choice) return choice < all.size() ? all[choice] : std::nullopt;
      const auto can = [](const auto& way) { return way.has_value(); };
      if (std::count_if(all.begin(), all.end(), can) != 1) return std::nullopt;
      return *std::find_if(all.begin(), all.end(), can);
    }
    default:
      return Move{walker.number, {}};
  }
}

/// The partner is told in words, since it can be another number here.
bool Follower::is_way(const checker::TraceStep& step, const brute::Way& way) const {
  const unsigned choice = step.choice.value_or(0);
  if (!ir::is_meeting(choice)) {
    const bool is_default = step.operation.ends_with("default");
    return way.partner < 0 && (is_default ? way.at < 0 : way.at == static_cast<int>(choice));
  }
  const ir::Meeting meeting = ir::meeting_of(choice);
  return way.partner >= 0 && way.at == static_cast<int>(meeting.own) &&
         way.its == static_cast<int>(meeting.its) &&
         step.operation.ends_with(" by " + names().at(static_cast<std::size_t>(way.partner)));
}

std::optional<std::string> Follower::answers(const checker::TraceStep& step, int thread) const {
  const Request& r = run_->walkers[static_cast<std::size_t>(thread)]->pending;
  if (r.kind == Request::Kind::Choose && step.choice) {
    const std::int32_t value = r.values.empty() ? r.lo + static_cast<std::int32_t>(*step.choice)
                                                : r.values.at(*step.choice);
    if (step.result->text != std::to_string(value)) return "another value is chosen";
  }
  if (r.kind == Request::Kind::Either && step.choice &&
      !step.operation.starts_with(fmt::format("either: branch {} ", *step.choice + 1)))
    return "another branch is taken";
  std::optional<std::string> answer;
  try {
    const std::optional<Move> move = chosen(step, *run_->walkers[static_cast<std::size_t>(thread)]);
    brute::Oracle oracle(move ? move->script : std::vector<unsigned>());
    brute::World world = run_->world;
    if (is_answered(r.kind))
      answer = answer_text(model_, r, world.perform(thread, r, oracle), names());
  } catch (const brute::Disabled&) {  // is noticed elsewhere
  } catch (const brute::Stop&) {      // there is no answer
    return std::nullopt;
  }
  if (!answer) return std::nullopt;
  if (!step.result) return "its result is not told: " + *answer;
  if (flat(plain(step.result->text, true)) != flat(*answer))
    return fmt::format("its result is told to be {} and is {}", step.result->text, *answer);
  return std::nullopt;
}

std::optional<std::string> Follower::wakes(const checker::TraceStep& step, const Waiting& before,
                                           const std::vector<std::string>& names) const {
  if (!step.woken) return std::nullopt;
  std::vector<std::string> woken;
  for (std::size_t t = 0; t < before.size(); ++t)
    if (before[t] && !run_->world.waiting.at(t)) woken.push_back(names.at(t));
  const std::multiset<std::string> told(step.woken->begin(), step.woken->end());
  if (told == std::multiset<std::string>(woken.begin(), woken.end())) return std::nullopt;
  return "it wakes others than is told";
}

std::optional<std::string> Follower::step(const checker::TraceStep& step) {
  const std::optional<int> number = thread(step.thread);
  if (!number || !run_->walkers[static_cast<std::size_t>(*number)])
    return "there is no such thread";
  Walker& walker = *run_->walkers[static_cast<std::size_t>(*number)];
  if (walker.status != Walker::Status::Pending) return "the thread does not run";
  std::string text = step.operation;
  if (step.choice && ir::is_meeting(*step.choice)) text.resize(text.rfind(", "));
  // What is read or called is a variable, what is written, sent or passed is an object.
  const auto is_named_until = [&](std::size_t values_at) {
    return is_called(model_, run_->world, walker.pending, names(),
                     plain(text.substr(0, values_at), false) + plain(text.substr(values_at), true));
  };
  const std::size_t call_at = text.rfind('.', text.find('('));
  if (!is_named_until(text.size()) && !is_named_until(0) &&
      !is_named_until(std::min(text.find(" = "), text.size())) &&
      (call_at == std::string::npos || !is_named_until(call_at)))
    return "the thread is about to do something else: " + walker.pending_text();
  if (!overlap(walker.begun, step.location))
    return fmt::format("the thread is at {}..{}", walker.begun.begin, walker.begun.end);
  const std::optional<Move> move = chosen(step, walker);
  if (!move) return "there is no such choice";
  const std::vector<std::string> names = this->names();
  const bool spawns = walker.pending.kind == Request::Kind::Spawn;
  const auto before = object_texts(model_, run_->world, names);
  const bool is_invisible = rules_.invisible(*run_, *number);
  if (auto problem = answers(step, *number)) return problem;
  const auto waiting = run_->world.waiting;
  brute::Oracle oracle(move->script);
  run_->world.accesses.clear();
  run_->world.soft.clear();
  run_->oracle = &oracle;
  try {
    run_->step(*number);
  } catch (const brute::Disabled&) {
    return "it is blocked";
  }
  run_->oracle = nullptr;
  run_->settle();
  if (move->script.empty() && oracle.next()) return "which of the choices is not told";
  if (auto problem = wakes(step, waiting, names)) return problem;
  path_.push_back({*number, oracle.taken()});
  invisible_.push_back(is_invisible);
  keys_.push_back(run_->key(false));
  std::map<std::string, std::string> told;  // of the heap only what names of it the others hold
  for (const auto& [name, value] : step.changes)
    told[name] = plain(value.text, true);
  if (spawns) {
    const auto made = std::find_if(told.begin(), told.end(), [](const auto& change) {
      return change.first.find("/spawn") != std::string::npos && change.second == "alive";
    });
    if (made == told.end()) return "whom it spawns is not told";
    std::erase_if(spawned_, [this](const auto& known) { return known.second == last_spawned(); });
    spawned_[made->first] = last_spawned();
  }
  for (const auto& [name, value] : object_texts(model_, run_->world, this->names())) {
    const auto found = told.find(name);
    if (value != before.at(name) && found == told.end())
      return fmt::format("{} = {} is not told", name, value);
    if (found != told.end() && found->second != value)
      return fmt::format("{} is told to be {} and is {}", name, found->second, value);
  }
  return std::nullopt;
}

std::vector<std::string> Follower::names() const {
  std::vector<std::string> result;
  for (const brute::ThreadSeed& seed : seeds_)
    result.push_back(seed.name);
  for (const auto& [name, number] : spawned_)
    result[static_cast<std::size_t>(number)] = name;
  return result;
}

std::optional<std::string> Follower::follow(const std::vector<checker::TraceStep>& trace) {
  path_.clear();
  invisible_.clear();
  run_ = at({});
  keys_ = {run_->key(false)};
  spawned_.clear();
  for (std::size_t i = 0; i < trace.size(); ++i)
    if (const auto problem = step(trace[i]))
      return fmt::format("step {}, {}: {}: {}", i + 1, trace[i].thread, trace[i].operation,
                         *problem);
  return std::nullopt;
}

}  // namespace cml::differential
