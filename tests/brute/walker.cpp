#include "tests/brute/walker.h"

#include <algorithm>
#include <functional>
#include <utility>

namespace cml::brute {

using namespace model;  // NOLINT: the walk is all about the model

// More local work than this between two operations comes from a loop that never ends. Small, since
// without optimisation g++ makes no tail calls between coroutines, and the stack grows with the
// work: the tests compute nothing.
constexpr std::uint64_t kFuel = 300;

Words one(std::int32_t word) { return Words(1, word); }

/// What is on the trail for as long as the mark lives.
class Walker::Mark {
 public:
  // No initializer_list: g++ 12 destroys the temporaries of one twice where a coroutine is
  // suspended.
  template <class... Entries>
  explicit Mark(Walker& walker, Entries... entries)
      : walker_(&walker), size_(walker.trail_.size()) {
    (walker.trail_.push_back(static_cast<std::int64_t>(entries)), ...);
  }
  void add(const Words& words) {
    for (const std::int32_t word : words)
      walker_->trail_.push_back(word);
  }
  void add(std::int64_t entry) { walker_->trail_.push_back(entry); }
  Mark(const Mark&) = delete;
  Mark& operator=(const Mark&) = delete;
  ~Mark() { walker_->trail_.resize(size_); }

 private:
  Walker* walker_;
  std::size_t size_;
};

struct Walker::Suspend {
  Walker* walker;
  Request request;
  Words result = {};
  std::exception_ptr failure = nullptr;

  bool await_ready() {
    if (walker->immediate_ == 0) return false;
    walker->world_->reach(walker->number, request);
    result = walker->world_->perform(walker->number, request, **walker->oracle_);
    return true;
  }
  void await_suspend(std::coroutine_handle<> handle) {
    walker->pending = request;
    walker->suspended_ = handle;
    walker->status = Status::Pending;
    walker->world_->reach(walker->number, request);
  }
  Words await_resume() {
    if (walker->immediate_ > 0) return std::move(result);
    walker->work_ = 0;
    return walker->world_->perform(walker->number, request, **walker->oracle_);
  }
};

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
      "read",    "write",   "cas",    "swap",   "add",       "acquire", "tryAcquire",
      "release", "wait",    "wait",   "notify", "notifyAll", "held",    "up",
      "down",    "tryDown", "send",   "recv",   "trySend",   "tryRecv", "size",
      "choose",  "either",  "select", "await",  "atomic"};
  const std::string op = kNames[static_cast<std::size_t>(pending.kind)];
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

// ---- statements --------------------------------------------------------------------------------

Task<Flow> Walker::exec(const Block& block) {
  Flow flow = Flow::Next;
  for (std::size_t i = 0; i < block.statements.size(); ++i) {
    work();
    Mark mark(*this, static_cast<std::int64_t>(block.statements[i].index));
    flow = co_await exec(block.statements[i]);
    if (flow != Flow::Next) break;
  }
  for (const StmtId id : block.statements) {
    if (const auto* local = std::get_if<LocalDecl>(&model_->stmts[id].node)) {
      Words& words = frame().locals[local->local.index];
      std::fill(words.begin(), words.end(), 0);
      frame().aliases.erase(local->local.index);
    }
  }
  co_return flow;
}

Task<bool> Walker::condition(ExprId id) {
  const Words value = co_await eval(id);
  co_return value.at(0) != 0;
}

Task<Flow> Walker::loop(StmtId id) {
  const Stmt& stmt = model_->stmts[id];
  if (const auto* node = std::get_if<While>(&stmt.node)) {
    for (;;) {
      work();
      const bool goes_on = co_await condition(node->condition);
      if (!goes_on) co_return Flow::Next;
      Mark mark(*this, -1);
      const Flow flow = co_await exec(node->body);
      if (flow == Flow::Break) co_return Flow::Next;
      if (flow == Flow::Return) co_return flow;
    }
  }
  if (const auto* node = std::get_if<Loop>(&stmt.node)) {
    for (;;) {
      work();
      const Flow flow = co_await exec(node->body);
      if (flow == Flow::Break) co_return Flow::Next;
      if (flow == Flow::Return) co_return flow;
    }
  }
  const auto& node = std::get<For>(stmt.node);
  Mark mark(*this);
  const Words lo = co_await eval(node.lo);
  mark.add(lo);
  const Words hi = co_await eval(node.hi);
  mark.add(hi);
  const std::int64_t end = node.half_open ? std::int64_t{hi.at(0)} - 1 : hi.at(0);
  Flow flow = Flow::Next;
  for (std::int64_t i = lo.at(0); i <= end; ++i) {
    work();
    frame().locals[node.index.index] = one(static_cast<std::int32_t>(i));
    flow = co_await exec(node.body);
    if (flow == Flow::Break || flow == Flow::Return) break;
  }
  frame().locals[node.index.index] = one(0);
  co_return flow == Flow::Return ? flow : Flow::Next;
}

