// Replaying a path, and making the steps of its trace.
#include "checker/finding/replay.h"

#include <algorithm>
#include <fmt/format.h>
#include <map>
#include <new>
#include <set>
#include <string>
#include <utility>
#include <variant>

#include "checker/finding/call_history.h"
#include "checker/finding/local_text.h"
#include "checker/finding/operands.h"
#include "checker/finding/outcome.h"
#include "checker/finding/values.h"
#include "checker/waiting.h"

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
      accesses_(analyses.accesses()),
      names_(system_, layout),
      context_{system_, layout, sources, names_},
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
      if (micro.action.choice != ir::kMet) result.push_back(micro.action);
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

Path Replayer::micros_before_loop(const Path& path, ir::ThreadId thread) {
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
  return result;
}

Path Replayer::with_loop(Path micros, ir::ThreadId thread) {
  const Replay before = replay(micros, {}, Steps::None);
  const std::uint64_t loop = steps_to_a_repetition(before.state, thread);
  micros.insert(micros.end(), loop, {thread, 0});
  return micros;
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
  const bool makes_steps = steps == Steps::Made;
  Replay result;
  result.state.resize(layout_.size());
  result.record.wants_locals = makes_steps;
  if (makes_steps) watch_ = {};
  if (makes_steps && !names_.is_empty()) {
    const auto survey = [this](const ir::Record& record, const std::uint8_t* state) {
      names_.survey(state, record.micros.empty() ? nullptr : &record);
      return false;
    };
    (void)replay(micros, survey, Steps::None);
  }
  // Only what is executed is watched, not what could be.
  const auto watched = [&](const auto& execute) {
    interpreter_.watch(makes_steps ? &watch_ : nullptr);
    execute();
    interpreter_.watch(nullptr);
  };
  watched([&] { interpreter_.initial(result.state.data(), result.record); });
  if (makes_steps) {
    result.first = result.state;
    names_.begin(result.state.data());
    names_.step(result.record);
  }
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
    if (makes_steps) {
      TraceStep step = describe(result.state.data(), action, actions_.size() > 1);
      const std::vector<std::uint8_t> before = result.state;
      watched([&] { interpreter_.execute(result.state.data(), action, result.record); });
      names_.step(result.record);
      add_outcome(context_, before.data(), result.state.data(), action, result.record, step);
      changes(before.data(), result.state.data(), result.record, step);
      charge(step);
      note_waits(action.thread, result);
      result.steps.push_back(std::move(step));
    } else {
      interpreter_.execute(result.state.data(), action, result.record);
    }
    ++result.executed;
    if (look && look(result.record, result.state.data())) return result;
  }
  return result;
}

void Replayer::note_waits(ir::ThreadId thread, Replay& replay) const {
  for (const ir::Touch& touch : replay.record.touches) {
    const bool notifies = touch.effect == ir::Effect::Notify;
    if (!notifies && touch.effect != ir::Effect::EnterWait) continue;
    const ir::Instruction& by = system_.threads[thread].code.instructions[touch.pc];
    const auto* notify = std::get_if<ir::Notify>(&by.node);
    replay.waits.push_back(
        {replay.steps.size(), thread, touch.object, notifies, notify != nullptr && notify->all});
  }
}

// Measured: a step takes most as JSON, first as a tree and then as text.
void Replayer::charge(const TraceStep& step) {
  constexpr std::uint64_t kStep = 2'600;
  constexpr std::uint64_t kValue = 350;
  constexpr std::uint64_t kCharacter = 9;
  std::uint64_t characters = step.thread.size() + step.operation.size();
  std::uint64_t values = 0;
  const auto add = [&](const std::string& name, const Value& value) {
    characters += name.size() + value.text.size();
    ++values;
  };
  for (const auto& [name, value] : step.reads)
    add(name, value);
  for (const auto& [name, value] : step.changes)
    add(name, value);
  for (const auto& [name, value] : step.before)
    add(name, value);
  for (const auto* one : {&step.result, &step.was})
    if (*one) add("", **one);
  const std::uint64_t bytes = kStep + values * kValue + characters * kCharacter;
  if (bytes > memory_left_) throw std::bad_alloc();
  if (memory_left_ != UINT64_MAX) memory_left_ -= bytes;
}

