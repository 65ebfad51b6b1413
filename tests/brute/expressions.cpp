// The walk over places and expressions; every operation of the language is asked for here.
#include <algorithm>
#include <set>
#include <utility>

#include "tests/brute/walker_parts.h"

namespace cml::brute {

using namespace model;  // NOLINT: the walk is all about the model

namespace {

bool outside(const std::optional<IndexRange>& range, std::int32_t value) {
  return range && (value < range->lo || range->hi < value);
}

}  // namespace

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
  if (const auto* node = std::get_if<FieldRef>(&e.node)) {
    const Words object = co_await reference(node->object);
    Place out;
    out.leaf = {node->field.index, 0, 0, object.at(0)};
    out.type = e.type;
    out.storage = e.storage;
    co_return out;
  }
  if (const auto* node = std::get_if<MonitorRef>(&e.node)) {
    const Words object = co_await reference(node->object);
    Place out;
    out.leaf = {kMonitor, 0, 0, object.at(0)};
    out.type = e.type;
    out.storage = e.storage;
    co_return out;
  }
  if (const auto* node = std::get_if<Index>(&e.node)) {
    Place out = co_await place(node->base);
    Mark mark(*this);
    mark.add(out);
    const Words at = co_await eval(node->index);
    const auto& array = std::get<ArrayType>(model_->types[out.type]);
    if (at.at(0) < 0 || std::cmp_greater_equal(at[0], array.size)) throw Stop{"index"};
    move(out, static_cast<std::uint32_t>(at[0]) * size(array.element));
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
    if (!out.local) out.inside = world_->kind(out.leaf) == ObjectKind::Atomic;
    move(out, distance);
    out.type = e.type;
    co_return out;
  }
  throw Unsupported{};
}

// Elements move the leaf, except inside an atomic struct, which is one object, and where there is
// no object to speak of: in locals and in the private or constant fields of an object.
void Walker::move(Place& place, std::uint32_t distance) const {
  if (is_plain(place) || place.inside) {
    place.offset += distance;
  } else {
    place.leaf.offset += distance;
  }
}

bool Walker::is_plain(const Place& place) const {
  return place.local || world_->kind(place.leaf) == ObjectKind::Var;
}

Words& Walker::words_of(const Place& place) {
  if (place.local) return frames_[place.frame].locals[place.variable.index];
  world_->touch(number, place.leaf.heap);
  return world_->variables.at(place.leaf);
}

Task<Words> Walker::reference(ExprId id) {
  Words object = co_await eval(id);
  if (object.at(0) == 0) throw Stop{"null"};
  co_return object;
}

Task<Words> Walker::load(Place p) {
  const std::uint32_t n = size(p.type);
  if (is_plain(p)) {
    const Words& all = words_of(p);
    co_return Words(all.begin() + p.offset, all.begin() + p.offset + n);
  }
  Request r;
  r.kind = Request::Kind::Read;
  r.leaf = p.leaf;
  if (world_->kind(p.leaf) == ObjectKind::Atomic) {
    r.word = p.offset;
    r.words = n;
    co_return co_await request(r);
  }
  Words out;
  Mark mark(*this);
  for (std::uint32_t i = 0; i < n; ++i) {  // one access per field, in order
    r.leaf.offset = p.leaf.offset + i;
    const Words word = co_await request(r);
    mark.add(world_->kinds().of(p.type)[i], word.at(0));
    out.push_back(word.at(0));
  }
  co_return out;
}

