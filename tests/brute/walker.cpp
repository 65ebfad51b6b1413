// A thread as a whole: it begins, goes on, ends; and what values are.
#include "tests/brute/walker.h"

#include <functional>
#include <utility>

#include "tests/brute/walker_parts.h"

namespace cml::brute {

using namespace model;  // NOLINT: the walk is all about the model

// More local work than this between two operations comes from a loop that never ends. Small, since
// without optimisation g++ makes no tail calls between coroutines, and the stack grows with the
// work: the tests compute nothing.
constexpr std::uint64_t kFuel = 300;

Walker::Suspend Walker::request(Request r) { return {this, std::move(r)}; }

// ---- values ------------------------------------------------------------------------------------

std::uint32_t Walker::size(TypeId id) const {
  const Type& type = model_->types[id];
  if (const auto* array = std::get_if<ArrayType>(&type)) return array->size * size(array->element);
  if (const auto* st = std::get_if<StructType>(&type)) {
    std::uint32_t sum = 0;
    for (const auto& field : model_->structs[st->decl].fields)
      sum += size(field.type);
    return sum;
  }
  return 1;
}

Words Walker::default_value(TypeId id) const {
  const Type& type = model_->types[id];
  if (const auto* array = std::get_if<ArrayType>(&type)) {
    Words out;
    for (std::uint32_t i = 0; i < array->size; ++i) {
      const Words each = default_value(array->element);
      out.insert(out.end(), each.begin(), each.end());
    }
    return out;
  }
  if (const auto* st = std::get_if<StructType>(&type)) {
    Words out;
    for (const auto& field : model_->structs[st->decl].fields) {
      const Words each = default_value(field.type);
      out.insert(out.end(), each.begin(), each.end());
    }
    return out;
  }
  if (const auto* range = std::get_if<IntType>(&type)) {
    return {*range == IntType{} ? 0 : range->lo};
  }
  return {0};
}

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
      const std::int32_t word = value.at(position++);
      if (const auto* range = std::get_if<IntType>(&type)) {
        if (word < range->lo || word > range->hi) throw Stop{"range"};
      }
    }
  };
  check(to);
  return value;
}

std::int32_t Walker::arithmetic(BinaryOp op, std::int64_t a, std::int64_t b) const {
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

void Walker::work() {
  if (++work_ > kFuel) throw Diverges{};
}

// ---- the thread as a whole ---------------------------------------------------------------------

Task<int> Walker::main(const Body& body) {
  frames_.push_back({&body, {}, {}, {}, {}});
  for (const Local& local : body.locals)
    frame().locals.emplace_back(size(local.type), 0);
  co_await exec(body.block);
  co_return 0;
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

std::string Walker::key() const {
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
  std::string out;
  for (const std::int64_t entry : trail_)
    out += std::to_string(entry) + ".";
  for (const Frame& frame : frames_) {
    out += "/";
    for (const Words& words : frame.locals) {
      for (const std::int32_t word : words)
        out += std::to_string(word) + ",";
    }
  }
  return out;
}

std::string Walker::pending_text() const {
  static const char* const kNames[] = {
      "read",    "write",  "cas",     "swap",   "add",       "acquire", "tryAcquire",
      "release", "wait",   "wait",    "notify", "notifyAll", "held",    "owner",
      "up",      "down",   "tryDown", "send",   "recv",      "trySend", "tryRecv",
      "size",    "choose", "either",  "select", "await",     "atomic"};
  std::string op = kNames[static_cast<std::size_t>(pending.kind)];
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