TraceStep Replayer::describe(const std::uint8_t* before, ir::Action action, bool is_choice) {
  TraceStep step;
  step.thread = system_.threads[action.thread].name;
  step.location = pending(context_, before, action.thread).range;
  step.operation = action_text(context_, before, action);
  if (is_choice || ir::is_meeting(action.choice)) step.choice = action.choice;
  return step;
}

void Replayer::changes(const std::uint8_t* before, const std::uint8_t* after,
                       const ir::Record& record, TraceStep& step) const {
  const auto add = [&](ir::ObjectId id) {
    Value old = object_value(context_, before, id);
    Value now = object_value(context_, after, id);
    if (old.text == now.text) return;
    step.before.push_back({context_.value_name(id), std::move(old)});
    step.changes.push_back({context_.value_name(id), std::move(now)});
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
      if (step.operation != "call " + call) step.changes.push_back({"call", {call, {call}}});
      continue;
    }
    std::string value = returned_text(system_, event.specification, event.method, words);
    if (value.empty()) value = "nothing";
    step.changes.push_back(
        {"return of " + system_.specifications[event.specification].methods[event.method].name,
         {value, {value}}});
  }
  if (record.micros.empty()) return;
  const std::size_t partner = ir::partner_part(record);
  const bool is_met = partner < record.micros.size();
  const std::size_t own = is_met ? record.micros[partner].locals : record.locals.size();
  add_local_changes(context_, system_.threads[record.micros[partner - 1].action.thread].code,
                    {record.locals.data(), own}, step.changes);
  if (!is_met) return;
  const ir::Thread& other = system_.threads[record.micros[partner].action.thread];
  std::vector<NamedValue> theirs;
  add_local_changes(context_, other.code, {record.locals.data() + own, record.locals.size() - own},
                    theirs);
  for (NamedValue& change : theirs) {
    change.name = fmt::format("{}.{}", other.name, change.name);
    step.changes.push_back(std::move(change));
  }
}

std::vector<NamedValue> Replayer::changed_objects(const Replay& replay) const {
  std::vector<NamedValue> result;
  for (const ir::ObjectId id : system_.objects.ids()) {
    const ir::Object& object = system_.objects[id];
    const bool is_value = object.kind != ir::ObjectKind::Life &&
                          object.kind != ir::ObjectKind::Instance &&
                          object.kind != ir::ObjectKind::Condition;
    if (!is_value || object.owner.valid()) continue;
    Value now = object_value(context_, replay.state.data(), id);
    if (now.text != object_value(context_, replay.first.data(), id).text)
      result.push_back({context_.name(id), std::move(now)});
  }
  return result;
}

std::vector<NamedValue> Replayer::locals(ir::ThreadId thread) const {
  const ir::Code& code = system_.threads[thread].code;
  std::map<ir::Slot, ir::LocalChange> in_use;  // a word that a temporary takes is given up
  for (const ir::Watch::Store& store : watch_.stores) {
    if (store.thread != thread) continue;
    const ir::LocalPlace* const place = assigned_place(code.instructions[store.pc], store.slot);
    if (place == nullptr || !place->name.valid()) {
      in_use.erase(store.slot);
      continue;
    }
    const std::uint32_t index = place->index ? store.slot - place->slot : 0;
    in_use[store.slot] = {place->name, store.slot, index, store.value};
  }
  std::vector<ir::LocalChange> words;
  for (const auto& [slot, word] : in_use)
    words.push_back(word);
  std::vector<NamedValue> result;
  add_local_changes(context_, code, words, result);
  std::erase_if(result, [](const NamedValue& one) {  // the value of a call
    return one.name.find('(') != std::string::npos;
  });
  return result;
}

