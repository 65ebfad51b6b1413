#include "tests/jit/equality.h"

#include <algorithm>
#include <deque>
#include <fmt/format.h>
#include <optional>
#include <span>
#include <string>
#include <unordered_set>
#include <variant>
#include <vector>

#include "ir/exec/rendezvous.h"

namespace cml::test {
namespace {

using State = std::vector<std::uint8_t>;

// ---- the same? ---------------------------------------------------------------------------------

bool same(const ir::Micro& a, const ir::Micro& b) {
  return a.action == b.action && a.pc == b.pc && a.touches == b.touches && a.events == b.events &&
         a.locals == b.locals;
}

bool same(const ir::Touch& a, const ir::Touch& b) {
  return a.object == b.object && a.effect == b.effect && a.counted == b.counted &&
         a.before == b.before && a.pc == b.pc && a.held == b.held;
}

bool same(const ir::Event& a, const ir::Event& b) {
  return a.kind == b.kind && a.thread == b.thread && a.pc == b.pc &&
         a.range.begin == b.range.begin && a.range.end == b.range.end && a.message == b.message &&
         a.object == b.object && a.limit == b.limit;
}

bool same(const ir::LocalChange& a, const ir::LocalChange& b) {
  return a.name == b.name && a.slot == b.slot && a.index == b.index && a.value == b.value;
}

template <class T>
bool same(const Buffer<T>& a, const Buffer<T>& b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                    [](const T& x, const T& y) { return same(x, y); });
}

bool same(const ir::Record& a, const ir::Record& b) {
  return same(a.micros, b.micros) && same(a.touches, b.touches) && a.held == b.held &&
         same(a.events, b.events) && a.marks == b.marks && same(a.locals, b.locals) &&
         a.arrives == b.arrives;
}

// ---- for people --------------------------------------------------------------------------------

std::string text(const ir::Record& record) {
  std::string out;
  for (const ir::Micro& m : record.micros)
    out += fmt::format("micro {}/{} at {} ({} {} {})\n", m.action.thread.index, m.action.choice,
                       m.pc, m.touches, m.events, m.locals);
  for (const ir::Touch& t : record.touches)
    out += fmt::format("touch {} effect {} counted {} before {} at {} held {}\n", t.object.index,
                       static_cast<int>(t.effect), t.counted, t.before, t.pc, t.held);
  for (const std::uint64_t set : record.held)
    out += fmt::format("held {:x}\n", set);
  for (const ir::Event& e : record.events)
    out += fmt::format("event {} thread {} at {} range {}..{} message {} object {}\n",
                       static_cast<int>(e.kind), e.thread.index, e.pc, e.range.begin, e.range.end,
                       e.message.index, e.object.index);
  for (const ir::PointId mark : record.marks)
    out += fmt::format("mark {}\n", mark.index);
  for (const ir::LocalChange& l : record.locals)
    out += fmt::format("local {} in {} is {}\n", l.name.index, l.slot, l.value);
  return out;
}

/// The observations of a transition from `before` to `after`, recorded as the monitors do it.
class Recorder {
 public:
  Recorder(const ir::Step& step, ir::Observations& observations)
      : system_(step.system()), layout_(step.layout()), observations_(observations) {}

  /// The record as text, without what was recorded before.
  [[nodiscard]] std::string text(const ir::Record& record, ir::ThreadId thread, const State& before,
                                 const State& after) const {
    std::string out;
    of_each_thread(record, thread, [&](const ir::Record& part, ir::ThreadId one) {
      out += text_of(part, one, before, after);
    });
    return out;
  }
  void record(const ir::Record& record, ir::ThreadId thread, const State& before,
              const State& after) {
    of_each_thread(record, thread, [&](const ir::Record& part, ir::ThreadId one) {
      record_all(part, one, before, after);
    });
  }

