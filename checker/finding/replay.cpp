// Replaying a path, and making the steps of its trace.
#include "checker/finding/replay.h"

#include <algorithm>
#include <new>
#include <string>
#include <utility>

#include "checker/finding/call_history.h"
#include "checker/finding/local_text.h"

namespace cml::checker {
namespace {

ir::StepConfig every_micro(ir::StepConfig config) {
  config.stop = ir::Stop::Micro;
  return config;
}

}  // namespace

Replayer::Replayer(const ir::Analyses& analyses, const ir::Layout& layout, const SourceSet& sources,
                   ir::Step& search_step, const ir::StepConfig& config, const StopToken& stop)
    : system_(analyses.system()),
      layout_(layout),
      context_{system_, layout, sources},
      search_step_(search_step),
      search_composes_(config.stop == ir::Stop::Visible),
      interpreter_(analyses, layout, every_micro(config)),
      stop_(stop) {
  // An object without bytes begins where the next one does.
  auto next = static_cast<std::uint32_t>(layout.size());
  for (std::size_t i = system_.objects.size(); i-- > 0;) {
    const ir::ObjectId id = ir::ObjectId::of(i);
    const std::vector<ir::Field>& fields = layout.object(id).fields;
    const bool is_life = system_.objects[id].kind == ir::ObjectKind::Life;
    if (is_life) lives_.push_back(id);
    for (std::size_t k = is_life ? 1 : 0; k < fields.size(); ++k)  // a life begins with a location
      if (fields[k].width > 0) next = std::min(next, fields[k].offset);
    begins_.push_back(next);
  }
  std::reverse(begins_.begin(), begins_.end());
}

Path Replayer::micros(const Path& path) {
  if (!search_composes_) return path;
  std::vector<std::uint8_t> state(layout_.size());
  ir::Record record;
  Path result;
  const auto add = [&] {
    for (const ir::Micro& micro : record.micros)
      result.push_back(micro.action);
    record.clear();
  };
  search_step_.initial(state.data(), record);
  add();
  for (const ir::Action action : path) {
    poll();
    search_step_.execute(state.data(), action, record);
    add();
  }
  return result;
}

Path Replayer::micros_with_loop(const Path& path, ir::ThreadId thread) {
  // Without the invisible run in which the search saw the loop: that may iterate several times.
  Path result;
  if (!search_composes_) {
    result = path;
  } else if (path.empty()) {
    // The beginnings of the threads before it; those behind it have not been executed.
    for (const ir::Action action : micros(path))
      if (action.thread < thread) result.push_back(action);
  } else {
    const Path before(path.begin(), path.end() - 1);
    result = micros(before);
    result.push_back(path.back());
  }
  const Replay before = replay(result, {}, Steps::None);
  const std::uint64_t loop = steps_to_a_repetition(before.state, thread);
  result.insert(result.end(), loop, {thread, 0});
  return result;
}

// Brent's algorithm: `copy` is the state after a power of two of steps, and the run returns to it
// once it is in the cycle and the cycle is no longer than that power. Then two runs that are a
// cycle apart meet where the cycle begins.
std::uint64_t Replayer::steps_to_a_repetition(const std::vector<std::uint8_t>& from,
                                              ir::ThreadId thread) {
  ir::Record record;
  const auto goes_on = [&](std::vector<std::uint8_t>& state) {
    if (location(layout_, state.data(), thread) < ir::kFirstLocation ||
        interpreter_.visible(state.data(), thread))
      return false;
    poll();
    record.clear();
    interpreter_.execute(state.data(), {thread, 0}, record);
    return true;
  };
  std::vector<std::uint8_t> state = from;
  std::vector<std::uint8_t> copy = from;
  std::uint64_t steps = 0;
  std::uint64_t cycle = 0;
  for (std::uint64_t power = 1;;) {
    if (!goes_on(state)) return steps;
    ++steps;
    ++cycle;
    if (state == copy) break;
    if (cycle < power) continue;
    copy = state;
    power *= 2;
    cycle = 0;
  }
  state = from;
  copy = from;
  for (std::uint64_t i = 0; i < cycle; ++i)
    (void)goes_on(state);
  std::uint64_t begin = 0;
  for (; state != copy; ++begin) {
    (void)goes_on(state);
    (void)goes_on(copy);
  }
  return begin + cycle;
}

Replay Replayer::replay(const Path& micros, const Look& look, Steps steps) {
  Replay result;
  result.state.resize(layout_.size());
  result.record.wants_locals = true;
  interpreter_.initial(result.state.data(), result.record);
  result.ok = true;
  if (look && look(result.record, result.state.data())) return result;
  for (const ir::Action action : micros) {
    poll();
    actions_.clear();
    interpreter_.enabled(result.state.data(), action.thread, actions_);
    if (std::find(actions_.begin(), actions_.end(), action) == actions_.end()) {
      result.ok = false;
      return result;
    }
    result.record.clear();
    if (steps == Steps::Made) {
      TraceStep step = describe(result.state.data(), action, actions_.size() > 1);
      const std::vector<std::uint8_t> before = result.state;
      interpreter_.execute(result.state.data(), action, result.record);
      changes(before.data(), result.state.data(), result.record, step);
      charge(step);
      result.steps.push_back(std::move(step));
    } else {
      interpreter_.execute(result.state.data(), action, result.record);
    }
    if (look && look(result.record, result.state.data())) return result;
  }
  return result;
}

// Measured: a step takes most as JSON, first as a tree and then as text.
void Replayer::charge(const TraceStep& step) {
  constexpr std::uint64_t kStep = 2'400;
  constexpr std::uint64_t kChange = 250;
  constexpr std::uint64_t kCharacter = 6;
  std::uint64_t characters = step.thread.size() + step.operation.size() + step.choice_text.size();
  for (const auto& [name, value] : step.changes)
    characters += name.size() + value.size();
  const std::uint64_t bytes = kStep + step.changes.size() * kChange + characters * kCharacter;
  if (bytes > memory_left_) throw std::bad_alloc();
  if (memory_left_ != UINT64_MAX) memory_left_ -= bytes;
}

TraceStep Replayer::describe(const std::uint8_t* before, ir::Action action, bool is_choice) {
  TraceStep step;
  const ir::Thread& thread = system_.threads[action.thread];
  step.thread = thread.name;
  step.location =
      thread.code.instructions[thread.code.location_pc[location(layout_, before, action.thread)]]
          .range;
  step.operation = operation_text(context_, before, action.thread);
  if (!is_choice) return step;
  step.choice = action.choice;
  step.choice_text = choice_text(context_, before, action);
  return step;
}

void Replayer::changes(const std::uint8_t* before, const std::uint8_t* after,
                       const ir::Record& record, TraceStep& step) const {
  const auto add = [&](ir::ObjectId id) {
    const std::string old = object_text(system_, layout_, before, id);
    std::string now = object_text(system_, layout_, after, id);
    if (old != now) step.changes.emplace_back(system_.objects[id].name, std::move(now));
  };
  std::for_each(lives_.begin(), lives_.end(), add);
  // An object whose bytes have not changed has the same value.
  std::size_t at = begins_.empty() ? layout_.size() : begins_.front();
  while (at < layout_.size()) {
    at = static_cast<std::size_t>(
        std::mismatch(before + at, before + layout_.size(), after + at).first - before);
    if (at == layout_.size()) break;
    const auto next = std::upper_bound(begins_.begin(), begins_.end(), at);
    const ir::ObjectId id = ir::ObjectId::of(static_cast<std::size_t>(next - begins_.begin()) - 1);
    if (system_.objects[id].kind != ir::ObjectKind::Life) add(id);
    at = next == begins_.end() ? layout_.size() : *next;
  }
  for (const ir::CallEvent& event : record.calls) {
    const std::int32_t* words = record.call_words.data() + event.first;
    if (!event.is_response) {
      const std::string call = call_text(system_, event.specification, event.method, words);
      if (step.operation != "call " + call) step.changes.emplace_back("call", call);
      continue;
    }
    std::string value = returned_text(system_, event.specification, event.method, words);
    step.changes.emplace_back(
        "return of " + system_.specifications[event.specification].methods[event.method].name,
        value.empty() ? "nothing" : std::move(value));
  }
  if (record.micros.empty()) return;
  const ir::Code& code = system_.threads[record.micros.back().action.thread].code;
  add_local_changes(system_, code, {record.locals.data(), record.locals.size()}, step.changes);
}

std::vector<ThreadStatus> Replayer::status(const std::uint8_t* state) {
  std::vector<ThreadStatus> result;
  IdVector<ir::ThreadId, std::vector<ir::ObjectId>> held(system_.threads.size());
  for (const ir::ObjectId lock : layout_.locks())
    if (const ir::ThreadId owner = layout_.owner(state, lock); owner.valid())
      held[owner].push_back(lock);
  for (const ir::ThreadId id : system_.threads.ids()) {
    poll();
    const ir::Thread& thread = system_.threads[id];
    ThreadStatus item;
    item.thread = thread.name;
    item.is_daemon = thread.is_daemon;
    item.location = thread.range;
    const ir::Location at = location(layout_, state, id);
    if (thread.is_spawned && at == ir::kEnded && held[id].empty()) continue;  // or not spawned yet
    if (at >= ir::kFirstLocation) {
      item.location = thread.code.instructions[thread.code.location_pc[at]].range;
      actions_.clear();
      interpreter_.enabled(state, id, actions_);
      item.state = actions_.empty() ? "blocked" : "running";
      if (actions_.empty()) {
        item.blocked_on = operation_text(context_, state, id);
        const ir::ObjectId object = operation_object(context_, state, id);
        const bool is_lock = object.valid() && system_.objects[object].kind == ir::ObjectKind::Lock;
        const ir::ThreadId owner = is_lock ? layout_.owner(state, object) : ir::ThreadId();
        if (layout_.wait_status(state, id) == ir::WaitStatus::Waiting)
          item.blocked_on = system_.objects[object].name + ".wait()";
        if (owner.valid()) item.waits_for = system_.threads[owner].name;
      }
    } else {
      item.state = at == ir::kEnded ? "ended" : "stopped";
    }
    for (const ir::ObjectId lock : held[id])
      item.holds.push_back(system_.objects[lock].name);
    result.push_back(std::move(item));
  }
  return result;
}

}  // namespace cml::checker
