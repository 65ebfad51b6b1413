// The walk over statements.
#include <algorithm>
#include <utility>

#include "tests/brute/walker_parts.h"

namespace cml::brute {

using namespace model;  // NOLINT: the walk is all about the model

Task<Flow> Walker::exec(const Block& block) {
  Flow flow = Flow::Next;
  for (const StmtId id : block.statements) {
    work();
    Mark mark(*this, static_cast<std::int64_t>(id.index));
    flow = co_await exec(id);
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
  mark.add(lo.at(0));
  const Words hi = co_await eval(node.hi);
  mark.add(hi.at(0));
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
    mark.add(target);
    if (c.value) {
      const TypeId element = std::get<ChannelType>(model_->types[target.type]).element;
      Words sent = co_await eval_as(*c.value, element);
      out.values = std::move(sent);
      mark.add(out.values, element);
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

bool Walker::waits_inside(const SourceRange& block) const {
  return std::any_of(model_->stmts.begin(), model_->stmts.end(), [&](const Stmt& inner) {
    const auto* select = std::get_if<Select>(&inner.node);
    const bool awaits = std::holds_alternative<Await>(inner.node) ||
                        (select != nullptr && select->is_guarded() && !select->otherwise);
    return awaits && block.begin <= inner.range.begin && inner.range.end <= block.end &&
           inner.range.file == block.file;
  });
}

/// With guards, which are about locals, and a rendezvous.
Task<Flow> Walker::meeting(const Stmt& stmt, const Select& node, std::vector<SelectCase> cases) {
  Request r;
  r.kind = Request::Kind::Select;
  r.has_default = node.otherwise.has_value();
  for (std::size_t i = 0; i < cases.size(); ++i) {
    bool holds = true;
    if (node.cases[i].guard) holds = co_await condition(*node.cases[i].guard);
    cases[i].is_off = !holds;
  }
  begun = stmt.range;
  r.cases = std::move(cases);
  const Words result = co_await request(std::move(r));
  Mark inside(*this, result.at(0) < 0 ? -2 : result[0]);
  if (result[0] < 0) co_return co_await exec(*node.otherwise);
  const Select::Case& chosen = node.cases[static_cast<std::size_t>(result[0])];
  if (chosen.binding)
    frame().locals[chosen.binding->index] = Words(result.begin() + 1, result.end());
  const Flow flow = co_await exec(chosen.body);
  if (chosen.binding) {
    Words& words = frame().locals[chosen.binding->index];
    std::fill(words.begin(), words.end(), 0);
  }
  co_return flow;
}

// One transition: it looks at the guards and the channels, then does one of what can be done.
Task<Flow> Walker::guarded(const Stmt& stmt, const Select& node) {
  Mark mark(*this);
  std::vector<SelectCase> prepared;
  for (const Select::Case& c : node.cases) {
    SelectCase& out = prepared.emplace_back(SelectCase{c.kind, {}, {}});
    if (c.kind == Select::Kind::Await) continue;
    const Place target = co_await place(c.target);
    out.leaf = target.leaf;
    mark.add(target);
    if (!c.value) continue;
    const TypeId element = std::get<ChannelType>(model_->types[target.type]).element;
    Words sent = co_await eval_as(*c.value, element);
    out.values = std::move(sent);
    mark.add(out.values, element);
  }
  const bool meets = std::any_of(prepared.begin(), prepared.end(), [this](const SelectCase& c) {
    return c.kind != Select::Kind::Await && world_->has_no_room(c.leaf);
  });
  if (meets) co_return co_await meeting(stmt, node, std::move(prepared));
  begun = stmt.range;
  Request r;
  r.kind = Request::Kind::Atomic;
  r.awaits = !node.otherwise;
  if (r.awaits && immediate_ == 0) waits_at_ = &stmt;
  co_await request(r);
  if (immediate_ == 0) waits_at_ = nullptr;
  ++immediate_;
  std::vector<std::int32_t> can;
  for (std::size_t i = 0; i < node.cases.size(); ++i) {
    const Select::Case& c = node.cases[i];
    bool ready = true;
    if (c.guard) ready = co_await condition(*c.guard);
    const bool is_channel = c.kind == Select::Kind::Send || c.kind == Select::Kind::Receive;
    if (ready && c.kind != Select::Kind::Await) {
      if (is_channel) {
        Request size;
        size.kind = Request::Kind::Size;
        size.leaf = prepared[i].leaf;
        co_await request(size);
      }
      ready = world_->ready(number, prepared[i]);
    }
    if (ready) can.push_back(static_cast<std::int32_t>(i));
  }
  const bool disabled = (can.empty() && !node.otherwise) || guard_only_;
  Words received;
  std::int32_t chosen = -1;
  if (!can.empty() && !disabled) {
    std::size_t pick = 0;
    if (node.cases.size() > 1 || node.otherwise) {
      Request choose;
      choose.kind = Request::Kind::Choose;
      choose.hi = static_cast<std::int32_t>(can.size()) - 1;
      const Words picked = co_await request(choose);
      pick = static_cast<std::size_t>(picked.at(0));
    }
    chosen = can[pick];
    const SelectCase& c = prepared[static_cast<std::size_t>(chosen)];
    if (c.kind != Select::Kind::Await) {
      Request operation;
      operation.kind = c.kind == Select::Kind::Send      ? Request::Kind::Send
                       : c.kind == Select::Kind::Receive ? Request::Kind::Receive
                       : c.kind == Select::Kind::Down    ? Request::Kind::Down
                                                         : Request::Kind::Acquire;
      operation.leaf = c.leaf;
      operation.values = c.values;
      received = co_await request(operation);
    }
  }
  --immediate_;
  if (disabled) throw Disabled{};
  Mark inside(*this, chosen);
  if (chosen < 0) co_return co_await exec(*node.otherwise);
  const Select::Case& c = node.cases[static_cast<std::size_t>(chosen)];
  if (c.binding) frame().locals[c.binding->index] = received;
  const Flow flow = co_await exec(c.body);
  if (c.binding) {
    Words& words = frame().locals[c.binding->index];
    std::fill(words.begin(), words.end(), 0);
  }
  co_return flow;
}

Task<Flow> Walker::atomically(const Block& block) {
  const World before = *world_;
  ++immediate_;
  Flow flow = Flow::Next;
  try {
    flow = co_await exec(block);
  } catch (const Diverges&) {  // it never completes, so nobody sees what it did; but it looked
    World after = std::exchange(*world_, before);
    world_->accesses = std::move(after.accesses);
    world_->soft = std::move(after.soft);
    world_->candidates = std::move(after.candidates);
    throw;
  }
  --immediate_;
  co_return flow;
}

Task<Flow> Walker::exec(StmtId id) {
  const Stmt& stmt = model_->stmts[id];
  begun = stmt.range;
  if (const auto* node = std::get_if<BlockStmt>(&stmt.node)) {
    co_return co_await exec(node->block);
  }
  if (const auto* node = std::get_if<LocalDecl>(&stmt.node)) {
    const Local& local = frame().body->locals[node->local];
    const Type& type = model_->types[local.type];
    if (is_alias(local.type)) {
      const Place target = co_await place(*node->initial);
      frame().aliases[node->local.index] = target;
      co_return Flow::Next;
    }
    Words value = default_value(*model_, local.type);
    if (node->initial) {
      if (const auto* list = std::get_if<ArrayMake>(&expr(*node->initial).node)) {
        const TypeId element = std::get<ArrayType>(type).element;
        value.clear();
        Mark mark(*this);
        for (const ExprId e : list->elements) {
          const Words each = co_await eval_as(e, element);
          mark.add(each, element);
          value.insert(value.end(), each.begin(), each.end());
        }
      } else if (const auto* array = std::get_if<ArrayType>(&type)) {
        value.clear();
        Mark mark(*this);
        for (std::uint32_t i = 0; i < array->size; ++i) {
          const Words each = co_await eval_as(*node->initial, array->element);
          mark.add(each, array->element);
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
    Mark mark(*this);
    mark.add(target);
    if (!node->op) {
      Words value = co_await eval_as(node->value, target.type);
      co_await store(target, std::move(value));
      co_return Flow::Next;
    }
    const Words old = co_await load(target);
    mark.add(old.at(0));
    const Words right = co_await eval(node->value);
    if (const auto* set = std::get_if<SetType>(&model_->types[target.type])) {
      co_await store(target, one(of_sets(*node->op, old.at(0), right.at(0), *set)));
      co_return Flow::Next;
    }
    Words value = one(arithmetic(*node->op, old.at(0), right.at(0), target.type));
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
  if (const auto* node = std::get_if<Match>(&stmt.node)) {
    const Words value = co_await eval(node->value);
    for (std::size_t i = 0; i < node->cases.size(); ++i) {
      const std::vector<std::int32_t>& values = node->cases[i].values;
      if (std::find(values.begin(), values.end(), value.at(0)) == values.end()) continue;
      Mark mark(*this, static_cast<std::int64_t>(i));
      co_return co_await exec(node->cases[i].body);
    }
    Mark mark(*this, -1);
    if (!node->otherwise) throw Unsupported{};
    co_return co_await exec(*node->otherwise);
  }
  if (std::holds_alternative<While>(stmt.node) || std::holds_alternative<Loop>(stmt.node) ||
      std::holds_alternative<For>(stmt.node)) {
    co_return co_await loop(id);
  }
  if (std::holds_alternative<Break>(stmt.node)) co_return Flow::Break;
  if (std::holds_alternative<Continue>(stmt.node)) co_return Flow::Continue;
  if (const auto* node = std::get_if<Return>(&stmt.node)) {
    if (node->value) {
      // What a function returns is checked before the locks around are given back.
      const TypeId type = frame().result_type.value_or(expr(*node->value).type);
      Words value = co_await eval_as(*node->value, type);
      frame().result = std::move(value);
    }
    begun = stmt.range;
    co_return Flow::Return;
  }
  if (const auto* node = std::get_if<With>(&stmt.node)) {
    const Place lock = co_await place(node->lock);
    Mark mark(*this);
    mark.add(lock);
    Request acquire;
    acquire.leaf = lock.leaf;
    acquire.kind = node->mode == ast::LockMode::Alone  ? Request::Kind::Acquire
                   : node->mode == ast::LockMode::Read ? Request::Kind::AcquireRead
                                                       : Request::Kind::AcquireWrite;
    if (node->mode == ast::LockMode::Write && prefers_writers(lock.leaf)) {
      Request announce = acquire;
      announce.kind = Request::Kind::Announce;
      Mark announcing(*this, 3);
      co_await request(announce);
    }
    co_await request(acquire);
    Flow flow = Flow::Next;
    {
      Mark inside(*this, 1);
      flow = co_await exec(node->body);
    }
    // The way on (break, continue, return) is part of where the thread stands; so is a result.
    Mark leaving(*this, 2, static_cast<std::int64_t>(flow));
    if (frame().result) leaving.add(*frame().result, *frame().result_type);
    begun = stmt.range;
    Request release;
    release.kind = node->mode == ast::LockMode::Alone  ? Request::Kind::Release
                   : node->mode == ast::LockMode::Read ? Request::Kind::ReleaseRead
                                                       : Request::Kind::ReleaseWrite;
    release.leaf = lock.leaf;
    co_await request(release);
    co_return flow;
  }
  if (const auto* node = std::get_if<WaitUntil>(&stmt.node)) {
    const Place target = co_await place(node->target);
    Mark mark(*this);
    mark.add(target);
    for (;;) {
      work();
      const bool holds = co_await condition(node->condition);
      if (holds) co_return Flow::Next;
      for (int part = 0; part < 2; ++part) {
        const auto kind = part == 0 ? Request::Kind::Wait : Request::Kind::Rewait;
        begun = stmt.range;
        Mark inside(*this, static_cast<std::int64_t>(kind));
        Request r;
        r.kind = kind;
        r.leaf = target.leaf;
        r.lock = world_->lock_at(r.leaf);
        co_await request(r);
      }
    }
  }
  if (const auto* node = std::get_if<Await>(&stmt.node)) {
    Request r;
    r.kind = Request::Kind::Await;
    if (immediate_ == 0) waits_at_ = &stmt;
    co_await request(r);
    if (immediate_ == 0) waits_at_ = nullptr;
    ++immediate_;
    const bool holds = co_await condition(node->condition);
    --immediate_;
    if (!holds || guard_only_) throw Disabled{};
    co_return Flow::Next;
  }
  if (const auto* node = std::get_if<Atomic>(&stmt.node)) {
    Request r;
    r.kind = Request::Kind::Atomic;
    r.awaits = waits_inside(stmt.range);
    if (r.awaits && immediate_ == 0) waits_at_ = &stmt;
    co_await request(r);
    if (immediate_ == 0) waits_at_ = nullptr;
    co_return co_await atomically(node->body);
  }
  if (const auto* node = std::get_if<Select>(&stmt.node)) {
    if (node->is_guarded()) co_return co_await guarded(stmt, *node);
    co_return co_await select(stmt, *node);
  }
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
  if (const auto* node = std::get_if<Join>(&stmt.node)) {
    const Words handle = co_await eval(node->handle);
    if (handle.at(0) == 0) throw Stop{"null"};
    Request r;
    r.kind = Request::Kind::Join;
    r.lo = handle[0] - 1;
    Mark mark(*this);
    mark.add(WordKind::Handle, handle[0]);
    begun = stmt.range;
    co_await request(r);
    co_return Flow::Next;
  }
  if (std::holds_alternative<Skip>(stmt.node)) co_return Flow::Next;
  throw Unsupported{};
}

}  // namespace cml::brute