Task<Flow> Walker::select(const Stmt& stmt, const Select& node) {
  (void)stmt;
  Request r;
  r.kind = Request::Kind::Select;
  r.has_default = node.otherwise.has_value();
  Mark mark(*this);
  for (const Select::Case& c : node.cases) {
    const Place target = co_await place(c.target);
    SelectCase out{c.kind, target.leaf, {}};
    mark.add(target.leaf.offset);
    if (c.value) {
      const TypeId element = std::get<ChannelType>(model_->types[target.type]).element;
      Words sent = co_await eval_as(*c.value, element);
      out.values = std::move(sent);
      mark.add(out.values);
    }
    r.cases.push_back(std::move(out));
  }
  const Words result = co_await request(std::move(r));
  if (result.at(0) < 0) {
    Mark inside(*this, -2);
    co_return co_await exec(*node.otherwise);
  }
  const Select::Case& chosen = node.cases[static_cast<std::size_t>(result[0])];
  Mark inside(*this, result[0]);
  if (chosen.binding) {
    frame().locals[chosen.binding->index] = Words(result.begin() + 1, result.end());
  }
  const Flow flow = co_await exec(chosen.body);
  if (chosen.binding) {
    Words& words = frame().locals[chosen.binding->index];
    std::fill(words.begin(), words.end(), 0);
  }
  co_return flow;
}

