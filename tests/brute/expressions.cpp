// The walk over places and expressions; every operation of the language is asked for here.
#include <algorithm>
#include <utility>

#include "tests/brute/walker_parts.h"

namespace cml::brute {

using namespace model;  // NOLINT: the walk is all about the model

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
        const Place alias = co_await place(node.arguments[i]);
        mark.add(alias.leaf.offset);
        callee.aliases[i] = alias;
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
  if (!std::holds_alternative<VoidType>(model_->types[function.result])) {
    result = convert(std::move(result), function.result, function.result);
  }
  frames_.pop_back();
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
    case Operator::Free:
      r.kind = Kind::Owner;
      r.lo = -1;
      break;
    case Operator::Owner:
      throw Unsupported{};  // stands in an OwnedBy
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

Task<Words> Walker::owned_by(const OwnedBy& node) {
  const Thread& thread = model_->threads[node.thread];
  const Place lock = co_await place(node.lock);
  std::int32_t of_process =
      thread.process && model_->processes[*thread.process].index ? process : 0;
  std::int32_t position = 0;
  if (node.process_index) {
    const Words value = co_await eval(*node.process_index);
    of_process = value.at(0);
  }
  const auto outside = [](const std::optional<IndexRange>& range, std::int32_t value) {
    return range && (value < range->lo || range->hi < value);
  };
  if (thread.process && outside(model_->processes[*thread.process].index, of_process))
    throw Stop{"index"};
  if (node.index) {
    const Words value = co_await eval(*node.index);
    position = value.at(0);
  }
  if (outside(thread.index, position)) throw Stop{"index"};
  Request r;
  r.kind = Request::Kind::Owner;
  r.leaf = lock.leaf;
  r.lo = world_->threads.at({&thread, of_process, position});
  co_return co_await request(r);
}

Task<Words> Walker::eval(ExprId id) {
  const Expr& e = expr(id);
  Mark here(*this, static_cast<std::int64_t>(id.index));
  begun = e.range;
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
  if (const auto* node = std::get_if<OwnedBy>(&e.node)) co_return co_await owned_by(*node);
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
