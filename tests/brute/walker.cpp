// A thread as a whole: it begins, goes on, ends; and what values are.
#include "tests/brute/walker.h"

#include <algorithm>
#include <functional>
#include <utility>

#include "tests/brute/state_key.h"
#include "tests/brute/walker_parts.h"

namespace cml::brute {

using namespace model;  // NOLINT: the walk is all about the model

// More local work than this between two operations comes from a loop that never ends. Small, since
// without optimisation g++ makes no tail calls between coroutines, and the stack grows with the
// work: the tests compute nothing.
constexpr std::uint64_t kFuel = 300;
constexpr std::uint64_t kFuelOfCall = 20;

Task<Words> Walker::request(Request r) {
  if (calling_ && !begins_with(r)) co_await begin_call();
  co_return co_await suspend(std::move(r));
}

Walker::Suspend Walker::suspend(Request r) { return {this, std::move(r)}; }

bool Walker::begins_with(const Request& r) const {
  using Kind = Request::Kind;
  switch (r.kind) {
    case Kind::Read:
    case Kind::Write:
      return world_->kind(r.leaf) != ObjectKind::Shared;
    case Kind::Cas:
    case Kind::Swap:
    case Kind::Add:
    case Kind::Acquire:
    case Kind::Up:
    case Kind::Down:
    case Kind::TryDown:
    case Kind::Send:
    case Kind::TrySend:
    case Kind::Receive:
    case Kind::ReceiveInto:
    case Kind::TryReceive:
    case Kind::Close:
    case Kind::Closed:
    case Kind::Size:
      return true;
    default:
      return false;
  }
}

Task<int> Walker::begin_call() {
  Request begin = *std::exchange(calling_, std::nullopt);
  const SourceRange at = std::exchange(begun, calls_at_);
  Mark beginning(*this, -7);
  co_await suspend(std::move(begin));
  begun = at;
  co_return 0;
}

void Walker::operate(const Request& r, Words& result) {
  result = world_->perform(number, r, **oracle_);
  if (!calling_) return;
  const Request begin = *std::exchange(calling_, std::nullopt);
  (void)world_->perform(number, begin, **oracle_);
}

// ---- values ------------------------------------------------------------------------------------

Words Walker::convert(Words value, TypeId from, TypeId to) const {
  (void)from;
  std::size_t position = 0;
  const std::function<void(TypeId)> check = [&](TypeId id) {
    const Type& type = model_->types[id];
    if (const auto* array = std::get_if<ArrayType>(&type)) {
      for (std::uint32_t i = 0; i < array->size; ++i)
        check(array->element);
    } else if (const auto* st = std::get_if<StructType>(&type)) {
      for (const auto& field : model_->structs[st->decl].fields)
        check(field.type);
    } else {
      std::int32_t& word = value.at(position++);
      if (const auto* mod = std::get_if<ModType>(&type)) word = counted(word, *mod);
      if (const auto* range = std::get_if<IntType>(&type)) {
        if (word < range->lo || word > range->hi) throw Stop{"range"};
      }
      const auto* handle = std::get_if<ThreadType>(&type);
      if (handle != nullptr && !handle->nullable && word == 0) throw Stop{"null"};
      const auto* cls = std::get_if<ClassType>(&type);
      if (cls != nullptr && !cls->nullable && word == 0) throw Stop{"null"};
    }
  };
  check(to);
  return value;
}

std::int32_t Walker::arithmetic(BinaryOp op, std::int64_t a, std::int64_t b, TypeId of) const {
  if (const auto* mod = std::get_if<ModType>(&model_->types[of])) {
    if (op == BinaryOp::Add) return counted(a + b, *mod);
    if (op == BinaryOp::Subtract) return counted(a - b, *mod);
    if (op == BinaryOp::Multiply) return counted(a * b, *mod);
  }
  std::int64_t result = 0;
  switch (op) {
    case BinaryOp::Add:
      result = a + b;
      break;
    case BinaryOp::Subtract:
      result = a - b;
      break;
    case BinaryOp::Multiply:
      result = a * b;
      break;
    case BinaryOp::Divide:
    case BinaryOp::Remainder:
      if (b == 0) throw Stop{"division-by-zero"};
      if (a / b > INT32_MAX) throw Stop{"overflow"};
      result = op == BinaryOp::Divide ? a / b : a % b;
      break;
    case BinaryOp::BitAnd:
      return static_cast<std::int32_t>(a & b);
    case BinaryOp::BitOr:
      return static_cast<std::int32_t>(a | b);
    case BinaryOp::BitXor:
      return static_cast<std::int32_t>(a ^ b);
    case BinaryOp::ShiftLeft:
    case BinaryOp::ShiftRight:
      if (b < 0 || b > 31) throw Stop{"overflow"};
      result = a;
      for (std::int64_t i = 0; i < b; ++i) {
        if (op == BinaryOp::ShiftLeft) result *= 2;
        if (op == BinaryOp::ShiftRight) result = (result - (result % 2 != 0 && result < 0)) / 2;
      }
      break;
    case BinaryOp::Less:
      return a < b ? 1 : 0;
    case BinaryOp::LessEqual:
      return a <= b ? 1 : 0;
    case BinaryOp::Greater:
      return a > b ? 1 : 0;
    case BinaryOp::GreaterEqual:
      return a >= b ? 1 : 0;
    default:
      throw Unsupported{};
  }
  if (result < INT32_MIN || result > INT32_MAX) throw Stop{"overflow"};
  return static_cast<std::int32_t>(result);
}

std::int32_t Walker::of_sets(BinaryOp op, std::int32_t a, std::int32_t b, const SetType& type) {
  const auto check = [&type](std::int32_t element) {
    if (element < 0 || element >= type.size) throw Stop{"range"};
    return element;
  };
  if (op == BinaryOp::In) return elements(b).contains(check(a)) ? 1 : 0;
  std::set<std::int32_t> all = elements(a);
  switch (op) {
    case BinaryOp::Add:
      all.insert(check(b));
      break;
    case BinaryOp::Subtract:
      all.erase(check(b));
      break;
    case BinaryOp::BitOr:
      all.merge(elements(b));
      break;
    case BinaryOp::BitAnd:
      std::erase_if(all, [other = elements(b)](std::int32_t i) { return !other.contains(i); });
      break;
    default:
      throw Unsupported{};
  }
  return set_of(all);
}

// A recursion comes to an end: by itself, or at the limit of the stack.
void Walker::work() {
  deepest_ = std::max(deepest_, frames_.size());
  if (++work_ > kFuel + kFuelOfCall * deepest_) throw Diverges{};
}

bool Walker::is_alias(TypeId type) const {
  const Type& t = model_->types[type];
  return std::holds_alternative<LockType>(t) || std::holds_alternative<RwLockType>(t) ||
         std::holds_alternative<ConditionType>(t) || std::holds_alternative<SemaphoreType>(t) ||
         std::holds_alternative<ChannelType>(t);
}

// ---- the thread as a whole ---------------------------------------------------------------------

Task<int> Walker::main(const Body& body) {
  frames_.push_back({&body, {}, {}, {}, {}, 0});
  for (const Local& local : body.locals)
    frame().locals.emplace_back(size(local.type), 0);
  co_await exec(body.block);
  co_return 0;
}

Task<int> Walker::spawned(const Thread& thread, Words arguments,
                          std::map<std::uint32_t, Place> handles) {
  const Body& body = thread.body;
  frames_.push_back({&body, {}, std::move(handles), {}, {}, 0});
  std::size_t next = 0;
  for (std::uint32_t i = 0; i < body.locals.size(); ++i) {
    const Local& local = body.locals[LocalId(i)];
    Words& words = frame().locals.emplace_back(size(local.type), 0);
    if (i >= body.parameter_count || frame().aliases.contains(i)) continue;
    for (std::int32_t& word : words)
      word = arguments.at(next++);
  }
  begun = thread.range;
  Request step;
  step.kind = Request::Kind::Begin;
  {
    Mark mark(*this, -3);
    co_await request(step);
  }
  co_await exec(body.block);
  frames_.resize(1);
  for (Words& words : frame().locals)
    std::fill(words.begin(), words.end(), 0);
  frame().aliases.clear();
  begun = thread.range;
  step.kind = Request::Kind::Finish;
  Mark mark(*this, -4);
  co_await request(step);
  co_return 0;
}

void Walker::begin_spawned(const Thread& thread, Words arguments,
                           std::map<std::uint32_t, Place> handles) {
  main_.emplace(spawned(thread, std::move(arguments), std::move(handles)));
  violation.reset();
  main_->start();
  finish_resume();
}

bool Walker::refers_to(std::int32_t handle) const {
  if (status != Status::Pending) return false;
  const std::int64_t entry = entry_of(WordKind::Handle, handle);
  if (std::find(trail_.begin(), trail_.end(), entry) != trail_.end()) return true;
  for (const Frame& frame : frames_)
    for (std::uint32_t i = 0; i < frame.locals.size(); ++i) {
      const auto& kinds = world_->kinds().of(frame.body->locals[LocalId(i)].type);
      for (std::size_t word = 0; word < frame.locals[i].size(); ++word)
        if (kinds[word] == WordKind::Handle && frame.locals[i][word] == handle) return true;
    }
  return false;
}

void Walker::finish_resume() {
  if (!main_->done()) return;
  try {
    main_->rethrow();
    status = Status::Ended;
  } catch (const Stop& stop) {
    violation = stop;
    status = stop.kind.empty() ? Status::Assumed : Status::Stopped;
    if (stop.kind.empty()) violation.reset();
  } catch (const Diverges&) {
    violation = Stop{"divergence"};
    status = Status::Diverged;
  }  // Disabled and Unsupported go on
}

void Walker::begin(const Body& body) {
  main_.emplace(main(body));
  violation.reset();
  main_->start();
  finish_resume();
}

void Walker::step() {
  violation.reset();
  suspended_.resume();
  finish_resume();
}

std::string Walker::key(Names& names) const {
  switch (status) {
    case Status::Ended:
      return "E";
    case Status::Stopped:
      return "S";
    case Status::Assumed:
      return "A";
    case Status::Diverged:
      return "D";
    default:
      break;
  }
  KeyText out(names);
  for (const std::int64_t entry : trail_)
    out.put_entry(entry);
  for (const Frame& frame : frames_) {
    out.text += "/";
    out.put(WordKind::Reference, frame.self);
    for (std::uint32_t i = 0; i < frame.locals.size(); ++i) {
      const auto& kinds = world_->kinds().of(frame.body->locals[LocalId(i)].type);
      for (std::size_t word = 0; word < frame.locals[i].size(); ++word)
        out.put(kinds[word], frame.locals[i][word]);
    }
    for (const auto& [local, alias] : frame.aliases) {
      out.put(local);
      out.put(alias.leaf);
    }
  }
  return std::move(out.text);
}

std::vector<Access> Walker::guard_accesses() const {
  if (waits_at_ == nullptr && waits_in_ == nullptr) return {};
  World copy = *world_;
  copy.accesses.clear();
  Oracle none({});
  Oracle* oracle = &none;
  std::set<std::string> covered;
  Walker probe(*model_, copy, oracle, covered, max_stack_);
  probe.number = number;
  probe.index = index;
  probe.process = process;
  probe.frames_ = frames_;
  probe.guard_only_ = true;
  ++probe.immediate_;
  try {
    const Block* block = waits_in_ != nullptr ? &waits_in_->body.block : nullptr;
    if (block == nullptr)
      if (const auto* atomic = std::get_if<Atomic>(&waits_at_->node)) block = &atomic->body;
    if (block != nullptr) {
      Task<Flow> task = probe.exec(*block);
      task.start();
      task.rethrow();
      return {};  // on this way there is no condition
    }
    if (const auto* await = std::get_if<Await>(&waits_at_->node)) {
      (void)probe.constant(await->condition);
    } else if (const auto* select = std::get_if<Select>(&waits_at_->node)) {
      for (const Select::Case& c : select->cases)
        if (c.guard) (void)probe.constant(*c.guard);
    }
  } catch (const Stop&) {  // what it has read until then is what is asked for
  } catch (const Disabled&) {
  } catch (const Diverges&) {
  }
  return copy.accesses;
}

std::string Walker::block_text() const {
  if (waits_in_ != nullptr) return waits_in_->name;
  if (waits_at_ != nullptr && std::holds_alternative<Select>(waits_at_->node)) return "select";
  return "block @" + std::to_string(begun.begin);
}

std::string Walker::pending_text() const {
  static const char* const kNames[] = {
      "read",        "write",     "cas",          "swap",         "add",          "acquire",
      "tryAcquire",  "release",   "wait",         "wait",         "wait",         "acquireRead",
      "releaseRead", "tryRead",   "acquireWrite", "acquireWrite", "releaseWrite", "tryWrite",
      "notify",      "notifyAll", "held",         "owner",        "up",           "down",
      "tryDown",     "send",      "recv",         "trySend",      "tryRecv",      "recv",
      "close",       "closed",    "size",         "choose",       "either",       "invoke",
      "method",      "select",    "await",        "atomic",       "spawn",        "begin",
      "finish",      "join"};
  std::string op = kNames[static_cast<std::size_t>(pending.kind)];
  if (pending.is_timed) op = "waitTimed";
  if (pending.kind == Request::Kind::Method)  // "Queue.put"
    return model_->functions[FunctionId(pending.word)].name;
  if (pending.kind >= Request::Kind::Choose) return op;
  return world_->name(pending.leaf) + "." + op;
}

Words Walker::constant(ExprId id) {
  ++immediate_;
  Task<Words> task = eval(id);
  task.start();
  --immediate_;
  task.rethrow();
  return task.await_resume();
}

void Walker::initialise_now(ObjectId id) {
  ++immediate_;
  Task<int> task = initialise(id, 0);
  task.start();
  --immediate_;
  task.rethrow();
}

void Walker::run_whole(const Body& body) {
  ++immediate_;
  Task<int> task = main(body);
  task.start();
  --immediate_;
  frames_.clear();
  task.rethrow();
}

bool Walker::holds_whole(ExprId condition) { return constant(condition).at(0) != 0; }

}  // namespace cml::brute