Task<Flow> Walker::exec(StmtId id) {
  const Stmt& stmt = model_->stmts[id];
  if (const auto* node = std::get_if<BlockStmt>(&stmt.node)) {
    co_return co_await exec(node->block);
  }
  if (const auto* node = std::get_if<LocalDecl>(&stmt.node)) {
    const Local& local = frame().body->locals[node->local];
    const Type& type = model_->types[local.type];
    if (std::holds_alternative<LockType>(type) || std::holds_alternative<SemaphoreType>(type) ||
        std::holds_alternative<ChannelType>(type)) {
      Place target = co_await place(*node->initial);
      frame().aliases[node->local.index] = std::move(target);
      co_return Flow::Next;
    }
    Words value = default_value(local.type);
    if (node->initial) {
      if (const auto* list = std::get_if<ArrayMake>(&expr(*node->initial).node)) {
        const TypeId element = std::get<ArrayType>(type).element;
        value.clear();
        Mark mark(*this);
        for (const ExprId e : list->elements) {
          const Words each = co_await eval_as(e, element);
          mark.add(each);
          value.insert(value.end(), each.begin(), each.end());
        }
      } else if (const auto* array = std::get_if<ArrayType>(&type)) {
        value.clear();
        Mark mark(*this);
        for (std::uint32_t i = 0; i < array->size; ++i) {
          const Words each = co_await eval_as(*node->initial, array->element);
          mark.add(each);
          value.insert(value.end(), each.begin(), each.end());
        }
      } else {
        value = co_await eval_as(*node->initial, local.type);
      }
    }
    frame().locals[node->local.index] = std::move(value);
    co_return Flow::Next;
  }
  if (const auto* node = std::get_if<Assign>(&stmt.node)) {
    Place target = co_await place(node->target);
    Mark mark(*this, static_cast<std::int64_t>(target.leaf.offset), target.offset);
    if (!node->op) {
      Words value = co_await eval_as(node->value, target.type);
      co_await store(target, std::move(value));
      co_return Flow::Next;
    }
    const Words old = co_await load(target);
    mark.add(old);
    const Words right = co_await eval(node->value);
    Words value = one(arithmetic(*node->op, old.at(0), right.at(0)));
    value = convert(std::move(value), target.type, target.type);
    co_await store(target, std::move(value));
    co_return Flow::Next;
  }
  if (const auto* node = std::get_if<ExprStmt>(&stmt.node)) {
    co_await eval(node->expr);
    co_return Flow::Next;
  }
  if (const auto* node = std::get_if<If>(&stmt.node)) {
    for (std::size_t i = 0; i < node->arms.size(); ++i) {
      bool taken = false;
      {
        Mark mark(*this, static_cast<std::int64_t>(i), 0);
        taken = co_await condition(node->arms[i].condition);
      }
      if (taken) {
        Mark mark(*this, static_cast<std::int64_t>(i), 1);
        co_return co_await exec(node->arms[i].body);
      }
    }
    if (node->otherwise) co_return co_await exec(*node->otherwise);
    co_return Flow::Next;
  }
  if (std::holds_alternative<While>(stmt.node) || std::holds_alternative<Loop>(stmt.node) ||
      std::holds_alternative<For>(stmt.node)) {
    co_return co_await loop(id);
  }
  if (std::holds_alternative<Break>(stmt.node)) co_return Flow::Break;
  if (std::holds_alternative<Continue>(stmt.node)) co_return Flow::Continue;
  if (const auto* node = std::get_if<Return>(&stmt.node)) {
    if (node->value) {
      Words value = co_await eval(*node->value);
      frame().result = std::move(value);
    }
    co_return Flow::Return;
  }
  if (const auto* node = std::get_if<With>(&stmt.node)) {
    const Place lock = co_await place(node->lock);
    Mark mark(*this, static_cast<std::int64_t>(lock.leaf.offset));
    Request acquire;
    acquire.kind = Request::Kind::Acquire;
    acquire.leaf = lock.leaf;
    co_await request(acquire);
    Flow flow = Flow::Next;
    {
      Mark inside(*this, 1);
      flow = co_await exec(node->body);
    }
    // The way on (break, continue, return) is part of where the thread stands; so is a result.
    Mark leaving(*this, 2, static_cast<std::int64_t>(flow));
    if (frame().result) leaving.add(*frame().result);
    Request release;
    release.kind = Request::Kind::Release;
    release.leaf = lock.leaf;
    co_await request(release);
    co_return flow;
  }
  if (const auto* node = std::get_if<WaitUntil>(&stmt.node)) {
    const Place lock = co_await place(node->lock);
    Mark mark(*this, static_cast<std::int64_t>(lock.leaf.offset));
    for (;;) {
      work();
      const bool holds = co_await condition(node->condition);
      if (holds) co_return Flow::Next;
      for (int part = 0; part < 2; ++part) {
        const auto kind = part == 0 ? Request::Kind::Wait : Request::Kind::Rewait;
        Mark inside(*this, static_cast<std::int64_t>(kind));
        Request r;
        r.kind = kind;
        r.leaf = lock.leaf;
        co_await request(r);
      }
    }
  }
  if (const auto* node = std::get_if<Await>(&stmt.node)) {
    Request r;
    r.kind = Request::Kind::Await;
    co_await request(r);
    ++immediate_;
    const bool holds = co_await condition(node->condition);
    --immediate_;
    if (!holds) throw Disabled{};
    co_return Flow::Next;
  }
  if (const auto* node = std::get_if<Atomic>(&stmt.node)) {
    Request r;
    r.kind = Request::Kind::Atomic;
    r.awaits = std::any_of(model_->stmts.begin(), model_->stmts.end(), [&stmt](const Stmt& inner) {
      return std::holds_alternative<Await>(inner.node) && stmt.range.begin <= inner.range.begin &&
             inner.range.end <= stmt.range.end && inner.range.file == stmt.range.file;
    });
    co_await request(r);
    ++immediate_;
    const Flow flow = co_await exec(node->body);
    --immediate_;
    co_return flow;
  }
  if (const auto* node = std::get_if<Select>(&stmt.node)) co_return co_await select(stmt, *node);
  if (const auto* node = std::get_if<Either>(&stmt.node)) {
    Request r;
    r.kind = Request::Kind::Either;
    r.hi = static_cast<std::int32_t>(node->branches.size()) - 1;
    const Words chosen = co_await request(r);
    Mark mark(*this, chosen.at(0));
    co_return co_await exec(node->branches[static_cast<std::size_t>(chosen[0])]);
  }
  if (const auto* node = std::get_if<Assert>(&stmt.node)) {
    const bool holds = co_await condition(node->condition);
    if (!holds) throw Stop{"assertion", stmt.range.begin};
    co_return Flow::Next;
  }
  if (const auto* node = std::get_if<Assume>(&stmt.node)) {
    const bool holds = co_await condition(node->condition);
    if (!holds) throw Stop{};
    co_return Flow::Next;
  }
  if (std::holds_alternative<Fail>(stmt.node)) throw Stop{"assertion", stmt.range.begin};
  if (const auto* node = std::get_if<Cover>(&stmt.node)) {
    covered_->insert(node->label);
    co_return Flow::Next;
  }
  if (std::holds_alternative<Skip>(stmt.node)) co_return Flow::Next;
  throw Unsupported{};
}

