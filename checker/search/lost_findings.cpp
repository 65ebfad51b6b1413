#include "checker/search/lost_findings.h"

#include <algorithm>
#include <deque>
#include <utility>

namespace cml::checker {

void LostFindings::add(StateNumber at, const std::uint8_t* state, const MakePath& path) {
  bool is_stuck = false;
  for (const ir::ThreadId thread : system_.threads.ids()) {
    if (futures_.reaches(at, thread)) continue;
    if (!futures_.moves(at, thread)) {
      is_stuck = true;
    } else if (futures_.spins(at, thread)) {
      add_spinning(at, thread, path);
    }
  }
  if (is_stuck) add_stuck(at, state, path);
}

void LostFindings::add_stuck(StateNumber at, const std::uint8_t* state, const MakePath& path) {
  Finding finding;
  finding.kind = ViolationKind::PartialDeadlock;
  finding.is_of_graph = true;
  for (const ir::ThreadId thread : system_.threads.ids())
    if (location(layout_, state, thread) >= ir::kFirstLocation && !futures_.moves(at, thread))
      finding.stuck.push_back(stuck_.describe(state, thread));
  if (!found_.is_new(finding)) return;
  finding.path = path();
  found_.add(std::move(finding));
}

void LostFindings::add_spinning(StateNumber at, ir::ThreadId thread, const MakePath& path) {
  Finding finding;
  finding.kind = ViolationKind::Livelock;
  finding.is_of_graph = true;
  finding.event.thread = thread;
  if (!found_.is_new(finding)) return;
  const auto is_known = [this](StateNumber, const Futures::Successor& to) {
    return to.state != Futures::kNone && futures_.is_known(to.state);
  };
  const auto is_inside = [&](StateNumber from, const Futures::Successor& to) {
    return is_known(from, to) && futures_.component(from) == futures_.component(to.state);
  };
  const auto spins = [&](StateNumber from, const Futures::Successor& to) {
    return to.action.thread == thread && futures_.is_bottom(from) && is_inside(from, to);
  };
  const std::optional<Found> turn = find(at, is_known, spins);
  if (!turn) return;
  finding.path = path();
  finding.path.insert(finding.path.end(), turn->path.begin(), turn->path.end() - 1);
  finding.loop.push_back(turn->path.back());
  if (turn->to != turn->from) {
    const auto comes_back = [&](StateNumber, const Futures::Successor& to) {
      return to.state == turn->from;
    };
    const auto alone = [&](StateNumber from, const Futures::Successor& to) {
      return to.action.thread == thread && is_inside(from, to);
    };
    std::optional<Found> back = find(turn->to, alone, comes_back);
    if (!back) back = find(turn->to, is_inside, comes_back);
    if (!back) return;
    finding.loop.insert(finding.loop.end(), back->path.begin(), back->path.end());
  }
  finding.still_changing = changing(turn->from);
  found_.add(std::move(finding));
}

std::vector<ir::ObjectId> LostFindings::changing(StateNumber inside) {
  std::vector<ir::ObjectId> result;
  std::vector<std::uint8_t> from(layout_.size());
  std::vector<std::uint8_t> to(layout_.size());
  const auto compare = [&](StateNumber at, const Futures::Successor& next) {
    if (next.state == Futures::kNone || futures_.component(next.state) != futures_.component(at))
      return false;
    futures_.load(at, from.data());
    futures_.load(next.state, to.data());
    for (const ir::ObjectId id : system_.objects.ids()) {
      const std::vector<ir::Field>& fields = layout_.object(id).fields;
      if (std::any_of(fields.begin(), fields.end(),
                      [&](const ir::Field& field) {
                        return field.load(from.data()) != field.load(to.data());
                      }) &&
          std::find(result.begin(), result.end(), id) == result.end())
        result.push_back(id);
    }
    return true;
  };
  (void)find(inside, compare, [](StateNumber, const Futures::Successor&) { return false; });
  return result;
}

std::optional<LostFindings::Found> LostFindings::find(StateNumber from, const Takes& takes,
                                                      const Takes& ends) {
  std::unordered_map<StateNumber, std::pair<StateNumber, ir::Action>> reached_by;
  std::deque<StateNumber> waiting{from};
  reached_by.try_emplace(from);
  while (!waiting.empty()) {
    const StateNumber at = waiting.front();
    waiting.pop_front();
    const std::vector<Futures::Successor> successors = futures_.successors(at);
    for (const Futures::Successor& to : successors) {
      if (!takes(at, to)) continue;
      if (ends(at, to)) {
        Found found{{to.action}, at, to.state};
        for (StateNumber back = at; back != from; back = reached_by[back].first)
          found.path.push_back(reached_by[back].second);
        std::reverse(found.path.begin(), found.path.end());
        return found;
      }
      if (reached_by.try_emplace(to.state, at, to.action).second) waiting.push_back(to.state);
    }
  }
  return std::nullopt;
}

}  // namespace cml::checker