  /// Where two threads meet, each makes a part of the transition.
  template <class Take>
  static void of_each_thread(const ir::Record& record, ir::ThreadId thread, Take take) {
    const std::size_t all = record.micros.size();
    const std::size_t partner = ir::partner_part(record);
    if (partner == all) return take(record, thread);
    ir::Record part;
    ir::take_part(record, 0, partner, part);
    take(part, thread);
    ir::take_part(record, partner, all, part);
    take(part, record.micros[partner].action.thread);
  }

  [[nodiscard]] std::string text_of(const ir::Record& record, ir::ThreadId thread,
                                    const State& before, const State& after) const {
    std::string out;
    // With an event in the record, the monitors look at everything.
    const bool arrives = record.arrives != 0 || !record.events.empty();
    if (arrives && !are_recorded(of_arrival(thread, after))) out += "arrives\n";
    for (std::size_t i = 0; i < record.touches.size(); ++i) {
      const ir::Touch& t = record.touches[i];
      if (are_recorded(of_touch(record, i, thread, before))) continue;
      out += fmt::format("touch {} effect {} counted {} before {} at {} held {:x}\n",
                         t.object.index, static_cast<int>(t.effect), t.counted, t.before, t.pc,
                         t.counted && !record.held.empty() ? record.held[t.held] : 0);
    }
    for (const ir::PointId mark : record.marks)
      if (!observations_.is_recorded(observations_.of(mark)))
        out += fmt::format("mark {}\n", mark.index);
    ir::Record rest;
    rest.micros = record.micros;
    rest.locals = record.locals;
    for (const ir::Event& event : record.events)
      if (!are_recorded(of_event(event))) rest.events.push_back(event);
    for (ir::Micro& micro : rest.micros)
      micro.touches = micro.events = 0;
    return out + test::text(rest);
  }
  void record_all(const ir::Record& record, ir::ThreadId thread, const State& before,
                  const State& after) {
    record_numbers(of_arrival(thread, after));
    for (std::size_t i = 0; i < record.touches.size(); ++i)
      record_numbers(of_touch(record, i, thread, before));
    for (const ir::PointId mark : record.marks)
      observations_.record(observations_.of(mark));
    for (const ir::Event& event : record.events)
      record_numbers(of_event(event));
  }

 private:
  using Numbers = std::vector<ir::Observations::Number>;  // empty: it is in every record