// ---- places ------------------------------------------------------------------------------------

Task<Place> Walker::place(ExprId id) {
  const Expr& e = expr(id);
  if (const auto* node = std::get_if<LocalRef>(&e.node)) {
    if (const auto alias = frame().aliases.find(node->local.index);
        alias != frame().aliases.end()) {
      co_return alias->second;
    }
    Place out;
    out.local = true;
    out.frame = static_cast<std::uint32_t>(frames_.size() - 1);
    out.variable = node->local;
    out.type = e.type;
    co_return out;
  }
  if (const auto* node = std::get_if<ObjectRef>(&e.node)) {
    Place out;
    out.leaf.object = node->object.index;
    if (node->process_index) {
      const Words p = co_await eval(*node->process_index);
      out.leaf.process = p.at(0);
    } else if (model_->objects[node->object].process) {
      out.leaf.process = process;
    }
    out.type = e.type;
    out.storage = e.storage;
    co_return out;
  }
  // A part: elements move the leaf, except inside an atomic struct, which is one object.
  if (const auto* node = std::get_if<Index>(&e.node)) {
    Place out = co_await place(node->base);
    Mark mark(*this, static_cast<std::int64_t>(out.leaf.offset), out.offset);
    const Words at = co_await eval(node->index);
    const auto& array = std::get<ArrayType>(model_->types[out.type]);
    if (at.at(0) < 0 || std::cmp_greater_equal(at[0], array.size)) throw Stop{"index"};
    const std::uint32_t distance = static_cast<std::uint32_t>(at[0]) * size(array.element);
    const ObjectKind kind =
        out.local ? ObjectKind::Var : model_->objects[ObjectId(out.leaf.object)].kind;
    if (out.local || (kind == ObjectKind::Atomic && out.offset > 0)) {
      out.offset += distance;
    } else {
      out.leaf.offset += distance;
    }
    out.type = e.type;
    co_return out;
  }
  if (const auto* node = std::get_if<StructField>(&e.node)) {
    Place out = co_await place(node->base);
    const auto& st = std::get<StructType>(model_->types[out.type]);
    std::uint32_t distance = 0;
    for (std::uint32_t f = 0; f < node->field; ++f) {
      distance += size(model_->structs[st.decl].fields[f].type);
    }
    if (out.local || model_->objects[ObjectId(out.leaf.object)].kind == ObjectKind::Atomic) {
      out.offset += distance;
    } else {
      out.leaf.offset += distance;
    }
    out.type = e.type;
    co_return out;
  }
  throw Unsupported{};
}

Task<Words> Walker::load(Place p) {
  const std::uint32_t n = size(p.type);
  if (p.local) {
    const Words& all = frames_[p.frame].locals[p.variable.index];
    co_return Words(all.begin() + p.offset, all.begin() + p.offset + n);
  }
  Request r;
  r.kind = Request::Kind::Read;
  r.leaf = p.leaf;
  if (model_->objects[ObjectId(p.leaf.object)].kind == ObjectKind::Atomic) {
    r.word = p.offset;
    r.words = n;
    co_return co_await request(r);
  }
  Words out;
  Mark mark(*this);
  for (std::uint32_t i = 0; i < n; ++i) {  // one access per field, in order
    r.leaf.offset = p.leaf.offset + i;
    const Words word = co_await request(r);
    mark.add(word);
    out.push_back(word.at(0));
  }
  co_return out;
}

Task<int> Walker::store(Place p, Words value) {
  if (p.local) {
    Words& all = frames_[p.frame].locals[p.variable.index];
    std::copy(value.begin(), value.end(), all.begin() + p.offset);
    co_return 0;
  }
  Mark mark(*this);
  mark.add(value);
  Request r;
  r.kind = Request::Kind::Write;
  r.leaf = p.leaf;
  if (model_->objects[ObjectId(p.leaf.object)].kind == ObjectKind::Atomic) {
    r.word = p.offset;
    r.values = std::move(value);
    co_await request(r);
    co_return 0;
  }
  for (std::size_t i = 0; i < value.size(); ++i) {
    Mark which(*this, static_cast<std::int64_t>(i));
    r.leaf.offset = p.leaf.offset + static_cast<std::uint32_t>(i);
    r.values = one(value[i]);
    co_await request(r);
  }
  co_return 0;
}

