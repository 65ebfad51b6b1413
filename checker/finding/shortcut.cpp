// States are kept as strings of bytes.
#include "checker/finding/shortcut.h"

#include <algorithm>
#include <cstddef>
#include <string>
#include <unordered_map>
#include <vector>

namespace cml::checker {
namespace {

constexpr std::uint64_t kMostTransitions = 30'000;  // transitions

struct Visited {
  std::size_t predecessor = 0;
  ir::Action by;
  std::size_t depth = 0;
};

}  // namespace

Path with_shortcut(Replayer& replayer, const Path& path, const Goal& goal, std::uint64_t& budget) {
  const std::size_t size = replayer.context().layout.size();
  const auto text = [size](const std::uint8_t* state) {
    return std::string(reinterpret_cast<const char*>(state), size);
  };
  std::unordered_map<std::string, std::size_t> on_path;  // how far along it, at most
  std::size_t at = 0;
  const auto look = [&](const ir::Record&, const std::uint8_t* state) {
    on_path[text(state)] = at++;
    return false;
  };
  if (!replayer.replay(path, look, Replayer::Steps::None).ok) return path;

  ir::Interpreter& interpreter = replayer.interpreter();
  std::vector<std::uint8_t> state(size);
  ir::Record record;
  interpreter.initial(state.data(), record);
  std::unordered_map<std::string, std::size_t> known{{text(state.data()), 0}};
  std::vector<std::string> states{text(state.data())};
  std::vector<Visited> visited{{}};
  std::size_t best = 0;   // the number of a state
  std::size_t saves = 0;  // transitions
  std::uint64_t left = std::min(kMostTransitions, budget);
  budget -= left;
  Buffer<ir::Action> actions;
  const auto way_to = [&visited](std::size_t number) {
    Path way;
    for (std::size_t i = number; i != 0; i = visited[i].predecessor)
      way.push_back(visited[i].by);
    std::reverse(way.begin(), way.end());
    return way;
  };
  for (std::size_t i = 0; i < states.size() && left > 0; ++i) {
    if (visited[i].depth + 1 + saves >= path.size()) break;  // nothing better can come
    actions.clear();
    const auto* const from = reinterpret_cast<const std::uint8_t*>(states[i].data());
    interpreter.all_enabled(from, actions);
    record.clear();
    if (actions.empty() && goal && goal(record, from, true)) {
      budget += left;
      return way_to(i);
    }
    for (const ir::Action action : actions) {
      if (left == 0) break;
      --left;
      state.assign(states[i].begin(), states[i].end());
      record.clear();
      interpreter.execute(state.data(), action, record);
      const std::size_t depth = visited[i].depth + 1;
      if (goal && goal(record, state.data(), false)) {
        budget += left;
        Path way = way_to(i);
        way.push_back(action);
        return way;
      }
      std::string bytes = text(state.data());
      if (!known.emplace(bytes, states.size()).second) continue;
      const auto found = on_path.find(bytes);
      if (found != on_path.end() && found->second > depth + saves) {
        saves = found->second - depth;
        best = states.size();
      }
      states.push_back(std::move(bytes));
      visited.push_back({i, action, depth});
    }
  }
  budget += left;
  if (saves == 0) return path;
  Path result = way_to(best);
  const std::size_t reached = on_path.at(states[best]);
  result.insert(result.end(), path.begin() + static_cast<std::ptrdiff_t>(reached), path.end());
  return result;
}

}  // namespace cml::checker