void Replayer::tell_holders(const std::uint8_t* state, ir::ThreadId thread, ThreadStatus& status) {
  ir::Record record;
  interpreter_.pending(state, thread, record);
  std::vector<std::string> readers;
  std::vector<std::string> waiting;
  std::set<ir::ThreadId> all;
  for (const ir::Touch& touch : record.touches) {
    const ir::Object& object = system_.objects[touch.object];
    if (touch.effect == ir::Effect::Look) {
      const ir::ThreadId owner = layout_.owner(state, touch.object);
      if (!owner.valid()) continue;
      all.insert(owner);
      const std::string& name = system_.threads[owner].name;
      if (object.read_of && owner != thread) {
        readers.push_back(name);
        continue;
      }
      const char* const what = object.read_of         ? "reading is not upgraded to writing"
                               : object.is_read_write ? "writing is not reentrant"
                                                      : "it is not reentrant";
      const char* const how = object.read_of || object.is_read_write ? " for writing" : "";
      const std::string lock = context_.name(touch.object);
      status.notes.push_back(owner == thread
                                 ? fmt::format("waits for itself: it has {}, and {}", lock, what)
                                 : fmt::format("{} is held{} by {}", lock, how, name));
    } else if (object.read_of && layout_.object(touch.object).fields[0].load(state) != 0) {
      const ir::Group& group = system_.groups[object.group];
      const ir::ThreadId writer((touch.object.index - group.first.index) % group.dimensions.back());
      waiting.push_back(system_.threads[writer].name);
    }
  }
  if (!readers.empty()) status.notes.push_back("held for reading by " + join(readers));
  if (!waiting.empty())
    status.notes.push_back(fmt::format("{} {} to write, and writers are preferred", join(waiting),
                                       waiting.size() == 1 ? "waits" : "wait"));
  if (all.size() == 1) status.waits_for = system_.threads[*all.begin()].name;
  for (const std::string& writer : waiting)
    status.wakers.push_back({writer, "waits itself"});
}

namespace {

/// Of an operation in another file than the main one, the statement of the main file that has
/// called it. What a call expands to stands behind the mark of its statement; functions that call
/// themselves are not expanded, and then nobody knows.
SourceRange statement_of_main(const ir::System& system, const ir::Code& code, ir::Pc pc) {
  if (code.instructions[pc].range.file == FileId(0)) return {};
  for (const ir::Instruction& instruction : code.instructions)
    if (instruction.kind == ir::kMaxStack || instruction.kind == "stack-overflow") return {};
  for (ir::Pc before = pc; before-- > 0;) {
    const auto* const mark = std::get_if<ir::Mark>(&code.instructions[before].node);
    if (mark == nullptr) continue;
    const SourceRange& statement = system.points[mark->point].range;
    if (statement.file == FileId(0)) return statement;
  }
  return {};
}

}  // namespace

std::vector<ThreadStatus> Replayer::status(const Replay& replay) {
  const std::uint8_t* const state = replay.state.data();
  Wakers wakers(context_, accesses_, interpreter_, state, replay.waits, replay.steps);
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
      item.location = pending(context_, state, id).range;
      item.from = statement_of_main(system_, thread.code, thread.code.location_pc[at]);
      actions_.clear();
      interpreter_.enabled(state, id, actions_);
      // One that could wake though nobody has notified it is blocked.
      const bool is_waiting = checker::is_waiting(system_, layout_, state, id);
      const bool is_blocked = actions_.empty() || is_waiting;
      item.state = is_blocked ? "blocked" : "running";
      if (is_blocked) {
        item.blocked_on = operation_text(context_, state, id);
        const ir::ObjectId object = operation_object(context_, state, id);
        const bool is_lock = object.valid() && system_.objects[object].kind == ir::ObjectKind::Lock;
        const ir::ThreadId owner = is_lock ? layout_.owner(state, object) : ir::ThreadId();
        if (is_waiting)
          item.blocked_on = waiting_text(context_, state, id);
        else if (owner.valid())
          item.waits_for = system_.threads[owner].name;
        if (owner == id)
          item.notes.push_back(
              fmt::format("waits for itself: `{}` is not reentrant", context_.name(object)));
        tell_holders(state, id, item);
        wakers.tell(id, item);
      }
    } else {
      item.state = at == ir::kEnded ? "ended" : "stopped";
    }
    if (at != ir::kEnded) item.locals = locals(id);
    for (const ir::ObjectId lock : held[id])
      item.holds.push_back(context_.name(lock));
    result.push_back(std::move(item));
  }
  return result;
}

}  // namespace cml::checker