Task<int> Walker::store(Place p, Words value) {
  if (is_plain(p)) {
    Words& all = words_of(p);
    std::copy(value.begin(), value.end(), all.begin() + p.offset);
    co_return 0;
  }
  Mark mark(*this);
  mark.add(value, p.type);
  Request r;
  r.kind = Request::Kind::Write;
  r.leaf = p.leaf;
  if (world_->kind(p.leaf) == ObjectKind::Atomic) {
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

Task<Words> Walker::operation(const Expr& e, const Operation& node) {
  using Kind = Request::Kind;
  Place target = co_await place(node.target);
  Mark mark(*this);
  mark.add(target);
  Request r;
  r.leaf = target.leaf;
  r.place = e.range.begin;
  r.type = target.type;
  r.words = size(target.type);
  const auto* const channel = std::get_if<ChannelType>(&model_->types[target.type]);
  const bool is_mod = std::holds_alternative<ModType>(model_->types[target.type]);
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
    case Operator::AcquireRead:
      r.kind = Kind::AcquireRead;
      break;
    case Operator::ReleaseRead:
      r.kind = Kind::ReleaseRead;
      break;
    case Operator::TryRead:
      r.kind = Kind::TryRead;
      break;
    case Operator::AcquireWrite:
      if (prefers_writers(r.leaf)) {
        r.kind = Kind::Announce;
        co_await request(r);
      }
      {
        r.kind = Kind::AcquireWrite;
        Mark announced(*this, 1);
        co_return co_await request(r);
      }
    case Operator::ReleaseWrite:
      r.kind = Kind::ReleaseWrite;
      break;
    case Operator::TryWrite:
      r.kind = Kind::TryWrite;
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
    case Operator::Close:
      r.kind = Kind::Close;
      break;
    case Operator::Closed:
      r.kind = Kind::Closed;
      break;
    case Operator::Wait:
    case Operator::WaitTimed: {
      r.kind = Kind::Wait;
      r.lock = world_->lock_at(r.leaf);
      r.is_timed = node.op == Operator::WaitTimed;
      co_await request(r);
      Words result;
      if (r.is_timed) {
        r.kind = Kind::TimeOut;
        Mark waiting(*this, 2);
        result = co_await request(r);
      }
      r.kind = Kind::Rewait;
      Mark second(*this, 1);
      if (!result.empty()) second.add(result, e.type);
      co_await request(r);
      co_return result;
    }
    case Operator::Send:
    case Operator::TrySend:
      r.kind = node.op == Operator::Send ? Kind::Send : Kind::TrySend;
      if (node.arguments.empty()) break;
      {
        Words value = co_await eval_as(node.arguments[0], channel->element);
        r.values = std::move(value);
      }
      mark.add(r.values, channel->element);
      break;
    case Operator::ReceiveInto:
    case Operator::TryReceive: {
      r.kind = node.op == Operator::TryReceive ? Kind::TryReceive : Kind::ReceiveInto;
      if (node.arguments.empty()) {
        const Words came = co_await request(r);
        co_return one(came.at(0));
      }
      const Place into = co_await place(node.arguments[0]);
      Words value = co_await request(r);
      if (value.at(0) == 0) co_return one(0);
      value.erase(value.begin());
      value = convert(std::move(value), channel->element, into.type);
      co_await store(into, std::move(value));
      co_return one(1);
    }
    case Operator::Cas: {
      r.kind = Kind::Cas;
      {
        Words value = co_await eval(node.arguments.at(0));
        r.values = std::move(value);
      }
      mark.add(r.values, target.type);
      Words wanted = co_await eval(node.arguments.at(1));
      if (is_mod) wanted = convert(std::move(wanted), target.type, target.type);
      mark.add(wanted, target.type);
      r.values.insert(r.values.end(), wanted.begin(), wanted.end());
      break;
    }
    case Operator::Swap:
      r.kind = Kind::Swap;
      {
        Words value = co_await eval_as(node.arguments.at(0), target.type);
        r.values = std::move(value);
      }
      mark.add(r.values, target.type);
      break;
    case Operator::Add:
      r.kind = Kind::Add;
      {
        Words value = co_await eval(node.arguments.at(0));
        if (is_mod) value = convert(std::move(value), target.type, target.type);
        r.values = std::move(value);
      }
      mark.add(r.values, target.type);
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

Task<Words> Walker::spawn(ExprId id, const Spawn& node) {
  const Body& body = model_->threads[node.thread].body;
  Request r;
  r.kind = Request::Kind::Spawn;
  r.word = id.index;
  std::map<std::uint32_t, Place> handles;
  Mark mark(*this);
  for (std::uint32_t i = 0; i < node.arguments.size(); ++i) {
    const TypeId type = body.locals[LocalId(i)].type;
    if (is_alias(type)) {
      const Place handle = co_await place(node.arguments[i]);
      mark.add(handle);
      handles[i] = handle;
    } else {
      const Words value = co_await eval_as(node.arguments[i], type);
      mark.add(value, type);
      r.values.insert(r.values.end(), value.begin(), value.end());
    }
  }
  passed = std::move(handles);
  begun = expr(id).range;
  co_return co_await request(std::move(r));
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
  if (std::holds_alternative<ThisRef>(e.node)) co_return one(frame().self);
  if (const auto* node = std::get_if<New>(&e.node)) co_return co_await make(e, *node);
  if (std::holds_alternative<Index>(e.node) || std::holds_alternative<FieldRef>(e.node)) {
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
    co_return one(arithmetic(BinaryOp::Subtract, 0, value.at(0), e.type));
  }
  if (const auto* node = std::get_if<Binary>(&e.node)) {
    const Words left = co_await eval(node->left);
    if (node->op == BinaryOp::And && left.at(0) == 0) co_return one(0);
    if (node->op == BinaryOp::Or && left.at(0) != 0) co_return one(1);
    Mark mark(*this);
    mark.add(left, expr(node->left).type);
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
        break;
    }
    const Expr& of = expr(node->op == BinaryOp::In ? node->right : node->left);
    if (const auto* set = std::get_if<SetType>(&model_->types[of.type]))
      co_return one(of_sets(node->op, left.at(0), right.at(0), *set));
    co_return one(arithmetic(node->op, left.at(0), right.at(0), e.type));
  }
  if (const auto* node = std::get_if<SetMake>(&e.node)) {
    const auto& type = std::get<SetType>(model_->types[e.type]);
    std::int32_t set = 0;
    Mark mark(*this);
    for (const ExprId element : node->elements) {
      const Words value = co_await eval(element);
      set = of_sets(BinaryOp::Add, set, value.at(0), type);
      mark.add(value.at(0));
    }
    co_return one(set);
  }
  if (const auto* node = std::get_if<SetSize>(&e.node)) {
    const Words set = co_await eval(node->set);
    co_return one(static_cast<std::int32_t>(elements(set.at(0)).size()));
  }
  if (const auto* node = std::get_if<ChooseFrom>(&e.node)) {
    const Words set = co_await eval(node->set);
    Mark mark(*this);
    mark.add(set.at(0));
    const std::set<std::int32_t> all = elements(set.at(0));
    if (all.empty()) throw Stop{"range"};
    Request r;
    r.kind = Request::Kind::Choose;
    r.lo = 0;
    r.hi = static_cast<std::int32_t>(all.size()) - 1;
    r.values.assign(all.begin(), all.end());
    co_return co_await request(std::move(r));
  }
  if (const auto* node = std::get_if<Conditional>(&e.node)) {
    const bool yes = co_await condition(node->condition);
    co_return co_await eval(yes ? node->if_true : node->if_false);
  }
  if (const auto* node = std::get_if<Call>(&e.node)) co_return co_await call(e, *node);
  if (const auto* node = std::get_if<Operation>(&e.node)) co_return co_await operation(e, *node);
  if (const auto* node = std::get_if<OwnedBy>(&e.node)) co_return co_await owned_by(*node);
  if (const auto* node = std::get_if<Spawn>(&e.node)) co_return co_await spawn(id, *node);
  if (std::holds_alternative<NullLiteral>(e.node)) co_return one(0);
  if (const auto* node = std::get_if<StructMake>(&e.node)) {
    std::vector<Words> fields(node->fields.size());
    Mark mark(*this);
    for (const std::uint32_t f : node->evaluation_order) {
      const TypeId type = model_->structs[node->decl].fields[f].type;
      Words value = co_await eval_as(node->fields[f], type);
      fields[f] = std::move(value);
      mark.add(fields[f], type);
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
    mark.add(lo.at(0));
    const Words hi = co_await eval(node->hi);
    mark.add(hi.at(0));
    r.lo = lo.at(0);
    r.hi = hi.at(0) - (node->half_open ? 1 : 0);
    if (r.hi < r.lo) throw Stop{"range"};
    co_return co_await request(r);
  }
  throw Unsupported{};
}

}  // namespace cml::brute