  [[nodiscard]] bool are_recorded(const Numbers& numbers) const {
    const auto is_recorded = [this](ir::Observations::Number number) {
      return observations_.is_recorded(number);
    };
    return std::any_of(numbers.begin(), numbers.end(), is_recorded);
  }
  void record_numbers(const Numbers& numbers) {
    for (const ir::Observations::Number number : numbers)
      observations_.record(number);
  }
  [[nodiscard]] static Numbers numbers(const ir::Observations::Touches& touches,
                                       ir::ObjectId object, const std::vector<ir::ObjectId>& held) {
    Numbers result;
    if (touches.are_numbered())
      touches.for_each_number(object, held,
                              [&](ir::Observations::Number number) { result.push_back(number); });
    return result;
  }
  [[nodiscard]] std::vector<std::uint64_t> held(const State& state, ir::ThreadId thread) const {
    std::vector<std::uint64_t> set(layout_.lock_set_words());
    layout_.held(state.data(), thread, set.data());
    return set;
  }
  [[nodiscard]] std::vector<ir::ObjectId> locks(const std::uint64_t* set) const {
    std::vector<ir::ObjectId> result;
    layout_.add_locks(set, result);
    return result;
  }
  [[nodiscard]] Numbers of_touch(const ir::Record& record, std::size_t i, ir::ThreadId thread,
                                 const State& before) const {
    const ir::Touch& touch = record.touches[i];
    const ir::Observations::Touches& touches = observations_.touches(thread, touch.pc);
    if (touch.counted)
      return numbers(touches, touch.object, locks(record.held.data() + touch.held));
    std::vector<std::uint64_t> set = held(before, thread);
    for (std::size_t earlier = 0; earlier < i; ++earlier) {
      const ir::Touch& one = record.touches[earlier];
      if (one.effect != ir::Effect::Take && one.effect != ir::Effect::Give) continue;
      const std::uint32_t lock = layout_.lock_number(one.object);
      const std::uint64_t bit = std::uint64_t{1} << (lock % 64);
      std::uint64_t& word = set[lock / 64];
      word = one.effect == ir::Effect::Take ? word | bit : word & ~bit;
    }
    return numbers(touches, touch.object, locks(set.data()));
  }
  [[nodiscard]] Numbers of_event(const ir::Event& event) const {
    const ir::Observations::Number number = observations_.of(system_, event);
    return number == ir::Observations::Touches::kAlways ? Numbers() : Numbers{number};
  }
  /// The observations that the thread makes at its new location.
  [[nodiscard]] Numbers of_arrival(ir::ThreadId thread, const State& after) const {
    const ir::Location at = ir::location(layout_, after.data(), thread);
    const ir::Observations::Touches& arrival = observations_.arrival(thread, at);
    if (!arrival.are_numbered()) return {};
    const ir::Code& code = system_.threads[thread].code;
    const ir::Acquire* acquire =
        at < ir::kFirstLocation
            ? nullptr
            : std::get_if<ir::Acquire>(&code.instructions[code.location_pc[at]].node);
    if (acquire == nullptr || arrival.stride == 0) return {arrival.first};
    ir::ObjectId lock = acquire->lock.base;
    if (acquire->lock.index) {
      std::vector<std::int32_t> frame;
      for (const ir::Field& slot : layout_.thread(thread).slots)
        frame.push_back(slot.load(after.data()));
      ir::EvaluationFault fault;
      const std::int32_t index =
          ir::evaluate(system_, *acquire->lock.index, frame.data(), fault).value_or(0);
      lock = ir::ObjectId(lock.index + acquire->lock.stride * static_cast<std::uint32_t>(index));
    }
    return numbers(arrival, lock, locks(held(after, thread).data()));
  }

  const ir::System& system_;
  const ir::Layout& layout_;
  ir::Observations& observations_;
};

std::string text(const std::vector<ir::Action>& actions) {
  std::string out;
  for (const ir::Action& action : actions)
    out += fmt::format("{}/{} ", action.thread.index, action.choice);
  return out;
}

std::string text(const State& state) {
  std::string out;
  for (const std::uint8_t byte : state)
    out += fmt::format("{:02x} ", byte);
  return out;
}

}  // namespace

