#include "tests/brute/world.h"

#include <algorithm>
#include <functional>
#include <utility>

namespace cml::brute {

unsigned Oracle::pick(unsigned alternatives) {
  const std::size_t position = log_.size();
  const unsigned picked = position < script_.size() ? script_[position] : 0;
  log_.emplace_back(picked, alternatives);
  return picked;
}

std::optional<std::vector<unsigned>> Oracle::next() const {
  std::vector<unsigned> script;
  for (std::size_t end = log_.size(); end > 0; --end) {
    if (log_[end - 1].first + 1 >= log_[end - 1].second) continue;
    for (std::size_t i = 0; i < end; ++i)
      script.push_back(log_[i].first);
    ++script.back();
    return script;
  }
  return std::nullopt;
}

std::vector<unsigned> Oracle::taken() const {
  std::vector<unsigned> script;
  for (const auto& [picked, of] : log_)
    script.push_back(picked);
  return script;
}

std::set<Leaf> World::held(int thread, bool write) const {
  std::set<Leaf> out;
  for (const auto& [leaf, lock] : locks) {
    if (lock.owner != thread) continue;
    Leaf of = leaf;
    of.offset %= kReaders;
    if (of == leaf || !write) out.insert(of);
  }
  return out;
}

bool World::may_read(const Leaf& rwlock) const {
  return locks.at(rwlock).owner < 0 &&
         std::none_of(announced.begin(), announced.end(),
                      [&](const auto& one) { return one.first == rwlock; });
}

bool World::may_write(const Leaf& rwlock) const {
  return std::none_of(locks.begin(), locks.end(), [&](const auto& entry) {
    Leaf of = entry.first;
    of.offset %= kReaders;
    return of == rwlock && entry.second.owner >= 0;
  });
}

void World::access(int thread, Leaf leaf, bool write) {
  if (kind(leaf) != model::ObjectKind::Shared || thread < 0) return;
  Access access{thread, leaf, write, false, held(thread, write), true};
  if (leaf.heap != 0) {
    const HeapObject& object = heap.at(leaf.heap);
    if (object.unshared) return;
    access.counted = object.window != thread;
  }
  if (const auto status = init.find(leaf); status != init.end()) {
    if (status->second == Init::Virgin) {
      if (thread == init_thread.at(leaf)) {
        status->second = Init::Open;
      } else {
        status->second = Init::Initialised;
        access.counted = false;  // this is the violation; later ones are checked
        soft.push_back({"init-order", 0, name(leaf)});
      }
    }
    if (status->second == Init::Open && thread == init_thread.at(leaf)) access.counted = false;
  }
  if (access.counted) {
    if (const auto guard = guards.find(leaf); guard != guards.end()) {
      if (!access.held.contains(guard->second)) soft.push_back({"guard", 0, name(leaf)});
    }
    count(access);
  }
  accesses.push_back(std::move(access));
}

void World::count(const Access& access) {
  if (access.leaf.heap == 0 && (in_state == nullptr || !in_state->contains(access.leaf))) return;
  const auto [entry, first] = candidates.try_emplace(access.leaf);
  Candidates& now = entry->second;
  if (first) now.locks = access.held;
  std::erase_if(now.locks, [&](const Leaf& lock) { return !access.held.contains(lock); });
  now.written = now.written || access.write;
  if (now.written && now.locks.empty()) soft.push_back({"lock-discipline", 0, name(access.leaf)});
}

void World::reach(int thread, const Request& request) {
  using Kind = Request::Kind;
  const bool variable = request.kind == Kind::Read || request.kind == Kind::Write;
  if (request.kind == Kind::Atomic && !request.awaits) return;  // what is inside counts
  if (variable && kind(request.leaf) == model::ObjectKind::Shared) return;
  for (auto& [leaf, status] : init) {
    if (status == Init::Open && init_thread.at(leaf) == thread) status = Init::Initialised;
  }
  for (auto& [reference, object] : heap) {
    if (object.window == thread) object.window.reset();
  }
}

/// The value, if the type allows it.
std::int32_t World::stored(model::TypeId type, std::int64_t value) const {
  if (const auto* mod = std::get_if<model::ModType>(&model_->types[type]))
    return counted(value, *mod);
  if (value < INT32_MIN || value > INT32_MAX) throw Stop{"overflow"};
  if (const auto* range = std::get_if<model::IntType>(&model_->types[type])) {
    if (value < range->lo || value > range->hi) throw Stop{"range"};
  }
  return static_cast<std::int32_t>(value);
}

bool World::ready(int thread, const SelectCase& c) const {
  if (c.is_off) return false;
  switch (c.kind) {
    case model::Select::Kind::Receive:
      return !channels.at(c.leaf).values.empty() || channels.at(c.leaf).is_closed;
    case model::Select::Kind::Send: {
      const auto& object = model_->objects[model::ObjectId(c.leaf.object)];
      return channels.at(c.leaf).is_closed ||
             std::cmp_less(channels.at(c.leaf).values.size(), object.capacity);
    }
    case model::Select::Kind::Down:
      return semaphores.at(c.leaf) > 0;
    case model::Select::Kind::Acquire: {
      const Lock& lock = locks.at(c.leaf);
      return lock.owner < 0 || (lock.owner == thread && !is_mutex(c.leaf));
    }
    case model::Select::Kind::Await:
      return true;
  }
  return false;
}

bool World::has_no_room(const Leaf& leaf) const {
  return leaf.object != kMonitor && kind(leaf) == model::ObjectKind::Channel &&
         model_->objects[model::ObjectId(leaf.object)].capacity == 0;
}

std::vector<Way> World::ways(int thread, const Request& r) const {
  using Kind = Request::Kind;
  std::vector<Way> out;
  const auto meet = [&](const Leaf& leaf, bool sends, int at) {
    if (!has_no_room(leaf) || channels.at(leaf).is_closed) return;
    for (const auto& [other, its] : waits_at(thread, leaf, sends))
      out.push_back({at, other, its});
  };
  if (r.kind == Kind::Select) {
    for (std::size_t i = 0; i < r.cases.size(); ++i)
      if (ready(thread, r.cases[i])) out.push_back({static_cast<int>(i), -1, 0});
    for (std::size_t i = 0; i < r.cases.size(); ++i) {
      const bool sends = r.cases[i].kind == model::Select::Kind::Send;
      // Who waits to receive is moved by who sends.
      const bool is_channel = sends || r.cases[i].kind == model::Select::Kind::Receive;
      if (!is_channel || r.cases[i].is_off) continue;
      if (sends || r.has_default) meet(r.cases[i].leaf, sends, static_cast<int>(i));
    }
    if (out.empty() && r.has_default) out.push_back({-1, -1, 0});
    return out;
  }
  const bool sends = r.kind == Kind::Send || r.kind == Kind::TrySend;
  const bool tries = r.kind == Kind::TrySend || r.kind == Kind::TryReceive;
  if (sends || tries) meet(r.leaf, sends, 0);
  if (channels.at(r.leaf).is_closed || (tries && out.empty())) out.push_back({0, -1, 0});
  return out;
}

Words World::meet(const Request& r, const Way& way) {
  takes_or_spawns = true;
  const Request& other = pending_of(way.partner);
  const auto values = [](const Request& of, int at) {
    return of.kind == Request::Kind::Select ? of.cases[static_cast<std::size_t>(at)].values
                                            : of.values;
  };
  const auto sends = [](const Request& of, int at) {
    return of.kind == Request::Kind::Select
               ? of.cases[static_cast<std::size_t>(at)].kind == model::Select::Kind::Send
               : of.kind == Request::Kind::Send || of.kind == Request::Kind::TrySend;
  };
  handover = Handover{way.partner, way.its, {}};
  if (!sends(r, way.at)) return values(other, way.its);
  handover->words = values(r, way.at);
  return {};
}

Words World::take_over(const Request& r) {
  Handover here = *std::exchange(handover, std::nullopt);
  if (r.kind == Request::Kind::ReceiveInto) here.words.insert(here.words.begin(), 1);
  if (r.kind == Request::Kind::Select) here.words.insert(here.words.begin(), here.at);
  return std::move(here.words);
}

Words World::perform(int thread, const Request& r, Oracle& oracle) {
  using Kind = Request::Kind;
  if (handover && handover->to == thread) return take_over(r);
  const bool is_of_channel = r.kind == Kind::Send || r.kind == Kind::Receive ||
                             r.kind == Kind::ReceiveInto || r.kind == Kind::TrySend ||
                             r.kind == Kind::TryReceive;
  if ((is_of_channel && has_no_room(r.leaf)) || r.kind == Kind::Select) {
    const std::vector<Way> all = ways(thread, r);
    if (all.empty()) throw Disabled{};
    const bool tells = r.kind == Kind::TrySend || r.kind == Kind::TryReceive;
    // Of a select, those that go by themselves are chosen below.
    const bool any_meets =
        std::any_of(all.begin(), all.end(), [](const Way& way) { return way.partner >= 0; });
    if (any_meets) {
      const Way way = all[all.size() == 1 ? 0 : oracle.pick(static_cast<unsigned>(all.size()))];
      if (way.partner >= 0) {
        Words words = meet(r, way);
        if (tells) words.insert(words.begin(), 1);
        if (r.kind == Kind::Select) words.insert(words.begin(), way.at);
        return words;
      }
      unsigned rank = 0;  // among those that go by themselves, which come first
      while (all[rank].at != way.at)
        ++rank;
      Oracle known({rank});
      return perform_alone(thread, r, known);
    }
  }
  return perform_alone(thread, r, oracle);
}

Words World::perform_alone(int thread, const Request& r, Oracle& oracle) {
  using Kind = Request::Kind;
  const auto number = [&](bool value) { return Words{value ? 1 : 0}; };
  const auto object = [&]() -> const model::Object& {
    return model_->objects[model::ObjectId(r.leaf.object)];
  };
  const auto acquire = [&](Lock& lock) {
    lock.owner = thread;
    ++lock.depth;
    takes_or_spawns = true;
  };
  const auto owned = [&](const Leaf& leaf) -> Lock& {
    Lock& lock = locks.at(leaf);
    if (lock.owner != thread) throw Stop{"illegal-monitor", 0, name(leaf)};
    return lock;
  };

  // What blocks is decided before anything changes.
  switch (r.kind) {
    case Kind::Acquire: {
      const Lock& lock = locks.at(r.leaf);
      if (lock.owner >= 0 && (lock.owner != thread || is_mutex(r.leaf))) throw Disabled{};
      break;
    }
    case Kind::Rewait:
      if (!notified[static_cast<std::size_t>(thread)] || locks.at(r.lock).owner >= 0)
        throw Disabled{};
      break;
    case Kind::AcquireRead:
      if (!may_read(r.leaf)) throw Disabled{};
      break;
    case Kind::AcquireWrite:
      if (!may_write(r.leaf)) throw Disabled{};
      break;
    case Kind::Down:
      if (semaphores.at(r.leaf) == 0) throw Disabled{};
      break;
    case Kind::Send:
      if (std::cmp_greater_equal(channels.at(r.leaf).values.size(), object().capacity) &&
          !channels.at(r.leaf).is_closed)
        throw Disabled{};
      break;
    case Kind::Receive:
    case Kind::ReceiveInto:
      if (channels.at(r.leaf).values.empty() && !channels.at(r.leaf).is_closed) throw Disabled{};
      break;
    case Kind::Select: {
      bool any = r.has_default;
      for (const SelectCase& c : r.cases)
        any = any || ready(thread, c);
      if (!any) throw Disabled{};
      break;
    }
    case Kind::Join:
      if (!has_ended(r.lo)) throw Disabled{};
      break;
    default:
      break;
  }
  touch(thread, r.leaf.heap);
  for (const SelectCase& c : r.cases)
    touch(thread, c.leaf.heap);
  switch (r.kind) {
    case Kind::Read: {
      access(thread, r.leaf, false);
      const Words& all = variables.at(r.leaf);
      return {all.begin() + r.word, all.begin() + r.word + r.words};
    }
    case Kind::Write:
      access(thread, r.leaf, true);
      std::copy(r.values.begin(), r.values.end(), variables.at(r.leaf).begin() + r.word);
      return {};
    case Kind::Cas: {
      Words& now = variables.at(r.leaf);
      const Words expected(r.values.begin(), r.values.begin() + r.words);
      if (now != expected) return number(false);
      Words wanted(r.values.begin() + r.words, r.values.end());
      if (wanted.size() == 1) wanted[0] = stored(r.type, wanted[0]);
      if (const auto* cls = std::get_if<model::ClassType>(&model_->types[r.type]);
          cls != nullptr && !cls->nullable && wanted[0] == 0)
        throw Stop{"null"};
      now = wanted;
      return number(true);
    }
    case Kind::Swap: {
      Words old = r.values;
      std::swap(old, variables.at(r.leaf));
      return old;
    }
    case Kind::Add: {
      Words& now = variables.at(r.leaf);
      const std::int64_t sum = std::int64_t{now[0]} + r.values[0];
      Words old = now;
      now[0] = stored(r.type, sum);
      return old;
    }
    case Kind::Acquire:
      acquire(locks.at(r.leaf));
      return {};
    case Kind::TryAcquire: {
      Lock& lock = locks.at(r.leaf);
      if (lock.owner >= 0 && (lock.owner != thread || is_mutex(r.leaf))) return number(false);
      acquire(lock);
      return number(true);
    }
    case Kind::Release: {
      Lock& lock = owned(r.leaf);
      if (--lock.depth == 0) lock.owner = -1;
      return {};
    }
    case Kind::Wait: {
      Lock& lock = owned(r.lock);
      waiting[static_cast<std::size_t>(thread)] = {r.leaf, lock.depth};
      lock = Lock{};
      return {};
    }
    case Kind::TimeOut: {
      const auto self = static_cast<std::size_t>(thread);
      const bool is_notified = notified[self].has_value();
      if (!is_notified) std::swap(waiting[self], notified[self]);
      return number(is_notified);
    }
    case Kind::Rewait: {
      auto& mine = notified[static_cast<std::size_t>(thread)];
      locks.at(r.lock) = {thread, mine->second};
      mine.reset();
      takes_or_spawns = true;
      return {};
    }
    case Kind::TryRead:
      if (!may_read(r.leaf)) return number(false);
      [[fallthrough]];
    case Kind::AcquireRead:
      acquire(locks[read_by(r.leaf, thread)]);
      return number(true);
    case Kind::ReleaseRead: {
      const auto mine = locks.find(read_by(r.leaf, thread));
      if (mine == locks.end()) throw Stop{"illegal-monitor", 0, name(r.leaf) + " (read)"};
      if (--mine->second.depth == 0) locks.erase(mine);
      return {};
    }
    case Kind::Announce:
      announced.insert({r.leaf, thread});
      return {};
    case Kind::TryWrite:
      if (!may_write(r.leaf)) return number(false);
      [[fallthrough]];
    case Kind::AcquireWrite:
      announced.erase({r.leaf, thread});
      acquire(locks.at(r.leaf));
      return number(true);
    case Kind::ReleaseWrite:
      owned(r.leaf) = Lock{};
      return {};
    case Kind::Notify:
    case Kind::NotifyAll: {
      if (kind(r.leaf) != model::ObjectKind::Condition) (void)owned(r.leaf);
      std::vector<std::size_t> sleepers;
      for (std::size_t t = 0; t < waiting.size(); ++t) {
        if (waiting[t] && waiting[t]->first == r.leaf) sleepers.push_back(t);
      }
      if (sleepers.empty()) return {};
      if (r.kind == Kind::Notify) {
        const unsigned one =
            sleepers.size() == 1 ? 0 : oracle.pick(static_cast<unsigned>(sleepers.size()));
        sleepers = {sleepers[one]};
      }
      for (const std::size_t t : sleepers)
        std::swap(waiting[t], notified[t]);
      return {};
    }
    case Kind::Held:
      return number(locks.at(r.leaf).owner == thread);
    case Kind::Owner:
      return number(locks.at(r.leaf).owner == r.lo);
    case Kind::Up: {
      std::int32_t& value = semaphores.at(r.leaf);
      if (object().max && value >= *object().max) throw Stop{"semaphore-max", 0, name(r.leaf)};
      if (value == INT32_MAX) throw Stop{"overflow"};
      ++value;
      return {};
    }
    case Kind::Down:
      --semaphores.at(r.leaf);
      return {};
    case Kind::TryDown: {
      std::int32_t& value = semaphores.at(r.leaf);
      if (value == 0) return number(false);
      --value;
      return number(true);
    }
    case Kind::TrySend:
      check_open(r.leaf);
      if (std::cmp_greater_equal(channels.at(r.leaf).values.size(), object().capacity)) {
        return number(false);
      }
      send(r.leaf, r.values);
      return number(true);
    case Kind::Send:
      send(r.leaf, r.values);
      return {};
    case Kind::TryReceive:
    case Kind::ReceiveInto: {
      if (channels.at(r.leaf).values.empty()) return number(false);
      Words answer = receive(r.leaf);
      answer.insert(answer.begin(), 1);
      return answer;
    }
    case Kind::Receive:
      return receive(r.leaf);
    case Kind::Close:
      check_open(r.leaf);
      channels.at(r.leaf).is_closed = true;
      return {};
    case Kind::Closed:
      return number(channels.at(r.leaf).is_closed);
    case Kind::Size:
      return {static_cast<std::int32_t>(channels.at(r.leaf).values.size())};
    case Kind::Choose:
      if (!r.values.empty()) return {r.values[oracle.pick(static_cast<unsigned>(r.values.size()))]};
      [[fallthrough]];
    case Kind::Either:
      return {static_cast<std::int32_t>(
          r.lo + static_cast<std::int32_t>(oracle.pick(static_cast<unsigned>(r.hi - r.lo + 1))))};
    case Kind::Select: {
      std::vector<std::int32_t> can;
      for (std::size_t i = 0; i < r.cases.size(); ++i) {
        if (ready(thread, r.cases[i])) can.push_back(static_cast<std::int32_t>(i));
      }
      if (can.empty()) return {-1};
      const std::int32_t chosen =
          can[can.size() == 1 ? 0 : oracle.pick(static_cast<unsigned>(can.size()))];
      const SelectCase& c = r.cases[static_cast<std::size_t>(chosen)];
      Words result{chosen};
      switch (c.kind) {
        case model::Select::Kind::Receive: {
          const Words value = receive(c.leaf);
          result.insert(result.end(), value.begin(), value.end());
          break;
        }
        case model::Select::Kind::Send:
          send(c.leaf, c.values);
          break;
        case model::Select::Kind::Down:
          --semaphores.at(c.leaf);
          break;
        case model::Select::Kind::Acquire:
          acquire(locks.at(c.leaf));
          break;
        case model::Select::Kind::Await:
          break;
      }
      return result;
    }
    case Kind::Spawn:
      takes_or_spawns = true;
      return {spawn(thread, std::get<model::Spawn>(model_->exprs[model::ExprId(r.word)].node),
                    r.values) +
              1};
    case Kind::Invoke: {
      const model::FunctionId function(r.word);
      const model::Implementation& property = *recorded_by(*model_, function);
      log(r.leaf.heap, {thread, false, specified_by(property, function), r.values});
      return {};
    }
    case Kind::Method:
    case Kind::Await:
    case Kind::Atomic:
    case Kind::Begin:
    case Kind::Finish:
    case Kind::Join:
      return {};
  }
  return {};
}

void World::check_open(const Leaf& channel) const {
  if (channels.at(channel).is_closed) throw Stop{"closed-channel", 0, name(channel)};
}

void World::send(const Leaf& channel, const Words& value) {
  check_open(channel);
  channels.at(channel).values.push_back(value);
}

Words World::receive(const Leaf& channel) {
  auto& values = channels.at(channel).values;
  if (!values.empty()) {
    Words front = values.front();
    values.pop_front();
    return front;
  }
  model::TypeId type = model_->objects[model::ObjectId(channel.object)].type;
  while (const auto* array = std::get_if<model::ArrayType>(&model_->types[type]))
    type = array->element;
  type = std::get<model::ChannelType>(model_->types[type]).element;
  const bool is_nothing = std::holds_alternative<model::VoidType>(model_->types[type]);
  return is_nothing ? Words{} : default_value(*model_, type);
}

void World::log(std::int32_t reference, CallEvent event) {
  CallLog& log = calls.at(reference);
  if (log.is_broken) return;
  log.events.push_back(std::move(event));
  log.explanations = explain(log);
  if (!log.explanations.empty()) return;
  soft.push_back({"linearizability", 0, model_->classes[log.property->of].name});
  log.is_broken = true;
}

std::string World::name(Leaf leaf) const {
  // Not which object of the heap: two states that differ in that are the same.
  if (leaf.object == kMonitor) return model_->classes[heap.at(leaf.heap).cls].name;
  const model::Object& object = model_->objects[model::ObjectId(leaf.object)];
  std::string out;
  if (object.owner) out = model_->classes[*object.owner].name + ".";
  if (object.process) {
    const model::Process& process = model_->processes[*object.process];
    out = process.name + (process.index ? "[" + std::to_string(leaf.process) + "]" : "") + ".";
  }
  out += object.name;
  // Offsets to indices and fields.
  std::uint32_t offset = leaf.offset;
  model::TypeId type = object.type;
  for (;;) {
    if (const auto* array = std::get_if<model::ArrayType>(&model_->types[type])) {
      const std::uint32_t each = kinds().size(array->element);
      out += "[" + std::to_string(offset / each) + "]";
      offset %= each;
      type = array->element;
    } else if (const auto* st = std::get_if<model::StructType>(&model_->types[type]);
               st != nullptr && object.kind == model::ObjectKind::Shared) {
      for (const auto& field : model_->structs[st->decl].fields) {
        const std::uint32_t each = kinds().size(field.type);
        if (offset < each) {
          out += "." + field.name;
          type = field.type;
          break;
        }
        offset -= each;
      }
    } else {
      return out;
    }
  }
}

}  // namespace cml::brute
