#include "tests/jit/equality.h"

#include <deque>
#include <fmt/format.h>
#include <set>
#include <vector>

namespace cml::test {
namespace {

using State = std::vector<std::uint8_t>;

std::string text(const ir::Record& record) {
  std::string out;
  for (const ir::Micro& m : record.micros)
    out += fmt::format("micro {}/{} at {} ({} {} {})\n", m.entry.thread.index, m.entry.choice, m.pc,
                       m.touches, m.events, m.locals);
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

std::string text(const std::vector<ir::Entry>& entries) {
  std::string out;
  for (const ir::Entry& entry : entries)
    out += fmt::format("{}/{} ", entry.thread.index, entry.choice);
  return out;
}

std::string text(const State& state) {
  std::string out;
  for (const std::uint8_t byte : state)
    out += fmt::format("{:02x} ", byte);
  return out;
}

}  // namespace

Equality compare_steps(ir::Step& expected, ir::Step& actual, std::uint64_t max_states) {
  Equality result;
  const std::size_t size = expected.layout().size();
  State state(size);
  State other(size);
  ir::Record record;
  ir::Record other_record;
  const auto differ = [&](const char* what, ir::Entry entry, const State& from) {
    result.difference =
        fmt::format("{} of thread {}, choice {}\nin {}\nexpected {}\n{}actual   {}\n{}", what,
                    expected.system().threads[entry.thread].name, entry.choice, text(from),
                    text(state), text(record), text(other), text(other_record));
  };
  const auto same = [&] { return state == other && text(record) == text(other_record); };
  const auto clear = [&] {
    record.clear();
    other_record.clear();
  };

  expected.initial(state.data(), record);
  actual.initial(other.data(), other_record);
  if (!same()) {
    differ("beginnings", {ir::ThreadId(0), 0}, state);
    return result;
  }
  std::set<State> seen = {state};
  std::deque<State> queue = {state};
  std::vector<ir::Entry> entries;
  std::vector<ir::Entry> other_entries;
  Buffer<ir::Entry> all;
  Buffer<ir::Entry> other_all;
  while (!queue.empty() && seen.size() < max_states) {
    const State from = queue.front();
    queue.pop_front();
    ++result.states;
    all.clear();
    other_all.clear();
    expected.all_entries(from.data(), all);
    actual.all_entries(from.data(), other_all);
    if (!(all == other_all)) {
      result.difference = "all entries in " + text(from);
      return result;
    }
    for (const ir::ThreadId thread : expected.system().threads.ids()) {
      clear();
      entries.clear();
      other_entries.clear();
      state = other = from;
      expected.entries(from.data(), thread, entries);
      actual.entries(from.data(), thread, other_entries);
      if (entries != other_entries) {
        result.difference = fmt::format("entries of {} in {}: expected {}, actual {}",
                                        expected.system().threads[thread].name, text(from),
                                        text(entries), text(other_entries));
        return result;
      }
      if (expected.visible(from.data(), thread) != actual.visible(from.data(), thread)) {
        differ("visibility", {thread, 0}, from);
        return result;
      }
      expected.pending(from.data(), thread, record);
      actual.pending(from.data(), thread, other_record);
      if (!same()) {
        differ("pending", {thread, 0}, from);
        return result;
      }
      clear();
      expected.run_invisible(state.data(), thread, record);
      actual.run_invisible(other.data(), thread, other_record);
      if (!same()) {
        differ("invisible run", {thread, 0}, from);
        return result;
      }
      for (const ir::Entry entry : entries) {
        clear();
        record.tell_locals = other_record.tell_locals = (result.transitions++ % 16 == 0);
        state = other = from;
        expected.execute(state.data(), entry, record);
        actual.execute(other.data(), entry, other_record);
        if (!same()) {
          differ("transition", entry, from);
          return result;
        }
        record.tell_locals = other_record.tell_locals = false;
        if (seen.insert(state).second) queue.push_back(state);
      }
    }
  }
  return result;
}

}  // namespace cml::test