// ---- expressions -------------------------------------------------------------------------------

Task<Words> Walker::eval_as(ExprId id, TypeId target) {
  Words value = co_await eval(id);
  co_return convert(std::move(value), expr(id).type, target);
}

Task<Words> Walker::call(const Expr& e, const Call& node) {
  (void)e;
  const Function& function = model_->functions[node.function];
  if (function.owner) throw Unsupported{};
  Frame callee{&function.body, {}, {}, {}, {}};
  for (const Local& local : function.body.locals)
    callee.locals.emplace_back(size(local.type), 0);
  {
    Mark mark(*this);
    for (std::uint32_t i = 0; i < node.arguments.size(); ++i) {
      const TypeId type = function.body.locals[LocalId(i)].type;
      const Type& t = model_->types[type];
      if (std::holds_alternative<LockType>(t) || std::holds_alternative<SemaphoreType>(t) ||
          std::holds_alternative<ChannelType>(t)) {
        Place alias = co_await place(node.arguments[i]);
        mark.add(alias.leaf.offset);
        callee.aliases[i] = std::move(alias);
      } else {
        Words value = co_await eval_as(node.arguments[i], type);
        callee.locals[i] = std::move(value);
        mark.add(callee.locals[i]);
      }
    }
  }
  if (frames_.size() > 50) throw Unsupported{};
  Mark mark(*this, static_cast<std::int64_t>(node.function.index));
  for (const auto& [local, alias] : callee.aliases)
    mark.add(alias.leaf.offset);
  frames_.push_back(std::move(callee));
  co_await exec(function.body.block);
  Words result = frame().result.value_or(Words{});
  frames_.pop_back();
  if (!std::holds_alternative<VoidType>(model_->types[function.result])) {
    result = convert(std::move(result), function.result, function.result);
  }
  co_return result;
}

Task<Words> Walker::operation(const Expr& e, const Operation& node) {
  using Kind = Request::Kind;
  Place target = co_await place(node.target);
  Mark mark(*this, static_cast<std::int64_t>(target.leaf.offset), target.offset);
  Request r;
  r.leaf = target.leaf;
  r.place = e.range.begin;
  r.type = target.type;
  r.words = size(target.type);
  const auto channel_element = [&] {
    return std::get<ChannelType>(model_->types[target.type]).element;
  };
  switch (node.op) {
    case Operator::Acquire:
      r.kind = Kind::Acquire;
      break;
    case Operator::Release:
      r.kind = Kind::Release;
      break;
    case Operator::TryAcquire:
      r.kind = Kind::TryAcquire;
      break;
    case Operator::Notify:
      r.kind = Kind::Notify;
      break;
    case Operator::NotifyAll:
      r.kind = Kind::NotifyAll;
      break;
    case Operator::Held:
      r.kind = Kind::Held;
      break;
    case Operator::Up:
      r.kind = Kind::Up;
      break;
    case Operator::Down:
      r.kind = Kind::Down;
      break;
    case Operator::TryDown:
      r.kind = Kind::TryDown;
      break;
    case Operator::Receive:
      r.kind = Kind::Receive;
      break;
    case Operator::Size:
      r.kind = Kind::Size;
      break;
    case Operator::Wait: {
      r.kind = Kind::Wait;
      co_await request(r);
      r.kind = Kind::Rewait;
      Mark second(*this, 1);
      co_return co_await request(r);
    }
    case Operator::Send:
    case Operator::TrySend:
      r.kind = node.op == Operator::Send ? Kind::Send : Kind::TrySend;
      {
        Words value = co_await eval_as(node.arguments.at(0), channel_element());
        r.values = std::move(value);
      }
      mark.add(r.values);
      break;
    case Operator::TryReceive: {
      r.kind = Kind::TryReceive;
      const Place into = co_await place(node.arguments.at(0));
      Words value = co_await request(r);
      if (value.empty()) co_return one(0);
      value = convert(std::move(value), channel_element(), into.type);
      co_await store(into, std::move(value));
      co_return one(1);
    }
    case Operator::Cas: {
      r.kind = Kind::Cas;
      {
        Words value = co_await eval(node.arguments.at(0));
        r.values = std::move(value);
      }
      mark.add(r.values);
      const Words wanted = co_await eval(node.arguments.at(1));
      mark.add(wanted);
      r.values.insert(r.values.end(), wanted.begin(), wanted.end());
      break;
    }
    case Operator::Swap:
      r.kind = Kind::Swap;
      {
        Words value = co_await eval_as(node.arguments.at(0), target.type);
        r.values = std::move(value);
      }
      mark.add(r.values);
      break;
    case Operator::Add:
      r.kind = Kind::Add;
      {
        Words value = co_await eval(node.arguments.at(0));
        r.values = std::move(value);
      }
      mark.add(r.values);
      break;
  }
  co_return co_await request(r);
}

