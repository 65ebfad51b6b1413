#include "tests/brute/state_key.h"

#include <algorithm>
#include <tuple>
#include <utility>

#include "tests/brute/run.h"

namespace cml::brute {

std::int64_t Names::of(std::int64_t reference) {
  if (reference == 0) return 0;
  const auto [entry, fresh] =
      numbers_.try_emplace(reference, static_cast<std::int64_t>(numbers_.size()) + 1);
  if (fresh) order_.push_back(static_cast<std::int32_t>(reference));
  return entry->second;
}

std::optional<std::int32_t> Names::next() {
  if (next_ == order_.size()) return std::nullopt;
  return order_[next_++];
}

void KeyText::put(const Leaf& leaf) {
  put(leaf.object);
  put(leaf.process);
  put(leaf.offset);
  put(WordKind::Reference, leaf.heap);
}

namespace {

bool lives(const Run& run, int thread) {
  const auto& walker = run.walkers[static_cast<std::size_t>(thread)];
  return walker && walker->status == Walker::Status::Pending;
}

/// What is in the objects that were declared, or in those of one object of the heap.
void put_objects(const World& world, std::int32_t reference, KeyText& out) {
  const auto of_all = [&](const auto& objects, auto body) {
    for (const auto& [leaf, object] : objects)
      if (leaf.heap == reference) body(leaf, object);
    out.text += ";";
  };
  of_all(world.variables, [&](const Leaf& leaf, const Words& words) {
    for (std::size_t i = 0; i < words.size(); ++i)
      out.put(world.kind_of_word(leaf, i), words[i]);
  });
  of_all(world.locks, [&](const Leaf& leaf, const Lock& lock) {
    if (leaf.offset >= kReaders) out.put(leaf);  // there only while it is held
    out.put(lock.owner);
    out.put(lock.depth);
  });
  of_all(world.semaphores, [&](const Leaf&, std::int32_t value) { out.put(value); });
  of_all(world.channels, [&](const Leaf& leaf, const Channel& channel) {
    out.put(static_cast<std::int64_t>(channel.values.size()));
    out.put(channel.is_closed ? 1 : 0);
    for (const Words& words : channel.values)
      for (std::size_t i = 0; i < words.size(); ++i)
        out.put(world.kind_of_word(leaf, i), words[i]);
  });
  of_all(world.init, [&](const Leaf&, Init status) { out.put(static_cast<int>(status)); });
}

/// The objects that were named and not described yet, and those that they refer to.
void put_heap(const Run& run, Names& names, KeyText& out) {
  while (const auto reference = names.next()) {
    const HeapObject& object = run.world.heap.at(*reference);
    out.text += "#";
    out.put(object.cls.index);
    // A thread that has ended will never touch it; somebody else may come in its place.
    if (object.unshared) out.put(object.user >= 0 && !lives(run, object.user) ? -2 : object.user);
    out.put(object.window && lives(run, *object.window) ? *object.window : -1);
    put_objects(run.world, *reference, out);
    if (const auto calls = run.world.calls.find(*reference); calls != run.world.calls.end())
      for (const std::string& explanation : calls->second.explanations)
        out.text += "=" + explanation;
  }
}

void put_waiting(const World& world, KeyText& out) {
  for (const auto& [leaf, thread] : world.announced) {
    out.put(leaf);
    out.put(thread);
  }
  out.text += ";";
  for (const auto* set : {&world.waiting, &world.notified}) {
    for (std::size_t thread = 0; thread < set->size(); ++thread) {
      const auto& wait = (*set)[thread];
      if (!wait) continue;
      out.put(static_cast<std::int64_t>(thread));
      out.put(wait->first);
      out.put(wait->second);
    }
    out.text += ";";
  }
}

/// An object that nobody can reach, and whose lock is owned: of several, one that looks like none
/// before it.
std::optional<std::int32_t> owned_and_unnamed(const Run& run, const Names& names) {
  std::optional<std::pair<std::string, std::int32_t>> best;
  for (const auto& [leaf, lock] : run.world.locks) {
    if (leaf.heap == 0 || lock.owner < 0 || names.knows(leaf.heap)) continue;
    Names trial = names;
    KeyText text(trial);
    text.put(WordKind::Reference, leaf.heap);
    put_heap(run, trial, text);
    std::pair<std::string, std::int32_t> found{std::move(text.text), leaf.heap};
    if (!best || found.first < best->first) best = std::move(found);
  }
  if (!best) return std::nullopt;
  return best->second;
}

void put_candidates(const Run& run, Names& names, KeyText& out) {
  using Place = std::tuple<std::int64_t, Leaf>;
  const auto placed = [&names](Leaf leaf) {
    return Place{names.of(leaf.heap), Leaf{leaf.object, leaf.process, leaf.offset, 0}};
  };
  const auto is_there = [&names](const Leaf& leaf) {
    return leaf.heap == 0 || names.knows(leaf.heap);
  };
  std::map<Place, const Candidates*> all;
  for (const auto& [leaf, candidates] : run.world.candidates)
    if (is_there(leaf)) all[placed(leaf)] = &candidates;
  const auto put = [&out](const Place& place) {
    out.put(std::get<0>(place));
    out.put(std::get<1>(place));
  };
  for (const auto& [place, candidates] : all) {
    out.text += "!";
    put(place);
    out.put(candidates->written ? 1 : 0);
    std::set<Place> locks;
    for (const Leaf& lock : candidates->locks)
      if (is_there(lock)) locks.insert(placed(lock));
    for (const Place& lock : locks)
      put(lock);
  }
}

}  // namespace

StateKey key_of(const Run& run, bool asks_candidates) {
  StateKey out;
  KeyText text(out.names);
  put_objects(run.world, 0, text);
  put_waiting(run.world, text);
  std::map<int, std::string> threads;
  for (const auto& walker : run.walkers)
    if (walker) threads[walker->number] = walker->key(out.names);
  put_heap(run, out.names, text);
  while (const auto reference = owned_and_unnamed(run, out.names)) {
    text.text += "+";
    text.put(WordKind::Reference, *reference);
    put_heap(run, out.names, text);
  }
  if (asks_candidates) put_candidates(run, out.names, text);
  out.text = std::move(text.text);
  for (const auto& [number, thread] : threads)
    if (!run.is_garbage(*run.walkers[static_cast<std::size_t>(number)], out.names))
      out.text += "|" + std::to_string(number) + ":" + thread;
  return out;
}

}  // namespace cml::brute