Equality compare_steps(ir::Step& expected, ir::Step& actual, std::uint64_t max_states,
                       ir::Observations* observations) {
  Equality result;
  std::optional<Recorder> recorder;
  if (observations != nullptr) recorder.emplace(expected, *observations);
  const std::size_t size = expected.layout().size();
  State state(size);
  State other(size);
  ir::Record record;
  ir::Record other_record;
  const auto differ = [&](const char* what, ir::Action action, const State& from) {
    result.difference =
        fmt::format("{} of thread {}, choice {}\nin {}\nexpected {}\n{}actual   {}\n{}", what,
                    expected.system().threads[action.thread].name, action.choice, text(from),
                    text(state), text(record), text(other), text(other_record));
  };
  const auto are_same = [&] { return state == other && same(record, other_record); };
  const auto same_observations = [&](ir::ThreadId thread, const State& from) {
    if (observations == nullptr) return are_same();
    result.left_out += record.touches.size() + record.marks.size() - other_record.touches.size() -
                       other_record.marks.size();
    return state == other && recorder->text(record, thread, from, state) ==
                                 recorder->text(other_record, thread, from, state);
  };
  const auto clear = [&] {
    record.clear();
    other_record.clear();
  };

  expected.initial(state.data(), record);
  actual.initial(other.data(), other_record);
  if (!are_same()) {
    differ("beginnings", {ir::ThreadId(0), 0}, state);
    return result;
  }
  std::unordered_set<std::string> seen;
  std::deque<State> queue;
  const auto reach = [&seen, &queue](const State& found) {
    if (seen.emplace(found.begin(), found.end()).second) queue.push_back(found);
  };
  reach(state);
  const std::size_t stride = ir::stride(size);
  State padded(stride);
  State successors;
  // All actions of a state at once. False: differ() has been called.
  const auto same_successors = [&](const State& from, std::span<const ir::Action> actions) {
    std::copy(from.begin(), from.end(), padded.begin());
    successors.assign(actions.size() * stride, 0xa5);
    while (!actions.empty()) {
      const std::size_t done =
          actual.successors(padded.data(), stride, actions, successors.data(), other_record);
      for (std::size_t i = 0; i < done; ++i) {
        record.clear();
        state = from;
        expected.execute(state.data(), actions[i], record);
        other.assign(successors.begin() + static_cast<std::ptrdiff_t>(i * stride),
                     successors.begin() + static_cast<std::ptrdiff_t>(i * stride + size));
        ir::Record empty;  // of a transition without observations
        empty.micros = record.micros;
        const bool observes = i + 1 == done && other_record.has_observations();
        const ir::Record& said = observes ? other_record : empty;
        const ir::ThreadId thread = actions[i].thread;
        const bool same_records = observations == nullptr
                                      ? same(record, said)
                                      : recorder->text(record, thread, from, state) ==
                                            recorder->text(said, thread, from, state);
        if (state == other && same_records) continue;
        differ("successor", actions[i], from);
        return false;
      }
      actions = actions.subspan(done);
    }
    return true;
  };
  std::vector<ir::Action> actions;
  std::vector<ir::Action> other_actions;
  Buffer<ir::Action> all;
  Buffer<ir::Action> other_all;
  while (!queue.empty() && result.states < max_states) {
    const State from = queue.front();
    queue.pop_front();
    ++result.states;
    all.clear();
    other_all.clear();
    expected.all_enabled(from.data(), all);
    actual.all_enabled(from.data(), other_all);
    if (!(all == other_all)) {
      result.difference = "all actions in " + text(from);
      return result;
    }
    if (!same_successors(from, all)) return result;
    for (const ir::ThreadId thread : expected.system().threads.ids()) {
      clear();
      actions.clear();
      other_actions.clear();
      state = other = from;
      expected.enabled(from.data(), thread, actions);
      actual.enabled(from.data(), thread, other_actions);
      if (actions != other_actions) {
        result.difference = fmt::format("actions of {} in {}: expected {}, actual {}",
                                        expected.system().threads[thread].name, text(from),
                                        text(actions), text(other_actions));
        return result;
      }
      if (expected.visible(from.data(), thread) != actual.visible(from.data(), thread)) {
        differ("visibility", {thread, 0}, from);
        return result;
      }
      expected.pending(from.data(), thread, record);
      actual.pending(from.data(), thread, other_record);
      if (!are_same()) {
        differ("pending", {thread, 0}, from);
        return result;
      }
      clear();
      expected.run_invisible(state.data(), thread, record);
      actual.run_invisible(other.data(), thread, other_record);
      if (!same_observations(thread, from)) {
        differ("invisible run", {thread, 0}, from);
        return result;
      }
      for (const ir::Action action : actions) {
        clear();
        record.wants_locals = other_record.wants_locals = (result.transitions++ % 16 == 0);
        state = other = from;
        expected.execute(state.data(), action, record);
        actual.execute(other.data(), action, other_record);
        if (!same_observations(thread, from)) {
          differ("transition", action, from);
          return result;
        }
        record.wants_locals = other_record.wants_locals = false;
        if (recorder) recorder->record(record, thread, from, state);
        reach(state);
      }
    }
  }
  result.complete = queue.empty();
  return result;
}

}  // namespace cml::test