Task<Words> Walker::eval(ExprId id) {
  const Expr& e = expr(id);
  Mark here(*this, static_cast<std::int64_t>(id.index));
  if (const auto* node = std::get_if<IntLiteral>(&e.node)) co_return one(node->value);
  if (const auto* node = std::get_if<BoolLiteral>(&e.node)) co_return one(node->value ? 1 : 0);
  if (const auto* node = std::get_if<EnumLiteral>(&e.node)) {
    co_return one(static_cast<std::int32_t>(node->value));
  }
  if (const auto* node = std::get_if<IndexRef>(&e.node)) {
    co_return one(node->of_process ? process : index);
  }
  if (std::holds_alternative<LocalRef>(e.node) || std::holds_alternative<ObjectRef>(e.node)) {
    const Place p = co_await place(id);
    co_return co_await load(p);
  }
  if (std::holds_alternative<Index>(e.node)) {
    const Place p = co_await place(id);
    co_return co_await load(p);
  }
  if (const auto* node = std::get_if<StructField>(&e.node)) {
    if (e.storage != Storage::Value) {
      const Place p = co_await place(id);
      co_return co_await load(p);
    }
    const Words all = co_await eval(node->base);
    const auto& st = std::get<StructType>(model_->types[expr(node->base).type]);
    std::uint32_t distance = 0;
    for (std::uint32_t f = 0; f < node->field; ++f) {
      distance += size(model_->structs[st.decl].fields[f].type);
    }
    co_return Words(all.begin() + distance, all.begin() + distance + size(e.type));
  }
  if (const auto* node = std::get_if<Unary>(&e.node)) {
    const Words value = co_await eval(node->operand);
    if (node->op == UnaryOp::Not) co_return one(value.at(0) == 0 ? 1 : 0);
    co_return one(arithmetic(BinaryOp::Subtract, 0, value.at(0)));
  }
  if (const auto* node = std::get_if<Binary>(&e.node)) {
    const Words left = co_await eval(node->left);
    if (node->op == BinaryOp::And && left.at(0) == 0) co_return one(0);
    if (node->op == BinaryOp::Or && left.at(0) != 0) co_return one(1);
    Mark mark(*this);
    mark.add(left);
    const Words right = co_await eval(node->right);
    switch (node->op) {
      case BinaryOp::And:
      case BinaryOp::Or:
        co_return one(right.at(0));
      case BinaryOp::Equal:
        co_return one(left == right ? 1 : 0);
      case BinaryOp::NotEqual:
        co_return one(left != right ? 1 : 0);
      default:
        co_return one(arithmetic(node->op, left.at(0), right.at(0)));
    }
  }
  if (const auto* node = std::get_if<Conditional>(&e.node)) {
    const bool yes = co_await condition(node->condition);
    co_return co_await eval(yes ? node->if_true : node->if_false);
  }
  if (const auto* node = std::get_if<Call>(&e.node)) co_return co_await call(e, *node);
  if (const auto* node = std::get_if<Operation>(&e.node)) co_return co_await operation(e, *node);
  if (const auto* node = std::get_if<StructMake>(&e.node)) {
    std::vector<Words> fields(node->fields.size());
    Mark mark(*this);
    for (const std::uint32_t f : node->evaluation_order) {
      const TypeId type = model_->structs[node->decl].fields[f].type;
      Words value = co_await eval_as(node->fields[f], type);
      fields[f] = std::move(value);
      mark.add(fields[f]);
    }
    Words out;
    for (const Words& words : fields)
      out.insert(out.end(), words.begin(), words.end());
    co_return out;
  }
  if (const auto* node = std::get_if<Choose>(&e.node)) {
    Request r;
    r.kind = Request::Kind::Choose;
    const Words lo = co_await eval(node->lo);
    Mark mark(*this);
    mark.add(lo);
    const Words hi = co_await eval(node->hi);
    mark.add(hi);
    r.lo = lo.at(0);
    r.hi = hi.at(0) - (node->half_open ? 1 : 0);
    if (r.hi < r.lo) throw Stop{"range"};
    co_return co_await request(r);
  }
  throw Unsupported{};
}

}  // namespace cml::brute
